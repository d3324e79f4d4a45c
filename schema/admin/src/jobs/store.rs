//! Statements for the actions of staff on jobs.

use labs_core::db::Db;
use labs_core::fault::Fault;
use uuid::Uuid;

use super::plan::JobCode;
use super::rules::JobStatus;

/// Locks a job until the transaction ends, and returns its state.
pub(super) async fn lock(db: &Db, code: JobCode) -> Result<Option<JobStatus>, Fault> {
    let locked = sqlx::query!(
        r#"select paused_at is not null as "is_paused!",
                  exists (select from job_run where job = code and state in ('QUEUED', 'RUNNING')) as "is_busy!"
           from job where code = $1 for no key update"#,
        code.name()
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    Ok(locked.map(|row| JobStatus { code, is_paused: row.is_paused, is_busy: row.is_busy }))
}

/// Requests a run. Returns false if a run is in progress or requested.
pub(super) async fn insert_run(db: &Db, run_uuid: Uuid, code: JobCode) -> Result<bool, Fault> {
    let inserted = sqlx::query!(
        "insert into job_run (run_uuid, job, state, trigger) values ($1, $2, 'QUEUED', 'STAFF')
         on conflict (job) where state in ('QUEUED', 'RUNNING') do nothing",
        run_uuid,
        code.name()
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

/// Pauses a job.
pub(super) async fn set_paused(db: &Db, code: JobCode, because: &str) -> Result<(), Fault> {
    sqlx::query!("update job set paused_at = labs_now(), paused_because = $2 where code = $1", code.name(), because)
        .execute(&mut *db.conn().await?)
        .await?;
    Ok(())
}

/// Resumes a job.
pub(super) async fn set_resumed(db: &Db, code: JobCode) -> Result<(), Fault> {
    sqlx::query!("update job set paused_at = null, paused_because = null where code = $1", code.name())
        .execute(&mut *db.conn().await?)
        .await?;
    Ok(())
}
