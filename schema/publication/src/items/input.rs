//! Input of an item: one set of fields for all kinds; each kind uses its own subset.

use labs_core::describe::{InputType, MaybeUndefined};
use labs_core::fault::FieldError;
use labs_core::time::Time;
use serde::Deserialize;

use super::content::PublicationContent;
use super::rules::{ChangeKind, PublicationAudience, PublicationKind};

/// Fields of every kind, except the title.
#[derive(Clone, Debug, Deserialize, InputType)]
pub(crate) struct PublicationTexts {
    /// Slug of the item. Once the item was released, the former slug redirects to it.
    pub(super) slug: Option<String>,
    /// Summary in one or two sentences of plain text.
    #[serde(default)]
    pub(super) summary: MaybeUndefined<String>,
    /// Text in Markdown (CommonMark with tables and strikethrough). A link to `op:` and an operation id points into the
    /// reference. If the operation does not exist, the item cannot be released. Images are `https` only. The service
    /// rejects nesting deeper than 24 levels (`TOO_DEEP`), more than 2,000 ampersands (`TOO_MANY_AMPERSANDS`), and text
    /// that becomes more than 1,000,000 characters of HTML (`HTML_TOO_LONG`).
    #[serde(default)]
    pub(super) body: MaybeUndefined<String>,
    /// Tags for finding the item.
    #[serde(default)]
    pub(super) tags: MaybeUndefined<Vec<String>>,
}

/// Release and kind of change of a changelog entry.
#[derive(Clone, Debug, Deserialize, InputType)]
pub(crate) struct ChangelogEntryRelease {
    /// For a changelog entry, required: the release of the service that the entry describes.
    pub(crate) version: Option<String>,
    /// For a changelog entry, required: the kind of change.
    pub(crate) change: Option<ChangeKind>,
}

/// Further fields of a changelog entry.
#[derive(Clone, Debug, Deserialize, InputType)]
pub(crate) struct ChangelogEntryFields {
    /// For a changelog entry: the affected operations, including removed ones.
    #[serde(default)]
    pub(super) operations: MaybeUndefined<Vec<String>>,
    /// For a changelog entry: the affected fields.
    #[serde(default)]
    pub(super) fields: MaybeUndefined<Vec<String>>,
    /// For a changelog entry: time when the change takes effect.
    #[serde(default)]
    pub(super) effective_at: MaybeUndefined<Time>,
    /// For a changelog entry: whether callers have to act. If true, `migration` must state the actions before the
    /// release.
    pub(super) action_required: Option<bool>,
    /// Migration instructions of a changelog entry: the changes that callers have to make, with examples of requests
    /// before and after the change, in Markdown. The same limits as for `body` apply.
    #[serde(default)]
    pub(super) migration: MaybeUndefined<String>,
    /// For a changelog entry: the sunset time of the deprecated element, later than `effective_at`.
    #[serde(default)]
    pub(super) sunset_at: MaybeUndefined<Time>,
}

/// Further fields of blog posts and developer resources.
#[derive(Clone, Debug, Default, Deserialize, InputType)]
pub(crate) struct PublicationDetails {
    /// Readers of the item after its release. Changelog entries and blog posts are always `PUBLIC`, which is also the
    /// default.
    audience: Option<PublicationAudience>,
    /// For a blog post: whether readers see its author, the user who creates it. Only the author can set this field;
    /// otherwise 422 `NOT_AUTHOR`.
    show_author: Option<bool>,
    /// For a developer resource with an uploaded artefact: the version of its content.
    #[serde(default)]
    resource_version: MaybeUndefined<String>,
}

/// All input fields of an item.
pub(crate) struct PublicationPatch {
    pub(crate) title: Option<String>,
    pub(crate) texts: PublicationTexts,
    pub(crate) release: ChangelogEntryRelease,
    pub(crate) entry: ChangelogEntryFields,
    pub(crate) details: PublicationDetails,
}

impl PublicationPatch {
    /// Returns the given fields that only a changelog entry has.
    fn entry_fields(&self) -> impl Iterator<Item = &'static str> {
        let (release, entry) = (&self.release, &self.entry);
        [
            ("/version", release.version.is_some()),
            ("/change", release.change.is_some()),
            ("/operations", entry.operations.is_value()),
            ("/fields", entry.fields.is_value()),
            ("/effective_at", entry.effective_at.is_value()),
            ("/action_required", entry.action_required.is_some()),
            ("/migration", entry.migration.is_value()),
            ("/sunset_at", entry.sunset_at.is_value()),
        ]
        .into_iter()
        .filter_map(|(pointer, is_said)| is_said.then_some(pointer))
    }
}

impl PublicationPatch {
    /// Whether the version of a resource's content is given.
    pub(super) fn has_resource_version(&self) -> bool {
        self.details.resource_version.is_value()
    }

    /// Applies the patch and returns the new content. Fields of another kind are reported as errors.
    pub(crate) fn apply_to(
        self,
        kind: PublicationKind,
        mut content: PublicationContent,
        errors: &mut Vec<FieldError>,
    ) -> PublicationContent {
        let mut refuse = |pointer: &str| {
            let message = format!("A {} has no such field. Omit it.", kind.name());
            errors.push(FieldError::at(pointer, "NOT_OF_KIND", message));
        };
        if kind != PublicationKind::ChangelogEntry {
            self.entry_fields().for_each(&mut refuse);
        }
        let Self { title, texts, release, entry, details } = self;
        if kind != PublicationKind::BlogPost && details.show_author.is_some() {
            refuse("/show_author");
        }
        if kind != PublicationKind::DeveloperResource && details.resource_version.is_value() {
            refuse("/resource_version");
        }
        content.slug = texts.slug.unwrap_or(content.slug);
        content.title = title.map_or(content.title, |title| title.trim().to_owned());
        or_empty(texts.summary, &mut content.summary);
        content.summary.truncate(content.summary.trim_end().len());
        or_empty(texts.body, &mut content.body);
        or_empty(texts.tags, &mut content.tags);
        content.version = release.version.or(content.version);
        content.change = release.change.or(content.change);
        or_empty(entry.operations, &mut content.operations);
        or_empty(entry.fields, &mut content.fields);
        entry.effective_at.update_to(&mut content.effective_at);
        content.action_required = entry.action_required.unwrap_or(content.action_required);
        entry.migration.update_to(&mut content.migration);
        entry.sunset_at.update_to(&mut content.sunset_at);
        content.audience = details.audience.unwrap_or(content.audience);
        content.show_author = details.show_author.unwrap_or(content.show_author);
        details.resource_version.update_to(&mut content.resource_version);
        content
    }
}

fn or_empty<T: Default>(said: MaybeUndefined<T>, value: &mut T) {
    match said {
        MaybeUndefined::Undefined => {}
        MaybeUndefined::Null => *value = T::default(),
        MaybeUndefined::Value(said) => *value = said,
    }
}
