//! What staff may ask about tiers.

pub(super) mod types;

use std::collections::HashMap;

use async_graphql::{Context, Object};
use serde_json::Value;
use uuid::Uuid;

use super::rules::{self, Action, State};
use super::simulation;
use super::store::{self, Filter, NewTier, TierRow};
use super::way_out;
use crate::access::{access, audit_target, batched};
use crate::ask::{Ask, Asking, Target};
use crate::fault::{Fault, FieldError};
use crate::page::{CountedList, CountedPage, Window, names};
use crate::subscription::features;
use crate::subscription::values::{FeatureKind, FeatureValueInput};

pub(super) use types::TierSimulation;
use types::{Subscriber, TierCreate, TierFeaturesPut, TierRecord, TierSimulate, TierUpdate, period_name};

/// Reads of tiers.
#[derive(Default)]
pub(crate) struct TiersQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl TiersQuery {
    /// Every tier: drafts, offered and retired ones.
    #[graphql(directive = access::apply("labs.admin.tiers".into()))]
    #[expect(clippy::too_many_arguments, reason = "one argument per query parameter of the contract")]
    async fn subscription_tiers_list(
        &self,
        ctx: &Context<'_>,
        state: Option<Vec<State>>,
        self_service: Option<bool>,
        q: Option<String>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<TierRecord>>, Fault> {
        let (ask, list) = (ctx.ask(), "subscription_tiers_list");
        let filter = Filter { state: names(state), self_service, q };
        let window = Window::read(&ask.services.cursors, list, &filter, limit, cursor.as_deref())?;
        let rows = store::page(&ask.db, &filter, &window).await?;
        let total = if include_total == Some(true) { Some(store::count(&ask.db, &filter).await?) } else { None };
        let (rows, page) = window.cut(rows, TierRow::keys);
        let data = rows.into_iter().map(TierRecord::try_from).collect::<Result<_, _>>()?;
        ask.answer_list(CountedList { data, page: CountedPage::of(page, total) })
    }

    /// One tier with the number of its subscribers.
    #[graphql(
        directive = access::apply("labs.admin.tiers".into()),
        directive = audit_target::apply("tier".into(), "tier_uuid".into()),
        directive = batched::apply()
    )]
    async fn subscription_tiers_get(&self, ctx: &Context<'_>, tier_uuid: Uuid) -> Result<Option<TierRecord>, Fault> {
        ctx.ask().answer(found(ctx.ask(), tier_uuid).await?)
    }

    /// The partners on a tier, the latest first.
    #[graphql(
        directive = access::apply("labs.admin.tiers".into()),
        directive = audit_target::apply("tier".into(), "tier_uuid".into())
    )]
    async fn subscription_tiers_list_subscribers(
        &self,
        ctx: &Context<'_>,
        tier_uuid: Uuid,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<Subscriber>>, Fault> {
        let (ask, list) = (ctx.ask(), "subscription_tiers_list_subscribers");
        note(ask, tier_uuid).await?;
        let window = Window::read(&ask.services.cursors, list, &tier_uuid, limit, cursor.as_deref())?;
        let rows = store::subscribers_page(&ask.db, tier_uuid, &window).await?;
        let total =
            if include_total == Some(true) { Some(store::subscribers_count(&ask.db, tier_uuid).await?) } else { None };
        let (rows, page) = window.cut(rows, store::SubscriberRow::keys);
        ask.answer_list(CountedList {
            data: rows.into_iter().map(Into::into).collect(),
            page: CountedPage::of(page, total),
        })
    }

    /// Who would gain or lose what if a tier were changed so. Changes nothing.
    #[graphql(
        directive = access::apply("labs.admin.tiers".into()),
        directive = audit_target::apply("tier".into(), "tier_uuid".into())
    )]
    async fn subscription_tiers_simulate(
        &self,
        ctx: &Context<'_>,
        tier_uuid: Uuid,
        body: TierSimulate,
    ) -> Result<Option<TierSimulation>, Fault> {
        let ask = ctx.ask();
        note(ask, tier_uuid).await?;
        let values = match body.features {
            Some(said) => Some(features_said(ask, &said).await?),
            None => None,
        };
        let tier = store::get(&ask.db, tier_uuid).await?.ok_or_else(not_found)?;
        ask.answer(simulation::run(&ask.db, tier, values, body.burst_per_second, body.daily_requests).await?)
    }
}

