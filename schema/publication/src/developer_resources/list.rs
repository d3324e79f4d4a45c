//! Released developer resources: one, and the filtered list, for partners and for the public.

use labs_core::describe::{InputType, OutputType};
use labs_core::fault::Fault;
use labs_core::list::{Condition, FixedOrder, Key, ListQuery, Lookup, Select, SqlValue, Statements};
use labs_core::matches_words;
use labs_core::services::Services;
use labs_core::surface::GeneratedResource;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::generated;
use crate::items::PublicationArtefact;
use crate::items::rules::PublicationAudience;
use crate::readers::{PublicationAnchor, ReleasedItem, items_by_slug, released_item, show_with_anchors};

/// A developer resource in the list, without its text.
#[derive(Clone, Debug, Serialize, OutputType, sqlx::FromRow)]
pub(crate) struct DeveloperResourceSummary {
    /// Fields of every released item.
    #[sqlx(flatten)]
    #[serde(flatten)]
    pub(crate) item: ReleasedItem,
    /// Audience.
    audience: PublicationAudience,
    /// Version of the content. For a generated resource: the versions of the contract and of the release that generated
    /// it. Null if it has no version.
    version: Option<String>,
    /// Artefact of the resource.
    #[sqlx(json)]
    pub(crate) artefact: PublicationArtefact,
    /// Kind of the file that the service generates instead of an uploaded one.
    #[serde(skip)]
    pub(crate) generated: Option<GeneratedResource>,
}

impl DeveloperResourceSummary {
    /// Fills in the artefact fields if the service generates the file.
    ///
    /// # Errors
    /// [`labs_core::Code::Internal`] if the service cannot generate it.
    pub(crate) async fn describe_file(&mut self, services: &Services) -> Result<(), Fault> {
        generated::describe_file(services, self.generated, (&mut self.artefact, &mut self.version)).await
    }
}

/// A download for developers.
#[derive(Clone, Debug, Serialize, OutputType, sqlx::FromRow)]
pub(crate) struct DeveloperResource {
    /// Fields that are also in the list.
    #[sqlx(flatten)]
    #[serde(flatten)]
    pub(crate) resource: DeveloperResourceSummary,
    /// Text in Markdown, as written.
    body: String,
    /// `body` as HTML that is safe to display. HTML in the source is shown as text. Links point to the web, to a
    /// mailbox or into the reference of this service. Headings have the ids that `anchors` lists.
    #[sqlx(skip)]
    body_html: String,
    /// Headings of `body` in order, for a table of contents.
    #[sqlx(skip)]
    anchors: Vec<PublicationAnchor>,
}

impl DeveloperResource {
    /// Returns the resource with its text as HTML.
    ///
    /// # Errors
    /// [`labs_core::Code::Unavailable`] if too many texts wait to be rendered.
    pub(crate) async fn with_html(self, services: &Services) -> Result<Self, Fault> {
        let (body_html, anchors) = show_with_anchors(services, &self.body).await?;
        Ok(Self { body_html, anchors, ..self })
    }
}

/// Columns of a [`DeveloperResourceSummary`]. For a generated file, the artefact columns are empty until it is
/// generated.
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

/// Condition: the resource has a download, either an uploaded file or a generated one.
macro_rules! downloadable {
    () => {
        "i.kind = 'DEVELOPER_RESOURCE' and i.state = 'RELEASED' and (i.object_key is not null or i.generated is not null)"
    };
}

/// Condition: the resource is public.
macro_rules! for_everybody {
    () => {
        " and i.audience = 'PUBLIC'"
    };
}

/// Condition: partners may read the resource.
macro_rules! for_partners {
    () => {
        " and i.audience in ('PUBLIC', 'PARTNER')"
    };
}

/// Condition: the resource has or had this slug.
macro_rules! under_a_slug {
    () => {
        " and address.kind = 'DEVELOPER_RESOURCE' and address.slug = {}"
    };
}

static WHOLE: Select<DeveloperResource> = Select::new(concat!(resource!(), ", i.body"), items_by_slug!());

/// Finds a public resource by slug.
pub(crate) static PUBLIC_BY_SLUG: Lookup<DeveloperResource> =
    Lookup::new(&WHOLE, &[concat!(downloadable!(), for_everybody!(), under_a_slug!())]);

/// Finds a resource for partners by slug.
pub(super) static BY_SLUG: Lookup<DeveloperResource> =
    Lookup::new(&WHOLE, &[concat!(downloadable!(), for_partners!(), under_a_slug!())]);

static SHORT: Select<DeveloperResourceSummary> = Select::new(resource!(), "publication_item as i");

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, Deserialize, Serialize, InputType)]
pub(crate) struct DeveloperResourceFilter {
    tag: Option<Vec<String>>,
    q: Option<String>,
}

const CONDITIONS: &[Condition<DeveloperResourceFilter>] = &[
    Condition { sql: "i.tags && {}", value: |of| SqlValue::texts(of.tag.as_ref()) },
    Condition { sql: matches_words!("i.title", "i.summary"), value: |of| of.q.as_deref().map(SqlValue::from) },
];

/// List of public resources, latest release first.
pub(crate) static PUBLIC_RESOURCES: ListQuery<DeveloperResourceFilter, DeveloperResourceSummary, FixedOrder> =
    ListQuery {
        operation: "publication_public_developer_resources_list",
        select: &SHORT,
        within: &[Condition { sql: concat!(downloadable!(), for_everybody!()), value: |_| Some(SqlValue::Nothing) }],
        conditions: CONDITIONS,
        order: |FixedOrder| NEWEST_FIRST,
    };

/// List of resources for partners, latest release first.
pub(super) static RESOURCES: ListQuery<DeveloperResourceFilter, DeveloperResourceSummary, FixedOrder> = ListQuery {
    operation: "publication_developer_resources_list",
    select: &SHORT,
    within: &[Condition { sql: concat!(downloadable!(), for_partners!()), value: |_| Some(SqlValue::Nothing) }],
    conditions: CONDITIONS,
    order: |FixedOrder| NEWEST_FIRST,
};

const NEWEST_FIRST: &[Key<DeveloperResourceSummary>] = &[RELEASED.descending(), ID.descending()];
const RELEASED: Key<DeveloperResourceSummary> =
    Key::moment("i.released_at", |resource| json!(resource.item.released_at));
const ID: Key<DeveloperResourceSummary> = Key::id("i.item_uuid", |resource| json!(resource.item.uuid));

/// SQL that this module assembles at run time, so the compiler does not check it.
pub(crate) static STATEMENTS: [&dyn Statements; 4] = [&PUBLIC_RESOURCES, &RESOURCES, &PUBLIC_BY_SLUG, &BY_SLUG];
