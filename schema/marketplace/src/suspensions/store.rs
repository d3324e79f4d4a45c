//! SQL statements of suspensions.

use labs_core::actor::Actor;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::time::Time;
use labs_shared::states::AppState;
use uuid::Uuid;

use crate::apps::Past;

/// Listing whose app is locked until the transaction ends.
pub(super) struct LockedListing {
    pub(super) app_uuid: Uuid,
    pub(super) name: String,
    pub(super) partner_uuid: Uuid,
    pub(super) partner_name: String,
    pub(super) version_number: String,
    pub(super) state: AppState,
    pub(super) former_state: Option<AppState>,
    pub(super) state_reason: Option<String>,
    pub(super) state_changed_at: Time,
    pub(super) is_visible: bool,
}

impl LockedListing {
    /// Returns the past that decides the target state of an action. An app with a listing was published before.
    pub(super) fn publication_history(&self) -> Past {
        Past { was_published: true, was_unlisted: self.former_state == Some(AppState::Unlisted) }
    }
}

/// Locks the app of a listing.
pub(super) async fn lock(db: &Db, slug: &str) -> Result<Option<LockedListing>, Fault> {
    Ok(sqlx::query_as!(
        LockedListing,
        r#"select a.app_uuid, t.name, a.partner_uuid, p.company_name as partner_name, l.version_number,
               a.state as "state: AppState", a.former_state as "former_state: AppState", a.state_reason,
               a.state_changed_at as "state_changed_at: Time", l.visible as is_visible
         from listing as l
         join app as a on a.app_uuid = l.app_uuid
         join partner as p on p.partner_uuid = a.partner_uuid
         join listing_translation as t on t.app_uuid = l.app_uuid and t.locale = l.default_locale
         where l.slug = $1
         for no key update of a"#,
        slug
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Transition of a locked app.
pub(super) struct Step<'a> {
    pub(super) app_uuid: Uuid,
    /// Target state.
    pub(super) state: AppState,
    /// Kind of the event in the app's history.
    pub(super) event: &'a str,
    /// Message to the partner.
    pub(super) reason: Option<&'a str>,
}

/// Sets the state of an app and adds an entry to its history. A suspended app stores its former state. The listing is
/// visible exactly while the app is listed and its partner is active or closing; the statement records the change for
/// the caches.
pub(super) async fn set_state(db: &Db, actor: Actor, step: &Step<'_>) -> Result<(), Fault> {
    sqlx::query!(
        "with moved as (
             update app
             set state = $2, former_state = case when $2 = 'SUSPENDED' then state end,
                 state_reason = case when $2 = 'SUSPENDED' then $3::text end, state_changed_at = labs_now(),
                 updated_at = labs_now()
             where app_uuid = $1
         ), shown as (
             update listing as l
             set visible = not l.visible, updated_at = labs_now()
             from partner as p
             where l.app_uuid = $1 and p.partner_uuid = l.partner_uuid
                 and l.visible <> ($2 = 'LISTED' and p.state in ('ACTIVE', 'CLOSING'))
             returning l.app_uuid, l.slug, l.visible
         ), noted as (
             insert into app_event (event_uuid, app_uuid, kind, actor_kind, actor_uuid, detail)
             values (labs_uuid(), $1, $4, $5, $6, jsonb_strip_nulls(jsonb_build_object('reason', $3::text)))
         )
         insert into listing_change (app_uuid, slug, change)
         select app_uuid, slug, case when visible then 'PUBLISHED' else 'GONE' end from shown",
        step.app_uuid,
        step.state as AppState,
        step.reason,
        step.event,
        actor.kind,
        actor.uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
