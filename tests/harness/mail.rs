//! The mail that the service wrote, read from its `.eml` files.

use std::time::Duration;

use super::Harness;

/// How long a mail may take from the request that queued it.
const PATIENCE: Duration = Duration::from_secs(20);

impl Harness {
    /// The texts of all mails to an address, oldest first. Waits for the first one.
    pub(crate) async fn mails_to(&self, address: &str) -> Vec<String> {
        tokio::time::timeout(PATIENCE, async {
            loop {
                let found = self.mails_now(address);
                if !found.is_empty() {
                    return found;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        })
        .await
        .unwrap_or_else(|_| panic!("no mail came to {address}"))
    }

    /// The one-time token in the newest mail to an address.
    pub(crate) async fn mailed_token(&self, address: &str) -> String {
        let mails = self.mails_to(address).await;
        let mail = mails.last().unwrap().replace("=\r\n", "").replace("=3D", "=");
        let start = mail.find("labs_ot_").unwrap_or_else(|| panic!("no token in {mail}"));
        mail[start..]
            .chars()
            .take_while(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-'))
            .collect()
    }

    /// The mails to an address that are there already.
    pub(crate) fn mails_now(&self, address: &str) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(&self.mail_folder) else { return Vec::new() };
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|end| end == "eml"))
            .collect();
        names.sort();
        let texts = names.iter().map(|name| std::fs::read_to_string(name).unwrap());
        texts.filter(|text| text.lines().any(|line| line.starts_with("To:") && line.contains(address))).collect()
    }
}
