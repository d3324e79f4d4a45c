//! Every statement about versions.

use std::collections::BTreeMap;

use serde_json::json;
use sqlx::types::Json;
use uuid::Uuid;

use super::rules::manifest::Manifest;
use super::rules::number::Number;
use crate::actor::Actor;
use crate::db::Db;
use crate::fault::{Fault, constraint_of};
use crate::marketplace::submissions::FindingRow;
use crate::page::{Keys, Window};
use crate::principal::Owner;
use crate::time::Time;

/// A version with the review of its last submission.
#[derive(Clone, Debug)]
pub(super) struct VersionRow {
    pub(super) version_uuid: Uuid,
    pub(super) app_uuid: Uuid,
    pub(super) number: String,
    pub(super) state: String,
    pub(super) release_notes: Json<BTreeMap<String, String>>,
    pub(super) manifest: Json<Manifest>,
    pub(super) created_at: Time,
    pub(super) updated_at: Time,
    pub(super) published_at: Option<Time>,
    pub(super) publish_at: Option<Time>,
    pub(super) submission_uuid: Option<Uuid>,
    pub(super) submission_state: Option<String>,
    pub(super) appeal: Option<bool>,
    pub(super) submitted_at: Option<Time>,
    pub(super) decided_at: Option<Time>,
    pub(super) decision_note: Option<String>,
    pub(super) findings: Json<Vec<FindingRow>>,
}

/// What a list is narrowed to, and whose it is.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    pub(super) owner: Owner,
    pub(super) app_uuid: Uuid,
    pub(super) state: Option<Vec<String>>,
    pub(super) order: Order,
}

/// The orders a list can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    NewestFirst,
    OldestFirst,
}

impl VersionRow {
    /// The submission whose decision is still to come.
    pub(super) fn waiting(&self) -> Option<Uuid> {
        let state = self.submission_state.as_deref();
        self.submission_uuid.filter(|_| matches!(state, Some("SUBMITTED" | "IN_REVIEW")))
    }

    fn keys(&self) -> Keys {
        vec![json!(self.created_at), json!(self.version_uuid)]
    }
}

/// Versions of an owner's app, each with its last submission and with what reviewers found in it, the open findings
/// first.
macro_rules! versions {
    ([$($tail:literal)+] $(, $argument:expr)* $(,)?) => {
        sqlx::query_as!(
            VersionRow,
            r#"select v.version_uuid, v.app_uuid, v.number, v.state, v.created_at, v.updated_at, v.published_at,
                v.release_notes as "release_notes: Json<BTreeMap<String, String>>",
                v.manifest as "manifest: Json<Manifest>",
                case when v.state = 'SCHEDULED' then v.publish_at end as publish_at,
                s.submission_uuid as "submission_uuid?", s.state as "submission_state?", s.appeal as "appeal?",
                s.submitted_at as "submitted_at?", s.decided_at as "decided_at?", s.decision_note as "decision_note?",
                coalesce(found.findings, '[]') as "findings!: Json<Vec<FindingRow>>"
            from app as a
            join app_version as v on v.app_uuid = a.app_uuid
            left join lateral (
                select * from submission as o where o.version_uuid = v.version_uuid
                order by o.submitted_at desc, o.submission_uuid desc limit 1
            ) as s on true
            left join lateral (
                select jsonb_agg(to_jsonb(f) order by f.place) as findings
                from (
                    select f.finding_uuid, f.requirement_code, f.text, f.resolved, row_number() over (
                        order by f.resolved, o.submitted_at desc, f.position, f.finding_uuid) as place
                    from submission as o
                    join submission_finding as f on f.submission_uuid = o.submission_uuid
                    where o.version_uuid = v.version_uuid
                ) as f
                where f.place <= 200
            ) as found on true
            where a.app_uuid = $1 and a.partner_uuid = $2 "# $(+ $tail)+ $(, $argument)*
        )
    };
}

