//! List of a partner's apps, with its filters and orders.

mod selectable;

use labs_core::describe::InputType;
use labs_core::list::{Condition, Key, ListQuery, SqlValue};
use labs_core::matches_words;
use labs_core::time::Time;
use labs_core::words::words;
use labs_shared::states::AppState;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::store::{AppRow, WHOLE};

pub(super) use selectable::CHOICE;

/// Filter of an owner's apps. The contract describes each field.
#[derive(Debug, Default, Deserialize, Serialize, InputType)]
pub(super) struct AppFilter {
    state: Option<Vec<AppState>>,
    q: Option<String>,
    category_uuid: Option<Uuid>,
    created_at_from: Option<Time>,
    created_at_until: Option<Time>,
}

/// Parameters of the list of a partner's apps.
#[derive(Debug, Serialize)]
pub(super) struct OwnApps {
    /// Owner of the apps.
    pub(super) partner_uuid: Uuid,
    /// Filter of the list.
    pub(super) filter: AppFilter,
}

words! {
    /// Orders of a partner's apps.
    pub(crate) enum AppSort {
        /// Newest first.
        CreatedAtDesc = "CREATED_AT_DESC",
        /// Oldest first.
        CreatedAt = "CREATED_AT",
        /// By name, ignoring case and accents.
        Name = "NAME",
        /// Most recently changed first.
        UpdatedAtDesc = "UPDATED_AT_DESC",
    }
}

/// The list of a partner's apps.
pub(super) static APPS: ListQuery<OwnApps, AppRow, AppSort> = ListQuery {
    operation: "marketplace_apps_list",
    select: &WHOLE,
    within: &[Condition { sql: "app.partner_uuid = {}", value: |of| Some(of.partner_uuid.into()) }],
    conditions: &[
        Condition { sql: "app.state = any({})", value: |of| SqlValue::words(of.filter.state.as_ref()) },
        Condition {
            sql: matches_words!("words.name", "app.slug", "words.tagline"),
            value: |of| of.filter.q.as_deref().map(SqlValue::from),
        },
        Condition {
            sql: "exists (select from app_category as choice where choice.app_uuid = app.app_uuid
                             and choice.category_uuid = {})",
            value: |of| of.filter.category_uuid.map(SqlValue::from),
        },
        Condition { sql: "app.created_at >= {}", value: |of| of.filter.created_at_from.map(SqlValue::from) },
        Condition { sql: "app.created_at < {}", value: |of| of.filter.created_at_until.map(SqlValue::from) },
    ],
    order: |sort| match sort {
        AppSort::CreatedAtDesc => const { &[CREATED.descending(), ID.descending()] },
        AppSort::CreatedAt => const { &[CREATED, ID] },
        AppSort::Name => const { &[NAME, ID] },
        AppSort::UpdatedAtDesc => const { &[UPDATED.descending(), ID.descending()] },
    },
};

const ID: Key<AppRow> = Key::id("app.app_uuid", |row| json!(row.app_uuid));
const CREATED: Key<AppRow> = Key::moment("app.created_at", |row| json!(row.created_at));
const UPDATED: Key<AppRow> = Key::moment("app.updated_at", |row| json!(row.updated_at));
const NAME: Key<AppRow> = Key::text("name_order(words.name) collate \"C\"", |row| json!(row.name_sorted));
