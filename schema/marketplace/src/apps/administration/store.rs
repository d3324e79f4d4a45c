//! SQL statements of a transfer.

use labs_core::actor::Actor;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_shared::states::{AppState, PartnerState};
use uuid::Uuid;

/// Partner that receives a transferred app.
pub(super) struct Recipient {
    pub(super) state: PartnerState,
}

/// Loads the recipient and locks its state until the transaction ends.
pub(super) async fn lock_recipient(db: &Db, partner_uuid: Uuid) -> Result<Option<Recipient>, Fault> {
    Ok(sqlx::query_as!(
        Recipient,
        r#"select state as "state: PartnerState" from partner where partner_uuid = $1 for share"#,
        partner_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// App locked until the transaction ends.
pub(super) struct LockedApp {
    pub(super) partner_uuid: Uuid,
    pub(super) state: AppState,
}

/// Locks an app.
pub(super) async fn lock(db: &Db, app_uuid: Uuid) -> Result<Option<LockedApp>, Fault> {
    Ok(sqlx::query_as!(
        LockedApp,
        r#"select partner_uuid, state as "state: AppState" from app where app_uuid = $1 for update"#,
        app_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Usage of the recipient's tier limits, and the size that the app adds.
pub(super) struct QuotaUse {
    /// Apps of the recipient that are not archived.
    pub(super) apps: i64,
    /// Bytes of the recipient's media items and images.
    pub(super) media_bytes: i64,
    /// Bytes of the transferred app's media items.
    pub(super) of_app_bytes: i64,
}

/// Counts the recipient's usage and the app's media bytes.
pub(super) async fn get_quota_use(db: &Db, app_uuid: Uuid, recipient_uuid: Uuid) -> Result<QuotaUse, Fault> {
    Ok(sqlx::query_as!(
        QuotaUse,
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

/// Transfer of an app from one partner to another.
pub(super) struct Transfer<'a> {
    pub(super) app_uuid: Uuid,
    /// Former owner.
    pub(super) from: Uuid,
    /// New owner; must be active.
    pub(super) to: Uuid,
    /// Reason that both partners are given.
    pub(super) reason: &'a str,
}

/// Changes the owner of an app and adds an entry to its history. The listing is visible if the app is listed, and
/// appears under the new owner's name; the statement records the change for the caches.
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

/// Whether at least one of 250 among the newest apps has the longest word of a search in a name or in its slug. True
/// for a search without words, which matches everything.
pub(super) async fn is_common_text(db: &Db, text: &str) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) filter (where newest.slug ~ (select coalesce((sought_patterns($1))[1], '')) or exists (
                      select from app_translation as t
                       where t.app_uuid = newest.app_uuid and folded(t.name) ~ (select coalesce((sought_patterns($1))[1], ''))))
                  * 250 >= count(*) as "is_common!"
             from (select app_uuid, slug from app order by created_at desc, app_uuid desc limit 1000) as newest"#,
        text
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}
