//! The statements of a transfer.

use uuid::Uuid;

use crate::core::actor::Actor;
use crate::core::db::Db;
use crate::core::fault::Fault;
use crate::marketplace::apps::rules::AppState;
use crate::partner::standing::PartnerState;

/// A partner that is to be given an app.
pub(super) struct Recipient {
    /// Where it stands.
    pub(super) state: PartnerState,
}

/// The recipient, which stays where it stands until the transaction ends.
pub(super) async fn recipient_lock(db: &Db, partner_uuid: Uuid) -> Result<Option<Recipient>, Fault> {
    Ok(sqlx::query_as!(
        Recipient,
        r#"select state as "state: PartnerState" from partner where partner_uuid = $1 for share"#,
        partner_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// An app that is held until the transaction ends.
pub(super) struct HeldApp {
    /// Whose it is.
    pub(super) partner_uuid: Uuid,
    /// Where it stands.
    pub(super) state: AppState,
}

/// Locks an app.
pub(super) async fn lock(db: &Db, app_uuid: Uuid) -> Result<Option<HeldApp>, Fault> {
    Ok(sqlx::query_as!(
        HeldApp,
        r#"select partner_uuid, state as "state: AppState" from app where app_uuid = $1 for update"#,
        app_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// What of the recipient's plan is taken, and what the app adds.
pub(super) struct Taken {
    /// Apps that count.
    pub(super) apps: i64,
    /// Bytes of pictures that are kept.
    pub(super) media_bytes: i64,
    /// Bytes of the app's own.
    pub(super) of_app_bytes: i64,
}

/// Counts what the recipient has and what the app brings.
pub(super) async fn taken_get(db: &Db, app_uuid: Uuid, recipient_uuid: Uuid) -> Result<Taken, Fault> {
    Ok(sqlx::query_as!(
        Taken,
        r#"select (select count(*) from app where partner_uuid = $2 and state <> 'ARCHIVED') as "apps!",
                  (select coalesce(sum(size_bytes), 0)::bigint from media_counted join app using (app_uuid)
                    where partner_uuid = $2)
                + (select coalesce(sum(size_bytes), 0)::bigint from partner_image
                    where partner_uuid = $2 and removed_at is null) as "media_bytes!",
                  (select coalesce(sum(size_bytes), 0)::bigint from media_counted
                    where app_uuid = $1) as "of_app_bytes!""#,
        app_uuid,
        recipient_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// An app on its way from one partner to another.
pub(super) struct Transfer<'a> {
    pub(super) app_uuid: Uuid,
    /// Whose it was.
    pub(super) from: Uuid,
    /// Whose it becomes, which is active.
    pub(super) to: Uuid,
    /// What both are told.
    pub(super) reason: &'a str,
}

/// Makes an app another partner's and notes it in its history. Its listing is on the storefront where the app is listed,
/// under the new name, which the caches are told.
pub(super) async fn transfer(db: &Db, actor: Actor, of: &Transfer<'_>) -> Result<(), Fault> {
    sqlx::query!(
        "with given as (
             update app set partner_uuid = $3, updated_at = labs_now() where app_uuid = $1 returning app_uuid, state
         ), kept as (
             insert into app_transfer (app_uuid, from_partner_uuid, to_partner_uuid) values ($1, $2, $3)
         ), noted as (
             insert into app_event (event_uuid, app_uuid, kind, actor_kind, actor_uuid, detail)
             values (labs_uuid(), $1, 'TRANSFERRED', $4, $5, jsonb_build_object(
                 'from_partner_uuid', $2::uuid, 'to_partner_uuid', $3::uuid, 'reason', $6::text))
         ), shown as (
             update listing as l
             set partner_uuid = $3, visible = (given.state = 'LISTED'), updated_at = labs_now()
             from given
             where l.app_uuid = given.app_uuid
             returning l.app_uuid, l.slug, l.visible
         )
         insert into listing_change (app_uuid, slug, change)
         select app_uuid, slug, case when visible then 'PUBLISHED' else 'GONE' end from shown",
        of.app_uuid,
        of.from,
        of.to,
        actor.kind,
        actor.uuid,
        of.reason
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
