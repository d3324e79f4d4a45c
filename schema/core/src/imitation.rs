//! Detection of names that resemble the platform, its staff or another company. Two names look alike if they have the
//! same skeleton (UTS #39), regardless of case and of characters between the letters.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;
use unicode_security::confusable_detection::skeleton;

use crate::fault::FieldError;

/// Stable code of a name that resembles another.
const CODE: &str = "NAME_IMITATES";

/// Name of the platform.
const PLATFORM: &str = "labs";

/// Words that form a designation before the platform's name.
const LEADING: [&str; 4] = ["official", "staff", "support", "team"];

/// Words; one or two of them form a designation after the platform's name.
const OFFICES: [&str; 26] = [
    "admin",
    "administration",
    "administrator",
    "administrators",
    "admins",
    "billing",
    "company",
    "help",
    "helpdesk",
    "marketplace",
    "moderation",
    "moderator",
    "moderators",
    "official",
    "operations",
    "operator",
    "platform",
    "review",
    "reviewer",
    "reviewers",
    "security",
    "service",
    "staff",
    "support",
    "system",
    "team",
];

/// Legal forms that a designation can contain.
const LEGAL_FORMS: [&str; 12] = ["ag", "bv", "co", "corp", "gmbh", "inc", "kg", "limited", "llc", "ltd", "sa", "ug"];

/// Computes the skeletons of a company's name: one of the name as written, in which a capital I looks like a small l,
/// and one of the lower-case name. Names look alike if they share one.
#[must_use]
pub fn skeletons(name: &str) -> Vec<String> {
    let letters = letters_of(name, |letter| letter.is_alphanumeric() || is_combining_mark(letter));
    let lower: String = letters.to_lowercase();
    let mut skeletons = vec![to_lower(&letters), to_lower(&lower)];
    skeletons.retain(|skeleton| !skeleton.is_empty());
    skeletons.sort_unstable();
    skeletons.dedup();
    skeletons
}

/// Returns the error for a name in this field that resembles a designation of the platform or its staff.
pub fn of_platform(pointer: &str, name: &str) -> Option<FieldError> {
    let message = "This name resembles the name of the platform or its staff. Choose another one.";
    imitates_platform(name).then(|| FieldError::at(pointer, CODE, message))
}

/// Returns the error for a company name that resembles the name of another company.
pub fn err_company_name(pointer: &str) -> FieldError {
    let message = "This name resembles the name of a company whose apps are on the storefront. Choose another one, \
                   or ask support to allow it.";
    FieldError::at(pointer, CODE, message)
}

/// Whether the whole name is a designation of the platform or its staff. A name that only contains the platform's name,
/// such as Food Labs, is allowed.
fn imitates_platform(name: &str) -> bool {
    // Accents are removed: Lábs is the platform's name with an accent.
    let plain: String = name.nfkd().filter(|letter| !is_combining_mark(*letter)).collect();
    let letters = letters_of(&plain, char::is_alphanumeric);
    [to_lower(&letters), to_lower(&letters.to_lowercase())].iter().any(|skeleton| is_designation(skeleton))
}

/// Whether a skeleton is the platform's name, alone or with words of an office and a legal form. The word "staff"
/// counts without the platform's name.
fn is_designation(skeleton: &str) -> bool {
    let offices: Vec<String> = OFFICES.iter().map(|office| to_lower(office)).collect();
    let forms = LEGAL_FORMS.iter().map(|form| to_lower(form));
    let platform = to_lower(PLATFORM);
    let without_form = forms.filter_map(|form| skeleton.strip_suffix(form.as_str()).map(str::to_owned));
    let mut candidates = without_form.chain([skeleton.to_owned()]);
    candidates.any(|text| {
        text == to_lower("staff")
            || text == platform
            || text.strip_prefix(platform.as_str()).is_some_and(|rest| is_of(rest, &offices))
            || text
                .strip_suffix(platform.as_str())
                .is_some_and(|rest| LEADING.iter().any(|word| rest == to_lower(word)))
            || LEADING.iter().any(|word| {
                let rest = text.strip_prefix(&to_lower(word)).and_then(|rest| rest.strip_prefix(platform.as_str()));
                rest.is_some_and(|rest| is_of(rest, &offices))
            })
    })
}

/// Whether a text consists of one or two words of an office.
fn is_of(text: &str, offices: &[String]) -> bool {
    offices.iter().any(|office| {
        text.strip_prefix(office.as_str())
            .is_some_and(|rest| rest.is_empty() || offices.iter().any(|next| rest == next))
    })
}

/// Returns the characters of a name that count in comparisons.
fn letters_of(name: &str, counts: impl Fn(char) -> bool) -> String {
    name.nfkc().filter(|letter| counts(*letter)).collect()
}

/// Returns the skeleton of the lower-case skeleton, so that neither case nor Unicode form makes a difference.
fn to_lower(text: &str) -> String {
    let once: String = skeleton(text).collect::<String>().to_lowercase();
    skeleton(&once).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_similar(one: &str, other: &str) -> bool {
        let other = skeletons(other);
        skeletons(one).iter().any(|skeleton| other.contains(skeleton))
    }

    #[test]
    fn platform_and_staff_names_are_impersonation() {
        for name in [
            "Labs",
            "LABS",
            "labs.",
            "L a b s",
            "Lаbs",
            "Ⅼabs",
            "Iabs",
            "1abs",
            "Lábs",
            "ＬＡＢＳ",
            "Labs Staff",
            "Labs-Support",
            "Labs Support Team",
            "Team Labs",
            "Official Labs Support",
            "Labs GmbH",
            "Labs Ѕtaff",
            "Staff",
        ] {
            assert!(imitates_platform(name), "{name}");
        }
    }

    #[test]
    fn names_that_only_contain_platform_name_are_allowed() {
        for name in [
            "Food Labs GmbH",
            "Labskaus Hamburg",
            "Kitchen Labs",
            "Labs of Taste",
            "Jonas Staffel",
            "Support Heroes",
            "Slabs",
            "",
            "東京",
        ] {
            assert!(!imitates_platform(name), "{name}");
        }
    }

    #[test]
    fn names_look_alike_regardless_of_case_punctuation_and_script() {
        for (one, other) in [
            ("Tischwerk", "TISCHWERK"),
            ("Tischwerk GmbH", "Tisch-Werk GmbH"),
            ("Tischwerk", "Tіѕсhwеrk"),
            ("Kamin", "Karnin"),
            ("Nordlicht", "NordIicht"),
            ("IBIS", "Ibis"),
            ("Café Moka", "Cafe\u{301} Moka"),
        ] {
            assert!(is_similar(one, other), "{one} and {other}");
        }
        for (one, other) in [("Café", "Cafe"), ("Alma", "Aima"), ("Tischwerk", "Tischwerke"), ("東京", "京都")] {
            assert!(!is_similar(one, other), "{one} and {other}");
        }
        assert!(skeletons("!!!").is_empty());
    }
}
