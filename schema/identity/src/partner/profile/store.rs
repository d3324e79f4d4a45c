//! Statements for profiles.

use std::collections::BTreeMap;

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::principal::Owner;
use labs_core::time::Time;
use sqlx::types::Json;
use uuid::Uuid;

use super::rules::{Draft, Snapshot, Text};

/// A profile with its company.
pub(super) struct ProfileRow {
    pub(super) partner_uuid: Uuid,
    pub(super) slug: String,
    pub(super) company_name: String,
    pub(super) partner_state: String,
    pub(super) default_locale: String,
    pub(super) texts: Json<BTreeMap<String, Text>>,
    pub(super) website_url: Option<String>,
    pub(super) languages: Vec<String>,
    pub(super) regions: Vec<String>,
    pub(super) state: String,
    pub(super) state_reason: Option<String>,
    pub(super) state_changed_at: Time,
    pub(super) snapshot: Option<Json<Snapshot>>,
    pub(super) published_at: Option<Time>,
    pub(super) updated_at: Time,
}

/// Loads a partner's profile, empty if no text was ever written. `None` if the partner does not exist.
pub(super) async fn get(db: &Db, partner_uuid: Uuid) -> Result<Option<ProfileRow>, Fault> {
    Ok(sqlx::query_as!(
        ProfileRow,
        r#"select p.partner_uuid, p.slug, p.company_name, p.state as partner_state,
                  coalesce(f.default_locale, 'en') as "default_locale!",
                  coalesce(f.texts, '{}') as "texts!: Json<BTreeMap<String, Text>>", f.website_url as "website_url?",
                  coalesce(f.languages, '{}') as "languages!", coalesce(f.regions, '{}') as "regions!",
                  coalesce(f.state, 'UNPUBLISHED') as "state!", f.state_reason as "state_reason?",
                  coalesce(f.state_changed_at, p.created_at) as "state_changed_at!",
                  f.snapshot as "snapshot?: Json<Snapshot>", f.published_at as "published_at?",
                  coalesce(f.updated_at, p.created_at) as "updated_at!"
             from partner as p
             left join partner_profile as f on f.partner_uuid = p.partner_uuid
            where p.partner_uuid = $1"#,
        partner_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Inserts the row of the owner's profile if it is missing, and locks it until the transaction ends.
pub(super) async fn lock(db: &Db, owner: Owner) -> Result<(), Fault> {
    sqlx::query!(
        "insert into partner_profile (partner_uuid) values ($1) on conflict (partner_uuid) do nothing",
        owner.uuid()
    )
    .execute(&mut *db.conn().await?)
    .await?;
    lock_of(db, owner.uuid()).await
}

/// Locks a profile until the transaction ends, if it has a row. A profile without a row cannot be published either.
pub(in crate::partner) async fn lock_of(db: &Db, partner_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!("select partner_uuid from partner_profile where partner_uuid = $1 for update", partner_uuid)
        .fetch_optional(&mut *db.conn().await?)
        .await?;
    Ok(())
}

/// Replaces the draft.
pub(super) async fn set_draft(db: &Db, owner: Owner, draft: &Draft) -> Result<(), Fault> {
    sqlx::query!(
        "update partner_profile set default_locale = $2, texts = $3, website_url = $4, languages = $5, regions = $6,
                updated_at = labs_now()
          where partner_uuid = $1",
        owner.uuid(),
        draft.default_locale,
        Json(&draft.texts) as Json<&BTreeMap<String, Text>>,
        draft.website_url,
        &draft.languages,
        &draft.regions,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Publishes the snapshot.
pub(super) async fn set_published(db: &Db, owner: Owner, snapshot: &Snapshot) -> Result<(), Fault> {
    sqlx::query!(
        "update partner_profile set state = 'PUBLISHED', state_reason = null, state_changed_at = labs_now(),
                snapshot = $2, published_at = labs_now(), first_published_at = coalesce(first_published_at, labs_now())
          where partner_uuid = $1",
        owner.uuid(),
        Json(snapshot) as Json<&Snapshot>,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Moves a published profile to this unpublished state.
pub(super) async fn set_state(db: &Db, partner_uuid: Uuid, state: &str, reason: Option<&str>) -> Result<(), Fault> {
    sqlx::query!(
        "update partner_profile set state = $2, state_reason = $3, state_changed_at = labs_now()
          where partner_uuid = $1",
        partner_uuid,
        state,
        reason,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
