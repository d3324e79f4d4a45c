//! Items as staff see them: one, the filtered list, and the transitions of one.

use labs_core::context::RequestContext;
use labs_core::describe::{InputType, OutputType};
use labs_core::fault::Fault;
use labs_core::list::{Condition, FixedOrder, Key, ListQuery, Lookup, Select, SqlValue, Statements};
use labs_core::matches_words;
use labs_core::surface::GeneratedResource;
use labs_core::time::Time;
use labs_core::words::words;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::content::PublicationContent;
use super::rules::{self, ChangeKind, PublicationAudience, PublicationKind, PublicationState};
use crate::generated;
use crate::readers::{shipped, show, show_migration};

words! {
    /// Kind of actor of a transition.
    pub(crate) enum PublicationActorKind {
        /// A staff member.
        StaffUser = "STAFF_USER",
        /// A machine client.
        MachineClient = "MACHINE_CLIENT",
        /// The service, at the scheduled time.
        System = "SYSTEM",
    }
}

/// Actor of a transition of a publication item.
#[derive(Clone, Debug, Serialize, Deserialize, OutputType)]
pub(crate) struct PublicationActor {
    /// Kind of the actor: a staff member, a machine client, or `SYSTEM` for the service itself at a scheduled time.
    kind: PublicationActorKind,
    /// UUID of the staff member or machine client. Null for the service itself.
    uuid: Option<Uuid>,
    /// Current name of the actor. Null if the actor no longer exists, and for the service itself.
    name: Option<String>,
}

/// Author of a blog post.
#[derive(Clone, Debug, Serialize, Deserialize, OutputType)]
pub(crate) struct PublicationAuthor {
    /// UUID of the user.
    pub(crate) uuid: Uuid,
    /// Current name of the author.
    name: String,
}

/// A changelog entry, a blog post or a developer resource, as staff edit it.
#[derive(Clone, Debug, Serialize, OutputType, sqlx::FromRow)]
pub(crate) struct PublicationItem {
    /// UUID of the item, for use in paths. It never changes.
    pub(crate) uuid: Uuid,
    /// Kind of the item.
    pub(crate) kind: PublicationKind,
    /// State of the item.
    pub(crate) state: PublicationState,
    /// Content of the item.
    #[sqlx(flatten)]
    #[serde(flatten)]
    pub(crate) content: PublicationContent,
    /// Former slugs since the first release, newest first. Their addresses redirect to the item, and no other item of
    /// its kind can use them.
    former_slugs: Vec<String>,
    /// `body` as HTML that is safe to display. HTML in the source is shown as text. Links point to the web, to a
    /// mailbox or into the reference. Headings have an `id` that begins with `section-`.
    #[sqlx(skip)]
    body_html: String,
    /// `migration` as HTML, in the same form.
    #[sqlx(skip)]
    migration_html: Option<String>,
    /// For a blog post: the staff member who created it. Null if a machine client created it, and for other kinds.
    #[sqlx(json(nullable))]
    pub(crate) author: Option<PublicationAuthor>,
    /// For a changelog entry: the feature requests on the board that it marks as shipped, newest first. The link is set
    /// together with the status of the feature request.
    feature_requests: Vec<Uuid>,
    /// For a developer resource: the kind of artefact that the service generates from its contract instead of an
    /// uploaded one. `artefact` and `resource_version` then describe the currently generated artefact. Null if the
    /// artefact is uploaded, and for other kinds.
    pub(crate) generated: Option<GeneratedResource>,
    /// Actor that created it.
    #[sqlx(json)]
    created_by: PublicationActor,
    /// Scheduled time of the release. Null unless the item is `SCHEDULED`.
    scheduled_for: Option<Time>,
    /// Time of the first release.
    pub(crate) first_released_at: Option<Time>,
    /// Time of the latest release.
    released_at: Option<Time>,
    /// Time of the withdrawal. Null unless the item was visible to readers before and currently is not.
    withdrawn_at: Option<Time>,
    /// Time of creation.
    created_at: Time,
    /// Time of the last change.
    updated_at: Time,
    /// Actions that the caller can perform now.
    #[sqlx(skip)]
    allowed_actions: Vec<String>,
}

/// An item in a list, without its texts.
#[derive(Clone, Debug, Serialize, OutputType, sqlx::FromRow)]
pub(super) struct PublicationItemSummary {
    /// UUID of the item, for use in paths. It never changes.
    uuid: Uuid,
    /// Kind of the item.
    kind: PublicationKind,
    /// State of the item.
    state: PublicationState,
    /// Audience after the release.
    audience: PublicationAudience,
    /// Slug of the item, unique among all items of its kind.
    slug: String,
    /// Title of the item.
    title: String,
    /// Title as compared by the list sorted by title.
    #[serde(skip)]
    title_sorted: String,
    /// Summary in one or two sentences of plain text. May be empty.
    summary: String,
    /// Tags for finding the item.
    tags: Vec<String>,
    /// For a changelog entry: the release of the service that the entry describes.
    version: Option<String>,
    /// For a changelog entry: the kind of change. Null for other kinds.
    change: Option<ChangeKind>,
    /// For a changelog entry: whether callers have to act. False for other kinds.
    action_required: bool,
    /// For a blog post: the staff member who created it. Null if a machine client created it, and for other kinds.
    #[sqlx(json(nullable))]
    author: Option<PublicationAuthor>,
    /// Actor that created it.
    #[sqlx(json)]
    created_by: PublicationActor,
    /// Scheduled time of the release. Null unless the item is `SCHEDULED`.
    scheduled_for: Option<Time>,
    /// Time of the latest release.
    released_at: Option<Time>,
    /// Time of creation.
    created_at: Time,
    /// Time of the last change.
    updated_at: Time,
    /// Actions that the caller can perform now.
    #[sqlx(skip)]
    allowed_actions: Vec<String>,
}

