//! Rules for the content and the publication of a profile, and the merge of a change into the draft.

use labs_core::describe::{EnumType, MaybeUndefined};
use std::collections::BTreeMap;

use labs_core::fault::{Fault, FieldError};
use labs_core::plain::{err_too_long, line, paragraphs};
use labs_core::state_diagram::StateDiagram;
use serde::{Deserialize, Deserializer, Serialize};
use uuid::Uuid;

/// Maximum number of locales with texts.
const MOST_LOCALES: usize = 40;
/// Maximum number of characters of a text alternative.
const LONGEST_ALT_TEXT: usize = 250;

/// State of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumType, serde::Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum PartnerProfileState {
    /// Readers see nothing. The profile was never published, or the team unpublished it.
    Unpublished,
    /// Readers see the last published version.
    Published,
    /// Staff unpublished the profile; `state_reason` states the reason. It can be published again after a change.
    TakenDown,
}

/// Action on a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Publish the current draft.
    Publish,
    /// Unpublish, by the team.
    Unpublish,
    /// Take down, by staff, with a reason.
    TakeDown,
}

impl PartnerProfileState {
    /// All states, for tables and tests.
    pub(super) const ALL: [Self; 3] = [Self::Unpublished, Self::Published, Self::TakenDown];

    /// Returns the value in the column.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Unpublished => "UNPUBLISHED",
            Self::Published => "PUBLISHED",
            Self::TakenDown => "TAKEN_DOWN",
        }
    }

    /// Parses the value of the column.
    ///
    /// # Errors
    /// [`labs_core::Code::Internal`] for a value that violates the column's check constraint.
    pub(super) fn parse(text: &str) -> Result<Self, Fault> {
        let found = Self::ALL.into_iter().find(|state| state.name() == text);
        found.ok_or_else(|| Fault::internal(format!("a profile has the unknown state {text}")))
    }
}

impl Action {
    /// All actions, for tables and tests.
    pub(super) const ALL: [Self; 3] = [Self::Publish, Self::Unpublish, Self::TakeDown];

    /// Returns the action's name in error details.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Publish => "publish",
            Self::Unpublish => "unpublish",
            Self::TakeDown => "take-down",
        }
    }

    /// Returns the last path segment of the operation.
    const fn path_name(self) -> &'static str {
        match self {
            Self::Publish => "publish",
            Self::Unpublish | Self::TakeDown => "unpublish",
        }
    }

    const fn is_staffs(self) -> bool {
        matches!(self, Self::TakeDown)
    }
}

/// Returns the state that an action results in, or `None` (the transition table). A published profile can be published
/// again at any time, to show later changes of the draft.
const fn next(state: PartnerProfileState, action: Action) -> Option<PartnerProfileState> {
    match (state, action) {
        (_, Action::Publish) => Some(PartnerProfileState::Published),
        (PartnerProfileState::Published, Action::Unpublish) => Some(PartnerProfileState::Unpublished),
        (PartnerProfileState::Published, Action::TakeDown) => Some(PartnerProfileState::TakenDown),
        _ => None,
    }
}

/// Returns the state that an action results in.
///
/// # Errors
/// [`labs_core::Code::IllegalTransition`] with the currently allowed actions of the caller's side.
pub(super) fn after(state: PartnerProfileState, action: Action) -> Result<PartnerProfileState, Fault> {
    next(state, action).ok_or_else(|| {
        let allowed = Action::ALL
            .into_iter()
            .filter(|other| other.is_staffs() == action.is_staffs() && next(state, *other).is_some())
            .map(|other| other.name().to_owned())
            .collect();
        Fault::illegal("profile", state.name(), action.name(), allowed)
    })
}

/// Returns the currently allowed actions of one side.
pub(super) fn allowed_actions(state: PartnerProfileState, is_staff: bool) -> Vec<String> {
    let allowed = Action::ALL.into_iter().filter(|action| action.is_staffs() == is_staff);
    allowed.filter(|action| next(state, *action).is_some()).map(|action| action.path_name().to_owned()).collect()
}

