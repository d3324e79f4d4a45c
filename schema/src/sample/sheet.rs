//! The sheet of sign-ins: what a person reads who wants to try the sample data.

use std::fmt::Write as _;

use crate::core::crypto::secret::SecretText;

/// Somebody or something of the sample data that can sign in.
#[derive(Debug)]
pub struct SignIn {
    /// The name of the person or program.
    pub who: String,
    /// The company; none for the platform's own.
    pub of: Option<String>,
    /// The role of a person; the scopes of a program and what it is for.
    pub note: String,
    /// What to sign in with.
    pub key: Key,
}

/// What somebody signs in with.
#[derive(Debug)]
pub enum Key {
    /// A person's.
    Password {
        /// The address.
        email: String,
        /// The password.
        password: SecretText,
        /// The authenticator's secret in base 32; none where there is no second factor.
        totp_secret: Option<SecretText>,
    },
    /// A program's.
    Secret {
        /// What it sends as `client_id`.
        client_id: String,
        /// What it sends as `client_secret`.
        secret: SecretText,
    },
}

/// The readable text for the file of sign-ins. It holds every secret of the sample data in clear: give the file mode
/// 0600.
///
/// `base_url` is the service's address without a slash at the end.
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

    /// How to begin with this one, as lines for a shell.
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
        // Writing to a text cannot fail.
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
    fn the_sheet_has_a_first_call_for_each_kind() {
        let sheet = sheet(&sign_ins(), "http://127.0.0.1:8080");
        let calls: Vec<&str> = sheet.lines().filter(|line| line.trim_start().starts_with("curl ")).collect();
        assert_eq!(calls.len(), 4, "{sheet}");
        assert!(calls.iter().all(|line| line.contains(" http://127.0.0.1:8080/v1/")), "{sheet}");
    }

    #[test]
    fn the_sheet_says_everything_that_is_needed() {
        let sheet = sheet(&sign_ins(), "http://127.0.0.1:8080");
        for word in
            ["henrike@labs.example", "JBSWY3DPEHPK3PXP", "hjk2m-pq3rs", "labs-client-x", "labs_cs_abc", "Elbkontor"]
        {
            assert!(sheet.contains(word), "{word} is missing in {sheet}");
        }
    }

    #[test]
    fn a_sign_in_is_never_printed_with_its_secrets() {
        let printed = format!("{:?}", sign_ins());
        for secret in ["JBSWY3DPEHPK3PXP", "hjk2m-pq3rs", "labs_cs_abc"] {
            assert!(!printed.contains(secret), "{printed}");
        }
    }
}