/// A page of versions; the keyset is the moment of making and the id.
macro_rules! page_of {
    ($filter:expr, $window:expr, $db:expr, [$($tail:literal)+]) => {
        versions!(
            ["and ($3::text[] is null or v.state = any($3)) and ($4::timestamptz is null or "
             $($tail)+],
            $filter.app_uuid,
            $filter.owner.uuid(),
            $filter.state.as_deref(),
            $window.key::<Time>(0)? as Option<Time>,
            $window.key::<Uuid>(1)?,
        )
        .fetch_all(&mut *$db.conn().await?)
        .await
    };
}

/// A page of an app's versions.
pub(super) async fn page(
    db: &Db,
    filter: &Filter,
    window: &Window,
) -> Result<(Vec<VersionRow>, crate::page::Page), Fault> {
    let rows = match (filter.order, window.limit <= 20) {
        (Order::NewestFirst, true) => page_of!(
            filter,
            window,
            db,
            ["(v.created_at, v.version_uuid) < ($4, $5)) order by v.created_at desc, v.version_uuid desc limit 21"]
        ),
        (Order::NewestFirst, false) => page_of!(
            filter,
            window,
            db,
            ["(v.created_at, v.version_uuid) < ($4, $5)) order by v.created_at desc, v.version_uuid desc limit 101"]
        ),
        (Order::OldestFirst, true) => page_of!(
            filter,
            window,
            db,
            ["(v.created_at, v.version_uuid) > ($4, $5)) order by v.created_at, v.version_uuid limit 21"]
        ),
        (Order::OldestFirst, false) => page_of!(
            filter,
            window,
            db,
            ["(v.created_at, v.version_uuid) > ($4, $5)) order by v.created_at, v.version_uuid limit 101"]
        ),
    }?;
    Ok(window.cut(rows, VersionRow::keys))
}

/// One version of an owner's app.
pub(super) async fn get(
    db: &Db,
    owner: Owner,
    app_uuid: Uuid,
    version_uuid: Uuid,
) -> Result<Option<VersionRow>, Fault> {
    Ok(versions!(["and v.version_uuid = $3"], app_uuid, owner.uuid(), version_uuid)
        .fetch_optional(&mut *db.conn().await?)
        .await?)
}

/// Whether the app is the owner's.
pub(super) async fn app_exists(db: &Db, owner: Owner, app_uuid: Uuid) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select exists (select from app where app_uuid = $1 and partner_uuid = $2) as "exists!""#,
        app_uuid,
        owner.uuid()
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// What a new version must come after.
pub(super) struct Ground {
    pub(super) app_state: String,
    pub(super) published_number: Option<String>,
    pub(super) is_higher: bool,
}

/// What a version of this number would stand on; `None` when the app is not the owner's.
pub(super) async fn ground_get(
    db: &Db,
    owner: Owner,
    app_uuid: Uuid,
    number: &Number,
) -> Result<Option<Ground>, Fault> {
    Ok(sqlx::query_as!(
        Ground,
        r#"select a.state as app_state, live.number as "published_number?",
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

/// What a new version is made of.
pub(super) struct NewVersion<'a> {
    pub(super) version_uuid: Uuid,
    pub(super) app_uuid: Uuid,
    pub(super) number: &'a Number,
    pub(super) release_notes: &'a BTreeMap<String, String>,
    pub(super) manifest: &'a Manifest,
}

/// Begins a version of an owner's app and notes it in the app's history. False when the number was used before.
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

/// A version that is held for a transition, with its app.
pub(super) struct Held {
    pub(super) app_state: String,
    pub(super) state: String,
    pub(super) number: String,
}

/// Locks a version with its app, the app first: what concerns several versions of an app happens one by one.
pub(super) async fn lock(db: &Db, owner: Owner, app_uuid: Uuid, version_uuid: Uuid) -> Result<Option<Held>, Fault> {
    Ok(sqlx::query_as!(
        Held,
        "select a.state as app_state, v.state, v.number
         from app as a
         join app_version as v on v.app_uuid = a.app_uuid
         where a.app_uuid = $1 and a.partner_uuid = $2 and v.version_uuid = $3
         for no key update of a, v",
        app_uuid,
        owner.uuid(),
        version_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Names the moment at which a version goes live.
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