/// Draws the state diagram.
pub fn draw_states() -> StateDiagram {
    StateDiagram::of(
        "Profile",
        (&PartnerProfileState::ALL, PartnerProfileState::name),
        (&Action::ALL, Action::name),
        [&after],
    )
}

/// Texts of the profile in one locale. Empty until they are written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Text {
    /// Tagline: one line below the company name.
    pub(super) tagline: String,
    /// Plain text; an empty line separates paragraphs.
    pub(super) description: String,
    /// Text alternative of the logo in this locale, instead of the one that was uploaded with it. Empty if not written.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) logo_alt_text: String,
    /// Text alternative of the banner in this locale, as for the logo.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) banner_alt_text: String,
}

/// Draft of the profile, without its images.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Draft {
    pub(super) default_locale: String,
    pub(super) texts: BTreeMap<String, Text>,
    pub(super) website_url: Option<String>,
    pub(super) languages: Vec<String>,
    pub(super) regions: Vec<String>,
}

/// Published state of the profile, as the column `partner_profile.snapshot` stores it. Fields may be added with a
/// default, but never renamed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Snapshot {
    #[serde(flatten)]
    pub(super) draft: Draft,
    #[serde(default)]
    pub(super) logo_uuid: Option<Uuid>,
    #[serde(default)]
    pub(super) banner_uuid: Option<Uuid>,
}

/// Change of each field in a request: absent, empty, or new content (RFC 7396).
#[derive(Debug, Default)]
pub(super) struct Patch {
    pub(super) default_locale: Option<String>,
    pub(super) texts: BTreeMap<String, Option<TextPatch>>,
    pub(super) website_url: MaybeUndefined<String>,
    pub(super) languages: Option<Vec<String>>,
    pub(super) regions: Option<Vec<String>>,
}

/// Change of the texts in one locale. The outer `None` is absent, the inner one empties the text.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct TextPatch {
    #[serde(deserialize_with = "said")]
    pub(super) tagline: Option<Option<String>>,
    #[serde(deserialize_with = "said")]
    pub(super) description: Option<Option<String>>,
    #[serde(deserialize_with = "said")]
    pub(super) logo_alt_text: Option<Option<String>>,
    #[serde(deserialize_with = "said")]
    pub(super) banner_alt_text: Option<Option<String>>,
}

impl TextPatch {
    /// Returns the texts of a locale after the change. Adds an error for each text that is not allowed.
    fn apply_to(self, mut text: Text, locale: &str, errors: &mut Vec<FieldError>) -> Text {
        let at = |field: &str| format!("/texts/{locale}/{field}");
        let lines = [
            ("tagline", self.tagline, &mut text.tagline, 120),
            ("logo_alt_text", self.logo_alt_text, &mut text.logo_alt_text, LONGEST_ALT_TEXT),
            ("banner_alt_text", self.banner_alt_text, &mut text.banner_alt_text, LONGEST_ALT_TEXT),
        ];
        for (field, said, present, longest) in lines {
            if let Some(said) = said {
                *present = line(&at(field), &said.unwrap_or_default(), errors);
                errors.extend(err_too_long(&at(field), present, longest));
            }
        }
        if let Some(description) = self.description {
            text.description = paragraphs(&at("description"), &description.unwrap_or_default(), errors);
            errors.extend(err_too_long(&at("description"), &text.description, 5000));
        }
        text
    }
}

/// Deserializes a present field, including null.
fn said<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Option::<String>::deserialize(deserializer).map(Some)
}

