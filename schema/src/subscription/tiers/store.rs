//! Every statement about tiers as staff see and change them.

pub(super) mod effects;

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::types::Json;
use uuid::Uuid;

use crate::db::Db;
use crate::fault::{Fault, FieldError, constraint_of};
use crate::page::{Keys, Window};
use crate::paged;
use crate::time::Time;

/// A tier with what every feature is worth in it.
pub(super) struct TierRow {
    pub(super) tier_uuid: Uuid,
    pub(super) code: String,
    pub(super) name: String,
    pub(super) description: String,
    pub(super) state: String,
    pub(super) price_amount_minor: i64,
    pub(super) currency: String,
    pub(super) billing_period: String,
    pub(super) burst_per_second: i32,
    pub(super) daily_requests: i64,
    pub(super) self_service: bool,
    pub(super) position: i32,
    pub(super) highlighted: bool,
    pub(super) created_at: Time,
    pub(super) updated_at: Time,
    pub(super) subscribers_count: i64,
    pub(super) features: Json<Vec<FeatureRow>>,
}

/// What a feature is worth in a tier.
#[derive(Clone, Deserialize)]
pub(super) struct FeatureRow {
    pub(super) code: String,
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) unit: Option<String>,
    pub(super) scope: Option<String>,
    pub(super) value: Value,
    pub(super) source: String,
}

/// What the list is narrowed to.
#[derive(Debug)]
pub(super) struct Filter {
    pub(super) state: Option<Vec<String>>,
    pub(super) self_service: Option<bool>,
    pub(super) q: Option<String>,
}

impl TierRow {
    /// The cursor's keys.
    pub(super) fn keys(&self) -> Keys {
        vec![json!(self.position), json!(self.code)]
    }
}

/// A page of tiers, in the order of the pricing page.
pub(super) async fn page(db: &Db, filter: &Filter, window: &Window) -> Result<Vec<TierRow>, Fault> {
    Ok(paged!(
        window,
        db,
        TierRow,
        r#"select tier_uuid as "tier_uuid!", code as "code!", name as "name!", description as "description!",
                  state as "state!", price_amount_minor as "price_amount_minor!", currency as "currency!",
                  billing_period as "billing_period!", burst_per_second as "burst_per_second!",
                  daily_requests as "daily_requests!", self_service as "self_service!", position as "position!",
                  highlighted as "highlighted!", created_at as "created_at!", updated_at as "updated_at!",
                  subscribers_count as "subscribers_count!", features as "features!: _"
             from tier_shown
            where ($1::text[] is null or state = any($1)) and ($2::boolean is null or self_service = $2)
              and ($3::text is null or strpos(lower(code), lower($3)) > 0 or strpos(lower(name), lower($3)) > 0)
              and (position, code) > ($4, $5)
            order by position, code"#,
        filter.state.as_deref(),
        filter.self_service,
        filter.q,
        window.key::<i32>(0)?.unwrap_or(i32::MIN),
        window.key::<String>(1)?.unwrap_or_default(),
    )?)
}

