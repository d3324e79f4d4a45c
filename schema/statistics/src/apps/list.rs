//! List of a partner's apps with their customers: filter and orders.

use labs_core::day::Day;
use labs_core::describe::InputType;
use labs_core::list::{Condition, Key, ListQuery, Select, SqlValue, Statements};
use labs_core::matches_words;
use labs_core::time::Time;
use labs_core::words::words;
use labs_shared::states::AppState;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

/// Value that replaces a missing figure, so that it comes last in every order.
macro_rules! behind_all {
    () => {
        "9007199254740991"
    };
}

/// An app with its customers on the latest day and a week before.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(super) struct AppFiguresRow {
    pub(super) app_uuid: Uuid,
    pub(super) slug: String,
    pub(super) name: String,
    name_sorted: String,
    pub(super) state: AppState,
    pub(super) customers: Option<i64>,
    pub(super) customers_before: Option<i64>,
    pub(super) imported_at: Option<Time>,
    pub(super) restated_at: Option<Time>,
}

/// Figures are looked up for each app of the page and never joined for all.
static FIGURES: Select<AppFiguresRow> = Select::new(
    "app.app_uuid, app.slug, words.name, name_order(words.name) as name_sorted, app.state, latest.customers,
     before.customers as customers_before, latest.imported_at, latest.restated_at",
    "app
     cross join lateral (
          select name from app_translation as own
           where own.app_uuid = app.app_uuid and own.locale = app.default_locale limit 1) as words
     left join lateral (
          select s.customers, d.imported_at, d.restated_at from app_statistic as s join statistic_day as d using (day)
           where s.app_uuid = app.app_uuid and s.day = (select max(day) from statistic_day) limit 1) as latest on true
     left join lateral (
          select s.customers from app_statistic as s
           where s.app_uuid = app.app_uuid and s.day = (select max(day) - 7 from statistic_day) limit 1) as before on true",
);

/// Filter of a partner's apps. The contract describes each field.
#[derive(Debug, Default, Deserialize, Serialize, InputType)]
pub(super) struct AppStatisticsFilter {
    state: Option<Vec<AppState>>,
    q: Option<String>,
}

/// Scope and filter of the apps of a partner, as of a day.
#[derive(Debug, Serialize)]
pub(super) struct FiguresOf {
    /// Partner whose apps are listed.
    pub(super) partner_uuid: Uuid,
    /// Last imported day. Another day would change the order.
    pub(super) day: Option<Day>,
    /// Filter of the list.
    pub(super) filter: AppStatisticsFilter,
}

words! {
    /// Sort orders of apps by their customers.
    pub(crate) enum AppStatisticsSort {
        /// Most customers first.
        CustomersDesc = "CUSTOMERS_DESC",
        /// Fewest customers first.
        Customers = "CUSTOMERS",
        /// Largest increase first.
        ChangeDesc = "CHANGE_DESC",
        /// Largest decrease first.
        Change = "CHANGE",
        /// By name, ignoring case and accents.
        Name = "NAME",
    }
}

/// The list of a partner's apps with their customers.
pub(super) static APPS: ListQuery<FiguresOf, AppFiguresRow, AppStatisticsSort> = ListQuery {
    operation: "statistics_apps_list",
    select: &FIGURES,
    within: &[Condition { sql: "app.partner_uuid = {}", value: |of| Some(of.partner_uuid.into()) }],
    conditions: &[
        Condition { sql: "app.state = any({})", value: |of| SqlValue::words(of.filter.state.as_ref()) },
        Condition {
            sql: matches_words!("words.name", "app.slug"),
            value: |of| of.filter.q.as_deref().map(SqlValue::from),
        },
    ],
    order: |sort| match sort {
        AppStatisticsSort::CustomersDesc => const { &[CUSTOMERS.descending(), ID.descending()] },
        AppStatisticsSort::Customers => const { &[FEW_CUSTOMERS, ID] },
        AppStatisticsSort::ChangeDesc => const { &[GAIN.descending(), ID.descending()] },
        AppStatisticsSort::Change => const { &[LOSS, ID] },
        AppStatisticsSort::Name => const { &[NAME, ID] },
    },
};

/// Numeric value of [`behind_all`].
const BEHIND_ALL: i64 = 9_007_199_254_740_991;

const ID: Key<AppFiguresRow> = Key::id("app.app_uuid", |row| json!(row.app_uuid));
const NAME: Key<AppFiguresRow> = Key::text("name_order(words.name) collate \"C\"", |row| json!(row.name_sorted));
const CUSTOMERS: Key<AppFiguresRow> =
    Key::whole("coalesce(latest.customers, -1)", |row| json!(row.customers.unwrap_or(-1)));
const FEW_CUSTOMERS: Key<AppFiguresRow> =
    Key::whole(concat!("coalesce(latest.customers, ", behind_all!(), ")"), |row| {
        json!(row.customers.unwrap_or(BEHIND_ALL))
    });
const GAIN: Key<AppFiguresRow> =
    Key::whole(concat!("coalesce(latest.customers - before.customers, -", behind_all!(), ")"), |row| {
        json!(change(row).unwrap_or(-BEHIND_ALL))
    });
const LOSS: Key<AppFiguresRow> =
    Key::whole(concat!("coalesce(latest.customers - before.customers, ", behind_all!(), ")"), |row| {
        json!(change(row).unwrap_or(BEHIND_ALL))
    });

fn change(row: &AppFiguresRow) -> Option<i64> {
    Some(row.customers? - row.customers_before?)
}

/// SQL that this module assembles at run time, so the compiler does not check it.
pub(crate) static STATEMENTS: [&dyn Statements; 1] = [&APPS];
