//! What operators may ask about subscriptions.

use async_graphql::{Context, InputObject, Object};
use uuid::Uuid;

use super::rules;
use crate::access::{access, audit_partner, batched};
use crate::ask::{Ask, Asking, Target};
use crate::fault::Fault;
use crate::page::{CountedList, CountedPage, Window, names};
use crate::subscription::changing::{
    self, Change, End, Events, OrderOfSubscriptions as Order, State, Subscription, SubscriptionEvent,
    SubscriptionFilter,
};
use crate::time::Time;

/// Another tier for a partner.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SubscriptionChangeTier {
    /// The tier.
    tier_code: String,
    /// From when on; now, unless it is said.
    at: Option<Time>,
    /// Why. The partner reads it.
    reason: String,
}

/// A later end of a partner's period.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SubscriptionExtend {
    /// The new end.
    period_end: Time,
    /// Why. The partner reads it.
    reason: String,
}

/// The end of a partner's subscription.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SubscriptionCancel {
    /// When it falls back to the free tier; at the end of its period, unless it is said.
    when: Option<End>,
    /// Why. The partner reads it.
    reason: String,
}

/// Reads of subscriptions.
#[derive(Default)]
pub(crate) struct SubscriptionsQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl SubscriptionsQuery {
    /// Subscriptions across partners.
    #[graphql(directive = access::apply("labs.admin.subscriptions".into()))]
    #[expect(clippy::too_many_arguments, reason = "one argument per query parameter of the contract")]
    async fn admin_subscriptions_list(
        &self,
        ctx: &Context<'_>,
        tier_code: Option<Vec<String>>,
        state: Option<Vec<State>>,
        pending: Option<bool>,
        q: Option<String>,
        period_end_from: Option<Time>,
        period_end_until: Option<Time>,
        sort: Option<String>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<Subscription>>, Fault> {
        let (ask, list) = (ctx.ask(), "admin_subscriptions_list");
        let tier_code = names(tier_code);
        let filter =
            SubscriptionFilter { tier_code, state: names(state), q, pending, period_end_from, period_end_until };
        let order = match sort.as_deref() {
            Some("started_at") => Order::OldestFirst,
            Some("period_end") => Order::ByPeriodEnd,
            _ => Order::NewestFirst,
        };
        let window = Window::read(&ask.services.cursors, list, &(&filter, order), limit, cursor.as_deref())?;
        let rows = changing::subscriptions_page(&ask.db, &filter, order, &window).await?;
        let total = if include_total == Some(true) {
            Some(changing::subscriptions_count(&ask.db, &filter).await?)
        } else {
            None
        };
        let (rows, page) = window.cut(rows, |row| row.keys(order));
        ask.answer_list(CountedList {
            data: rows.into_iter().map(Into::into).collect(),
            page: CountedPage::of(page, total),
        })
    }

    /// A partner's subscription.
    #[graphql(
        directive = access::apply("labs.admin.subscriptions".into()),
        directive = audit_partner::apply("partner_uuid".into()),
        directive = batched::apply()
    )]
    async fn admin_subscriptions_get(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
    ) -> Result<Option<Subscription>, Fault> {
        ctx.ask().answer(found(ctx.ask(), partner_uuid).await?)
    }

    /// What happened to it.
    #[graphql(
        directive = access::apply("labs.admin.subscriptions".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    #[expect(clippy::too_many_arguments, reason = "one argument per parameter of the contract")]
    async fn admin_subscriptions_list_events(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        kind: Option<Vec<String>>,
        occurred_at_from: Option<Time>,
        occurred_at_until: Option<Time>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<SubscriptionEvent>>, Fault> {
        let (ask, list) = (ctx.ask(), "admin_subscriptions_list_events");
        found(ask, partner_uuid).await?;
        let events = Events { list, partner_uuid, kind, occurred_at_from, occurred_at_until, names_staff: true };
        let (data, page, total) = events.page(ask, limit, cursor.as_deref(), include_total == Some(true)).await?;
        ask.answer_list(CountedList { data, page: CountedPage::of(page, total) })
    }
}

/// Writes of subscriptions.
#[derive(Default)]
pub(crate) struct SubscriptionsMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl SubscriptionsMutation {
    /// Puts a partner on another tier, now or at a date. Scopes and limits follow within a second.
    #[graphql(
        directive = access::apply("labs.admin.subscriptions:write".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn admin_subscriptions_change_tier(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        body: SubscriptionChangeTier,
    ) -> Result<Option<Subscription>, Fault> {
        let ask = ctx.ask();
        found(ask, partner_uuid).await?;
        let tier = changing::tier_get(&ask.db, &body.tier_code).await?;
        let tier = rules::finished(tier, |tier| tier.state == "DRAFT")?;
        let change = Change::asked(ask, Some(&body.reason))?;
        match body.at {
            Some(at) => change.to_tier_at(partner_uuid, &tier, at).await?,
            None => change.to_tier(partner_uuid, &tier).await?,
        }
        ask.answer(found(ask, partner_uuid).await?)
    }

    /// Gives a partner's period a later end.
    #[graphql(
        directive = access::apply("labs.admin.subscriptions:write".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn admin_subscriptions_extend(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        body: SubscriptionExtend,
    ) -> Result<Option<Subscription>, Fault> {
        let ask = ctx.ask();
        found(ask, partner_uuid).await?;
        Change::asked(ask, Some(&body.reason))?.extend(partner_uuid, body.period_end).await?;
        ask.answer(found(ask, partner_uuid).await?)
    }

    /// Lets a partner fall back to the free tier, now or at the end of its period.
    #[graphql(
        directive = access::apply("labs.admin.subscriptions:write".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn admin_subscriptions_cancel(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        body: SubscriptionCancel,
    ) -> Result<Option<Subscription>, Fault> {
        let ask = ctx.ask();
        found(ask, partner_uuid).await?;
        let end = body.when.unwrap_or(End::PeriodEnd);
        Change::asked(ask, Some(&body.reason))?.cancel(partner_uuid, end).await?;
        ask.answer(found(ask, partner_uuid).await?)
    }
}

/// The subscription as it is now, its partner named to the audit record.
async fn found(ask: &Ask, partner_uuid: Uuid) -> Result<Subscription, Fault> {
    let row = changing::subscription_get(&ask.db, partner_uuid).await?.ok_or_else(|| Fault::not_found("partner"))?;
    ask.note_target(Target {
        kind: Some("PARTNER".to_owned()),
        uuid: Some(partner_uuid),
        label: Some(row.company_name.clone()),
        partner_uuid: Some(partner_uuid),
    });
    Ok(row.into())
}