/// How many tiers the filter finds.
pub(super) async fn count(db: &Db, filter: &Filter) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from tier
            where ($1::text[] is null or state = any($1)) and ($2::boolean is null or self_service = $2)
              and ($3::text is null or strpos(lower(code), lower($3)) > 0 or strpos(lower(name), lower($3)) > 0)"#,
        filter.state.as_deref(),
        filter.self_service,
        filter.q
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// A tier.
pub(super) async fn get(db: &Db, tier_uuid: Uuid) -> Result<Option<TierRow>, Fault> {
    Ok(sqlx::query_as!(
        TierRow,
        r#"select tier_uuid as "tier_uuid!", code as "code!", name as "name!", description as "description!",
                  state as "state!", price_amount_minor as "price_amount_minor!", currency as "currency!",
                  billing_period as "billing_period!", burst_per_second as "burst_per_second!",
                  daily_requests as "daily_requests!", self_service as "self_service!", position as "position!",
                  highlighted as "highlighted!", created_at as "created_at!", updated_at as "updated_at!",
                  subscribers_count as "subscribers_count!", features as "features!: _"
             from tier_shown
            where tier_uuid = $1"#,
        tier_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// A tier's code.
pub(super) async fn code_get(db: &Db, tier_uuid: Uuid) -> Result<Option<String>, Fault> {
    Ok(sqlx::query_scalar!("select code from tier where tier_uuid = $1", tier_uuid)
        .fetch_optional(&mut *db.conn().await?)
        .await?)
}

/// Makes those who change the catalogue wait for one another until the transaction ends. A conditional request that
/// waited starts anew, because the row has changed since its snapshot.
pub(super) async fn catalogue_lock(db: &Db) -> Result<(), Fault> {
    sqlx::query!("update tier_catalogue set turn = turn + 1 where is_only").execute(&mut *db.conn().await?).await?;
    Ok(())
}

/// A tier held for a change.
pub(super) struct HeldRow {
    pub(super) code: String,
    pub(super) state: String,
    pub(super) billing_period: String,
}

/// Holds a tier until the transaction ends.
pub(super) async fn lock(db: &Db, tier_uuid: Uuid) -> Result<Option<HeldRow>, Fault> {
    Ok(sqlx::query_as!(
        HeldRow,
        "select code, state, billing_period from tier where tier_uuid = $1 for no key update",
        tier_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Whether cancelled subscriptions have a tier to fall back to.
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

/// What a tier grants; of every one that may have subscribers when none is named.
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

/// A tier to be.
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
    /// `None` is behind all others.
    pub(super) position: Option<i32>,
    pub(super) highlighted: bool,
}

/// Makes a draft.
///
/// # Errors
/// [`crate::Code::Conflict`] when the code is taken.
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
            let errors = vec![FieldError::at("/code", "TAKEN", "There is a tier with this code.")];
            Err(Fault::conflict("There is a tier with this code already. Choose another.").with_errors(errors))
        }
        Err(error) => Err(error.into()),
        Ok(_) => Ok(()),
    }
}

/// What changes of a tier; what is `None` stays.
pub(super) struct Change<'a> {
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

/// Changes a tier.
pub(super) async fn update(db: &Db, tier_uuid: Uuid, change: &Change<'_>) -> Result<(), Fault> {
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

/// Gives a tier another state.
pub(super) async fn set_state(db: &Db, tier_uuid: Uuid, state: &str) -> Result<(), Fault> {
    sqlx::query!("update tier set state = $2, updated_at = labs_now() where tier_uuid = $1", tier_uuid, state)
        .execute(&mut *db.conn().await?)
        .await?;
    Ok(())
}

/// Makes these the whole of what a tier says of features. A value that stays is not written, so that the record of the
/// change tells what changed.
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

/// A partner on a tier.
pub(super) struct SubscriberRow {
    pub(super) partner_uuid: Uuid,
    pub(super) company_name: String,
    pub(super) state: String,
    pub(super) started_at: Time,
    pub(super) period_end: Option<Time>,
    pub(super) overrides_count: i64,
}

impl SubscriberRow {
    /// The cursor's keys.
    pub(super) fn keys(&self) -> Keys {
        vec![json!(self.started_at), json!(self.partner_uuid)]
    }
}

/// A page of a tier's subscribers, the latest first.
pub(super) async fn subscribers_page(db: &Db, tier_uuid: Uuid, window: &Window) -> Result<Vec<SubscriberRow>, Fault> {
    Ok(paged!(
        window,
        db,
        SubscriberRow,
        r#"select s.partner_uuid, p.company_name, s.state, s.started_at, s.period_end,
                  (select count(*) from entitlement_override as o
                    where o.partner_uuid = s.partner_uuid
                      and (o.expires_at is null or o.expires_at > labs_now())) as "overrides_count!"
             from subscription as s
             join partner as p on p.partner_uuid = s.partner_uuid
            where s.tier_uuid = $1
              and (s.started_at, s.partner_uuid) < (coalesce($2, 'infinity'::timestamptz),
                                                    coalesce($3, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
            order by s.started_at desc, s.partner_uuid desc"#,
        tier_uuid,
        window.key::<Time>(0)? as Option<Time>,
        window.key::<Uuid>(1)?,
    )?)
}

/// How many partners are on a tier.
pub(super) async fn subscribers_count(db: &Db, tier_uuid: Uuid) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(r#"select count(*) as "count!" from subscription where tier_uuid = $1"#, tier_uuid)
        .fetch_one(&mut *db.conn().await?)
        .await?)
}
