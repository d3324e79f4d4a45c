//! Released resources: one, and the list with what narrows it, for partners and for everybody.

use async_graphql::{InputObject, SimpleObject};
use serde::Serialize;
use serde_json::json;

use crate::core::fault::Fault;
use crate::core::list::{Bound, Condition, FixedOrder, Key, ListQuery, Lookup, Select, Statements};
use crate::core::services::Services;
use crate::core::surface::GeneratedResource;
use crate::publication::generated;
use crate::publication::items::PublicationArtefact;
use crate::publication::items::rules::PublicationAudience;
use crate::publication::readers::{PublicationAnchor, ReleasedItem, items_by_slug, released_item, show_with_anchors};

/// A resource in the list, without its text.
#[derive(Clone, Debug, Serialize, SimpleObject, sqlx::FromRow)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct DeveloperResourceSummary {
    /// What is told of every item.
    #[sqlx(flatten)]
    #[graphql(flatten)]
    #[serde(flatten)]
    pub(in crate::publication) item: ReleasedItem,
    /// Who reads it.
    audience: PublicationAudience,
    /// The version of what it offers.
    version: Option<String>,
    /// Its file.
    #[sqlx(json)]
    pub(in crate::publication) artefact: PublicationArtefact,
    /// What the service makes itself in place of a file that was sent.
    #[graphql(skip)]
    #[serde(skip)]
    pub(in crate::publication) generated: Option<GeneratedResource>,
}

impl DeveloperResourceSummary {
    /// Writes what is told of its file where the service makes it.
    ///
    /// # Errors
    /// [`crate::Code::Internal`] when the service cannot make it.
    pub(in crate::publication) async fn tell_file(&mut self, services: &Services) -> Result<(), Fault> {
        generated::tell(services, self.generated, (&mut self.artefact, &mut self.version)).await
    }
}

/// A resource.
#[derive(Clone, Debug, Serialize, SimpleObject, sqlx::FromRow)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct DeveloperResource {
    /// What the list tells of it.
    #[sqlx(flatten)]
    #[graphql(flatten)]
    #[serde(flatten)]
    pub(in crate::publication) resource: DeveloperResourceSummary,
    /// Its text, as Markdown.
    body: String,
    /// Its text, as HTML.
    #[sqlx(skip)]
    body_html: String,
    /// The headings of its text.
    #[sqlx(skip)]
    anchors: Vec<PublicationAnchor>,
}

impl DeveloperResource {
    /// The same with its text as HTML.
    ///
    /// # Errors
    /// [`crate::Code::Unavailable`] when too many texts wait to be rendered.
    pub(in crate::publication) async fn shown(self, services: &Services) -> Result<Self, Fault> {
        let (body_html, anchors) = show_with_anchors(services, &self.body).await?;
        Ok(Self { body_html, anchors, ..self })
    }
}

/// The columns of a [`DeveloperResourceSummary`]. Of what the service makes itself nothing is told of a file until it is made.
macro_rules! resource {
    () => {
        concat!(
            released_item!(),
            ", i.audience, i.resource_version as version, i.generated,
             json_build_object('file_name', coalesce(i.file_name, ''), 'media_type', coalesce(i.media_type, ''),
                 'size_bytes', coalesce(i.size_bytes, 0), 'sha256', coalesce(i.object_key, '')) as artefact"
        )
    };
}

/// What is there to be downloaded: a file that was sent, or one that the service makes itself.
macro_rules! downloadable {
    () => {
        "i.kind = 'DEVELOPER_RESOURCE' and i.state = 'RELEASED' and (i.object_key is not null or i.generated is not null)"
    };
}

/// What is for everybody.
macro_rules! for_everybody {
    () => {
        " and i.audience = 'PUBLIC'"
    };
}

/// What is for partners.
macro_rules! for_partners {
    () => {
        " and i.audience in ('PUBLIC', 'PARTNER')"
    };
}

/// The resource that has a slug or had it.
macro_rules! under_a_slug {
    () => {
        " and address.kind = 'DEVELOPER_RESOURCE' and address.slug = {}"
    };
}

static WHOLE: Select<DeveloperResource> = Select::new(concat!(resource!(), ", i.body"), items_by_slug!());

/// One for everybody.
pub(in crate::publication) static PUBLIC_BY_SLUG: Lookup<DeveloperResource> =
    Lookup::new(&WHOLE, &[concat!(downloadable!(), for_everybody!(), under_a_slug!())]);

/// One for partners.
pub(super) static BY_SLUG: Lookup<DeveloperResource> =
    Lookup::new(&WHOLE, &[concat!(downloadable!(), for_partners!(), under_a_slug!())]);

static SHORT: Select<DeveloperResourceSummary> = Select::new(resource!(), "publication_item as i");

/// What the list is narrowed to. The contract describes each field.
#[derive(Debug, Default, InputObject, Serialize)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct DeveloperResourceFilter {
    tag: Option<Vec<String>>,
    q: Option<String>,
}

const CONDITIONS: &[Condition<DeveloperResourceFilter>] = &[
    Condition { sql: "i.tags && {}", value: |of| Bound::texts(of.tag.as_ref()) },
    Condition {
        sql: "strpos(lower(i.title), lower({})) > 0 or strpos(lower(i.summary), lower({})) > 0",
        value: |of| of.q.as_deref().map(Bound::from),
    },
];

/// The list of those for everybody, released last first.
pub(in crate::publication) static PUBLIC_RESOURCES: ListQuery<
    DeveloperResourceFilter,
    DeveloperResourceSummary,
    FixedOrder,
> = ListQuery {
    operation: "publication_public_developer_resources_list",
    select: &SHORT,
    within: &[Condition { sql: concat!(downloadable!(), for_everybody!()), value: |_| Some(Bound::Nothing) }],
    conditions: CONDITIONS,
    order: |FixedOrder| NEWEST_FIRST,
};

/// The list of those for partners, released last first.
pub(super) static RESOURCES: ListQuery<DeveloperResourceFilter, DeveloperResourceSummary, FixedOrder> = ListQuery {
    operation: "publication_developer_resources_list",
    select: &SHORT,
    within: &[Condition { sql: concat!(downloadable!(), for_partners!()), value: |_| Some(Bound::Nothing) }],
    conditions: CONDITIONS,
    order: |FixedOrder| NEWEST_FIRST,
};

const NEWEST_FIRST: &[Key<DeveloperResourceSummary>] = &[RELEASED.descending(), ID.descending()];
const RELEASED: Key<DeveloperResourceSummary> =
    Key::moment("i.released_at", |resource| json!(resource.item.released_at));
const ID: Key<DeveloperResourceSummary> = Key::id("i.item_uuid", |resource| json!(resource.item.uuid));

/// What is asked of resources in words that the compiler has not checked.
pub(in crate::publication) static STATEMENTS: [&dyn Statements; 4] =
    [&PUBLIC_RESOURCES, &RESOURCES, &PUBLIC_BY_SLUG, &BY_SLUG];
