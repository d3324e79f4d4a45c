//! Items as staff see them: one, the list with what narrows it, and the transitions of one.

use async_graphql::{InputObject, SimpleObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::content::PublicationContent;
use super::rules::{self, ChangeKind, PublicationAudience, PublicationKind, PublicationState};
use crate::core::context::RequestContext;
use crate::core::fault::Fault;
use crate::core::list::{Bound, Condition, FixedOrder, Key, ListQuery, Lookup, Select, Statements};
use crate::core::surface::GeneratedResource;
use crate::core::time::Time;
use crate::core::words::words;
use crate::publication::generated;
use crate::publication::readers::{shipped, show, show_migration};

words! {
    /// The kinds of those who do something to an item.
    pub(crate) enum PublicationActorKind {
        /// A staff member.
        StaffUser = "STAFF_USER",
        /// A program.
        MachineClient = "MACHINE_CLIENT",
        /// The service itself, because the time had come.
        System = "SYSTEM",
    }
}

/// Actor of a transition of a publication item.
#[derive(Clone, Debug, Serialize, Deserialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PublicationActor {
    /// Which kind.
    kind: PublicationActorKind,
    /// The person or the program.
    uuid: Option<Uuid>,
    /// Current name of the author.
    name: Option<String>,
}

/// Author of a blog post.
#[derive(Clone, Debug, Serialize, Deserialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PublicationAuthor {
    /// The person.
    pub(in crate::publication) uuid: Uuid,
    /// Current name of the author.
    name: String,
}

/// An item of the publication, for those who write it.
#[derive(Clone, Debug, Serialize, SimpleObject, sqlx::FromRow)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PublicationItem {
    /// UUID of the object.
    pub(in crate::publication) uuid: Uuid,
    /// What it is.
    pub(in crate::publication) kind: PublicationKind,
    /// Where it stands.
    pub(in crate::publication) state: PublicationState,
    /// What is written of it.
    #[sqlx(flatten)]
    #[graphql(flatten)]
    #[serde(flatten)]
    pub(in crate::publication) content: PublicationContent,
    /// Slugs that lead to it, the latest first.
    former_slugs: Vec<String>,
    /// Its text as HTML.
    #[sqlx(skip)]
    body_html: String,
    /// What callers have to do, as HTML.
    #[sqlx(skip)]
    migration_html: Option<String>,
    /// Of a blog post: who wrote it.
    #[sqlx(json(nullable))]
    pub(in crate::publication) author: Option<PublicationAuthor>,
    /// Of a changelog entry: the feature requests on the board that it says are shipped.
    feature_requests: Vec<Uuid>,
    /// Of a developer resource: what the service makes itself in place of a file.
    pub(in crate::publication) generated: Option<GeneratedResource>,
    /// Who began it.
    #[sqlx(json)]
    created_by: PublicationActor,
    /// When it is to be released, while it is scheduled.
    scheduled_for: Option<Time>,
    /// Time of the first release.
    pub(in crate::publication) first_released_at: Option<Time>,
    /// Time of the latest release.
    released_at: Option<Time>,
    /// When it was withdrawn, while it is.
    withdrawn_at: Option<Time>,
    /// When it was begun.
    created_at: Time,
    /// When it last changed.
    updated_at: Time,
    /// What the caller can do with it now.
    #[sqlx(skip)]
    allowed_actions: Vec<String>,
}

/// An item in a list, without its texts.
#[derive(Clone, Debug, Serialize, SimpleObject, sqlx::FromRow)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PublicationItemSummary {
    /// UUID of the object.
    uuid: Uuid,
    /// What it is.
    kind: PublicationKind,
    /// Where it stands.
    state: PublicationState,
    /// Who reads it once it is released.
    audience: PublicationAudience,
    /// Its name in addresses.
    slug: String,
    /// Its title.
    title: String,
    /// The title as the list by title compares it.
    #[graphql(skip)]
    #[serde(skip)]
    title_sorted: String,
    /// What it is about.
    summary: String,
    /// Words to find it by.
    tags: Vec<String>,
    /// For a changelog entry: the release of the service that the entry describes.
    version: Option<String>,
    /// Of a changelog entry: what kind of change it is.
    change: Option<ChangeKind>,
    /// Of a changelog entry: whether callers have to do something.
    action_required: bool,
    /// Of a blog post: who wrote it.
    #[sqlx(json(nullable))]
    author: Option<PublicationAuthor>,
    /// Who began it.
    #[sqlx(json)]
    created_by: PublicationActor,
    /// When it is to be released, while it is scheduled.
    scheduled_for: Option<Time>,
    /// Time of the latest release.
    released_at: Option<Time>,
    /// When it was begun.
    created_at: Time,
    /// When it last changed.
    updated_at: Time,
    /// What the caller can do with it now.
    #[sqlx(skip)]
    allowed_actions: Vec<String>,
}

