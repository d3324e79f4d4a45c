//! Import runs: every requested day with its outcome, and single imports.

use labs_core::day::Day;
use labs_core::describe::{InputType, OutputType};
use labs_core::list::{Condition, Key, ListQuery, Lookup, Select, SqlValue, Statements};
use labs_core::time::Time;
use labs_core::words::words;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::report::ImportErrorCode;
use super::rules::{StatisticsImportState, StatisticsImportTrigger, StatisticsRunState};

/// A requested day and the outcome of its import.
#[derive(Clone, Debug, Serialize, OutputType, sqlx::FromRow)]
pub(super) struct StatisticsImportRun {
    /// UUID of the run.
    uuid: Uuid,
    /// Import that requested the day.
    import_uuid: Uuid,
    /// Trigger of the import.
    trigger: StatisticsImportTrigger,
    /// Requested day.
    pub(super) day: Day,
    /// State of the run.
    pub(super) state: StatisticsRunState,
    /// Whether the run replaced earlier data of that day.
    restated: bool,
    /// Number of pages read.
    pages: i32,
    /// Number of apps for which a figure was stored.
    app_rows: i32,
    /// Number of partners for which a distinct total was stored.
    partner_rows: i32,
    /// Number of apps unknown to this service. Their figures are not stored.
    unknown_apps: i32,
    /// Number of partners unknown to this service. Their totals are not stored.
    unknown_partners: i32,
    /// Reason of the failure. Null unless the run failed.
    error_code: Option<ImportErrorCode>,
    /// Reason of the failure as a sentence. Null unless the run failed.
    error: Option<String>,
    /// Time of the start.
    started_at: Time,
    /// Time of the end. Null until the end.
    ended_at: Option<Time>,
}

/// An import as stored.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(super) struct ImportRow {
    pub(super) import_uuid: Uuid,
    pub(super) trigger: StatisticsImportTrigger,
    pub(super) state: StatisticsImportState,
    pub(super) days: Vec<Day>,
    pub(super) requested_by: Option<Uuid>,
    pub(super) created_at: Time,
    pub(super) started_at: Option<Time>,
    pub(super) ended_at: Option<Time>,
}

static RUN: Select<StatisticsImportRun> = Select::new(
    "r.run_uuid as uuid, r.import_uuid, i.trigger, r.day, r.state, r.restated, r.pages, r.app_rows, r.partner_rows,
     r.unknown_apps, r.unknown_partners, r.error_code, r.error, r.started_at, r.ended_at",
    "statistic_import_run as r join statistic_import as i using (import_uuid)",
);

static IMPORT: Select<ImportRow> = Select::new(
    "import_uuid, trigger, state, days, requested_by, created_at, started_at, ended_at",
    "statistic_import",
);

/// Finds one import by id.
pub(super) static BY_ID: Lookup<ImportRow> = Lookup::new(&IMPORT, &["import_uuid = {}"]);

/// Runs of one import so far.
pub(super) static OF_IMPORT: Lookup<StatisticsImportRun> = Lookup::new(&RUN, &["r.import_uuid = {}"]);

/// Latest run.
pub(super) static LATEST: Lookup<StatisticsImportRun> = Lookup::new(
    &RUN,
    &["r.run_uuid = (select run_uuid from statistic_import_run order by started_at desc, run_uuid desc limit 1)"],
);

/// Filter of the import runs. The contract describes each field.
#[derive(Debug, Default, Deserialize, Serialize, InputType)]
pub(super) struct StatisticsImportRunFilter {
    state: Option<Vec<StatisticsRunState>>,
    trigger: Option<StatisticsImportTrigger>,
    error_code: Option<Vec<ImportErrorCode>>,
    import_uuid: Option<Uuid>,
    day_from: Option<Day>,
    day_until: Option<Day>,
}

words! {
    /// Sort orders of import runs.
    pub(crate) enum StatisticsImportRunSort {
        /// Latest first.
        StartedAtDesc = "STARTED_AT_DESC",
        /// Earliest first.
        StartedAt = "STARTED_AT",
    }
}

/// List of import runs.
pub(super) static RUNS: ListQuery<StatisticsImportRunFilter, StatisticsImportRun, StatisticsImportRunSort> =
    ListQuery {
        operation: "statistics_imports_list_runs",
        select: &RUN,
        within: &[],
        conditions: &[
            Condition { sql: "r.state = any({})", value: |of| SqlValue::words(of.state.as_ref()) },
            Condition { sql: "i.trigger = {}", value: |of| of.trigger.map(|trigger| trigger.name().into()) },
            Condition { sql: "r.error_code = any({})", value: |of| SqlValue::words(of.error_code.as_ref()) },
            Condition { sql: "r.import_uuid = {}", value: |of| of.import_uuid.map(SqlValue::from) },
            Condition { sql: "r.day >= {}::date", value: |of| of.day_from.map(|day| SqlValue::Text(day.to_string())) },
            Condition { sql: "r.day < {}::date", value: |of| of.day_until.map(|day| SqlValue::Text(day.to_string())) },
        ],
        order: |sort| match sort {
            StatisticsImportRunSort::StartedAtDesc => const { &[STARTED.descending(), ID.descending()] },
            StatisticsImportRunSort::StartedAt => const { &[STARTED, ID] },
        },
    };

const STARTED: Key<StatisticsImportRun> = Key::moment("r.started_at", |run| json!(run.started_at));
const ID: Key<StatisticsImportRun> = Key::id("r.run_uuid", |run| json!(run.uuid));

/// SQL that this module assembles at run time, so the compiler does not check it.
pub(crate) static STATEMENTS: [&dyn Statements; 4] = [&RUNS, &BY_ID, &OF_IMPORT, &LATEST];
