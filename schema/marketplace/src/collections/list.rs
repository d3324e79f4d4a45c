//! Queries for collections for staff: lookup by id, and the list with its filters and orders.

use labs_core::describe::InputType;
use labs_core::list::{Condition, Key, ListQuery, Lookup, Select, SqlValue, Statements};
use labs_core::matches_words;
use labs_core::words::words;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::resolvers::Collection;

/// Collections with their listings, including hidden ones.
static WHOLE: Select<Collection> = Select::new(
    "c.collection_uuid as uuid, c.slug, c.titles, c.descriptions, c.position, c.shown_from, c.shown_until,
     collection_on_show(c.shown_from, c.shown_until) as on_show, c.created_at, c.updated_at,
     array(select address.slug from collection_address as address
            where address.collection_uuid = c.collection_uuid and address.slug <> c.slug
            order by address.kept_at desc, address.slug limit 100) as former_slugs,
     coalesce((select json_agg(json_build_object('app_uuid', l.app_uuid, 'slug', l.slug, 'visible', l.visible,
                          'name', coalesce(t.name, l.slug)) order by cl.position, cl.app_uuid)
                 from collection_listing as cl join listing as l using (app_uuid)
                 left join listing_translation as t on t.app_uuid = l.app_uuid and t.locale = l.default_locale
                where cl.collection_uuid = c.collection_uuid), '[]') as listings,
     left(encode(sha256(convert_to(jsonb_build_array(c.slug, c.titles, c.descriptions, c.position,
         extract(epoch from c.shown_from), extract(epoch from c.shown_until),
         array(select cl.app_uuid from collection_listing as cl where cl.collection_uuid = c.collection_uuid
                order by cl.position, cl.app_uuid))::text, 'UTF8')), 'hex'), 32) as revision",
    "collection as c",
);

/// Looks up a collection by id.
pub(super) static BY_ID: Lookup<Collection> = Lookup::new(&WHOLE, &["c.collection_uuid = {}"]);

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, Deserialize, Serialize, InputType)]
pub(super) struct CollectionFilter {
    on_show: Option<bool>,
    app_uuid: Option<Uuid>,
    q: Option<String>,
}

words! {
    /// Orders of collections.
    pub(crate) enum CollectionSort {
        /// In storefront order.
        Position = "POSITION",
        /// By slug.
        Slug = "SLUG",
        /// Most recently changed first.
        UpdatedAtDesc = "UPDATED_AT_DESC",
    }
}

/// List of collections, visible or not.
pub(super) static COLLECTIONS: ListQuery<CollectionFilter, Collection, CollectionSort> = ListQuery {
    operation: "marketplace_collections_list",
    select: &WHOLE,
    within: &[],
    conditions: &[
        Condition {
            sql: "collection_on_show(c.shown_from, c.shown_until) = {}",
            value: |of| of.on_show.map(SqlValue::from),
        },
        Condition {
            sql: "exists (select from collection_listing as held
                      where held.collection_uuid = c.collection_uuid and held.app_uuid = {})",
            value: |of| of.app_uuid.map(SqlValue::from),
        },
        Condition {
            sql: matches_words!(
                "c.slug",
                "(select string_agg(title.value, E'\\n') from jsonb_each_text(c.titles) as title)"
            ),
            value: |of| of.q.as_deref().map(SqlValue::from),
        },
    ],
    order: |sort| match sort {
        CollectionSort::Position => const { &[POSITION, ID] },
        CollectionSort::Slug => const { &[SLUG] },
        CollectionSort::UpdatedAtDesc => const { &[UPDATED.descending(), ID.descending()] },
    },
};

const ID: Key<Collection> = Key::id("c.collection_uuid", |collection| json!(collection.uuid));
const POSITION: Key<Collection> = Key::whole("c.position", |collection| json!(collection.position));
const SLUG: Key<Collection> = Key::text("c.slug collate \"C\"", |collection| json!(collection.slug));
const UPDATED: Key<Collection> = Key::moment("c.updated_at", |collection| json!(collection.updated_at));

/// SQL statements of collections that are assembled at run time, so the compiler does not check them.
pub(crate) static STATEMENTS: [&dyn Statements; 2] = [&COLLECTIONS, &BY_ID];
