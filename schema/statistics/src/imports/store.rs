//! SQL statements that write imports, and the reads that are not lists.

use labs_core::day::Day;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::time::Time;
use uuid::Uuid;

use super::report::{ImportError, ImportErrorCode, Report};
use super::rules::StatisticsImportState;

/// Deletes the invented figures of the sample data. A service with a source calls it before the first import.
pub(super) async fn delete_sample(db: &Db) -> Result<(), Fault> {
    sqlx::query!(
        "with apps as (delete from app_statistic where day in (select day from statistic_day where is_sample)),
              partners as (delete from partner_statistic where day in (select day from statistic_day where is_sample))
         delete from statistic_day where is_sample"
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Creates an import of the oldest missing completed days, unless an import is queued or running, or the last one
/// failed recently.
pub(super) async fn schedule(db: &Db, first_day: Option<Day>) -> Result<(), Fault> {
    sqlx::query!(
        "insert into statistic_source as s (begins_on)
         select coalesce($1::date, (labs_now() at time zone 'UTC')::date - 92)
          where not exists (select from statistic_source where begins_on <= coalesce($1, begins_on))
             on conflict (only_row) do update set begins_on = least(s.begins_on, excluded.begins_on)",
        first_day as Option<Day>
    )
    .execute(&mut *db.conn().await?)
    .await?;
    sqlx::query!(
        "insert into statistic_import (import_uuid, trigger, days)
         select labs_uuid(), 'SCHEDULE', lacking.days
           from statistic_source as s
          cross join lateral (
               select array(select day from statistic_missing_day order by day limit 92) as days) as lacking
          where s.next_attempt_at <= labs_now() and cardinality(lacking.days) > 0
            and not exists (select from statistic_import where state in ('QUEUED', 'RUNNING'))
             on conflict do nothing"
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Inserts a requested import; false if another is queued or running.
pub(super) async fn insert(
    db: &Db,
    import_uuid: Uuid,
    days: &[Day],
    (kind, requested_by): (&str, Option<Uuid>),
) -> Result<bool, Fault> {
    let added = sqlx::query!(
        "insert into statistic_import (import_uuid, trigger, days, requested_by_kind, requested_by)
         values ($1, 'STAFF', $2, $3, $4) on conflict do nothing",
        import_uuid,
        days as &[Day],
        kind,
        requested_by
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(added.rows_affected() > 0)
}

/// An import that a replica has claimed.
pub(super) struct Claim {
    pub(super) import_uuid: Uuid,
    /// Number of this claim, from 1.
    pub(super) claims: i32,
}

/// Claims a queued import, or one whose lease has expired, for a minute.
pub(super) async fn claim(db: &Db, state: StatisticsImportState) -> Result<Option<Claim>, Fault> {
    Ok(sqlx::query_as!(
        Claim,
        "with due as (
             select import_uuid from statistic_import
              where state in ('QUEUED', 'RUNNING') and coalesce(claimed_until <= labs_now(), true)
              limit 1 for update skip locked)
         update statistic_import as i
            set state = $1, claims = claims + 1, claimed_until = labs_now() + interval '1 minute',
                started_at = coalesce(started_at, labs_now())
           from due where i.import_uuid = due.import_uuid
         returning i.import_uuid, i.claims",
        state as StatisticsImportState
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Renews the claim for another minute; false if another replica has claimed the import.
pub(super) async fn renew(db: &Db, claim: &Claim) -> Result<bool, Fault> {
    let renewed = sqlx::query!(
        "update statistic_import set claimed_until = labs_now() + interval '1 minute'
          where import_uuid = $1 and claims = $2 and state = 'RUNNING'",
        claim.import_uuid,
        claim.claims
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(renewed.rows_affected() > 0)
}

/// Releases a claim, so that any replica can continue the import.
pub(super) async fn release(db: &Db, claim: &Claim) -> Result<(), Fault> {
    sqlx::query!(
        "update statistic_import set claimed_until = null where import_uuid = $1 and claims = $2 and state = 'RUNNING'",
        claim.import_uuid,
        claim.claims
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Marks the unfinished day of another replica as broken off.
pub(super) async fn mark_broken(db: &Db, claim: &Claim) -> Result<(), Fault> {
    sqlx::query!(
        "update statistic_import_run as r
            set state = 'FAILED', ended_at = labs_now(), error_code = $3,
                error = 'The replica that was at it went away; what was there before stays.'
          where r.import_uuid = $1 and r.state = 'RUNNING'
            and exists (select from statistic_import where import_uuid = $1 and claims = $2)",
        claim.import_uuid,
        claim.claims,
        ImportErrorCode::BrokenOff as ImportErrorCode
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Returns the progress of an import: the next day, and the outcomes of its runs, latest first. A day that has been
/// imported in the meantime is skipped, unless it was requested explicitly.
pub(super) async fn progress(db: &Db, claim: &Claim) -> Result<(Option<Day>, Vec<Option<ImportErrorCode>>), Fault> {
    let row = sqlx::query!(
        r#"select (select asked.day from unnest(i.days) with ordinality as asked (day, place)
                    where not exists (select from statistic_import_run as r
                                       where r.import_uuid = i.import_uuid and r.day = asked.day)
                      and (i.trigger = 'STAFF' or not exists (select from statistic_day as d where d.day = asked.day))
                    order by asked.place limit 1) as "next: Day",
                  array(select r.error_code from statistic_import_run as r
                         where r.import_uuid = i.import_uuid and r.state <> 'RUNNING'
                         order by r.started_at desc, r.day desc) as "outcomes!: Vec<Option<ImportErrorCode>>"
             from statistic_import as i where i.import_uuid = $1"#,
        claim.import_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?;
    Ok((row.next, row.outcomes))
}

/// Starts the run of a day; `None` if another replica has claimed the import.
pub(super) async fn begin_run(db: &Db, claim: &Claim, day: Day) -> Result<Option<Uuid>, Fault> {
    Ok(sqlx::query_scalar!(
        "with held as (
             update statistic_import set claimed_until = labs_now() + interval '1 minute'
              where import_uuid = $1 and claims = $2 and state = 'RUNNING' returning import_uuid)
         insert into statistic_import_run (run_uuid, import_uuid, day)
         select labs_uuid(), import_uuid, $3::date from held
         returning run_uuid",
        claim.import_uuid,
        claim.claims,
        day as Day
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Marks a run as failed, with the error.
pub(super) async fn run_fail(db: &Db, run_uuid: Uuid, pages: i32, error: &ImportError) -> Result<(), Fault> {
    sqlx::query!(
        "update statistic_import_run
            set state = 'FAILED', ended_at = labs_now(), pages = $2, error_code = $3, error = $4
          where run_uuid = $1 and state = 'RUNNING'",
        run_uuid,
        pages,
        error.code as ImportErrorCode,
        error.message
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Locks an import until the transaction ends; false if another replica has claimed it.
pub(super) async fn lock(db: &Db, claim: &Claim) -> Result<bool, Fault> {
    let held = sqlx::query!(
        "select from statistic_import where import_uuid = $1 and claims = $2 and state = 'RUNNING' for update",
        claim.import_uuid,
        claim.claims
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    Ok(held.is_some())
}

/// Replaces the figures of a day with the reported ones and updates the run.
pub(super) async fn keep(db: &Db, run_uuid: Uuid, day: Day, report: &Report) -> Result<(), Fault> {
    let is_restated = sqlx::query_scalar!(
        r#"insert into statistic_day as d (day, imported_at) values ($1, labs_now())
               on conflict (day) do update set restated_at = labs_now()
           returning d.restated_at is not null as "is_restated!""#,
        day as Day
    )
    .fetch_one(&mut *db.conn().await?)
    .await?;
    let apps = keep_apps(db, day, report).await?;
    let partners = keep_partners(db, day, report).await?;
    let unknown = |reported: usize, kept: i32| i32::try_from(reported).unwrap_or(i32::MAX) - kept;
    sqlx::query!(
        "update statistic_import_run
            set state = 'SUCCEEDED', ended_at = labs_now(), restated = $2, pages = $3, app_rows = $4, partner_rows = $5,
                unknown_apps = $6, unknown_partners = $7
          where run_uuid = $1",
        run_uuid,
        is_restated,
        report.pages,
        apps,
        partners,
        unknown(report.apps.len(), apps),
        unknown(report.partners.len(), partners)
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Stores the figures of known apps and returns their number. The rows are written in a fixed order.
async fn keep_apps(db: &Db, day: Day, report: &Report) -> Result<i32, Fault> {
    sqlx::query!("delete from app_statistic where day = $1", day as Day).execute(&mut *db.conn().await?).await?;
    let (apps, customers): (Vec<Uuid>, Vec<i64>) = report.apps.iter().unzip();
    let kept = sqlx::query!(
        "insert into app_statistic (app_uuid, day, customers)
         select app.app_uuid, $1, reported.customers
           from unnest($2::uuid[], $3::bigint[]) as reported (app_uuid, customers) join app using (app_uuid)
          order by app.app_uuid",
        day as Day,
        &apps,
        &customers
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(i32::try_from(kept.rows_affected()).unwrap_or(i32::MAX))
}

/// Stores the totals of known partners and returns their number.
async fn keep_partners(db: &Db, day: Day, report: &Report) -> Result<i32, Fault> {
    sqlx::query!("delete from partner_statistic where day = $1", day as Day).execute(&mut *db.conn().await?).await?;
    let (partners, customers): (Vec<Uuid>, Vec<i64>) = report.partners.iter().unzip();
    let kept = sqlx::query!(
        "insert into partner_statistic (partner_uuid, day, customers)
         select partner.partner_uuid, $1, reported.customers
           from unnest($2::uuid[], $3::bigint[]) as reported (partner_uuid, customers) join partner using (partner_uuid)
          order by partner.partner_uuid",
        day as Day,
        &partners,
        &customers
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(i32::try_from(kept.rows_affected()).unwrap_or(i32::MAX))
}

/// Ends an import. After consecutive failures, the delay of the next automatic import grows, up to an hour.
pub(super) async fn end(db: &Db, claim: &Claim, state: StatisticsImportState) -> Result<(), Fault> {
    sqlx::query!(
        "with ended as (
             update statistic_import set state = $3, ended_at = labs_now(), claimed_until = null
              where import_uuid = $1 and claims = $2 and state = 'RUNNING' returning state)
         update statistic_source as s
            set failures = case ended.state when 'FAILED' then s.failures + 1 else 0 end,
                next_attempt_at = labs_now() + case ended.state
                    when 'FAILED' then least(interval '1 minute' * power(2, least(s.failures, 6)), interval '1 hour')
                    else interval '0' end
           from ended",
        claim.import_uuid,
        claim.claims,
        state as StatisticsImportState
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Stored state of the source.
#[derive(Default)]
pub(super) struct SourceRow {
    pub(super) begins_on: Option<Day>,
    pub(super) failures: i32,
    pub(super) next_attempt_at: Option<Time>,
    pub(super) import_uuid: Option<Uuid>,
}

/// Returns the stored state of the source, and the queued or running import.
pub(super) async fn get_source(db: &Db) -> Result<SourceRow, Fault> {
    let row = sqlx::query_as!(
        SourceRow,
        r#"select begins_on as "begins_on: Day", failures, next_attempt_at as "next_attempt_at: Time",
                  (select import_uuid from statistic_import where state in ('QUEUED', 'RUNNING')) as import_uuid
             from statistic_source"#
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    Ok(row.unwrap_or_default())
}
