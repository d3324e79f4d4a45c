//! Simulation of a tier change, computed from the values that the change would write.

use std::collections::HashMap;

use labs_core::db::Db;
use labs_core::fault::Fault;
use serde_json::Value;

use super::list::TierRecordRow;
use super::resolvers::TierSimulation;
use super::resolvers::types::{SimulatedFeature, SimulatedOverLimit, SimulatedPartner, SimulatedRate};
use super::store::effects::{self, RateReachRow, ReachRow, ReachedRow};
use crate::features;
use crate::values::{Effect, FeatureKind, FeatureValue, cap, effect};

/// Largest number of listed partners.
const SHOWN: usize = 100;

/// A feature whose value would change.
struct ChangedFeature {
    code: String,
    name: String,
    kind: FeatureKind,
    before: Value,
    after: Value,
    effect: Effect,
}

/// Simulates a tier with these values and budgets; `None` keeps a value.
pub(super) async fn run(
    db: &Db,
    tier: TierRecordRow,
    values: Option<HashMap<String, Value>>,
    burst_per_second: Option<i32>,
    daily_requests: Option<i64>,
) -> Result<TierSimulation, Fault> {
    let changed = match values {
        Some(values) => find_changed(&tier, values, features::definitions(db).await?),
        None => Vec::new(),
    };
    let codes: Vec<String> = changed.iter().map(|feature| feature.code.clone()).collect();
    let (reach, mut reached) = if codes.is_empty() {
        (Vec::new(), Vec::new())
    } else {
        (effects::reach(db, tier.tier_uuid, &codes).await?, effects::list_reached(db, tier.tier_uuid, &codes).await?)
    };
    let rates = effects::rate_reach(db, tier.tier_uuid).await?;
    let has_more_partners = reached.len() > SHOWN;
    reached.truncate(SHOWN);
    let burst = burst_per_second.map(|after| (i64::from(tier.burst_per_second), i64::from(after)));
    let daily = daily_requests.map(|after| (tier.daily_requests, after));
    Ok(TierSimulation {
        tier_uuid: tier.tier_uuid,
        tier_code: tier.code,
        subscribers_count: rates.subscribers,
        burst_per_second: burst.and_then(|change| rate(change, &rates, rates.burst_overridden)),
        daily_requests: daily.and_then(|change| rate(change, &rates, rates.daily_overridden)),
        partners: reached.into_iter().map(|row| partner(row, &changed)).collect(),
        has_more_partners,
        features: changed.into_iter().map(|feature| to_simulated_feature(feature, &reach)).collect(),
    })
}

/// Returns the features whose value would change. A feature missing from the set would get its default.
fn find_changed(
    tier: &TierRecordRow,
    mut values: HashMap<String, Value>,
    definitions: Vec<features::DefinitionRow>,
) -> Vec<ChangedFeature> {
    let mut defaults: HashMap<String, Value> =
        definitions.into_iter().map(|row| (row.feature_code, row.default_value)).collect();
    let features = tier.features.0.iter().filter_map(|feature| {
        let default = defaults.remove(&feature.code);
        let after = values.remove(&feature.code).or(default)?;
        Some(ChangedFeature {
            effect: effect(&feature.value, &after)?,
            code: feature.code.clone(),
            name: feature.name.clone(),
            kind: feature.kind,
            before: feature.value.clone(),
            after,
        })
    });
    features.collect()
}

fn to_simulated_feature(feature: ChangedFeature, reach: &[ReachRow]) -> SimulatedFeature {
    let reach = reach.iter().find(|row| row.code == feature.code);
    SimulatedFeature {
        code: feature.code,
        name: feature.name,
        kind: feature.kind,
        before: FeatureValue::of(feature.kind, feature.before),
        after: FeatureValue::of(feature.kind, feature.after),
        effect: feature.effect,
        partners_affected: reach.map_or(0, |row| row.affected),
        partners_overridden: reach.map_or(0, |row| row.overridden),
    }
}

fn rate((before, after): (i64, i64), reach: &RateReachRow, overridden: i64) -> Option<SimulatedRate> {
    Some(SimulatedRate {
        before,
        after,
        effect: Effect::of(before.cmp(&after))?,
        partners_affected: reach.subscribers - overridden,
        partners_overridden: overridden,
    })
}

fn partner(row: ReachedRow, changed: &[ChangedFeature]) -> SimulatedPartner {
    let own: Vec<&ChangedFeature> = changed.iter().filter(|feature| row.codes.contains(&feature.code)).collect();
    let of = |effect: Effect| own.iter().filter(|feature| feature.effect == effect).map(|f| f.code.clone()).collect();
    let over_limit = row.used.0.iter().filter_map(|used| {
        let feature = own.iter().find(|feature| feature.code == used.code)?;
        let limit = cap(&feature.after).filter(|limit| used.used > *limit)?;
        Some(SimulatedOverLimit { code: used.code.clone(), limit, used: used.used })
    });
    SimulatedPartner {
        partner_uuid: row.partner_uuid,
        gained: of(Effect::Gain),
        lost: of(Effect::Loss),
        over_limit: over_limit.collect(),
        company_name: row.company_name,
    }
}
