//! Statements for one partner's entitlements and overrides.

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::time::Time;
use serde_json::Value;
use sqlx::types::Json;
use uuid::Uuid;

use labs_subscription::entitlements::EntitlementSource;
use labs_subscription::values::FeatureKind;

/// A partner with its current tier.
pub(super) struct PartnerRow {
    pub(super) company_name: String,
    pub(super) tier_code: String,
    pub(super) tier_name: String,
}

/// Loads a partner with its current tier.
pub(super) async fn get_partner(db: &Db, partner_uuid: Uuid) -> Result<Option<PartnerRow>, Fault> {
    Ok(sqlx::query_as!(
        PartnerRow,
        "select p.company_name, t.code as tier_code, t.name as tier_name
           from partner as p
           join subscription as s on s.partner_uuid = p.partner_uuid
           join tier as t on t.tier_uuid = s.tier_uuid
          where p.partner_uuid = $1",
        partner_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// A feature as resolved for a partner, with the effective override if there is one.
pub(super) struct EntitlementRow {
    pub(super) code: String,
    pub(super) name: String,
    pub(super) kind: FeatureKind,
    pub(super) unit: Option<String>,
    pub(super) scope: Option<String>,
    pub(super) value: Value,
    pub(super) source: EntitlementSource,
    pub(super) tier_value: Value,
    pub(super) reason: Option<String>,
    pub(super) set_by: Option<Uuid>,
    pub(super) set_by_name: Option<String>,
    pub(super) set_at: Option<Time>,
    pub(super) expires_at: Option<Time>,
}

/// Loads a partner's current entitlements, for every feature or for one.
pub(super) async fn list_effective(
    db: &Db,
    partner_uuid: Uuid,
    feature: Option<&str>,
) -> Result<Vec<EntitlementRow>, Fault> {
    Ok(sqlx::query_as!(
        EntitlementRow,
        r#"select e.feature_code as "code!", e.name as "name!", e.kind as "kind!: FeatureKind", e.unit, e.scope,
                  e.value as "value!", e.source as "source!: EntitlementSource", t.value as "tier_value!",
                  o.reason as "reason?", o.set_by as "set_by?", h.name as "set_by_name?", o.set_at as "set_at?",
                  o.expires_at as "expires_at?"
             from subscription as s
            cross join lateral partner_entitlement(s.partner_uuid, labs_now()) as e
             join tier_entitlement as t on t.tier_uuid = s.tier_uuid and t.feature_code = e.feature_code
             left join entitlement_override as o on e.source = 'OVERRIDE' and o.partner_uuid = s.partner_uuid
                  and o.feature_code = e.feature_code
             left join person as h on h.person_uuid = o.set_by
            where s.partner_uuid = $1 and ($2::text is null or e.feature_code = $2)
            order by e.feature_position, e.feature_code"#,
        partner_uuid,
        feature
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Loads the kind of a feature.
pub(super) async fn get_kind(db: &Db, feature_code: &str) -> Result<Option<FeatureKind>, Fault> {
    let kind =
        sqlx::query_scalar!(r#"select kind as "kind: FeatureKind" from feature where feature_code = $1"#, feature_code);
    Ok(kind.fetch_optional(&mut *db.conn().await?).await?)
}

/// An override to create.
pub(super) struct NewOverride<'a> {
    pub(super) partner_uuid: Uuid,
    pub(super) feature_code: &'a str,
    pub(super) value: &'a Value,
    pub(super) reason: &'a str,
    /// Staff member who set it; `None` if a machine client did.
    pub(super) set_by: Option<Uuid>,
    pub(super) expires_at: Time,
}

/// Sets an override and replaces the previous one.
pub(super) async fn put_override(db: &Db, new: &NewOverride<'_>) -> Result<(), Fault> {
    sqlx::query!(
        "insert into entitlement_override (partner_uuid, feature_code, value, reason, set_by, set_at, expires_at)
         values ($1, $2, $3, $4, $5, labs_now(), $6)
         on conflict (partner_uuid, feature_code) do update
            set value = excluded.value, reason = excluded.reason, set_by = excluded.set_by,
                set_at = excluded.set_at, expires_at = excluded.expires_at",
        new.partner_uuid,
        new.feature_code,
        Json(new.value) as _,
        new.reason,
        new.set_by,
        new.expires_at as Time,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Deletes the effective override. Returns whether there was one.
pub(super) async fn delete(db: &Db, partner_uuid: Uuid, feature_code: &str) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "delete from entitlement_override
          where partner_uuid = $1 and feature_code = $2 and (expires_at is null or expires_at > labs_now())",
        partner_uuid,
        feature_code
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(done.rows_affected() > 0)
}