/// A transition of a publication item. Transitions are only added and never changed.
#[derive(Debug, Serialize, OutputType, sqlx::FromRow)]
pub(super) struct PublicationTransition {
    /// UUID of the transition.
    uuid: Uuid,
    /// Time of the transition.
    occurred_at: Time,
    /// Actor of the transition.
    #[sqlx(json)]
    actor: PublicationActor,
    /// Previous state.
    from_state: PublicationState,
    /// State after the transition. For an edit of a released item, the same as before.
    to_state: PublicationState,
    /// For a schedule: the scheduled time of the release.
    scheduled_for: Option<Time>,
    /// Reason for the transition. Null if none was given.
    reason: Option<String>,
    /// For an edit of a released item: the complete previous content. Null for other transitions.
    #[sqlx(json(nullable))]
    earlier: Option<PublicationContent>,
}

fn offered(state: PublicationState, cx: &RequestContext) -> Vec<String> {
    if cx.may("labs.admin.publication:write") { rules::allowed_actions(state) } else { Vec::new() }
}

impl PublicationItem {
    /// Returns the item with its texts as HTML and the caller's allowed actions.
    ///
    /// # Errors
    /// [`labs_core::Code::Unavailable`] if too many texts wait to be rendered.
    pub(crate) async fn for_caller(self, cx: &RequestContext) -> Result<Self, Fault> {
        Ok(Self {
            body_html: show(&cx.services, &self.content.body).await?.rendered.html.clone(),
            migration_html: show_migration(&cx.services, self.content.migration.as_deref()).await?,
            allowed_actions: offered(self.state, cx),
            ..self
        })
    }
}

impl PublicationItem {
    /// As [`Self::for_caller`], with the file that the service generates instead of an uploaded one.
    ///
    /// # Errors
    /// [`labs_core::Code::Internal`] if the service cannot generate it, and the errors of [`Self::for_caller`].
    pub(super) async fn with_file(mut self, cx: &RequestContext) -> Result<Self, Fault> {
        if let Some(resource) = self.generated {
            let made = generated::file(&cx.services, resource).await?;
            self.content.artefact = Some(made.artefact.clone());
            self.content.resource_version = Some(made.version.clone());
        }
        self.for_caller(cx).await
    }
}

impl PublicationItemSummary {
    /// Returns the item with the caller's allowed actions.
    pub(super) fn for_caller(self, cx: &RequestContext) -> Self {
        Self { allowed_actions: offered(self.state, cx), ..self }
    }
}

/// Columns for the creator of an item and the author of a post.
macro_rules! people {
    () => {
        "case when i.author_uuid is not null then json_build_object('uuid', i.author_uuid,
              'name', coalesce(actor_name('STAFF_USER', i.author_uuid), '')) end as author,
         json_build_object('kind', i.created_by_kind, 'uuid', i.created_by_uuid,
              'name', actor_name(i.created_by_kind, i.created_by_uuid)) as created_by"
    };
}

static WHOLE: Select<PublicationItem> = Select::new(
    concat!(
        "i.item_uuid as uuid, i.kind, i.state, i.audience, i.slug, i.title, i.summary, i.body, i.tags, i.version, i.change,
         i.operations, i.fields, i.effective_at, i.action_required, i.migration, i.sunset_at, i.show_author,
         i.resource_version, i.generated, i.scheduled_for, i.first_released_at, i.released_at, i.withdrawn_at,
         i.created_at, i.updated_at,
         case when i.object_key is not null then json_build_object('file_name', i.file_name, 'media_type', i.media_type,
              'size_bytes', i.size_bytes, 'sha256', i.object_key) end as artefact,
         array(select former.slug from publication_slug as former
                where former.item_uuid = i.item_uuid and former.slug <> i.slug
                order by former.kept_at desc, former.slug limit 100) as former_slugs, ",
        shipped!(),
        ", ",
        people!()
    ),
    "publication_item as i",
);

/// Finds one item by id.
pub(super) static BY_ID: Lookup<PublicationItem> = Lookup::new(&WHOLE, &["i.item_uuid = {}"]);

/// Finds one entry that a machine client wrote.
pub(crate) static BY_PROGRAM: Lookup<PublicationItem> =
    Lookup::new(&WHOLE, &["i.item_uuid = {} and i.release_key is not null"]);

