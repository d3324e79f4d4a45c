//! Queries for apps of every partner: lookup by id, and lists with filters and orders.

use labs_core::describe::InputType;
use labs_core::list::{Condition, EdgeQuery, FixedOrder, Key, ListQuery, Lookup, Select, SqlValue};
use labs_core::words::words;
use labs_core::{matches_longest_word, matches_words};
use labs_shared::states::AppState;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use crate::apps::store::{AppRow, whole_columns, whole_relations};

/// An app with its owner.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct OwnedAppRow {
    #[sqlx(flatten)]
    pub(super) app: AppRow,
    pub(super) partner_uuid: Uuid,
    pub(super) partner_name: String,
    pub(super) is_visible: bool,
}

static OWNED: Select<OwnedAppRow> = Select::new(
    concat!(
        whole_columns!(),
        ", app.partner_uuid,
     (select company_name from partner where partner.partner_uuid = app.partner_uuid) as partner_name,
     coalesce((select visible from listing where listing.app_uuid = app.app_uuid), false) as is_visible"
    ),
    whole_relations!(),
);

/// Looks up an app by id, for any owner.
pub(in crate::apps) static BY_ID: Lookup<OwnedAppRow> = Lookup::new(&OWNED, &["app.app_uuid = {}"]);

/// App of an edge that refers to one.
pub static APP: EdgeQuery<OwnedAppRow> = EdgeQuery {
    operation: "admin_apps_get",
    argument: "app_uuid",
    select: &OWNED,
    condition: "app.app_uuid = above.uuid",
    order: &[],
};

/// Apps of each partner, newest first.
pub static APPS_OF_EACH: EdgeQuery<OwnedAppRow> = EdgeQuery {
    operation: "admin_apps_list_of_partner",
    argument: "partner_uuid",
    select: &OWNED,
    condition: "app.partner_uuid = above.uuid",
    order: &[CREATED.descending(), ID.descending()],
};

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, Deserialize, Serialize, InputType)]
pub(crate) struct AdminAppFilter {
    state: Option<Vec<AppState>>,
    category: Option<Vec<String>>,
    partner_uuid: Option<Vec<Uuid>>,
    pub(super) q: Option<String>,
    /// Whether many apps have the text in their name or slug.
    #[serde(skip)]
    pub(super) is_common_text: bool,
}

/// Filter of one partner's apps. The contract describes each field.
#[derive(Debug, Default, Deserialize, Serialize, InputType)]
pub(super) struct AppOfPartnerFilter {
    state: Option<Vec<AppState>>,
    q: Option<String>,
}

/// Parameters of the list of one partner's apps.
#[derive(Debug, Serialize)]
pub(in crate::apps) struct AppsOfPartner {
    /// Owner of the apps.
    pub(super) partner_uuid: Uuid,
    pub(super) filter: AppOfPartnerFilter,
}

words! {
    /// Orders of apps across partners.
    pub(crate) enum AdminAppSort {
        /// Newest first.
        CreatedAtDesc = "CREATED_AT_DESC",
        /// Oldest first.
        CreatedAt = "CREATED_AT",
    }
}

/// The text to look for in names and slugs.
fn normalize_search(q: Option<&String>) -> Option<SqlValue> {
    q.map(|q| SqlValue::from(q.as_str()))
}

/// The list of all apps.
pub(in crate::apps) static APPS_OF_ALL: ListQuery<AdminAppFilter, OwnedAppRow, AdminAppSort> = ListQuery {
    operation: "admin_apps_list",
    select: &OWNED,
    within: &[],
    conditions: &[
        Condition { sql: "app.state = any({})", value: |of| SqlValue::words(of.state.as_ref()) },
        Condition {
            // A hashed lookup. PostgreSQL would turn `in` into a join and sort the complete result.
            sql: "(app.app_uuid in (select choice.app_uuid from app_category as choice join category using (category_uuid)
                    where category.slug = any({}))) is true",
            value: |of| SqlValue::texts(of.category.as_ref()),
        },
        Condition { sql: "app.partner_uuid = any({})", value: |of| SqlValue::ids(of.partner_uuid.as_ref()) },
        Condition {
            sql: concat!(
                "app.app_uuid = any(array(select t.app_uuid from app_translation as t where ",
                matches_longest_word!("t.name"),
                " union select s.app_uuid from app as s where s.slug ~ (select coalesce((sought_patterns({}))[1], '')))) and ",
                matches_words!("words.name", "app.slug")
            ),
            value: |of| normalize_search(of.q.as_ref().filter(|_| !of.is_common_text)),
        },
        Condition {
            sql: matches_words!("words.name", "app.slug"),
            value: |of| normalize_search(of.q.as_ref().filter(|_| of.is_common_text)),
        },
    ],
    order: |sort| match sort {
        AdminAppSort::CreatedAtDesc => const { &[CREATED.descending(), ID.descending()] },
        AdminAppSort::CreatedAt => const { &[CREATED, ID] },
    },
};

/// List of one partner's apps, newest first.
pub(in crate::apps) static APPS_OF_ONE: ListQuery<AppsOfPartner, OwnedAppRow, FixedOrder> = ListQuery {
    operation: "admin_apps_list_of_partner",
    select: &OWNED,
    within: &[Condition { sql: "app.partner_uuid = {}", value: |of| Some(of.partner_uuid.into()) }],
    conditions: &[
        Condition { sql: "app.state = any({})", value: |of| SqlValue::words(of.filter.state.as_ref()) },
        Condition { sql: matches_words!("words.name", "app.slug"), value: |of| normalize_search(of.filter.q.as_ref()) },
    ],
    order: |FixedOrder| const { &[CREATED.descending(), ID.descending()] },
};

const ID: Key<OwnedAppRow> = Key::id("app.app_uuid", |row| json!(row.app.app_uuid));
const CREATED: Key<OwnedAppRow> = Key::moment("app.created_at", |row| json!(row.app.created_at));
