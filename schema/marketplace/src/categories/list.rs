//! Queries for categories for staff: lookup by id, and the list with its filters and orders.

use labs_core::describe::InputType;
use labs_core::list::{Condition, EdgeQuery, Key, ListQuery, Lookup, Select, SqlValue, Statements};
use labs_core::matches_words;
use labs_core::words::words;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::resolvers::Category;
use super::rules::CategoryState;

/// Categories with their positions and usage counts.
static IN_PLACE: Select<Category> = Select::new(
    "category.category_uuid as uuid, category.slug, category.parent_uuid, category.names, category.descriptions,
     category.also_called, category.icon, category.position, category.state, place.depth, category.created_at, category.updated_at,
     array(select address.slug from category_address as address
            where address.category_uuid = category.category_uuid and address.slug <> category.slug
            order by address.kept_at desc, address.slug limit 100) as former_slugs,
     (select count(*) from category as beneath where beneath.parent_uuid = category.category_uuid)::integer
         as children_count,
     (select count(*) from app_category as choice where choice.category_uuid = category.category_uuid)::integer
         as apps_count,
     (select count(*) from listing_category as choice join listing using (app_uuid)
       where choice.category_uuid = category.category_uuid and listing.visible)::integer as listings_count",
    "category join category_place as place on place.category_uuid = category.category_uuid",
);

/// Looks up a category by id.
pub(super) static BY_ID: Lookup<Category> = Lookup::new(&IN_PLACE, &["category.category_uuid = any({})"]);

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, Deserialize, Serialize, InputType)]
pub(super) struct CategoryFilter {
    state: Option<Vec<CategoryState>>,
    parent_uuid: Option<Uuid>,
    q: Option<String>,
}

words! {
    /// Orders of categories.
    pub(crate) enum CategorySort {
        /// Level by level from the root, in each level by position.
        Position = "POSITION",
        /// By slug.
        Slug = "SLUG",
        /// Newest first.
        CreatedAtDesc = "CREATED_AT_DESC",
    }
}

/// Category of an edge: a parent category or the target of an audit record.
pub static CATEGORY: EdgeQuery<Category> = EdgeQuery {
    operation: "marketplace_categories_get",
    argument: "category_uuid",
    select: &IN_PLACE,
    condition: "category.category_uuid = above.uuid",
    order: &[],
};

/// List of categories, including deactivated ones.
pub(super) static CATEGORIES: ListQuery<CategoryFilter, Category, CategorySort> = ListQuery {
    operation: "marketplace_categories_list",
    select: &IN_PLACE,
    within: &[],
    conditions: &[
        Condition { sql: "category.state = any({})", value: |of| SqlValue::words(of.state.as_ref()) },
        Condition { sql: "category.parent_uuid = {}", value: |of| of.parent_uuid.map(SqlValue::from) },
        Condition {
            sql: matches_words!(
                "category.slug",
                "(select string_agg(called.name, E'\\n') from category_called(category.names, category.also_called) as called)"
            ),
            value: |of| of.q.as_deref().map(SqlValue::from),
        },
    ],
    order: |sort| match sort {
        CategorySort::Position => const { &[DEPTH, POSITION, ID] },
        CategorySort::Slug => const { &[SLUG] },
        CategorySort::CreatedAtDesc => const { &[CREATED.descending(), ID.descending()] },
    },
};

const ID: Key<Category> = Key::id("category.category_uuid", |category| json!(category.uuid));
const DEPTH: Key<Category> = Key::whole("place.depth", |category| json!(category.depth));
const POSITION: Key<Category> = Key::whole("category.position", |category| json!(category.position));
const SLUG: Key<Category> = Key::text("category.slug collate \"C\"", |category| json!(category.slug));
const CREATED: Key<Category> = Key::moment("category.created_at", |category| json!(category.created_at));

/// SQL statements of categories that are assembled at run time, so the compiler does not check them.
pub(crate) static STATEMENTS: [&dyn Statements; 3] = [&CATEGORIES, &BY_ID, &CATEGORY];
