//! Resolvers of imports for staff.

use labs_core::actor::Actor;
use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, Target};
use labs_core::day::Day;
use labs_core::describe::{Created, InputType, OutputType};
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;
use labs_core::time::Time;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::list::{
    BY_ID, ImportRow, LATEST, OF_IMPORT, RUNS, StatisticsImportRun, StatisticsImportRunFilter, StatisticsImportRunSort,
};
use super::rules::{self, StatisticsImportState, StatisticsImportTrigger, StatisticsRunState};
use super::store;
use crate::freshness::{self, StatisticsFreshness, StatisticsSource};

/// Source, freshness and import progress of the statistics.
#[derive(Serialize, OutputType)]
pub(super) struct StatisticsImportStatus {
    /// Source of the figures.
    source: StatisticsSource,
    /// Host of the source. Null while the source is `DISABLED`.
    host: Option<String>,
    /// Freshness of the figures.
    freshness: StatisticsFreshness,
    /// First day that is imported automatically. Null if no service with a source has run yet.
    begins_on: Option<Day>,
    /// UUID of the queued or running import. Null if no import is queued or running.
    import_uuid: Option<Uuid>,
    /// Number of consecutive failed imports, up to the last one.
    failures_in_a_row: i32,
    /// Earliest time of the next automatic attempt, if a day is missing. After failures the wait grows from one minute
    /// up to one hour. Null while the source is `DISABLED`.
    next_attempt_at: Option<Time>,
    /// Most recently requested day. Null if no day has been requested.
    last_run: Option<StatisticsImportRun>,
}

/// An import with its requested days.
#[derive(Serialize, OutputType)]
pub(super) struct StatisticsImport {
    /// UUID of the import.
    uuid: Uuid,
    /// Trigger of the import.
    trigger: StatisticsImportTrigger,
    /// UUID of the user or machine client that requested the import. Null for an import by the service.
    requested_by_uuid: Option<Uuid>,
    /// State of the import.
    state: StatisticsImportState,
    /// Days of the import, in the order in which the service requests them.
    days: Vec<Day>,
    /// Number of days imported.
    days_succeeded: i32,
    /// Number of days not imported.
    days_failed: i32,
    /// Days requested so far, in order, with the outcome of each.
    runs: Vec<StatisticsImportRun>,
    /// Time when the import was requested.
    created_at: Time,
    /// Time of the start. Null until the start.
    started_at: Option<Time>,
    /// Time of the end. Null until the end.
    ended_at: Option<Time>,
}

/// Days to import.
#[derive(Deserialize, InputType)]
pub(super) struct StatisticsImportStart {
    /// Completed days in UTC, each once, in any order. The oldest day is requested first.
    days: Vec<Day>,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![
    statistics_imports_get_status,
    statistics_imports_list_runs,
    admin_statistics_imports_get,
    admin_statistics_imports_start,
];

/// Get the statistics import status.
#[operation(query, access = "labs.admin.statistics")]
async fn statistics_imports_get_status(cx: &RequestContext) -> Result<StatisticsImportStatus, Fault> {
    let (known, row) = (freshness::load_freshness(cx).await?, store::get_source(&cx.db).await?);
    let settings = cx.services.settings.statistics.as_ref();
    Ok(StatisticsImportStatus {
        source: known.source,
        host: settings.map(|settings| settings.host.clone()),
        freshness: known.freshness,
        begins_on: row.begins_on,
        import_uuid: row.import_uuid,
        failures_in_a_row: row.failures,
        next_attempt_at: row.next_attempt_at.filter(|_| settings.is_some()),
        last_run: LATEST.fetch_one(&cx.db, []).await?,
    })
}

/// List statistics import runs.
#[operation(query, access = "labs.admin.statistics")]
async fn statistics_imports_list_runs(
    cx: &RequestContext,
    filter: Option<StatisticsImportRunFilter>,
    sort: Option<StatisticsImportRunSort>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<StatisticsImportRun>, Fault> {
    let filter = filter.unwrap_or_default();
    let rows = RUNS.page(cx, &filter, &PageRequest::new(sort, limit, cursor)).await?;
    Ok(rows.counted_list(RUNS.total(&cx.db, &filter, include_total).await?))
}

/// Get a statistics import.
#[operation(query, access = "labs.admin.statistics", audit_target(StatisticsImport, "import_uuid"))]
async fn admin_statistics_imports_get(cx: &RequestContext, import_uuid: Uuid) -> Result<StatisticsImport, Fault> {
    load(cx, import_uuid).await
}

/// Start a statistics import.
#[operation(mutation, access = "labs.admin.statistics:write")]
async fn admin_statistics_imports_start(
    cx: &RequestContext,
    body: StatisticsImportStart,
) -> Result<Created<StatisticsImport>, Fault> {
    let mut errors = Vec::new();
    let days = rules::days(&body.days, Day::of(cx.now), &mut errors);
    if !errors.is_empty() {
        return Err(Fault::invalid(errors));
    }
    rules::ensure_source(cx.services.settings.statistics.is_some())?;
    let (import_uuid, actor) = (cx.new_uuid(), Actor::of(cx.principal()?));
    if !store::insert(&cx.db, import_uuid, &days, (actor.kind, actor.uuid)).await? {
        return Err(rules::err_already_importing());
    }
    Ok(Created::new(import_uuid, load(cx, import_uuid).await?))
}

/// Loads the current import and names it in the audit record.
async fn load(cx: &RequestContext, import_uuid: Uuid) -> Result<StatisticsImport, Fault> {
    let row = BY_ID.fetch_one(&cx.db, [import_uuid.into()]).await?;
    let row = row.ok_or_else(|| Fault::not_found("statistics import"))?;
    cx.note_target(Target {
        kind: Some(AuditTargetKind::StatisticsImport),
        uuid: Some(import_uuid),
        label: Some(label_of(&row.days)),
        partner_uuid: None,
    });
    let mut runs = OF_IMPORT.fetch_all(&cx.db, [import_uuid.into()]).await?;
    runs.sort_by_key(|run| run.day);
    Ok(to_view(row, runs))
}

/// Returns a short label for the days of an import.
fn label_of(days: &[Day]) -> String {
    match days {
        [first, .., last] => format!("{first} to {last} ({} days)", days.len()),
        [day] => day.to_string(),
        [] => String::new(),
    }
}

fn to_view(row: ImportRow, runs: Vec<StatisticsImportRun>) -> StatisticsImport {
    let count = |state: StatisticsRunState| {
        i32::try_from(runs.iter().filter(|run| run.state == state).count()).unwrap_or(i32::MAX)
    };
    StatisticsImport {
        uuid: row.import_uuid,
        trigger: row.trigger,
        requested_by_uuid: row.requested_by,
        state: row.state,
        days: row.days,
        days_succeeded: count(StatisticsRunState::Succeeded),
        days_failed: count(StatisticsRunState::Failed),
        runs,
        created_at: row.created_at,
        started_at: row.started_at,
        ended_at: row.ended_at,
    }
}
