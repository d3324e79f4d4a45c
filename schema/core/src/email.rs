//! E-mail addresses: accepted forms, and the normalised form for comparison.
//!
//! Stricter than RFC 5321 where it permits confusing forms: no quoted local parts, no address literals, no bare host
//! names, no invisible characters. Letters beyond ASCII are allowed (RFC 6531, RFC 5890).
use std::fmt;

use unicode_normalization::UnicodeNormalization;

/// Address that can receive mail. `Debug` does not print it, because addresses are never logged; use
/// [`EmailAddress::as_str`].
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct EmailAddress {
    /// As the user wrote it, in NFC.
    text: String,
    /// Position of the `@`.
    at: usize,
    /// Normalised form for comparison.
    normalised: String,
}

/// Reason why a text is not an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EmailProblem {
    /// Longer than RFC 5321 allows: 64 bytes before the `@`, 254 in all.
    #[error("the e-mail address is too long")]
    TooLong,
    /// Not of the form `name@domain`.
    #[error("the e-mail address must have the form name@example.com")]
    Form,
    /// A space, a control character or an invisible character.
    #[error("the e-mail address contains a space or an invisible character")]
    Character,
    /// The domain cannot receive mail.
    #[error("the domain of the e-mail address is not valid")]
    Domain,
}

/// Longest address in bytes (RFC 5321, 4.5.3.1.3, without the angle brackets).
pub const LONGEST_EMAIL: usize = 254;
/// Longest local part in bytes (RFC 5321, 4.5.3.1.1).
const LONGEST_LOCAL: usize = 64;

impl EmailAddress {
    /// Parses an address. Surrounding spaces are an error; the contract defines the accepted form.
    ///
    /// # Errors
    /// [`EmailProblem`]
    pub fn parse(text: &str) -> Result<EmailAddress, EmailProblem> {
        // NFC can at most triple the length of a text, so this limits the work.
        if text.len() > 3 * LONGEST_EMAIL {
            return Err(EmailProblem::TooLong);
        }
        let text: String = text.nfc().collect();
        if text.chars().any(is_unseen) {
            return Err(EmailProblem::Character);
        }
        let (local, domain) = text.rsplit_once('@').ok_or(EmailProblem::Form)?;
        let at = local.len();
        if local.len() > LONGEST_LOCAL || text.len() > LONGEST_EMAIL {
            return Err(EmailProblem::TooLong);
        }
        if !local.split('.').all(is_atom) {
            return Err(EmailProblem::Form);
        }
        let ascii_domain = ascii_domain(domain).ok_or(EmailProblem::Domain)?;
        let normalised = format!("{}@{ascii_domain}", comparable_local_part(local));
        if normalised.len() > LONGEST_EMAIL {
            return Err(EmailProblem::TooLong);
        }
        Ok(EmailAddress { text, at, normalised })
    }

    /// Returns the address as written, in NFC. Mail is sent to this form.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the normalised form in the unique index: NFC, lower case, the domain in its ASCII form. Two addresses
    /// with the same normalised form belong to one account (docs/decisions/texts.md#normalisation).
    pub fn normalised(&self) -> &str {
        &self.normalised
    }

    /// Returns the part before the `@`.
    pub fn local(&self) -> &str {
        self.text.get(..self.at).unwrap_or_default()
    }

    /// Returns the domain in its ASCII form, as mail servers and DNS need it.
    pub fn ascii_domain(&self) -> &str {
        let (_, domain) = self.normalised.rsplit_once('@').unwrap_or_default();
        domain
    }

    /// Returns the part after the `@`, as written.
    pub fn domain(&self) -> &str {
        self.text.get(self.at + 1..).unwrap_or_default()
    }
}

impl fmt::Debug for EmailAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("EmailAddress([redacted])")
    }
}

/// Normalises the local part. Lower-casing can undo NFC, so NFC is applied both first and last.
fn comparable_local_part(local: &str) -> String {
    local.to_lowercase().nfc().collect()
}

/// Returns the domain as DNS uses it: lower case, punycode for other characters than ASCII, at least two labels, and a
/// last label that is not a number.
pub(super) fn ascii_domain(domain: &str) -> Option<String> {
    let ascii = idna::domain_to_ascii_strict(domain).ok()?;
    let mut labels = ascii.rsplit('.');
    let top = labels.next().unwrap_or_default();
    let is_name = top.len() >= 2 && !top.bytes().all(|byte| byte.is_ascii_digit());
    (is_name && labels.next().is_some()).then_some(ascii)
}