/// Writes of tiers.
#[derive(Default)]
pub(crate) struct TiersMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl TiersMutation {
    /// Makes a draft.
    #[graphql(directive = access::apply("labs.admin.tiers:write".into()))]
    async fn subscription_tiers_create(
        &self,
        ctx: &Context<'_>,
        body: TierCreate,
    ) -> Result<Option<TierRecord>, Fault> {
        let (ask, mut errors) = (ctx.ask(), Vec::new());
        let name = rules::name(&body.name, &mut errors);
        let definitions = features::definitions(&ask.db).await?;
        let said = body.features.unwrap_or_default();
        let values = rules::features(&said, &kinds(&definitions), &mut errors);
        if !errors.is_empty() {
            return Err(Fault::invalid(errors));
        }
        let new = NewTier {
            tier_uuid: ask.new_uuid(),
            code: &body.code,
            name: &name,
            description: body.description.as_deref().unwrap_or_default().trim(),
            price_amount_minor: body.price.amount_minor,
            currency: &body.price.currency,
            billing_period: period_name(body.billing_period),
            burst_per_second: body.burst_per_second,
            daily_requests: body.daily_requests,
            self_service: body.self_service.unwrap_or(false),
            position: body.position,
            highlighted: body.highlighted.unwrap_or(false),
        };
        store::insert(&ask.db, &new).await?;
        store::set_features(&ask.db, new.tier_uuid, &values).await?;
        ask.answer_created(new.tier_uuid, found(ask, new.tier_uuid).await?)
    }

    /// Changes a tier. Its subscribers have it so within a second.
    #[graphql(
        directive = access::apply("labs.admin.tiers:write".into()),
        directive = audit_target::apply("tier".into(), "tier_uuid".into())
    )]
    async fn subscription_tiers_update(
        &self,
        ctx: &Context<'_>,
        tier_uuid: Uuid,
        body: TierUpdate,
    ) -> Result<Option<TierRecord>, Fault> {
        let (ask, mut errors) = (ctx.ask(), Vec::new());
        let held = held(ask, tier_uuid).await?;
        let name = body.name.as_deref().map(|name| rules::name(name, &mut errors));
        if !errors.is_empty() {
            return Err(Fault::invalid(errors));
        }
        let period = body.billing_period.map(period_name);
        let is_changed = period.is_some_and(|period| period != held.billing_period);
        rules::period_changeable(State::parse(&held.state)?, is_changed)?;
        let change = store::Change {
            name: name.as_deref(),
            description: body.description.as_opt_deref().map(|text| text.unwrap_or_default().trim()),
            price_amount_minor: body.price.as_ref().map(|price| price.amount_minor),
            currency: body.price.as_ref().map(|price| price.currency.as_str()),
            billing_period: period,
            burst_per_second: body.burst_per_second,
            daily_requests: body.daily_requests,
            self_service: body.self_service,
            position: body.position,
            highlighted: body.highlighted,
        };
        store::update(&ask.db, tier_uuid, &change).await?;
        rules::fallback_left(store::fallback_is_left(&ask.db).await?)?;
        ask.answer(found(ask, tier_uuid).await?)
    }

    /// Replaces all that a tier says of features. Where it says nothing, a feature's default holds.
    #[graphql(
        directive = access::apply("labs.admin.tiers:write".into()),
        directive = audit_target::apply("tier".into(), "tier_uuid".into())
    )]
    async fn subscription_tiers_put_features(
        &self,
        ctx: &Context<'_>,
        tier_uuid: Uuid,
        body: TierFeaturesPut,
    ) -> Result<Option<TierRecord>, Fault> {
        let ask = ctx.ask();
        let held = held(ask, tier_uuid).await?;
        let values = features_said(ask, &body.features).await?;
        store::set_features(&ask.db, tier_uuid, &values).await?;
        if State::parse(&held.state)? != State::Draft {
            way_out(&ask.db, Some(tier_uuid)).await?;
        }
        ask.answer(found(ask, tier_uuid).await?)
    }

    /// Puts a tier into the public catalogue.
    #[graphql(
        directive = access::apply("labs.admin.tiers:write".into()),
        directive = audit_target::apply("tier".into(), "tier_uuid".into())
    )]
    async fn subscription_tiers_offer(&self, ctx: &Context<'_>, tier_uuid: Uuid) -> Result<Option<TierRecord>, Fault> {
        ctx.ask().answer(moved(ctx.ask(), tier_uuid, Action::Offer).await?)
    }

    /// Takes a tier out of the public catalogue. Its subscribers keep it.
    #[graphql(
        directive = access::apply("labs.admin.tiers:write".into()),
        directive = audit_target::apply("tier".into(), "tier_uuid".into())
    )]
    async fn subscription_tiers_retire(&self, ctx: &Context<'_>, tier_uuid: Uuid) -> Result<Option<TierRecord>, Fault> {
        ctx.ask().answer(moved(ctx.ask(), tier_uuid, Action::Retire).await?)
    }
}

