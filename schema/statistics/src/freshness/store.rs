//! SQL statement of the freshness of statistics.

use labs_core::day::Day;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::time::Time;

use super::{ImportFreshness, StatisticsFreshness, StatisticsSource};

/// Loads the facts about the imported days of a source.
pub(super) async fn get(db: &Db, source: StatisticsSource) -> Result<ImportFreshness, Fault> {
    let row = sqlx::query!(
        r#"with span as (select min(day) as first, max(day) as last from statistic_day where is_sample = $1)
           select first as "first: Day", last as "last: Day",
                  (select max(coalesce(restated_at, imported_at)) from statistic_day where is_sample = $1) as "imported_at: Time",
                  (select count(*) from statistic_missing_day) as "missing!",
                  array(select day from statistic_missing_day order by day limit 92) as "missing_days!: Vec<Day>",
                  exists (select from statistic_day where day = span.last - 7) as "has_week_before!"
             from span"#,
        source == StatisticsSource::Sample
    )
    .fetch_one(&mut *db.conn().await?)
    .await?;
    Ok(ImportFreshness {
        source,
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
