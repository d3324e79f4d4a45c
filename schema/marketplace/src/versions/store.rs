//! SQL statements of versions.

use std::collections::BTreeMap;

use labs_core::actor::Actor;
use labs_core::db::Db;
use labs_core::fault::{Fault, constraint_of};
use labs_core::principal::Owner;
use labs_core::time::Time;
use labs_shared::states::AppState;
use sqlx::types::Json;
use uuid::Uuid;

use super::list::{OWN, VersionRow};
use super::rules::AppVersionState;
use super::rules::manifest::AppManifest;
use super::rules::number::Number;

/// Loads one version of an owner's app.
pub(super) async fn get(
    db: &Db,
    owner: Owner,
    app_uuid: Uuid,
    version_uuid: Uuid,
) -> Result<Option<VersionRow>, Fault> {
    OWN.fetch_one(db, [owner.uuid().into(), app_uuid.into(), version_uuid.into()]).await
}

/// Returns whether the owner has this app.
pub(super) async fn app_exists(db: &Db, owner: Owner, app_uuid: Uuid) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select exists (select from app where app_uuid = $1 and partner_uuid = $2) as "exists!""#,
        app_uuid,
        owner.uuid()
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Data that constrains a new version.
pub(super) struct VersionBounds {
    pub(super) app_state: AppState,
    pub(super) published_number: Option<String>,
    pub(super) is_higher: bool,
}

/// Loads the data that constrains a version with this number; `None` if the owner does not have the app.
pub(super) async fn get_bounds(
    db: &Db,
    owner: Owner,
    app_uuid: Uuid,
    number: &Number,
) -> Result<Option<VersionBounds>, Fault> {
    Ok(sqlx::query_as!(
        VersionBounds,
        r#"select a.state as "app_state: AppState", live.number as "published_number?",
               coalesce(version_precedence($3, $4, $5, $6) > live.precedence, true) as "is_higher!"
         from app as a
         left join app_version as live on live.app_uuid = a.app_uuid and live.state = 'PUBLISHED'
         where a.app_uuid = $1 and a.partner_uuid = $2"#,
        app_uuid,
        owner.uuid(),
        number.major,
        number.minor,
        number.patch,
        number.prerelease
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Values of a new version.
pub(super) struct NewVersion<'a> {
    pub(super) version_uuid: Uuid,
    pub(super) app_uuid: Uuid,
    pub(super) number: &'a Number,
    pub(super) release_notes: &'a BTreeMap<String, String>,
    pub(super) manifest: &'a AppManifest,
}

/// Inserts a version of an owner's app and adds an entry to the app's history. Returns false if the number was used
/// before.
pub(super) async fn insert(db: &Db, owner: Owner, actor: Actor, version: &NewVersion<'_>) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "with version as (
             insert into app_version (version_uuid, app_uuid, number, major, minor, patch, prerelease, release_notes,
                 manifest, created_by)
             select $1, app_uuid, $3, $4, $5, $6, $7, $8, $9, $10
             from app
             where app_uuid = $2 and partner_uuid = $12
             returning app_uuid, version_uuid, number
         )
         insert into app_event (event_uuid, app_uuid, kind, actor_kind, actor_uuid, detail)
         select labs_uuid(), app_uuid, 'VERSION_CREATED', $11, $10,
             jsonb_build_object('version_uuid', version_uuid, 'number', number)
         from version",
        version.version_uuid,
        version.app_uuid,
        version.number.text,
        version.number.major,
        version.number.minor,
        version.number.patch,
        version.number.prerelease,
        Json(version.release_notes) as _,
        Json(version.manifest) as _,
        actor.uuid,
        actor.kind,
        owner.uuid(),
    )
    .execute(&mut *db.conn().await?)
    .await;
    match done {
        Err(error) if constraint_of(&error) == Some("app_version_number_key") => Ok(false),
        Err(error) => Err(error.into()),
        Ok(_) => Ok(true),
    }
}

/// Version locked for a transition, with its app.
pub(super) struct LockedVersion {
    pub(super) app_state: AppState,
    pub(super) state: AppVersionState,
    pub(super) number: String,
}

