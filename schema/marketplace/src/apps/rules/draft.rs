//! Rules for an app's draft, and the merge of a patch into the current draft.

use labs_core::describe::MaybeUndefined;
use labs_core::email::EmailAddress;
use labs_core::fault::{Fault, FieldError};
use labs_core::plain::{err_too_long, line, null_as_empty, paragraphs};
use labs_core::slug::{NewSlug, err_taken};

/// Fields of an app that its owner edits, with the texts of one locale.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Draft {
    pub(crate) slug: String,
    pub(crate) default_locale: String,
    pub(crate) support_email: Option<String>,
    pub(crate) support_url: Option<String>,
    pub(crate) privacy_url: Option<String>,
    pub(crate) website_url: Option<String>,
    pub(crate) terms_url: Option<String>,
    pub(crate) name: String,
    pub(crate) tagline: String,
    pub(crate) description: String,
}

/// Merge patch of a draft (RFC 7396): each field is absent, null or a new value. A required field has no null value,
/// because the contract already rejects it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Patch {
    pub(crate) slug: Option<String>,
    pub(crate) default_locale: Option<String>,
    pub(crate) support_email: MaybeUndefined<String>,
    pub(crate) support_url: MaybeUndefined<String>,
    pub(crate) privacy_url: MaybeUndefined<String>,
    pub(crate) website_url: MaybeUndefined<String>,
    pub(crate) terms_url: MaybeUndefined<String>,
    pub(crate) name: Option<String>,
    pub(crate) tagline: MaybeUndefined<String>,
    pub(crate) description: MaybeUndefined<String>,
}

/// Default locale of an app that names none.
const FIRST_LOCALE: &str = "en";
/// Prefix of a slug derived from a name without plain letters.
const NAMELESS: &str = "app";

/// Builds the draft of a new app, without its slug, and the slug.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`], pointing to each invalid field.
pub(in crate::apps) fn new_draft(mut patch: Patch) -> Result<(Draft, NewSlug), Fault> {
    let chosen = patch.slug.take();
    let nothing = Draft { default_locale: FIRST_LOCALE.to_owned(), ..Draft::default() };
    let draft = merge(&nothing, patch)?;
    let slug = NewSlug::of(chosen, &draft.name, NAMELESS);
    Ok((draft, slug))
}

/// Merges a patch into the draft.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`], pointing to each invalid field.
pub(in crate::apps) fn merge(present: &Draft, patch: Patch) -> Result<Draft, Fault> {
    let mut draft = present.clone();
    let mut errors = Vec::new();
    if let Some(name) = patch.name {
        draft.name = line("/name", &name, &mut errors);
        errors.extend(err_too_long("/name", &draft.name, 60));
        if draft.name.chars().count() < 2 {
            errors.push(FieldError::at("/name", "TOO_SHORT", "Send a name with at least two letters."));
        }
    }
    if let Some(tagline) = null_as_empty(patch.tagline) {
        draft.tagline = line("/tagline", &tagline, &mut errors);
        errors.extend(err_too_long("/tagline", &draft.tagline, 120));
    }
    if let Some(description) = null_as_empty(patch.description) {
        draft.description = paragraphs("/description", &description, &mut errors);
        errors.extend(err_too_long("/description", &draft.description, 10_000));
    }
    if !patch.support_email.is_undefined() {
        draft.support_email = patch.support_email.take().map(|email| address("/support_email", &email, &mut errors));
    }
    let links = [
        (patch.support_url, &mut draft.support_url),
        (patch.privacy_url, &mut draft.privacy_url),
        (patch.website_url, &mut draft.website_url),
        (patch.terms_url, &mut draft.terms_url),
    ];
    for (said, kept) in links {
        if !said.is_undefined() {
            *kept = said.take();
        }
    }
    draft.slug = patch.slug.unwrap_or(draft.slug);
    draft.default_locale = patch.default_locale.unwrap_or(draft.default_locale);
    if errors.is_empty() { Ok(draft) } else { Err(Fault::invalid(errors)) }
}

/// Texts of an app in one locale.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Texts {
    pub(crate) name: String,
    pub(crate) tagline: String,
    pub(crate) description: String,
}

