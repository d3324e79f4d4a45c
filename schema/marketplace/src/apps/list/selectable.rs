//! Tree of active categories from which a partner chooses.

use labs_core::list::{Condition, FixedOrder, Key, ListQuery, Select, SqlValue};
use serde_json::json;

use crate::apps::resolvers::SelectableCategory;

/// Columns of the tree. Texts are in the given locale, else in its language, else in English.
static SELECTABLE: Select<SelectableCategory> = Select::new(
    "category.category_uuid as uuid, category.slug, category.icon, category.parent_uuid, place.depth, way.path,
     way.place,
     coalesce(locale_text(category.names, {}::text), category.names ->> 'en',
         category.slug) as name,
     coalesce(locale_text(category.descriptions, {}),
         category.descriptions ->> 'en') as description,
     not exists (select from category as beneath where beneath.parent_uuid = category.category_uuid
                    and beneath.state = 'ACTIVE') as selectable",
    "category_place as place
     join category on category.category_uuid = place.category_uuid
     cross join lateral (
          select string_agg(lpad((above.position::bigint + 2147483648)::text, 10, '0') || above.category_uuid, ''
                     order by step.number) as place,
                 array_agg(coalesce(locale_text(above.names, {}::text),
                     above.names ->> 'en', above.slug) order by step.number) as path
            from unnest(place.path) with ordinality as step (category_uuid, number)
            join category as above on above.category_uuid = step.category_uuid) as way",
);

/// List of selectable categories, each parent before its descendants. The filter is the reader's locale.
pub(in crate::apps) static CHOICE: ListQuery<Option<String>, SelectableCategory, FixedOrder> = ListQuery {
    operation: "marketplace_apps_list_selectable_categories",
    select: &SELECTABLE,
    within: &[
        Condition::given(|locale| Some(locale.as_deref().unwrap_or_default().into())),
        Condition { sql: "place.shown", value: |_| Some(SqlValue::Nothing) },
    ],
    conditions: &[],
    order: |FixedOrder| const { &[PLACE] },
};

/// The path from the root sorts like the tree: each category before its descendants.
const PLACE: Key<SelectableCategory> = Key::text("way.place collate \"C\"", |category| json!(category.place));