/// A step of an item.
#[derive(Debug, Serialize, SimpleObject, sqlx::FromRow)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PublicationTransition {
    /// UUID of the object.
    uuid: Uuid,
    /// When it happened.
    occurred_at: Time,
    /// Who did it.
    #[sqlx(json)]
    actor: PublicationActor,
    /// Where the item stood.
    from_state: PublicationState,
    /// Where it stands from then on.
    to_state: PublicationState,
    /// For a schedule: the scheduled time of the release.
    scheduled_for: Option<Time>,
    /// Why.
    reason: Option<String>,
    /// For an edit of what was released: all that it said before.
    #[sqlx(json(nullable))]
    earlier: Option<PublicationContent>,
}

fn offered(state: PublicationState, cx: &RequestContext) -> Vec<String> {
    if cx.may("labs.admin.publication:write") { rules::allowed_actions(state) } else { Vec::new() }
}

impl PublicationItem {
    /// The same with its texts as HTML, and what the caller can do with it.
    ///
    /// # Errors
    /// [`crate::Code::Unavailable`] when too many texts wait to be rendered.
    pub(in crate::publication) async fn for_caller(self, cx: &RequestContext) -> Result<Self, Fault> {
        Ok(Self {
            body_html: show(&cx.services, &self.content.body).await?.rendered.html.clone(),
            migration_html: show_migration(&cx.services, self.content.migration.as_deref()).await?,
            allowed_actions: offered(self.state, cx),
            ..self
        })
    }
}

impl PublicationItem {
    /// The same as [`Self::for_caller`], with what the service made in place of a file that was sent.
    ///
    /// # Errors
    /// [`crate::Code::Internal`] when the service cannot make it, and those of [`Self::for_caller`].
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
    /// The same with what the caller can do with it.
    pub(super) fn for_caller(self, cx: &RequestContext) -> Self {
        Self { allowed_actions: offered(self.state, cx), ..self }
    }
}

/// Who began an item, and who wrote a post.
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

/// One item.
pub(in crate::publication) static BY_ID: Lookup<PublicationItem> = Lookup::new(&WHOLE, &["i.item_uuid = {}"]);

/// One entry that a program wrote.
pub(in crate::publication) static BY_PROGRAM: Lookup<PublicationItem> =
    Lookup::new(&WHOLE, &["i.item_uuid = {} and i.release_key is not null"]);

static SHORT: Select<PublicationItemSummary> = Select::new(
    concat!(
        "i.item_uuid as uuid, i.kind, i.state, i.audience, i.slug, i.title, name_order(i.title) as title_sorted, i.summary, i.tags,
         i.version, i.change, i.action_required, i.scheduled_for, i.released_at, i.created_at, i.updated_at, ",
        people!()
    ),
    "publication_item as i",
);

/// What the list is narrowed to. The contract describes each field.
#[derive(Debug, Default, InputObject, Serialize)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PublicationItemFilter {
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
    /// The orders of items.
    pub(crate) enum PublicationItemSort {
        /// Begun last, first.
        CreatedAtDesc = "CREATED_AT_DESC",
        /// Changed last, first.
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
        Condition { sql: "i.kind = any({})", value: |of| Bound::words(of.kind.as_ref()) },
        Condition { sql: "i.state = any({})", value: |of| Bound::words(of.state.as_ref()) },
        Condition { sql: "i.audience = any({})", value: |of| Bound::words(of.audience.as_ref()) },
        Condition { sql: "i.tags && {}", value: |of| Bound::texts(of.tag.as_ref()) },
        Condition { sql: "i.version = any({})", value: |of| Bound::texts(of.version.as_ref()) },
        Condition { sql: "i.operations && {}", value: |of| Bound::texts(of.operation.as_ref()) },
        Condition { sql: "i.author_uuid = any({})", value: |of| Bound::ids(of.author_uuid.as_ref()) },
        Condition {
            sql: "strpos(lower(i.title), lower({})) > 0 or strpos(i.slug, lower({})) > 0",
            value: |of| of.q.as_deref().map(Bound::from),
        },
        Condition { sql: "i.released_at >= {}", value: |of| of.released_at_from.map(Bound::from) },
        Condition { sql: "i.released_at < {}", value: |of| of.released_at_until.map(Bound::from) },
        Condition { sql: "i.updated_at >= {}", value: |of| of.updated_at_from.map(Bound::from) },
        Condition { sql: "i.updated_at < {}", value: |of| of.updated_at_until.map(Bound::from) },
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

/// The list of an item's transitions, the latest first.
pub(super) static TRANSITIONS: ListQuery<Uuid, PublicationTransition, FixedOrder> = ListQuery {
    operation: "publication_items_list_transitions",
    select: &STEP,
    within: &[Condition { sql: "t.item_uuid = {}", value: |of| Some((*of).into()) }],
    conditions: &[],
    order: |FixedOrder| const { &[STEP_AT.descending(), STEP_ID.descending()] },
};

const STEP_AT: Key<PublicationTransition> = Key::moment("t.occurred_at", |step| json!(step.occurred_at));
const STEP_ID: Key<PublicationTransition> = Key::id("t.transition_uuid", |step| json!(step.uuid));

/// What is asked of items in words that the compiler has not checked.
pub(in crate::publication) static STATEMENTS: [&dyn Statements; 4] = [&ITEMS, &TRANSITIONS, &BY_ID, &BY_PROGRAM];
