//! Version numbers according to Semantic Versioning (semver.org 2.0.0).

use labs_core::fault::{Fault, FieldError};

/// Maximum length of a number, in characters.
const LONGEST: usize = 60;
/// Maximum number of digits of major, minor and patch.
const MOST_DIGITS: usize = 6;
/// Maximum number of digits of a numeric pre-release identifier.
const MOST_DIGITS_OF_IDENTIFIER: usize = 9;

/// Version number, split into its sort columns. Build metadata is not allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::versions) struct Number {
    /// Number as written.
    pub(in crate::versions) text: String,
    pub(in crate::versions) major: i64,
    pub(in crate::versions) minor: i64,
    pub(in crate::versions) patch: i64,
    /// Identifiers after the hyphen; empty for a release.
    pub(in crate::versions) prerelease: String,
}

impl Number {
    /// Parses `1.5.0` or `2.0.0-rc.1`.
    ///
    /// # Errors
    /// [`labs_core::Code::ValidationFailed`] at `/number`.
    pub(in crate::versions) fn parse(text: &str) -> Result<Self, Fault> {
        parse(text).ok_or_else(|| {
            Fault::field(
                "/number",
                "NOT_A_VERSION",
                "Send a semantic version without build metadata, for example 1.5.0 or 2.0.0-rc.1.",
            )
        })
    }

    /// Returns a definitely higher number as a proposal for the caller.
    pub(in crate::versions) fn higher(&self) -> String {
        if self.prerelease.is_empty() {
            format!("{}.{}.0", self.major, self.minor.saturating_add(1))
        } else {
            format!("{}.{}.{}", self.major, self.minor, self.patch)
        }
    }
}

fn parse(text: &str) -> Option<Number> {
    if text.len() > LONGEST {
        return None;
    }
    let (core, prerelease) = match text.split_once('-') {
        Some((core, prerelease)) => (core, Some(prerelease)),
        None => (text, None),
    };
    let mut parts = core.split('.');
    let (major, minor, patch) = (part(parts.next()?)?, part(parts.next()?)?, part(parts.next()?)?);
    if parts.next().is_some() || !prerelease.is_none_or(|list| list.split('.').all(is_identifier)) {
        return None;
    }
    Some(Number { text: text.to_owned(), major, minor, patch, prerelease: prerelease.unwrap_or_default().to_owned() })
}

fn part(text: &str) -> Option<i64> {
    let digits = is_digits(text) && is_plain(text) && text.len() <= MOST_DIGITS;
    if digits { text.parse().ok() } else { None }
}

fn is_identifier(text: &str) -> bool {
    let letters = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    letters && (!is_digits(text) || (is_plain(text) && text.len() <= MOST_DIGITS_OF_IDENTIFIER))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether the number has no leading zeros.
fn is_plain(text: &str) -> bool {
    text == "0" || !text.starts_with('0')
}

/// Error for a number that the app has used before.
pub(in crate::versions) fn err_used(number: &str) -> Fault {
    Fault::conflict(format!("The number {number} was already used for a version of this app. Send an unused number."))
        .with_errors(vec![FieldError::at("/number", "ALREADY_USED", format!("The number {number} was already used."))])
}

/// Error for a number that is not higher than the published one.
pub(in crate::versions) fn err_not_higher(number: &str, published: &str) -> Fault {
    let example = example(published);
    Fault::conflict(format!(
        "Version {published} is published and {number} is not higher. Send a higher number{example}."
    ))
    .with_errors(vec![err_must_be_higher(published)])
}

/// Error for a version whose number has become lower than or equal to the published one.
pub(in crate::versions) fn err_stale(number: &str, published: &str) -> Fault {
    let example = example(published);
    Fault::conflict(format!(
        "Version {published} was published in the meantime, and {number} is not higher. Create a version with a \
         higher number{example}."
    ))
    .with_errors(vec![err_must_be_higher(published)])
}

fn example(published: &str) -> String {
    parse(published).map(|published| format!(", for example {}", published.higher())).unwrap_or_default()
}

fn err_must_be_higher(published: &str) -> FieldError {
    FieldError::at("/number", "NOT_HIGHER", format!("The number must be higher than {published}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_number_is_parsed() {
        let number = Number::parse("2.10.3-rc.1").unwrap();
        assert_eq!((number.major, number.minor, number.patch), (2, 10, 3));
        assert_eq!(number.prerelease, "rc.1");
        assert_eq!(Number::parse("0.0.0").unwrap().prerelease, "");
        assert_eq!(Number::parse("1.0.0-x-y-z.--").unwrap().prerelease, "x-y-z.--");
        assert_eq!(Number::parse("1.0.0-0a").unwrap().prerelease, "0a");
    }

    #[test]
    fn invalid_semantic_version_is_rejected() {
        let long = format!("1.0.0-{}", "a".repeat(60));
        for text in [
            "",
            "1",
            "1.0",
            "1.0.0.0",
            "v1.0.0",
            "01.0.0",
            "1.0.0-",
            "1.0.0-01",
            "1.0.0-a..b",
            "1.0.0+build",
            "1.0.-1",
            "1.0.0-rc_1",
            "1000000.0.0",
            "1.0.0-1234567890",
            " 1.0.0",
            "1.0.0-é",
            &long,
        ] {
            assert!(Number::parse(text).is_err(), "{text} was taken");
        }
    }

    #[test]
    fn higher_number_is_suggested() {
        assert_eq!(Number::parse("1.4.2").unwrap().higher(), "1.5.0");
        assert_eq!(Number::parse("2.0.0-rc.1").unwrap().higher(), "2.0.0");
        assert!(err_not_higher("1.3.9", "1.4.0").detail().contains("1.5.0"));
    }
}
