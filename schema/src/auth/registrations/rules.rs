//! What a registration must be like.

use unicode_normalization::UnicodeNormalization;

use crate::fault::{Fault, FieldError};
use crate::keep::email::EmailProblem;
use crate::keep::password::PasswordProblem;

/// Seconds in which the address must be verified.
pub(super) const VERIFY_SECONDS: i64 = 24 * 3600;
/// Mails about registrations that one address gets in an hour at most, whoever asks for them.
pub(super) const MAILS_PER_HOUR: i64 = 5;
/// The tier of whoever names none.
pub(super) const FIRST_TIER: &str = "FREE";
/// Shortest company name, in characters, blanks around it not counted.
const SHORTEST_COMPANY: usize = 2;
/// Longest slug before what makes it the only one is added, in characters.
const LONGEST_SLUG: usize = 60;

/// What was found out about a registration.
#[derive(Clone, Copy)]
pub(super) struct Findings<'a> {
    pub(super) company_name: &'a str,
    pub(super) accepts_terms: bool,
    /// Why the address is none.
    pub(super) email: Option<EmailProblem>,
    /// Why the password is refused.
    pub(super) password: &'a [PasswordProblem],
    /// Whether anybody may choose the tier alone.
    pub(super) tier_is_offered: bool,
}

/// What is wrong with a registration beyond what the contract's schema can say, all of it at once.
pub(super) fn errors(found: &Findings<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if found.company_name.trim().chars().count() < SHORTEST_COMPANY {
        errors.push(FieldError::at("/company_name", "TOO_SHORT", "Use at least 2 characters, blanks aside."));
    }
    if let Some(problem) = found.email {
        errors.push(FieldError::at("/administrator/email", "FORMAT", format!("This cannot be used: {problem}.")));
    }
    let password = found.password.iter().map(|problem| (problem.code(), problem.message()));
    errors.extend(password.map(|(code, message)| FieldError::at("/administrator/password", code, message)));
    if !found.tier_is_offered {
        let message = "Choose a tier with self_service from GET /v1/subscription/public/tiers.";
        errors.push(FieldError::at("/tier_code", "UNKNOWN_TIER", message));
    }
    if !found.accepts_terms {
        errors.push(FieldError::at("/accept_terms", "NOT_ALLOWED", "The terms must be accepted: send true."));
    }
    errors
}

/// The refusal of a token that is unknown, used or past its time: the same words for all three.
pub(super) fn void_token() -> Fault {
    let message = "This token is not valid: it is unknown, used or past its time. Register again.";
    Fault::field("/token", "INVALID", message)
}

/// A slug out of a company's name: lower-case letters, digits and single hyphens.
pub(super) fn slug_of(company_name: &str) -> String {
    let mut slug = String::with_capacity(LONGEST_SLUG);
    for letter in company_name.nfkd() {
        if slug.len() >= LONGEST_SLUG {
            break;
        }
        if letter.is_ascii_alphanumeric() {
            slug.push(letter.to_ascii_lowercase());
        } else if !is_accent(letter) && !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "partner".to_owned() } else { slug.to_owned() }
}

/// The same, made the only one by a few characters of somebody's choice. Anything but letters and digits in them
/// is left out.
pub(super) fn slug_with(slug: &str, characters: &str) -> String {
    let tail: String = characters.chars().filter(char::is_ascii_alphanumeric).collect();
    format!("{slug}-{}", tail.to_ascii_lowercase())
}

/// A mark that belongs to the letter before it once that is taken apart.
fn is_accent(letter: char) -> bool {
    matches!(u32::from(letter), 0x300..=0x36F)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(errors: &[FieldError]) -> Vec<(&str, &str)> {
        errors.iter().map(|error| (error.pointer.as_deref().unwrap_or_default(), error.code.as_str())).collect()
    }

    const GOOD: Findings<'_> =
        Findings { company_name: "Tischwerk", accepts_terms: true, email: None, password: &[], tier_is_offered: true };

    #[test]
    fn a_good_registration_has_no_errors() {
        assert!(errors(&GOOD).is_empty());
    }

    #[test]
    fn everything_that_is_wrong_is_told_at_once_and_where() {
        let found = errors(&Findings {
            company_name: " x ",
            accepts_terms: false,
            email: Some(EmailProblem::Domain),
            password: &[PasswordProblem::TooCommon],
            tier_is_offered: false,
        });
        let expected = [
            ("/company_name", "TOO_SHORT"),
            ("/administrator/email", "FORMAT"),
            ("/administrator/password", "TOO_COMMON"),
            ("/tier_code", "UNKNOWN_TIER"),
            ("/accept_terms", "NOT_ALLOWED"),
        ];
        assert_eq!(places(&found), expected);
    }

    #[test]
    fn slugs_are_plain_and_fit_their_column() {
        assert_eq!(slug_of("Küche & Kasse GmbH"), "kuche-kasse-gmbh");
        assert_eq!(slug_of("  --  "), "partner");
        assert_eq!(slug_of("日本食堂"), "partner");
        assert_eq!(slug_of("7 Gänge"), "7-gange");
        let long = slug_of(&"Über-lange Firma ".repeat(20));
        assert!(long.len() <= LONGEST_SLUG && !long.ends_with('-'), "{long}");
        let only = slug_with(&long, "01980000-0000-7000-8000-0000000000AF");
        assert!(only.len() <= LONGEST_SLUG + 33 && only.ends_with("0af"), "{only}");
        assert_eq!(slug_with("tischwerk", "b7f2"), "tischwerk-b7f2");
    }
}
