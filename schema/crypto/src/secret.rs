//! Text that cannot be printed, and the secrets that Labs issues as text.
//!
//! An issued secret has the form `labs_<kind>_<43 characters><6 characters>`: 256 random bits in base64url, then a tail
//! computed from everything before it. With prefix and tail, a scanner of repositories and logs can recognise a leaked
//! secret offline, without false alarms; as a regular expression: `labs_(cs|ot)_[A-Za-z0-9_-]{49}`. The tail gives no
//! security: it is the first six characters of base64url(SHA-256(text before the tail)).
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Deserializer};
use zeroize::Zeroizing;

use super::{random_bytes, same_bytes, sha256};

/// Secret text: password, token or code. Overwritten when dropped, never printed or serialised.
#[derive(Clone, Default)]
pub struct SecretText(Zeroizing<String>);

impl SecretText {
    /// Wraps `text` as a secret.
    pub fn new(text: impl Into<String>) -> SecretText {
        SecretText(Zeroizing::new(text.into()))
    }

    /// Returns the text itself. Every call needs attention in a code review.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether both contain the same text, compared in constant time.
    pub fn same_as(&self, other: &SecretText) -> bool {
        same_bytes(self.0.as_bytes(), other.0.as_bytes())
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SecretText([redacted])")
    }
}

impl From<String> for SecretText {
    fn from(text: String) -> SecretText {
        SecretText::new(text)
    }
}

impl From<&str> for SecretText {
    fn from(text: &str) -> SecretText {
        SecretText::new(text)
    }
}

impl<'de> Deserialize<'de> for SecretText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SecretText, D::Error> {
        String::deserialize(deserializer).map(SecretText::new)
    }
}

/// Kind of a secret that Labs issues as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretKind {
    /// A client secret; it is valid until it is rotated.
    Client,
    /// A single-use token: in a mail message, or as the challenge of a second factor.
    OneTime,
}

/// New secret: the text for its owner, the digest for the database.
#[derive(Debug)]
pub struct IssuedSecret {
    /// Text, shown or mailed once and not stored.
    pub text: SecretText,
    /// SHA-256 of the text, stored and used for lookup.
    pub digest: [u8; 32],
}

/// Random bytes in an issued secret. Rule: docs/decisions/credentials.md#client-secrets.
const RANDOM_BYTES: usize = 32;
const TAIL: usize = 6;

impl SecretKind {
    /// Returns the prefix of every secret of this kind.
    pub fn prefix(self) -> &'static str {
        match self {
            SecretKind::Client => "labs_cs_",
            SecretKind::OneTime => "labs_ot_",
        }
    }

    /// Creates a new secret of this kind.
    pub fn issue(self) -> IssuedSecret {
        let random = Zeroizing::new(random_bytes::<RANDOM_BYTES>());
        let mut text = String::with_capacity(64);
        text.push_str(self.prefix());
        URL_SAFE_NO_PAD.encode_string(random.as_slice(), &mut text);
        let tail = tail_of(&text);
        text.push_str(&tail);
        IssuedSecret { digest: sha256(text.as_bytes()), text: SecretText::new(text) }
    }

    /// Returns the digest to look `presented` up by. `None` if it cannot be a secret of this kind.
    ///
    /// `None` reveals no more than the published form does; it saves a query.
    pub fn digest(self, presented: &str) -> Option<[u8; 32]> {
        let length = self.prefix().len() + RANDOM_BYTES.div_ceil(3) * 4 - 1 + TAIL;
        if presented.len() != length || !presented.starts_with(self.prefix()) {
            return None;
        }
        let (body, tail) = presented.split_at_checked(length - TAIL)?;
        same_bytes(tail_of(body).as_bytes(), tail.as_bytes()).then(|| sha256(presented.as_bytes()))
    }
}

/// Computes the tail of `body`.
fn tail_of(body: &str) -> String {
    let mut tail = URL_SAFE_NO_PAD.encode(sha256(body.as_bytes()));
    tail.truncate(TAIL);
    tail
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn secret_text_debug_hides_content() {
        let secret = SecretText::new("hunter2");
        assert!(!format!("{secret:?} {secret:#?}").contains("hunter2"));
        assert_eq!(secret.expose(), "hunter2");
    }

    #[test]
    fn secret_texts_are_compared_by_content() {
        assert!(SecretText::new("a").same_as(&SecretText::new("a")));
        assert!(!SecretText::new("a").same_as(&SecretText::new("b")));
    }

    #[test]
    fn issued_secret_has_documented_form_and_digest() {
        for kind in [SecretKind::Client, SecretKind::OneTime] {
            let issued = kind.issue();
            let text = issued.text.expose();
            assert_eq!(text.len(), 8 + 43 + 6);
            let rest = text.strip_prefix(kind.prefix()).unwrap();
            assert!(rest.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'));
            assert_eq!(kind.digest(text), Some(issued.digest));
            assert_eq!(issued.digest, sha256(text.as_bytes()));
        }
    }

    #[test]
    fn two_issued_secrets_differ() {
        assert_ne!(SecretKind::Client.issue().digest, SecretKind::Client.issue().digest);
    }

    #[test]
    fn secret_of_another_kind_is_rejected() {
        let client = SecretKind::Client.issue();
        assert_eq!(SecretKind::OneTime.digest(client.text.expose()), None);
    }

    proptest! {
        #[test]
        fn single_changed_character_fails_checksum(at in 8usize..57, to in "[A-Za-z0-9_-]") {
            let issued = SecretKind::OneTime.issue();
            let text = issued.text.expose();
            prop_assume!(text.get(at..=at) != Some(to.as_str()));
            let mut changed = text.to_owned();
            changed.replace_range(at..=at, &to);
            prop_assert_eq!(SecretKind::OneTime.digest(&changed), None);
        }

        #[test]
        fn arbitrary_text_has_no_digest_and_no_panic(text in "(labs_ot_)?\\PC{0,60}") {
            prop_assert_eq!(SecretKind::OneTime.digest(&text), None);
        }
    }
}
