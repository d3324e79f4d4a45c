//! Statements for data exports. The statements that read the exported data are in [`kinds`].

pub(super) mod kinds;

use labs_core::actor::Actor;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::principal::Owner;
use labs_core::time::Time;
use uuid::Uuid;

use super::rules::DataExportState;

/// A data export to request.
pub(super) struct NewExport<'a> {
    pub(super) export_uuid: Uuid,
    pub(super) partner_uuid: Uuid,
    pub(super) actor: Actor,
    pub(super) reason: Option<&'a str>,
}

/// Queues a data export. Returns false while another export of the partner is queued or running.
pub(super) async fn insert(db: &Db, new: &NewExport<'_>) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "insert into data_export (export_uuid, partner_uuid, requested_by_kind, requested_by, reason)
         values ($1, $2, $3, $4, $5)
         on conflict (partner_uuid) where state in ('QUEUED', 'RUNNING') do nothing",
        new.export_uuid,
        new.partner_uuid,
        new.actor.kind,
        new.actor.uuid,
        new.reason,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Counts the exports that a partner's team requested within the last day.
pub(super) async fn count_of_day(db: &Db, owner: Owner) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from data_export
            where partner_uuid = $1 and created_at > labs_now() - interval '1 day' and requested_by_kind <> 'STAFF_USER'"#,
        owner.uuid()
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Locks a partner until the transaction ends and returns its state; `None` if the partner does not exist.
pub(super) async fn lock_partner_state(db: &Db, partner_uuid: Uuid) -> Result<Option<String>, Fault> {
    Ok(sqlx::query_scalar!("select state from partner where partner_uuid = $1 for share", partner_uuid)
        .fetch_optional(&mut *db.conn().await?)
        .await?)
}

/// Location of an archive.
pub(super) struct ArchiveRow {
    pub(super) state: DataExportState,
    pub(super) is_kept: bool,
    pub(super) object_secret: Option<String>,
    pub(super) sha256: Option<Vec<u8>>,
    pub(super) made_at: Option<Time>,
    pub(super) slug: String,
}

/// Loads the location of an archive of the owner.
pub(super) async fn get_archive(db: &Db, owner: Owner, export_uuid: Uuid) -> Result<Option<ArchiveRow>, Fault> {
    Ok(sqlx::query_as!(
        ArchiveRow,
        r#"select e.state as "state: DataExportState", e.object_secret, e.sha256, e.ended_at as made_at, p.slug,
                  e.state = 'SUCCEEDED' and e.removed_at is null and e.expires_at > labs_now() as "is_kept!"
             from data_export as e
             join partner as p on p.partner_uuid = e.partner_uuid
            where e.export_uuid = $1 and e.partner_uuid = $2"#,
        export_uuid,
        owner.uuid()
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// A data export that a run has claimed.
pub(super) struct ExportClaim {
    pub(super) export_uuid: Uuid,
    pub(super) partner_uuid: Uuid,
    /// Number of this run, from 1.
    pub(super) attempts: i32,
    /// Object of the previous run, which may have been written.
    pub(super) former_secret: Option<String>,
}

/// Claims for two minutes the export that has waited longest, or that a previous run left unfinished.
pub(super) async fn claim(db: &Db, object_secret: &str) -> Result<Option<ExportClaim>, Fault> {
    Ok(sqlx::query_as!(
        ExportClaim,
        "with due as (
             select export_uuid, object_secret as former_secret from data_export
              where state in ('QUEUED', 'RUNNING') and coalesce(claimed_until <= labs_now(), true)
              order by created_at, export_uuid limit 1 for update skip locked)
         update data_export as e
            set state = 'RUNNING', attempts = attempts + 1, claimed_until = labs_now() + interval '2 minutes',
                started_at = coalesce(started_at, labs_now()), steps_done = 0, object_secret = $1
           from due where e.export_uuid = due.export_uuid
         returning e.export_uuid, e.partner_uuid, e.attempts, due.former_secret",
        object_secret
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Records the progress of a run and renews its claim for two minutes. Returns false if the run has lost the export.
pub(super) async fn set_progress(db: &Db, claim: &ExportClaim, progress: Option<(i32, i32)>) -> Result<bool, Fault> {
    let (done, total) = progress.unzip();
    let renewed = sqlx::query!(
        "update data_export
            set claimed_until = labs_now() + interval '2 minutes', steps_done = coalesce($3, steps_done),
                steps_total = coalesce($4, steps_total)
          where export_uuid = $1 and attempts = $2 and state = 'RUNNING'",
        claim.export_uuid,
        claim.attempts,
        done,
        total,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(renewed.rows_affected() > 0)
}

/// Properties of a finished archive.
pub(super) struct ExportFile {
    pub(super) size_bytes: i64,
    pub(super) sha256: [u8; 32],
}

/// Data for the notification about an ended run.
pub(super) struct EndedExport {
    pub(super) company_name: String,
    /// Time until which the archive is kept.
    pub(super) expires_at: Option<Time>,
}

/// Ends a run successfully; `None` if it has lost its export.
pub(super) async fn set_succeeded(
    db: &Db,
    claim: &ExportClaim,
    state: DataExportState,
    made: &ExportFile,
) -> Result<Option<EndedExport>, Fault> {
    Ok(sqlx::query_as!(
        EndedExport,
        "with done as (
             update data_export
                set state = $3, ended_at = labs_now(), claimed_until = null, steps_done = steps_total, size_bytes = $4,
                    sha256 = $5, expires_at = labs_now() + interval '7 days'
              where export_uuid = $1 and attempts = $2 and state = 'RUNNING'
             returning export_uuid, partner_uuid, expires_at),
         noted as (
             insert into partner_event (event_uuid, partner_uuid, kind, actor_kind, subject_uuid)
             select labs_uuid(), partner_uuid, 'DATA_EXPORT_MADE', 'SYSTEM', export_uuid from done)
         select company_name, expires_at from done join partner using (partner_uuid)",
        claim.export_uuid,
        claim.attempts,
        state.name(),
        made.size_bytes,
        &made.sha256,
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Gives up an export; `None` if the run has lost it.
pub(super) async fn set_failed(
    db: &Db,
    claim: &ExportClaim,
    state: DataExportState,
    error: &str,
) -> Result<Option<EndedExport>, Fault> {
    Ok(sqlx::query_as!(
        EndedExport,
        "with done as (
             update data_export
                set state = $3, ended_at = labs_now(), claimed_until = null, error = $4
              where export_uuid = $1 and attempts = $2 and state = 'RUNNING'
             returning export_uuid, partner_uuid, expires_at),
         noted as (
             insert into partner_event (event_uuid, partner_uuid, kind, actor_kind, subject_uuid)
             select labs_uuid(), partner_uuid, 'DATA_EXPORT_FAILED', 'SYSTEM', export_uuid from done)
         select company_name, expires_at from done join partner using (partner_uuid)",
        claim.export_uuid,
        claim.attempts,
        state.name(),
        error,
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Releases an export after a failed run, for a later retry.
pub(super) async fn release(db: &Db, claim: &ExportClaim, error: &str) -> Result<(), Fault> {
    sqlx::query!(
        "update data_export set claimed_until = labs_now() + interval '10 seconds', error = $3
          where export_uuid = $1 and attempts = $2 and state = 'RUNNING'",
        claim.export_uuid,
        claim.attempts,
        error,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// An export whose object must be deleted.
pub(super) struct OverRow {
    pub(super) export_uuid: Uuid,
    pub(super) object_secret: Option<String>,
}

/// Loads some exports that have expired or whose partner was erased.
pub(super) async fn over_page(db: &Db) -> Result<Vec<OverRow>, Fault> {
    Ok(sqlx::query_as!(
        OverRow,
        "select e.export_uuid, e.object_secret from data_export as e
           join partner as p on p.partner_uuid = e.partner_uuid
          where e.state = 'SUCCEEDED' and e.removed_at is null
            and (e.expires_at <= labs_now() or p.state = 'ERASED')
          order by e.expires_at limit 20"
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Records that an object was deleted.
pub(super) async fn set_removed(db: &Db, export_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!("update data_export set removed_at = labs_now() where export_uuid = $1", export_uuid)
        .execute(&mut *db.conn().await?)
        .await?;
    Ok(())
}

/// An image of an archive.
pub(super) struct PictureRow {
    pub(super) picture_uuid: Uuid,
    pub(super) path: String,
    pub(super) object_key: String,
}

/// Loads the next images of a partner, of its apps and its profile, by id.
pub(super) async fn pictures_page(db: &Db, partner_uuid: Uuid, after: Uuid) -> Result<Vec<PictureRow>, Fault> {
    Ok(sqlx::query_as!(
        PictureRow,
        r#"select picture_uuid as "picture_uuid!", object_key as "object_key!",
                  place || '/' || lower(kind) || '-' || picture_uuid || '.' || split_part(media_type, '/', 2) as "path!"
             from (select media_uuid as picture_uuid, 'media/apps/' || app_uuid as place, kind, media_type, object_key
                     from app join media using (app_uuid) where partner_uuid = $1 and media_uuid > $2
                   union all
                   select image_uuid, 'media/profile', kind, media_type, object_key
                     from partner_image where partner_uuid = $1 and image_uuid > $2) as picture
            order by picture_uuid limit 100"#,
        partner_uuid,
        after
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}
