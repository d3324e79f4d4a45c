//! The checks of the listing requirements: pure functions of facts.

mod submitted;

use labs_core::web_address::{WebAddress, is_redirect_uri};
use serde::Deserialize;
use uuid::Uuid;

use crate::media::MediaKind;
use crate::translations::missing_fields as missing_texts;

/// Facts for the checks, from the current draft or from a submission.
#[derive(Clone, Debug, Default)]
pub(in crate::checklist) struct Facts {
    /// Locale that readers get if no other locale matches.
    pub(in crate::checklist) default_locale: String,
    /// Texts in every locale of the draft.
    pub(in crate::checklist) texts: Vec<TextFact>,
    /// E-mail address of customer support.
    pub(in crate::checklist) support_email: Option<String>,
    /// URL of a help centre or contact page.
    pub(in crate::checklist) support_url: Option<String>,
    /// URL of the privacy policy.
    pub(in crate::checklist) privacy_url: Option<String>,
    /// Whether the primary category is visible; `None` without a primary category.
    pub(in crate::checklist) primary_category_shown: Option<bool>,
    /// Media items.
    pub(in crate::checklist) pictures: Vec<PictureFact>,
    /// Version, if there is an unpublished one.
    pub(in crate::checklist) version: Option<VersionFact>,
    /// State of the partner's account.
    pub(in crate::checklist) account: AccountFact,
}

/// Texts of the listing in one locale.
#[derive(Clone, Debug, Default, Deserialize)]
pub(in crate::checklist) struct TextFact {
    pub(in crate::checklist) locale: String,
    pub(in crate::checklist) name: String,
    pub(in crate::checklist) tagline: String,
    pub(in crate::checklist) description: String,
}

/// Facts of a media item.
#[derive(Clone, Debug, Deserialize)]
pub(in crate::checklist) struct PictureFact {
    /// Kind of media item.
    pub(in crate::checklist) kind: MediaKind,
    pub(in crate::checklist) alt_text: String,
}

/// Facts of a version.
#[derive(Clone, Debug, Default)]
pub(in crate::checklist) struct VersionFact {
    pub(in crate::checklist) version_uuid: Uuid,
    /// The release notes in the app's default locale.
    pub(in crate::checklist) release_notes: Option<String>,
    pub(in crate::checklist) redirect_uris: Vec<String>,
}

/// Facts of the partner's account.
#[derive(Clone, Debug, Default)]
pub(in crate::checklist) struct AccountFact {
    /// Value of the column.
    pub(in crate::checklist) partner_state: String,
    /// Whether an administrator has confirmed an e-mail address.
    pub(in crate::checklist) is_verified: bool,
}

/// Automatic check of a requirement.
struct Check {
    code: &'static str,
    /// Whether an unmet requirement blocks a submission; otherwise it is a recommendation.
    is_blocker: bool,
    /// JSON pointer to the place in the listing content where it is fixed.
    pointer: &'static str,
    /// Missing content and where to add it.
    missing: fn(&Facts) -> Option<String>,
}

/// Result of checking a requirement against the facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    /// `None` if only a reviewer can judge it.
    pub(super) is_met: Option<bool>,
    pub(super) is_blocker: bool,
    pub(super) pointer: &'static str,
    pub(super) detail: Option<String>,
}

/// Condition of the account that prevents a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SubmissionBlocker {
    pub(super) code: &'static str,
    pub(super) detail: &'static str,
}

/// Requirement that represents the account; the account conditions name the exact reason.
pub(super) const ACCOUNT: &str = "REQ-12";

/// Checks, by number of the requirement.
const CHECKS: [Check; 13] = [
    Check { code: "REQ-01", is_blocker: true, pointer: "/icon", missing: icon },
    Check { code: "REQ-02", is_blocker: true, pointer: "/name", missing: name },
    Check { code: "REQ-03", is_blocker: true, pointer: "/tagline", missing: tagline },
    Check { code: "REQ-04", is_blocker: true, pointer: "/description", missing: description },
    Check { code: "REQ-05", is_blocker: true, pointer: "/categories", missing: primary_category },
    Check { code: "REQ-06", is_blocker: false, pointer: "/media", missing: screenshots },
    Check { code: "REQ-07", is_blocker: true, pointer: "/support_email", missing: support },
    Check { code: "REQ-08", is_blocker: true, pointer: "/privacy_url", missing: privacy },
    Check { code: "REQ-09", is_blocker: true, pointer: "/release_notes", missing: release_notes },
    Check { code: "REQ-10", is_blocker: true, pointer: "/manifest/redirect_uris", missing: redirect_uris },
    Check { code: "REQ-11", is_blocker: false, pointer: "/media", missing: alternative_texts },
    Check { code: ACCOUNT, is_blocker: true, pointer: "", missing: account },
    Check { code: "REQ-13", is_blocker: true, pointer: "/translations", missing: whole_texts },
];

/// Checks one requirement against the facts. A requirement without a check is left to the reviewers.
pub(super) fn check_requirement(code: &str, facts: &Facts) -> Verdict {
    match CHECKS.iter().find(|check| check.code == code) {
        None => Verdict { is_met: None, is_blocker: false, pointer: "", detail: None },
        Some(check) => {
            let detail = (check.missing)(facts);
            Verdict { is_met: Some(detail.is_none()), is_blocker: check.is_blocker, pointer: check.pointer, detail }
        }
    }
}

