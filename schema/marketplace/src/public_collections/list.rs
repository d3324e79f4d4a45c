//! Lists of collections for the storefront: the visible collections, and the listings of one.

use labs_core::list::{Condition, FixedOrder, Key, ListQuery, Select, SqlValue, Statements};
use serde::Serialize;
use serde_json::json;
use sqlx::types::Json;
use uuid::Uuid;

use crate::listings::{FoundRow, shown, text_of_the_listing};

/// Visible collection, with its first visible listings.
#[derive(sqlx::FromRow)]
pub(super) struct ShownRow {
    collection_uuid: Uuid,
    position: i32,
    pub(super) slug: String,
    pub(super) title: String,
    /// Locale of the title; `None` if the slug replaces a missing title.
    pub(super) locale: Option<String>,
    pub(super) description: Option<String>,
    pub(super) listings_count: i32,
    pub(super) first: Option<Json<Vec<FoundRow>>>,
}

/// Listing in a collection, with its position.
#[derive(sqlx::FromRow)]
pub(super) struct CollectionEntryRow {
    place: i32,
    #[sqlx(flatten)]
    pub(super) listing: FoundRow,
}

/// Parameters of the list of visible collections.
#[derive(Debug, Serialize)]
pub(super) struct Reader {
    pub(super) locale: Option<String>,
}

/// Parameters of the list of one collection's listings.
#[derive(Debug, Serialize)]
pub(super) struct CollectionMembership {
    pub(super) collection_uuid: Uuid,
    pub(super) locale: Option<String>,
}

/// Reader's locale, empty if absent, in the form that the listing columns expect.
fn locale(locale: Option<&String>) -> SqlValue {
    SqlValue::Texts(vec![locale.cloned().unwrap_or_default()])
}

/// Collections with the first twelve of their visible listings, so that a page of them needs no second request.
static SHOWN: Select<ShownRow> = Select::new(
    concat!(
        "collection.collection_uuid, collection.position, collection.slug,
     coalesce(locale_text(collection.titles, ({}::text[])[1]),
         collection.titles ->> 'en', collection.slug) as title,
     locale_of(collection.titles, ({})[1]) as locale,
     coalesce(locale_text(collection.descriptions, ({})[1]),
         collection.descriptions ->> 'en') as description,
     (select count(*) from collection_listing as held join listing as l using (app_uuid)
       where held.collection_uuid = collection.collection_uuid and l.visible)::integer as listings_count,
     (select json_agg(listed order by listed.place, listed.app_uuid) from (select held.position as place, ",
        shown!("0"),
        " from collection_listing as held join listing as l using (app_uuid)",
        text_of_the_listing!(),
        " where held.collection_uuid = collection.collection_uuid and l.visible
           order by held.position, held.app_uuid limit 12) as listed) as first"
    ),
    "collection",
);

/// List of visible collections, in order.
pub(super) static ON_SHOW: ListQuery<Reader, ShownRow, FixedOrder> = ListQuery {
    operation: "marketplace_public_collections_list",
    select: &SHOWN,
    within: &[
        Condition::given(|of| Some(locale(of.locale.as_ref()))),
        Condition {
            sql: "collection_on_show(collection.shown_from, collection.shown_until)",
            value: |_| Some(SqlValue::Nothing),
        },
    ],
    conditions: &[],
    order: |FixedOrder| const { &[POSITION, ID] },
};

const POSITION: Key<ShownRow> = Key::whole("collection.position", |row| json!(row.position));
const ID: Key<ShownRow> = Key::id("collection.collection_uuid", |row| json!(row.collection_uuid));

/// Listings with their positions in collections.
static HELD: Select<CollectionEntryRow> = Select::new(
    concat!("held.position as place, ", shown!("0")),
    concat!("collection_listing as held join listing as l using (app_uuid)", text_of_the_listing!()),
);

/// Visible listings of a collection, in its order.
pub(super) static LISTINGS: ListQuery<CollectionMembership, CollectionEntryRow, FixedOrder> = ListQuery {
    operation: "marketplace_public_collections_get",
    select: &HELD,
    within: &[
        Condition::given(|of| Some(locale(of.locale.as_ref()))),
        Condition { sql: "held.collection_uuid = {}", value: |of| Some(of.collection_uuid.into()) },
        Condition { sql: "l.visible", value: |_| Some(SqlValue::Nothing) },
    ],
    conditions: &[],
    order: |FixedOrder| const { &[PLACE, APP] },
};

const PLACE: Key<CollectionEntryRow> = Key::whole("held.position", |row| json!(row.place));
const APP: Key<CollectionEntryRow> = Key::id("held.app_uuid", |row| json!(row.listing.app_uuid));

/// SQL statements of visible collections that are assembled at run time, so the compiler does not check them.
pub(crate) static STATEMENTS: [&dyn Statements; 2] = [&ON_SHOW, &LISTINGS];