/// Merges a change into the draft. The first locale with a text becomes the default, unless the change names one.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`], pointing to each invalid field.
pub(super) fn merge(present: &Draft, patch: Patch) -> Result<Draft, Fault> {
    let (mut draft, mut errors) = (present.clone(), Vec::new());
    let names_default = patch.default_locale.is_some();
    for (locale, said) in patch.texts {
        match said {
            None => drop(draft.texts.remove(&locale)),
            Some(said) => {
                let present = draft.texts.remove(&locale).unwrap_or_default();
                let text = said.apply_to(present, &locale, &mut errors);
                draft.texts.insert(locale, text);
            }
        }
    }
    if draft.texts.len() > MOST_LOCALES {
        let message = format!(
            "At most {MOST_LOCALES} locales are allowed; with this one there would be {}. Remove one first.",
            draft.texts.len()
        );
        errors.push(FieldError::at("/texts", "TOO_MANY", message));
    }
    draft.default_locale = patch.default_locale.unwrap_or(draft.default_locale);
    if let (true, false, Some((first, None))) =
        (present.texts.is_empty(), names_default, only(draft.texts.keys().cloned()))
    {
        draft.default_locale = first;
    }
    if !patch.website_url.is_undefined() {
        draft.website_url = patch.website_url.take();
    }
    draft.languages = patch.languages.unwrap_or(draft.languages);
    draft.regions = patch.regions.unwrap_or(draft.regions);
    errors.extend(check_default(&draft, names_default));
    if errors.is_empty() { Ok(draft) } else { Err(Fault::invalid(errors)) }
}

/// Returns the first item and the item after it, if there is one.
fn only<T>(mut things: impl Iterator<Item = T>) -> Option<(T, Option<T>)> {
    things.next().map(|first| (first, things.next()))
}

/// Checks that the default locale has texts, once any locale has texts.
fn check_default(draft: &Draft, names_default: bool) -> Option<FieldError> {
    if draft.texts.is_empty() || draft.texts.contains_key(&draft.default_locale) {
        return None;
    }
    let known = draft.texts.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
    let (pointer, code) = if names_default {
        ("/default_locale".to_owned(), "NO_TEXTS")
    } else {
        (format!("/texts/{}", draft.default_locale), "DEFAULT_LOCALE")
    };
    let message = format!(
        "The profile has texts in {known}, and readers of other languages get the default locale. Make one of them \
         the default, or write texts in {}.",
        draft.default_locale
    );
    Some(FieldError::at(pointer, code, message))
}

/// Returns the names of the fields in which two drafts differ, as in the contract.
pub(super) fn changed_fields(before: &Draft, after: &Draft) -> Vec<&'static str> {
    let fields = [
        ("default_locale", before.default_locale != after.default_locale),
        ("texts", before.texts != after.texts),
        ("website_url", before.website_url != after.website_url),
        ("languages", before.languages != after.languages),
        ("regions", before.regions != after.regions),
    ];
    fields.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
}

/// Input of the publication check.
pub(super) struct PublishChecks<'a> {
    /// Snapshot to publish.
    pub(super) next: &'a Snapshot,
    /// Previously published snapshot, if there is one.
    pub(super) former: Option<&'a Snapshot>,
    pub(super) state: PartnerProfileState,
    /// Value of the column `partner.state`.
    pub(super) partner_state: &'a str,
}

/// Returns the obstacles to a publication, each with a pointer to the field to fix.
pub(super) fn open_items(checks: &PublishChecks<'_>) -> Vec<FieldError> {
    let (draft, mut open) = (&checks.next.draft, Vec::new());
    if checks.partner_state != "ACTIVE" {
        let message = "Your company's account is being closed or is suspended. Cancel the closure, or contact support.";
        open.push(FieldError::at("", "PARTNER_NOT_ACTIVE", message));
    }
    if draft.texts.is_empty() {
        let message = "The profile has no text. Write a tagline and a description in at least one locale.";
        open.push(FieldError::at("/texts", "REQUIRED", message));
    }
    for (locale, text) in &draft.texts {
        for (field, said) in [("tagline", &text.tagline), ("description", &text.description)] {
            if said.is_empty() {
                let message = format!("The {field} in {locale} is empty. Write it, or remove the locale.");
                open.push(FieldError::at(format!("/texts/{locale}/{field}"), "REQUIRED", message));
            }
        }
    }
    if checks.next.logo_uuid.is_none() {
        open.push(FieldError::at("/logo", "REQUIRED", "The profile has no logo. Upload an image of kind LOGO."));
    }
    if checks.state == PartnerProfileState::TakenDown && checks.former == Some(checks.next) {
        let message = "Staff took down the profile in its current form. Fix the problems in `state_reason`, then \
                       publish it again.";
        open.push(FieldError::at("", "UNCHANGED", message));
    }
    open
}

#[cfg(test)]
mod tests;
