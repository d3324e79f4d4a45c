//! SQL statements of the distribution of an app's ratings.

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::time::Time;
use uuid::Uuid;

use super::{PeriodFilter, RatingPeriod, VersionRatings};
use crate::reviews::types::RatingSpread;

/// Lists every period, including periods without ratings.
pub(super) async fn list_periods(db: &Db, app_uuid: Uuid, filter: &PeriodFilter) -> Result<Vec<RatingPeriod>, Fault> {
    let rows = sqlx::query!(
        r#"select period.starts_at as "starts_at!: Time", period.ends_at as "ends_at!: Time",
                  rating_counts(c.rating, c.number) as "counts!"
             from (select starts_at at time zone 'UTC' as starts_at,
                          (starts_at + ('1 ' || $2)::interval) at time zone 'UTC' as ends_at
                     from generate_series(date_trunc($2, coalesce($3::timestamptz at time zone 'UTC',
                                              ($4::timestamptz at time zone 'UTC') - ('11 ' || $2)::interval)),
                                          ($4::timestamptz at time zone 'UTC') - interval '1 microsecond',
                                          ('1 ' || $2)::interval) as starts_at) as period
             left join customer_rating_day as c
                    on c.app_uuid = $1 and c.day >= (period.starts_at at time zone 'UTC')::date
                   and c.day < (period.ends_at at time zone 'UTC')::date
            group by period.starts_at, period.ends_at
            order by period.starts_at"#,
        app_uuid,
        filter.interval.unit(),
        filter.from as Option<Time>,
        filter.until as Time
    )
    .fetch_all(&mut *db.conn().await?)
    .await?;
    let period =
        |starts_at, ends_at, counts: &[i32]| RatingPeriod { starts_at, ends_at, ratings: RatingSpread::new(counts) };
    Ok(rows.into_iter().map(|row| period(row.starts_at, row.ends_at, &row.counts)).collect())
}

/// Lists the versions with ratings, by the most recent customer review, newest first.
pub(super) async fn list_versions(db: &Db, app_uuid: Uuid) -> Result<Vec<VersionRatings>, Fault> {
    let rows = sqlx::query!(
        r#"select c.version_number,
                  coalesce(c.version_number = (select l.version_number from listing as l where l.app_uuid = $1), false)
                      as "is_current!",
                  rating_counts(c.rating, c.number) as "counts!"
             from customer_rating as c
            where c.app_uuid = $1 and c.number > 0
            group by c.version_number
            order by max(c.last_written_at) desc, c.version_number
            limit 100"#,
        app_uuid
    )
    .fetch_all(&mut *db.conn().await?)
    .await?;
    let version = |version_number, is_current_version, counts: &[i32]| VersionRatings {
        version_number,
        is_current_version,
        ratings: RatingSpread::new(counts),
    };
    Ok(rows.into_iter().map(|row| version(row.version_number, row.is_current, &row.counts)).collect())
}