impl From<Draft> for Texts {
    fn from(draft: Draft) -> Self {
        Self { name: draft.name, tagline: draft.tagline, description: draft.description }
    }
}

/// Normalizes and validates the texts of one locale. The rules are the same for every locale.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`], pointing to each invalid field.
pub(crate) fn whole_texts(sent: Texts) -> Result<Texts, Fault> {
    let patch = Patch {
        name: Some(sent.name),
        tagline: MaybeUndefined::Value(sent.tagline),
        description: MaybeUndefined::Value(sent.description),
        ..Patch::default()
    };
    merge(&Draft::default(), patch).map(Texts::from)
}

/// Returns the contract names of the fields in which two drafts differ.
pub(in crate::apps) fn changed_fields(before: &Draft, after: &Draft) -> Vec<&'static str> {
    let fields = [
        ("slug", before.slug != after.slug),
        ("name", before.name != after.name),
        ("tagline", before.tagline != after.tagline),
        ("description", before.description != after.description),
        ("default_locale", before.default_locale != after.default_locale),
        ("support_email", before.support_email != after.support_email),
        ("support_url", before.support_url != after.support_url),
        ("privacy_url", before.privacy_url != after.privacy_url),
        ("website_url", before.website_url != after.website_url),
        ("terms_url", before.terms_url != after.terms_url),
    ];
    fields.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
}

/// Conditions that make the slug of an app immutable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SlugConstraints {
    /// Whether the app was ever published.
    pub(crate) was_published: bool,
    /// Whether a version is with the reviewers, or approved and not yet published. It will be published under the slug
    /// that the reviewers saw.
    pub(crate) is_handed_in: bool,
}

/// Checks that the slug may change: only if the app was never published and no version is being reviewed or approved.
///
/// # Errors
/// [`labs_core::Code::Conflict`], pointing to the slug.
pub(in crate::apps) fn ensure_slug_movable(before: &Draft, after: &Draft, fixed: SlugConstraints) -> Result<(), Fault> {
    let (detail, message) = match fixed {
        _ if before.slug == after.slug => return Ok(()),
        SlugConstraints { was_published: true, .. } => (
            "The slug of a published app cannot change, because customers have links to it. Omit it.",
            "The slug cannot change after the app was published.",
        ),
        SlugConstraints { is_handed_in: true, .. } => (
            "The slug cannot change while a version is with the reviewers or approved, because it is published with \
             the version. Omit it.",
            "The slug cannot change while a version is submitted, in review, approved or scheduled.",
        ),
        SlugConstraints { .. } => return Ok(()),
    };
    Err(slug_fault(detail.to_owned(), "FIXED", message))
}

/// Checks that the default locale may change: to a locale with texts, or to any locale if the app has texts in only
/// one. In the latter case the texts move to the new locale.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`], pointing to the locale.
pub(in crate::apps) fn ensure_locale_movable(after: &Draft, locales: &[String]) -> Result<(), Fault> {
    if locales.len() <= 1 || locales.contains(&after.default_locale) {
        return Ok(());
    }
    let known = locales.join(", ");
    Err(Fault::field(
        "/default_locale",
        "NO_TEXTS",
        format!("The app has texts in {known}. Choose one of them, or write the texts of the new locale first."),
    ))
}

/// Error for a slug that another app has.
pub(in crate::apps) fn err_slug_taken(slug: &str) -> Fault {
    let detail = format!("The slug {slug} belongs to another app. Send another slug.");
    Fault::conflict(detail).with_errors(vec![err_taken("This slug belongs to another app.")])
}

fn slug_fault(detail: String, code: &str, message: &str) -> Fault {
    Fault::conflict(detail).with_errors(vec![FieldError::at("/slug", code, message)])
}

fn address(pointer: &str, text: &str, errors: &mut Vec<FieldError>) -> String {
    match EmailAddress::parse(text) {
        Ok(address) => address.as_str().to_owned(),
        Err(problem) => {
            errors.push(FieldError::at(pointer, "FORMAT", format!("{problem}. Send a deliverable e-mail address.")));
            String::new()
        }
    }
}

#[cfg(test)]
mod tests;