/// Moves a tier on. Whoever takes tiers from the catalogue waits for one another, or two of them could take the last
/// two that cost nothing.
async fn moved(ask: &Ask, tier_uuid: Uuid, action: Action) -> Result<TierRecord, Fault> {
    let held = held(ask, tier_uuid).await?;
    let state = rules::after(State::parse(&held.state)?, action)?;
    store::set_state(&ask.db, tier_uuid, state.name()).await?;
    if action == Action::Offer {
        way_out(&ask.db, Some(tier_uuid)).await?;
    }
    rules::fallback_left(store::fallback_is_left(&ask.db).await?)?;
    found(ask, tier_uuid).await
}

/// What a body says of features, checked.
async fn features_said(ask: &Ask, said: &[FeatureValueInput]) -> Result<HashMap<String, Value>, Fault> {
    let mut errors: Vec<FieldError> = Vec::new();
    let definitions = features::definitions(&ask.db).await?;
    let values = rules::features(said, &kinds(&definitions), &mut errors);
    if errors.is_empty() { Ok(values) } else { Err(Fault::invalid(errors)) }
}

fn kinds(definitions: &[features::DefinitionRow]) -> HashMap<&str, FeatureKind> {
    definitions.iter().map(|row| (row.feature_code.as_str(), FeatureKind::of(&row.kind))).collect()
}

/// The tier, held until the transaction ends, and named to the audit record.
async fn held(ask: &Ask, tier_uuid: Uuid) -> Result<store::HeldRow, Fault> {
    store::catalogue_lock(&ask.db).await?;
    let held = store::lock(&ask.db, tier_uuid).await?.ok_or_else(not_found)?;
    note_target(ask, tier_uuid, &held.code);
    Ok(held)
}

/// That there is such a tier, named to the audit record.
async fn note(ask: &Ask, tier_uuid: Uuid) -> Result<(), Fault> {
    let code = store::code_get(&ask.db, tier_uuid).await?.ok_or_else(not_found)?;
    note_target(ask, tier_uuid, &code);
    Ok(())
}

/// The tier as it is now.
async fn found(ask: &Ask, tier_uuid: Uuid) -> Result<TierRecord, Fault> {
    let row = store::get(&ask.db, tier_uuid).await?.ok_or_else(not_found)?;
    note_target(ask, tier_uuid, &row.code);
    row.try_into()
}

fn note_target(ask: &Ask, tier_uuid: Uuid, code: &str) {
    ask.note_target(Target {
        kind: Some("TIER".to_owned()),
        uuid: Some(tier_uuid),
        label: Some(code.to_owned()),
        partner_uuid: None,
    });
}

fn not_found() -> Fault {
    Fault::not_found("tier")
}
