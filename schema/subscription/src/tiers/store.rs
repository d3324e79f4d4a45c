//! SQL statements with which staff change tiers.

pub(super) mod effects;

use std::collections::HashMap;

use labs_core::db::Db;
use labs_core::fault::{Fault, FieldError, constraint_of};
use serde_json::Value;
use uuid::Uuid;

use super::rules::TierState;
use crate::public_tiers::BillingPeriod;

/// Returns the code of a tier.
pub(super) async fn get_code(db: &Db, tier_uuid: Uuid) -> Result<Option<String>, Fault> {
    Ok(sqlx::query_scalar!("select code from tier where tier_uuid = $1", tier_uuid)
        .fetch_optional(&mut *db.conn().await?)
        .await?)
}

/// Serialises changes of the catalogue until the transaction ends. A conditional request that waited restarts, because
/// the row has changed since its snapshot.
pub(super) async fn lock_catalogue(db: &Db) -> Result<(), Fault> {
    sqlx::query!("update tier_catalogue set turn = turn + 1 where is_only").execute(&mut *db.conn().await?).await?;
    Ok(())
}

/// A tier locked for a change.
pub(super) struct LockedTierRow {
    pub(super) code: String,
    pub(super) state: TierState,
    pub(super) billing_period: BillingPeriod,
}

/// Locks a tier until the transaction ends.
pub(super) async fn lock(db: &Db, tier_uuid: Uuid) -> Result<Option<LockedTierRow>, Fault> {
    Ok(sqlx::query_as!(
        LockedTierRow,
        r#"select code, state as "state: TierState", billing_period as "billing_period: BillingPeriod"
             from tier where tier_uuid = $1 for no key update"#,
        tier_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Whether a fallback tier for cancelled subscriptions exists.
pub(super) async fn fallback_is_left(db: &Db) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(r#"select fallback_tier() is not null as "left!""#)
        .fetch_one(&mut *db.conn().await?)
        .await?)
}

/// A tier with the scopes that it grants.
pub(super) struct GrantRow {
    pub(super) code: String,
    pub(super) scopes: Vec<String>,
}

/// Returns the granted scopes of a tier; without an id, of all tiers that may have subscribers.
pub(super) async fn grants_page(db: &Db, tier_uuid: Option<Uuid>) -> Result<Vec<GrantRow>, Fault> {
    Ok(sqlx::query_as!(
        GrantRow,
        r#"select code, scopes as "scopes!" from tier join tier_scope using (tier_uuid)
            where tier_uuid = $1 or ($1 is null and state <> 'DRAFT')
            order by code"#,
        tier_uuid
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Columns of a new tier.
pub(super) struct NewTier<'a> {
    pub(super) tier_uuid: Uuid,
    pub(super) code: &'a str,
    pub(super) name: &'a str,
    pub(super) description: &'a str,
    pub(super) price_amount_minor: i64,
    pub(super) currency: &'a str,
    pub(super) billing_period: &'a str,
    pub(super) burst_per_second: i32,
    pub(super) daily_requests: i64,
    pub(super) self_service: bool,
    /// `None` places it after all others.
    pub(super) position: Option<i32>,
    pub(super) highlighted: bool,
}

/// Inserts a draft.
///
/// # Errors
/// [`labs_core::Code::Conflict`] if the code is taken.
pub(super) async fn insert(db: &Db, new: &NewTier<'_>) -> Result<(), Fault> {
    let inserted = sqlx::query!(
        "insert into tier (tier_uuid, code, name, description, price_amount_minor, currency, billing_period,
             burst_per_second, daily_requests, self_service, position, highlighted)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10,
             coalesce($11, (select least(coalesce(max(position), 0) + 1, 1000000) from tier)), $12)",
        new.tier_uuid,
        new.code,
        new.name,
        new.description,
        new.price_amount_minor,
        new.currency,
        new.billing_period,
        new.burst_per_second,
        new.daily_requests,
        new.self_service,
        new.position,
        new.highlighted,
    )
    .execute(&mut *db.conn().await?)
    .await;
    match inserted {
        Err(error) if constraint_of(&error) == Some("tier_code_key") => {
            let errors = vec![FieldError::at("/code", "TAKEN", "A tier with this code already exists.")];
            Err(Fault::conflict("A tier with this code already exists. Choose another code.").with_errors(errors))
        }
        Err(error) => Err(error.into()),
        Ok(_) => Ok(()),
    }
}

/// A change of a tier; `None` keeps a field.
pub(super) struct TierChange<'a> {
    pub(super) name: Option<&'a str>,
    pub(super) description: Option<&'a str>,
    pub(super) price_amount_minor: Option<i64>,
    pub(super) currency: Option<&'a str>,
    pub(super) billing_period: Option<&'a str>,
    pub(super) burst_per_second: Option<i32>,
    pub(super) daily_requests: Option<i64>,
    pub(super) self_service: Option<bool>,
    pub(super) position: Option<i32>,
    pub(super) highlighted: Option<bool>,
}

pub(super) async fn update(db: &Db, tier_uuid: Uuid, change: &TierChange<'_>) -> Result<(), Fault> {
    sqlx::query!(
        "update tier
            set name = coalesce($2, name), description = coalesce($3, description),
                price_amount_minor = coalesce($4, price_amount_minor), currency = coalesce($5, currency),
                billing_period = coalesce($6, billing_period), burst_per_second = coalesce($7, burst_per_second),
                daily_requests = coalesce($8, daily_requests), self_service = coalesce($9, self_service),
                position = coalesce($10, position), highlighted = coalesce($11, highlighted), updated_at = labs_now()
          where tier_uuid = $1",
        tier_uuid,
        change.name,
        change.description,
        change.price_amount_minor,
        change.currency,
        change.billing_period,
        change.burst_per_second,
        change.daily_requests,
        change.self_service,
        change.position,
        change.highlighted,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

pub(super) async fn set_state(db: &Db, tier_uuid: Uuid, state: &str) -> Result<(), Fault> {
    sqlx::query!("update tier set state = $2, updated_at = labs_now() where tier_uuid = $1", tier_uuid, state)
        .execute(&mut *db.conn().await?)
        .await?;
    Ok(())
}

/// Replaces all feature values of a tier. An unchanged value is not written, so that the audit record contains only
/// real changes.
pub(super) async fn set_features(db: &Db, tier_uuid: Uuid, values: &HashMap<String, Value>) -> Result<(), Fault> {
    let (codes, values): (Vec<String>, Vec<Value>) =
        values.iter().map(|(code, value)| (code.clone(), value.clone())).unzip();
    sqlx::query!(
        "with gone as (
           delete from tier_feature where tier_uuid = $1 and feature_code <> all($2)
         ), said as (
           insert into tier_feature as kept (tier_uuid, feature_code, value)
           select $1, said.code, said.value from unnest($2::text[], $3::jsonb[]) as said (code, value)
           on conflict (tier_uuid, feature_code) do update set value = excluded.value
            where kept.value is distinct from excluded.value
         )
         update tier set updated_at = labs_now() where tier_uuid = $1",
        tier_uuid,
        &codes,
        &values,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