static SHORT: Select<PublicationItemSummary> = Select::new(
    concat!(
        "i.item_uuid as uuid, i.kind, i.state, i.audience, i.slug, i.title, name_order(i.title) as title_sorted, i.summary, i.tags,
         i.version, i.change, i.action_required, i.scheduled_for, i.released_at, i.created_at, i.updated_at, ",
        people!()
    ),
    "publication_item as i",
);

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, Deserialize, Serialize, InputType)]
pub(super) struct PublicationItemFilter {
    kind: Option<Vec<PublicationKind>>,
    state: Option<Vec<PublicationState>>,
    audience: Option<Vec<PublicationAudience>>,
    tag: Option<Vec<String>>,
    version: Option<Vec<String>>,
    operation: Option<Vec<String>>,
    author_uuid: Option<Vec<Uuid>>,
    q: Option<String>,
    released_at_from: Option<Time>,
    released_at_until: Option<Time>,
    updated_at_from: Option<Time>,
    updated_at_until: Option<Time>,
}

words! {
    /// Sort orders of items.
    pub(crate) enum PublicationItemSort {
        /// Latest creation first.
        CreatedAtDesc = "CREATED_AT_DESC",
        /// Latest change first.
        UpdatedAtDesc = "UPDATED_AT_DESC",
        /// By title.
        Title = "TITLE",
    }
}

/// The list of items.
pub(super) static ITEMS: ListQuery<PublicationItemFilter, PublicationItemSummary, PublicationItemSort> = ListQuery {
    operation: "publication_items_list",
    select: &SHORT,
    within: &[],
    conditions: &[
        Condition { sql: "i.kind = any({})", value: |of| SqlValue::words(of.kind.as_ref()) },
        Condition { sql: "i.state = any({})", value: |of| SqlValue::words(of.state.as_ref()) },
        Condition { sql: "i.audience = any({})", value: |of| SqlValue::words(of.audience.as_ref()) },
        Condition { sql: "i.tags && {}", value: |of| SqlValue::texts(of.tag.as_ref()) },
        Condition { sql: "i.version = any({})", value: |of| SqlValue::texts(of.version.as_ref()) },
        Condition { sql: "i.operations && {}", value: |of| SqlValue::texts(of.operation.as_ref()) },
        Condition { sql: "i.author_uuid = any({})", value: |of| SqlValue::ids(of.author_uuid.as_ref()) },
        Condition { sql: matches_words!("i.title", "i.slug"), value: |of| of.q.as_deref().map(SqlValue::from) },
        Condition { sql: "i.released_at >= {}", value: |of| of.released_at_from.map(SqlValue::from) },
        Condition { sql: "i.released_at < {}", value: |of| of.released_at_until.map(SqlValue::from) },
        Condition { sql: "i.updated_at >= {}", value: |of| of.updated_at_from.map(SqlValue::from) },
        Condition { sql: "i.updated_at < {}", value: |of| of.updated_at_until.map(SqlValue::from) },
    ],
    order: |sort| match sort {
        PublicationItemSort::CreatedAtDesc => const { &[CREATED.descending(), ID.descending()] },
        PublicationItemSort::UpdatedAtDesc => const { &[UPDATED.descending(), ID.descending()] },
        PublicationItemSort::Title => const { &[TITLE, ID] },
    },
};

const ID: Key<PublicationItemSummary> = Key::id("i.item_uuid", |item| json!(item.uuid));
const CREATED: Key<PublicationItemSummary> = Key::moment("i.created_at", |item| json!(item.created_at));
const UPDATED: Key<PublicationItemSummary> = Key::moment("i.updated_at", |item| json!(item.updated_at));
const TITLE: Key<PublicationItemSummary> =
    Key::text("name_order(i.title) collate \"C\"", |item| json!(item.title_sorted));

static STEP: Select<PublicationTransition> = Select::new(
    "t.transition_uuid as uuid, t.occurred_at, t.from_state, t.to_state, t.scheduled_for, t.reason, t.earlier,
     json_build_object('kind', t.actor_kind, 'uuid', t.actor_uuid, 'name', actor_name(t.actor_kind, t.actor_uuid))
         as actor",
    "publication_transition as t",
);

/// Transitions of an item, newest first.
pub(super) static TRANSITIONS: ListQuery<Uuid, PublicationTransition, FixedOrder> = ListQuery {
    operation: "publication_items_list_transitions",
    select: &STEP,
    within: &[Condition { sql: "t.item_uuid = {}", value: |of| Some((*of).into()) }],
    conditions: &[],
    order: |FixedOrder| const { &[STEP_AT.descending(), STEP_ID.descending()] },
};

const STEP_AT: Key<PublicationTransition> = Key::moment("t.occurred_at", |step| json!(step.occurred_at));
const STEP_ID: Key<PublicationTransition> = Key::id("t.transition_uuid", |step| json!(step.uuid));

/// SQL that this module assembles at run time, so the compiler does not check it.
pub(crate) static STATEMENTS: [&dyn Statements; 4] = [&ITEMS, &TRANSITIONS, &BY_ID, &BY_PROGRAM];
