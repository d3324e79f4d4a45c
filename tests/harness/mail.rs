//! The mails that the service wrote, read from its `.eml` files.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::{Harness, LONGEST_WAIT};

/// The parts of a mail with a token.
pub(crate) struct Mailed {
    /// Full text of the mail.
    pub(crate) text: String,
    /// Link to the page, with the token after `#`.
    pub(crate) link: String,
    /// The shell command. None in an invitation.
    pub(crate) command: Option<String>,
}

/// Returns the mark of a mail whose token the operation with this path accepts: the end of the page's address.
pub(crate) fn mark_of(path: &str) -> &'static str {
    match path {
        "/v1/auth/registrations:verify-email" => "/account/verify-email#",
        "/v1/auth/password-resets:confirm" => "/account/reset-password#",
        "/v1/auth/account:confirm-email" => "/account/confirm-email#",
        "/v1/auth/account:cancel-email-change" => "/account/cancel-email-change#",
        "/v1/auth/invitations:accept" => "/account/invitation#",
        other => panic!("no mail has a token for {other}"),
    }
}

impl Mailed {
    fn read(text: String) -> Option<Mailed> {
        let mut lines = text.lines().filter(|line| line.contains("labs_ot_")).map(|line| line.trim().to_owned());
        let (link, command) = (lines.next()?, lines.next());
        Some(Mailed { text, link, command })
    }

    /// Runs the command in a shell with this input and returns the service's response.
    pub(crate) async fn run(&self, typed: &str) -> Value {
        let (command, typed) = (self.command.clone().expect("the mail has a command"), typed.to_owned());
        let said = tokio::task::spawn_blocking(move || {
            let mut shell = Command::new("sh");
            shell.arg("-c").arg(&command).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut shell = shell.spawn().unwrap();
            // A command that reads no input may exit before it could read.
            let _ = shell.stdin.take().unwrap().write_all(typed.as_bytes());
            shell.wait_with_output().unwrap()
        });
        let said = said.await.unwrap();
        let (out, complaints) = (String::from_utf8(said.stdout).unwrap(), String::from_utf8(said.stderr).unwrap());
        let answer = out.find('{').map(|start| &out[start..]).unwrap_or_default();
        serde_json::from_str(answer).unwrap_or_else(|error| panic!("{error}: {out} {complaints} {:?}", self.command))
    }
}

impl Harness {
    /// Waits for the mail to an address whose token an operation with this path accepts.
    pub(crate) async fn mailed(&self, address: &str, path: &str) -> Mailed {
        let find = || {
            let mut mails = self.mails_now(address).into_iter().filter_map(Mailed::read);
            mails.rfind(|mail| mail.link.contains(mark_of(path)))
        };
        self.soon("the mail comes", async || find().is_some()).await;
        find().unwrap()
    }

    /// Returns the texts of all mails to an address, oldest first. Waits for the first one.
    pub(crate) async fn mails_to(&self, address: &str) -> Vec<String> {
        tokio::time::timeout(LONGEST_WAIT, async {
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

    /// Returns the one-time token in the newest mail to an address.
    pub(crate) async fn mailed_token(&self, address: &str) -> String {
        let mails = self.mails_to(address).await;
        let mail = mails.last().unwrap();
        let start = mail.find("labs_ot_").unwrap_or_else(|| panic!("no token in {mail}"));
        mail[start..]
            .chars()
            .take_while(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-'))
            .collect()
    }

    /// Returns the mails to an address that have already been written.
    pub(crate) fn mails_now(&self, address: &str) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(&self.mail_folder) else { return Vec::new() };
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|end| end == "eml"))
            .collect();
        names.sort();
        let texts = names.iter().map(|name| decode_subject(&std::fs::read_to_string(name).unwrap()));
        texts.filter(|text| text.lines().any(|line| line.starts_with("To:") && line.contains(address))).collect()
    }
}

/// Returns a mail with its subject decoded, on one line.
fn decode_subject(mail: &str) -> String {
    let Some((before, rest)) = mail.split_once("\r\nSubject: ") else { return mail.to_owned() };
    let end = rest.match_indices("\r\n").find(|(place, _)| !rest[place + 2..].starts_with(' ')).unwrap().0;
    let words = rest[..end].split("\r\n ").flat_map(|line| line.split(' ')).map(|word| {
        let coded = word.strip_prefix("=?utf-8?b?").and_then(|word| word.strip_suffix("?="));
        STANDARD.decode(coded.unwrap_or_else(|| panic!("the subject has a plain word: {word}"))).unwrap()
    });
    let subject = String::from_utf8(words.collect::<Vec<_>>().concat()).unwrap();
    format!("{before}\r\nSubject: {subject}{}", &rest[end..])
}
