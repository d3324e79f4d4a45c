//! Sheet with the credentials of the sample data.

use std::fmt::Write as _;

use labs_crypto::secret::SecretText;

/// A user or machine client of the sample data with credentials.
#[derive(Debug)]
pub struct SignIn {
    /// Name of the user or machine client.
    pub who: String,
    /// Name of the company; none for staff and for machine clients without a partner.
    pub of: Option<String>,
    /// Role of a user; scopes and purpose of a machine client.
    pub note: String,
    /// Credentials.
    pub key: Key,
}

/// Credentials of a user or a machine client.
#[derive(Debug)]
pub enum Key {
    /// Credentials of a user.
    Password {
        /// E-mail address.
        email: String,
        /// Password.
        password: SecretText,
        /// Secret of the authenticator app in base 32; none without a second factor.
        totp_secret: Option<SecretText>,
    },
    /// Credentials of a machine client.
    Secret {
        /// Value of `client_id`.
        client_id: String,
        /// Value of `client_secret`.
        secret: SecretText,
    },
}

/// Returns the text for the credentials file. It contains every secret of the sample data in clear: give the file mode
/// 0600.
///
/// `base_url` is the URL of the service without a trailing slash.
#[must_use]
pub fn sheet(sign_ins: &[SignIn], base_url: &str) -> String {
    let mut text = format!(
        "Sample sign-ins of Labs at {base_url}\n\
         Made up, with random passwords, and known to this file alone. Start with --empty to go without them.\n"
    );
    for kind in [Kind::Staff, Kind::Team, Kind::Program] {
        let of_kind: Vec<&SignIn> = sign_ins.iter().filter(|sign_in| sign_in.kind() == kind).collect();
        let Some(first) = of_kind.first() else { continue };
        text += &format!("\n\n{}\n\n", kind.heading());
        text += &first.first_call(base_url);
        let mut company = None;
        for sign_in in of_kind {
            if sign_in.of.is_some() && company != sign_in.of.as_ref() {
                company = sign_in.of.as_ref();
                text += &format!("\n  {}\n", sign_in.of.as_deref().unwrap_or_default());
            }
            text += &sign_in.lines();
        }
    }
    text
}

/// The three parts of the sheet.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Staff,
    Team,
    Program,
}

impl Kind {
    fn heading(self) -> &'static str {
        match self {
            Self::Staff => "THE PLATFORM'S OWN PEOPLE (second factor compulsory; they may use the playground too)",
            Self::Team => "PEOPLE OF PARTNERS",
            Self::Program => "PROGRAMS",
        }
    }
}

impl SignIn {
    fn kind(&self) -> Kind {
        match (&self.key, &self.of) {
            (Key::Secret { .. }, _) => Kind::Program,
            (Key::Password { .. }, None) => Kind::Staff,
            (Key::Password { .. }, Some(_)) => Kind::Team,
        }
    }

    /// Returns shell commands for the first request with these credentials.
    fn first_call(&self, base_url: &str) -> String {
        match &self.key {
            Key::Secret { client_id, secret } => format!(
                "  curl -s {base_url}/v1/oauth/token -d grant_type=client_credentials \\\n    -d client_id={client_id} -d client_secret={}\n",
                secret.expose()
            ),
            Key::Password { email, password, totp_secret } => {
                let mut text = format!(
                    "  curl -s {base_url}/v1/auth/sessions -H 'content-type: application/json' \\\n    \
                     -d '{{\"email\":\"{email}\",\"password\":\"{}\"}}'\n",
                    password.expose()
                );
                if totp_secret.is_some() {
                    text += &format!(
                        "  # It answers MFA_REQUIRED with a challenge; the code comes from an authenticator that has been\n  \
                         # given the secret below, or from `./labs totp SECRET`:\n  \
                         curl -s {base_url}/v1/auth/sessions:verify-mfa -H 'content-type: application/json' \\\n    \
                         -d '{{\"challenge\":\"CHALLENGE\",\"code\":\"CODE\"}}'\n"
                    );
                }
                text
            }
        }
    }

    fn lines(&self) -> String {
        let mut text = format!("\n  {} ({})\n", self.who, self.note);
        // Writing to a `String` cannot fail.
        let _ = match &self.key {
            Key::Password { email, password, .. } => {
                writeln!(text, "    email     {email}\n    password  {}", password.expose())
            }
            Key::Secret { client_id, secret } => {
                writeln!(text, "    client id {client_id}\n    secret    {}", secret.expose())
            }
        };
        if let Key::Password { totp_secret: Some(secret), .. } = &self.key {
            let _ = writeln!(text, "    totp      {}", secret.expose());
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sign_ins() -> Vec<SignIn> {
        let person = |who: &str, of: Option<&str>, totp: Option<&str>| SignIn {
            who: who.to_owned(),
            of: of.map(str::to_owned),
            note: "ADMINISTRATOR".to_owned(),
            key: Key::Password {
                email: format!("{}@labs.example", who.to_lowercase()),
                password: SecretText::new("hjk2m-pq3rs"),
                totp_secret: totp.map(SecretText::new),
            },
        };
        vec![
            person("Mareike", Some("Elbkontor"), None),
            person("Henrike", None, Some("JBSWY3DPEHPK3PXP")),
            SignIn {
                who: "Storefront".to_owned(),
                of: None,
                note: "storefront:write".to_owned(),
                key: Key::Secret { client_id: "labs-client-x".to_owned(), secret: SecretText::new("labs_cs_abc") },
            },
        ]
    }

    #[test]
    fn sheet_has_a_first_request_for_each_kind() {
        let sheet = sheet(&sign_ins(), "http://127.0.0.1:8080");
        let calls: Vec<&str> = sheet.lines().filter(|line| line.trim_start().starts_with("curl ")).collect();
        assert_eq!(calls.len(), 4, "{sheet}");
        assert!(calls.iter().all(|line| line.contains(" http://127.0.0.1:8080/v1/")), "{sheet}");
    }

    #[test]
    fn sheet_contains_all_sign_in_data() {
        let sheet = sheet(&sign_ins(), "http://127.0.0.1:8080");
        for word in
            ["henrike@labs.example", "JBSWY3DPEHPK3PXP", "hjk2m-pq3rs", "labs-client-x", "labs_cs_abc", "Elbkontor"]
        {
            assert!(sheet.contains(word), "{word} is missing in {sheet}");
        }
    }

    #[test]
    fn sign_in_debug_hides_secrets() {
        let printed = format!("{:?}", sign_ins());
        for secret in ["JBSWY3DPEHPK3PXP", "hjk2m-pq3rs", "labs_cs_abc"] {
            assert!(!printed.contains(secret), "{printed}");
        }
    }
}