/// Returns the account conditions that prevent a submission.
pub(super) fn find_blockers(account: &AccountFact) -> Vec<SubmissionBlocker> {
    let mut found = Vec::new();
    if !account.is_verified {
        found.push(SubmissionBlocker {
            code: "EMAIL_UNVERIFIED",
            detail: "No administrator of your company has a verified e-mail address. Follow the link in the \
                     registration e-mail.",
        });
    }
    if account.partner_state != "ACTIVE" {
        found.push(SubmissionBlocker {
            code: "PARTNER_NOT_ACTIVE",
            detail: "Your company's account is being closed or is suspended. Cancel the closure, or contact support.",
        });
    }
    found
}

fn icon(facts: &Facts) -> Option<String> {
    let has_icon = facts.pictures.iter().any(|picture| picture.kind == MediaKind::Icon);
    missing(!has_icon, "The app has no icon. Upload an image of kind ICON.")
}

fn name(facts: &Facts) -> Option<String> {
    let is_short = own_text(facts).is_none_or(|text| text.name.trim().chars().count() < 2);
    missing(is_short, "The app has no name in its default locale. Write one.")
}

fn tagline(facts: &Facts) -> Option<String> {
    let is_empty = own_text(facts).is_none_or(|text| text.tagline.trim().is_empty());
    missing(is_empty, "The tagline is empty. Describe the app in one line.")
}

fn description(facts: &Facts) -> Option<String> {
    let is_empty = own_text(facts).is_none_or(|text| text.description.trim().is_empty());
    missing(is_empty, "The description is empty. Describe the purpose of the app and its users.")
}

fn primary_category(facts: &Facts) -> Option<String> {
    match facts.primary_category_shown {
        None => Some("The app has no primary category. Choose one.".to_owned()),
        Some(shown) => missing(!shown, "The primary category was removed from the storefront. Choose another one."),
    }
}

/// Recommended minimum number of screenshots.
const SCREENSHOTS: usize = 2;

fn screenshots(facts: &Facts) -> Option<String> {
    let count = facts.pictures.iter().filter(|picture| picture.kind == MediaKind::Screenshot).count();
    (count < SCREENSHOTS).then(|| {
        format!(
            "The app has {count} of {SCREENSHOTS} recommended screenshots. Customers judge the app by them. Upload \
             images of kind SCREENSHOT."
        )
    })
}

fn support(facts: &Facts) -> Option<String> {
    let is_missing = is_blank(facts.support_email.as_deref()) && !is_web_address(facts.support_url.as_deref());
    missing(is_missing, "Customers cannot find help. Set support_email or support_url.")
}

/// Stored URLs are checked again: an older release accepted some that this release rejects.
fn is_web_address(stored: Option<&str>) -> bool {
    stored.is_some_and(|address| WebAddress::parse(address).is_ok())
}

fn privacy(facts: &Facts) -> Option<String> {
    missing(
        !is_web_address(facts.privacy_url.as_deref()),
        "The app has no privacy policy. Set privacy_url to its https address.",
    )
}

fn release_notes(facts: &Facts) -> Option<String> {
    match &facts.version {
        None => Some("The app has no version to submit. Create one with release notes.".to_owned()),
        Some(version) => is_blank(version.release_notes.as_deref()).then(|| {
            format!("The version has no release notes in {}, the default locale. Write them.", facts.default_locale)
        }),
    }
}

fn redirect_uris(facts: &Facts) -> Option<String> {
    let uris = facts.version.as_ref().map(|version| version.redirect_uris.as_slice()).unwrap_or_default();
    let unsafe_uri = uris.iter().find(|uri| !is_redirect_uri(uri))?;
    Some(format!("{unsafe_uri} is not safe. Send https addresses without a fragment, or loopback addresses."))
}

fn alternative_texts(facts: &Facts) -> Option<String> {
    let count = facts.pictures.iter().filter(|picture| picture.alt_text.trim().is_empty()).count();
    (count > 0).then(|| {
        format!("{count} of the images have no text for users who cannot see them. Give each one an alt_text.")
    })
}

fn account(facts: &Facts) -> Option<String> {
    missing(
        !find_blockers(&facts.account).is_empty(),
        "The account does not meet every requirement. See blockers_of_account.",
    )
}

fn whole_texts(facts: &Facts) -> Option<String> {
    let is_partial = |text: &&TextFact| !missing_texts(&text.name, &text.tagline, &text.description).is_empty();
    let others = facts.texts.iter().filter(|text| text.locale != facts.default_locale);
    let partial: Vec<&str> = others.filter(is_partial).map(|text| text.locale.as_str()).collect();
    (!partial.is_empty()).then(|| {
        format!("Name, tagline or description is empty in {}. Write them, or remove the locale.", partial.join(", "))
    })
}

fn own_text(facts: &Facts) -> Option<&TextFact> {
    facts.texts.iter().find(|text| text.locale == facts.default_locale)
}

fn is_blank(text: Option<&str>) -> bool {
    text.is_none_or(|text| text.trim().is_empty())
}

fn missing(is_missing: bool, detail: &str) -> Option<String> {
    is_missing.then(|| detail.to_owned())
}

#[cfg(test)]
mod tests;