/// Locks a version with its app, the app first, so that changes that affect several versions of an app run one after
/// another.
pub(super) async fn lock(
    db: &Db,
    owner: Owner,
    app_uuid: Uuid,
    version_uuid: Uuid,
) -> Result<Option<LockedVersion>, Fault> {
    Ok(sqlx::query_as!(
        LockedVersion,
        r#"select a.state as "app_state: AppState", v.state as "state: AppVersionState", v.number
         from app as a
         join app_version as v on v.app_uuid = a.app_uuid
         where a.app_uuid = $1 and a.partner_uuid = $2 and v.version_uuid = $3
         for no key update of a, v"#,
        app_uuid,
        owner.uuid(),
        version_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Schedules the publication of a version.
pub(super) async fn set_scheduled(db: &Db, actor: Actor, version_uuid: Uuid, publish_at: Time) -> Result<(), Fault> {
    sqlx::query!(
        "with version as (
             update app_version
             set state = 'SCHEDULED', publish_at = $2, updated_at = labs_now(),
                 state_changed_at = case state when 'SCHEDULED' then state_changed_at else labs_now() end
             where version_uuid = $1
             returning app_uuid, version_uuid, number, publish_at
         )
         insert into app_event (event_uuid, app_uuid, kind, actor_kind, actor_uuid, detail)
         select labs_uuid(), app_uuid, 'VERSION_SCHEDULED', $3, $4,
             jsonb_build_object('version_uuid', version_uuid, 'number', number, 'publish_at', publish_at)
         from version",
        version_uuid,
        publish_at as Time,
        actor.kind,
        actor.uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Withdraws a version, and its submission if it is with the reviewers.
pub(super) async fn set_withdrawn(db: &Db, actor: Actor, version_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "with version as (
             update app_version
             set state = 'WITHDRAWN', publish_at = null, state_changed_at = labs_now(), updated_at = labs_now()
             where version_uuid = $1
             returning app_uuid, version_uuid, number
         ), taken as (
             update submission
             set state = 'WITHDRAWN', decided_at = labs_now(), waiting_on = null, updated_at = labs_now()
             where version_uuid = $1 and state in ('SUBMITTED', 'IN_REVIEW')
         )
         insert into app_event (event_uuid, app_uuid, kind, actor_kind, actor_uuid, detail)
         select labs_uuid(), app_uuid, 'VERSION_WITHDRAWN', $2, $3,
             jsonb_build_object('version_uuid', version_uuid, 'number', number)
         from version",
        version_uuid,
        actor.kind,
        actor.uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Fields of a version that its owner edits.
pub(super) struct Content<'a> {
    pub(super) number: &'a Number,
    pub(super) release_notes: &'a BTreeMap<String, String>,
    pub(super) manifest: &'a AppManifest,
}

/// Updates the content of a version and adds an entry with the changed fields to the app's history. Returns false if
/// the number was used before.
pub(super) async fn set_content(
    db: &Db,
    actor: Actor,
    version_uuid: Uuid,
    content: &Content<'_>,
    fields: &[&str],
) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "with version as (
             update app_version
             set number = $2, major = $3, minor = $4, patch = $5, prerelease = $6, release_notes = $7, manifest = $8,
                 updated_at = labs_now()
             where version_uuid = $1
             returning app_uuid, version_uuid, number
         )
         insert into app_event (event_uuid, app_uuid, kind, actor_kind, actor_uuid, detail)
         select labs_uuid(), app_uuid, 'VERSION_UPDATED', $9, $10,
             jsonb_build_object('version_uuid', version_uuid, 'number', number, 'fields', $11::text[])
         from version",
        version_uuid,
        content.number.text,
        content.number.major,
        content.number.minor,
        content.number.patch,
        content.number.prerelease,
        Json(content.release_notes) as _,
        Json(content.manifest) as _,
        actor.kind,
        actor.uuid,
        fields as &[&str],
    )
    .execute(&mut *db.conn().await?)
    .await;
    match done {
        Err(error) if constraint_of(&error) == Some("app_version_number_key") => Ok(false),
        Err(error) => Err(error.into()),
        Ok(_) => Ok(true),
    }
}

/// Deletes a version and adds an entry to the app's history.
pub(super) async fn delete(db: &Db, actor: Actor, version_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "with gone as (
             delete from app_version where version_uuid = $1 returning app_uuid, version_uuid, number
         )
         insert into app_event (event_uuid, app_uuid, kind, actor_kind, actor_uuid, detail)
         select labs_uuid(), app_uuid, 'VERSION_DELETED', $2, $3,
             jsonb_build_object('version_uuid', version_uuid, 'number', number)
         from gone",
        version_uuid,
        actor.kind,
        actor.uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
