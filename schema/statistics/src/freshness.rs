//! Source and freshness of statistics. Every response of the group contains them.

use labs_core::context::RequestContext;
use labs_core::day::Day;
use labs_core::db::Db;
use labs_core::describe::OutputType;
use labs_core::fault::Fault;
use labs_core::time::Time;
use labs_core::words::words;
use serde::Serialize;

words! {
    /// Source of statistics.
    pub enum StatisticsSource {
        /// This installation imports no statistics, so no figure is shown. The service never estimates figures.
        Disabled = "DISABLED",
        /// Figures that the platform's own API reported for completed days.
        PlatformApi = "PLATFORM_API",
    }
}

/// Freshness of the figures. A day that was not imported is unknown, not zero. All fields are null or empty while the
/// source is `DISABLED`.
#[derive(Clone, Debug, Default, Serialize, OutputType)]
pub(crate) struct StatisticsFreshness {
    /// First imported day. Null before the first import.
    pub(super) first_imported_day: Option<Day>,
    /// Last imported day. Null before the first import.
    pub(super) last_imported_day: Option<Day>,
    /// Time of the last import or re-import of a day. Null before the first import.
    last_imported_at: Option<Time>,
    /// Number of completed days, including yesterday, that should be imported but are missing. The service imports them
    /// automatically, oldest first. Null while the source is `DISABLED`.
    pub(super) days_missing: Option<i64>,
    /// The first 92 missing days, oldest first.
    missing_days: Vec<Day>,
}

/// Facts about all imports.
pub(crate) struct ImportFreshness {
    /// Source of the figures.
    pub(crate) source: StatisticsSource,
    /// Freshness of the figures.
    pub(crate) freshness: StatisticsFreshness,
    /// Whether the day a week before the last one was also imported.
    pub(crate) has_week_before: bool,
}

/// Loads the facts about the imports; empty without a source.
pub(crate) async fn load_freshness(cx: &RequestContext) -> Result<ImportFreshness, Fault> {
    if cx.services.settings.statistics.is_none() {
        let freshness = StatisticsFreshness::default();
        return Ok(ImportFreshness { source: StatisticsSource::Disabled, freshness, has_week_before: false });
    }
    of_source(&cx.db).await
}

async fn of_source(db: &Db) -> Result<ImportFreshness, Fault> {
    let row = sqlx::query!(
        r#"with span as (select min(day) as first, max(day) as last from statistic_day)
           select first as "first: Day", last as "last: Day",
                  (select max(coalesce(restated_at, imported_at)) from statistic_day) as "imported_at: Time",
                  (select count(*) from statistic_missing_day) as "missing!",
                  array(select day from statistic_missing_day order by day limit 92) as "missing_days!: Vec<Day>",
                  exists (select from statistic_day where day = span.last - 7) as "has_week_before!"
             from span"#
    )
    .fetch_one(&mut *db.conn().await?)
    .await?;
    Ok(ImportFreshness {
        source: StatisticsSource::PlatformApi,
        freshness: StatisticsFreshness {
            first_imported_day: row.first,
            last_imported_day: row.last,
            last_imported_at: row.imported_at,
            days_missing: Some(row.missing),
            missing_days: row.missing_days,
        },
        has_week_before: row.has_week_before,
    })
}