/// Checks an atom of RFC 5322, 3.2.3, with letters beyond ASCII as RFC 6531 allows.
fn is_atom(atom: &str) -> bool {
    !atom.is_empty()
        && atom.chars().all(|c| !c.is_ascii() || c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c))
}

/// Whether a character is a space, a control character, or has no width or changes the reading direction: with them,
/// different addresses look alike.
pub(super) fn is_unseen(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{2800}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{ffff}'
                | '\u{e0000}'..='\u{e0fff}'
                | '\u{e000}'..='\u{f8ff}'
                | '\u{f0000}'..='\u{10ffff}'
        )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn normalised(text: &str) -> Result<String, EmailProblem> {
        EmailAddress::parse(text).map(|address| address.normalised().to_owned())
    }

    #[test]
    fn ordinary_addresses_are_accepted_unchanged() {
        for text in [
            "anna@example.com",
            "Anna.Berger+labs@Mail.Example.co.uk",
            "o'brien_42@xn--mnchen-3ya.example",
            "jürgen@müller.example",
            "用户@例子.广告",
            "a@b.cd",
            "!#$%&'*+-/=?^_`{|}~@example.org",
        ] {
            let address = EmailAddress::parse(text).unwrap();
            assert_eq!(address.as_str(), text);
            let (local, domain) = text.split_once('@').unwrap();
            assert_eq!((address.local(), address.domain()), (local, domain));
        }
    }

    #[test]
    fn equivalent_addresses_normalize_equally() {
        let pairs = [
            ("Anna@Example.COM", "anna@example.com"),
            ("jürgen@example.com", "JU\u{308}RGEN@example.com"),
            ("a@müller.example", "a@XN--MLLER-KVA.example"),
            ("a@Mu\u{308}ller.example", "a@müller.example"),
        ];
        for (one, two) in pairs {
            assert_eq!(normalised(one).unwrap(), normalised(two).unwrap(), "{one} {two}");
        }
        assert_eq!(normalised("a@müller.example").unwrap(), "a@xn--mller-kva.example");
        let address = EmailAddress::parse("A@Müller.example").unwrap();
        assert_eq!(address.ascii_domain(), "xn--mller-kva.example");
        assert_ne!(normalised("a.b@example.com"), normalised("ab@example.com"));
        assert_ne!(normalised("a+b@example.com"), normalised("a@example.com"));
    }

    #[test]
    fn invalid_address_is_rejected_with_reason() {
        use EmailProblem::{Character, Domain, Form, TooLong};
        let long_local = format!("{}@example.com", "a".repeat(65));
        let long_whole = format!("a@{}com", "abcdefg.".repeat(32));
        let endless = "a".repeat(2_000_000);
        let cells = [
            ("", Form),
            ("anna", Form),
            ("@example.com", Form),
            ("anna@", Domain),
            (".anna@example.com", Form),
            ("anna.@example.com", Form),
            ("an..na@example.com", Form),
            ("an@na@example.com", Form),
            ("\"anna\"@example.com", Form),
            ("anna(x)@example.com", Form),
            ("anna,otto@example.com", Form),
            ("<anna@example.com>", Form),
            (" anna@example.com", Character),
            ("anna@example.com\n", Character),
            ("anna@example.com\r\nBcc: x@example.com", Character),
            ("an\u{0}na@example.com", Character),
            ("an\u{200b}na@example.com", Character),
            ("anna@exa\u{ad}mple.com", Character),
            ("\u{202e}anna@example.com", Character),
            ("anna@localhost", Domain),
            ("anna@127.0.0.1", Domain),
            ("anna@[127.0.0.1]", Domain),
            ("anna@example.c", Domain),
            ("anna@.example.com", Domain),
            ("anna@example..com", Domain),
            ("anna@example.com.", Domain),
            ("anna@-example.com", Domain),
            ("anna@exa_mple.com", Domain),
            (&long_local, TooLong),
            (&long_whole, TooLong),
            (&endless, TooLong),
        ];
        for (text, problem) in cells {
            assert_eq!(normalised(text), Err(problem), "{text:.60}");
        }
    }

    #[test]
    fn email_address_debug_hides_content() {
        let address = EmailAddress::parse("anna@example.com").unwrap();
        assert!(!format!("{address:?}").contains("anna"));
    }

    proptest! {
        #[test]
        fn normalization_is_idempotent(text in "[\\PC]{1,12}@[a-zäöüß]{1,8}\\.[a-z]{2,4}") {
            if let Ok(copy) = normalised(&text) {
                prop_assert_eq!(normalised(&copy), Ok(copy.clone()));
            }
        }

        #[test]
        fn arbitrary_text_does_not_panic(text in ".{0,80}") {
            let _ = normalised(&text);
        }
    }
}
