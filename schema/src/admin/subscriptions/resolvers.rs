//! Operations of staff on subscriptions.

use async_graphql::{Context, InputObject, Object};
use labs_core::access::{access, audit_partner, batched, partner_reads};
use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, RequestContextExt, Target};
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::page::CountedList;
use labs_core::time::Time;
use uuid::Uuid;

use super::list::{EVENTS, SUBSCRIPTIONS, SubscriptionFilter, SubscriptionSort};
use super::rules;
use crate::subscription::changing::{
    self, PartnerSubscription, SubscriptionChange, SubscriptionEnd, SubscriptionEvent, SubscriptionEventFilter,
    SubscriptionHistory,
};
use crate::subscription::tiers::rules::TierState;

/// A tier change for a partner.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SubscriptionChangeTier {
    /// Code of the tier.
    tier_code: String,
    /// Time of the change; immediate by default.
    at: Option<Time>,
    /// Reason for the change. The partner can read it.
    reason: String,
}

/// Extension of a partner's period.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SubscriptionExtend {
    /// New end of the period.
    period_end: Time,
    /// Reason for the extension. The partner can read it.
    reason: String,
}

/// Cancellation of a partner's subscription.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SubscriptionCancel {
    /// Time of the fallback to the free tier; the end of the period by default.
    when: Option<SubscriptionEnd>,
    /// Reason for the cancellation. The partner can read it.
    reason: String,
}

/// Queries for subscriptions.
#[derive(Default)]
pub(crate) struct SubscriptionsQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl SubscriptionsQuery {
    /// List subscriptions across partners.
    #[graphql(directive = access::apply("labs.admin.subscriptions".into()))]
    async fn admin_subscriptions_list(
        &self,
        ctx: &Context<'_>,
        filter: Option<SubscriptionFilter>,
        sort: Option<SubscriptionSort>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<PartnerSubscription>>, Fault> {
        let (cx, filter) = (ctx.cx(), filter.unwrap_or_default());
        let rows = SUBSCRIPTIONS.page(cx, &filter, &PageRequest::new(sort, limit, cursor)).await?;
        let total = SUBSCRIPTIONS.total(&cx.db, &filter, include_total).await?;
        cx.answer_list(rows.map(|row| Ok(PartnerSubscription::for_staff(row, cx)))?.counted_list(total))
    }

    /// Get a partner's subscription.
    #[graphql(
        directive = access::apply("labs.admin.subscriptions".into()),
        directive = audit_partner::apply("partner_uuid".into()),
        directive = batched::apply()
    )]
    async fn admin_subscriptions_get(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
    ) -> Result<Option<PartnerSubscription>, Fault> {
        ctx.cx().answer(load_subscription(ctx.cx(), partner_uuid).await?)
    }

    /// List a partner's subscription events.
    #[graphql(
        directive = access::apply("labs.admin.subscriptions".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn admin_subscriptions_list_events(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        filter: Option<SubscriptionEventFilter>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<SubscriptionEvent>>, Fault> {
        let cx = ctx.cx();
        load_subscription(cx, partner_uuid).await?;
        let history = SubscriptionHistory { partner_uuid, filter: filter.unwrap_or_default() };
        let rows = EVENTS.page(cx, &history, &PageRequest::new(None, limit, cursor)).await?;
        cx.answer_list(rows.counted_list(EVENTS.total(&cx.db, &history, include_total).await?))
    }
}

/// Mutations of subscriptions.
#[derive(Default)]
pub(crate) struct SubscriptionsMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl SubscriptionsMutation {
    /// Change a partner's subscription tier.
    #[graphql(
        directive = access::apply("labs.admin.subscriptions:write".into()),
        directive = audit_partner::apply("partner_uuid".into()),
        directive = partner_reads::apply("reason".into())
    )]
    async fn admin_subscriptions_change_tier(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        body: SubscriptionChangeTier,
    ) -> Result<Option<PartnerSubscription>, Fault> {
        let cx = ctx.cx();
        load_subscription(cx, partner_uuid).await?;
        let tier = changing::get_tier(&cx.db, &body.tier_code).await?;
        let tier = rules::ensure_offered_once(tier, |tier| tier.state == TierState::Draft)?;
        let change = SubscriptionChange::by_caller(cx, Some(&body.reason))?;
        match body.at {
            Some(at) => change.to_tier_at(partner_uuid, &tier, at).await?,
            None => change.to_tier(partner_uuid, &tier).await?,
        }
        cx.answer(load_subscription(cx, partner_uuid).await?)
    }

    /// Extend a partner's subscription period.
    #[graphql(
        directive = access::apply("labs.admin.subscriptions:write".into()),
        directive = audit_partner::apply("partner_uuid".into()),
        directive = partner_reads::apply("reason".into())
    )]
    async fn admin_subscriptions_extend(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        body: SubscriptionExtend,
    ) -> Result<Option<PartnerSubscription>, Fault> {
        let cx = ctx.cx();
        load_subscription(cx, partner_uuid).await?;
        SubscriptionChange::by_caller(cx, Some(&body.reason))?.extend(partner_uuid, body.period_end).await?;
        cx.answer(load_subscription(cx, partner_uuid).await?)
    }

    /// Cancel a partner's subscription.
    #[graphql(
        directive = access::apply("labs.admin.subscriptions:write".into()),
        directive = audit_partner::apply("partner_uuid".into()),
        directive = partner_reads::apply("reason".into())
    )]
    async fn admin_subscriptions_cancel(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        body: SubscriptionCancel,
    ) -> Result<Option<PartnerSubscription>, Fault> {
        let cx = ctx.cx();
        load_subscription(cx, partner_uuid).await?;
        let end = body.when.unwrap_or(SubscriptionEnd::PeriodEnd);
        SubscriptionChange::by_caller(cx, Some(&body.reason))?.cancel(partner_uuid, end).await?;
        cx.answer(load_subscription(cx, partner_uuid).await?)
    }
}

/// Loads the current subscription and names its partner in the audit record.
async fn load_subscription(cx: &RequestContext, partner_uuid: Uuid) -> Result<PartnerSubscription, Fault> {
    let row = changing::get_subscription(&cx.db, partner_uuid).await?.ok_or_else(|| Fault::not_found("partner"))?;
    cx.note_target(Target {
        kind: Some(AuditTargetKind::Partner),
        uuid: Some(partner_uuid),
        label: Some(row.company_name.clone()),
        partner_uuid: Some(partner_uuid),
    });
    Ok(PartnerSubscription::for_staff(row, cx))
}
