//! Released changelog entries: one, and the filtered list.

use labs_core::describe::{InputType, OutputType};
use labs_core::fault::Fault;
use labs_core::list::{Condition, FixedOrder, Key, ListQuery, Lookup, Select, SqlValue, Statements};
use labs_core::matches_words;
use labs_core::services::Services;
use labs_core::time::Time;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use crate::items::rules::ChangeKind;
use crate::readers::{
    PublicationAnchor, ReleasedItem, items_by_slug, released_item, shipped, show_migration, show_with_anchors,
};

/// A changelog entry in the list, without its texts.
#[derive(Clone, Debug, Serialize, OutputType, sqlx::FromRow)]
pub(super) struct ChangelogEntrySummary {
    /// Fields of every released item.
    #[sqlx(flatten)]
    #[serde(flatten)]
    pub(super) item: ReleasedItem,
    /// Release of the service that the entry describes.
    version: String,
    /// Kind of change.
    change: ChangeKind,
    /// Affected operations, including removed ones.
    operations: Vec<String>,
    /// Affected fields.
    fields: Vec<String>,
    /// Time when the change takes effect. Null if not stated.
    effective_at: Option<Time>,
    /// Whether callers have to act. `migration` states the actions.
    action_required: bool,
    /// Sunset time of the deprecated element. Null if the entry removes nothing.
    sunset_at: Option<Time>,
}

/// A change in a release of the service.
#[derive(Clone, Debug, Serialize, OutputType, sqlx::FromRow)]
pub(super) struct ChangelogEntry {
    /// Fields that are also in the list.
    #[sqlx(flatten)]
    #[serde(flatten)]
    pub(super) entry: ChangelogEntrySummary,
    /// Text in Markdown, as written.
    body: String,
    /// `body` as HTML that is safe to display. HTML in the source is shown as text. Links point to the web, to a
    /// mailbox or into the reference of this service. Headings have the ids that `anchors` lists.
    #[sqlx(skip)]
    body_html: String,
    /// Headings of `body` in order, for a table of contents.
    #[sqlx(skip)]
    anchors: Vec<PublicationAnchor>,
    /// Changes that callers have to make, with examples of requests before and after the change, in Markdown. Null if
    /// no action is required.
    migration: Option<String>,
    /// `migration` as HTML, in the same form.
    #[sqlx(skip)]
    migration_html: Option<String>,
    /// Feature requests on the board that this change ships, newest first. Partners read them at `GET
    /// /v1/engagement/feature-requests/{request_uuid}`.
    feature_requests: Vec<Uuid>,
}

impl ChangelogEntry {
    /// Returns the entry with its texts as HTML.
    ///
    /// # Errors
    /// [`labs_core::Code::Unavailable`] if too many texts wait to be rendered.
    pub(super) async fn with_html(self, services: &Services) -> Result<Self, Fault> {
        let (body_html, anchors) = show_with_anchors(services, &self.body).await?;
        let migration_html = show_migration(services, self.migration.as_deref()).await?;
        Ok(Self { body_html, anchors, migration_html, ..self })
    }
}

/// The columns of a [`ChangelogEntrySummary`].
macro_rules! entry {
    () => {
        concat!(
            released_item!(),
            ", i.version, i.change, i.operations, i.fields, i.effective_at, i.action_required, i.sunset_at"
        )
    };
}

static WHOLE: Select<ChangelogEntry> =
    Select::new(concat!(entry!(), ", i.body, i.migration, ", shipped!()), items_by_slug!());

/// Finds the entry that has or had a slug.
pub(super) static BY_SLUG: Lookup<ChangelogEntry> =
    Lookup::new(&WHOLE, &["address.kind = 'CHANGELOG_ENTRY' and i.state = 'RELEASED' and address.slug = {}"]);

static SHORT: Select<ChangelogEntrySummary> = Select::new(entry!(), "publication_item as i");

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, Deserialize, Serialize, InputType)]
pub(super) struct ChangelogFilter {
    change: Option<Vec<ChangeKind>>,
    version: Option<Vec<String>>,
    operation: Option<Vec<String>>,
    action_required: Option<bool>,
    tag: Option<Vec<String>>,
    q: Option<String>,
    released_at_from: Option<Time>,
    released_at_until: Option<Time>,
}

/// List of entries, latest release first.
pub(super) static ENTRIES: ListQuery<ChangelogFilter, ChangelogEntrySummary, FixedOrder> = ListQuery {
    operation: "publication_public_changelog_list",
    select: &SHORT,
    within: &[Condition {
        sql: "i.kind = 'CHANGELOG_ENTRY' and i.state = 'RELEASED'",
        value: |_| Some(SqlValue::Nothing),
    }],
    conditions: &[
        Condition { sql: "i.change = any({})", value: |of| SqlValue::words(of.change.as_ref()) },
        Condition { sql: "i.version = any({})", value: |of| SqlValue::texts(of.version.as_ref()) },
        Condition { sql: "i.operations && {}", value: |of| SqlValue::texts(of.operation.as_ref()) },
        Condition { sql: "i.action_required = {}", value: |of| of.action_required.map(SqlValue::from) },
        Condition { sql: "i.tags && {}", value: |of| SqlValue::texts(of.tag.as_ref()) },
        Condition { sql: matches_words!("i.title", "i.summary"), value: |of| of.q.as_deref().map(SqlValue::from) },
        Condition { sql: "i.released_at >= {}", value: |of| of.released_at_from.map(SqlValue::from) },
        Condition { sql: "i.released_at < {}", value: |of| of.released_at_until.map(SqlValue::from) },
    ],
    order: |FixedOrder| const { &[RELEASED.descending(), ID.descending()] },
};

const RELEASED: Key<ChangelogEntrySummary> = Key::moment("i.released_at", |entry| json!(entry.item.released_at));
const ID: Key<ChangelogEntrySummary> = Key::id("i.item_uuid", |entry| json!(entry.item.uuid));

/// SQL that this module assembles at run time, so the compiler does not check it.
pub(crate) static STATEMENTS: [&dyn Statements; 2] = [&ENTRIES, &BY_SLUG];
