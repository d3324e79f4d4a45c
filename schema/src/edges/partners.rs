//! Edges from a partner.

use labs_core::context::RequestContext;
use labs_core::fault::Fault;
use labs_core::operation::{Edge, Parent, edge};

use labs_admin::partners::{AdminPartner, PartnerTimelineEntry, TIMELINE_OF_EACH};
use labs_admin::rate_limits::{REFUSALS_OF_EACH, RateLimitRefusal};
use labs_admin::subscriptions::SUBSCRIPTION_OF_EACH;
use labs_admin::users::{TEAM, User};
use labs_identity::partner::support_desk::{SupportDeskTicket, TICKETS_OF_EACH};
use labs_marketplace::apps::{APPS_OF_EACH, AdminApp, show_for_staff};
use labs_subscription::changing::PartnerSubscription;

/// Apps of the partner, newest first.
#[edge(AdminPartner, apps, reads = APPS_OF_EACH.reads())]
async fn admin_partner_apps(
    cx: &RequestContext,
    parent: &Parent<'_>,
    /// Maximum number of entries, from 1 to 100. Default: 20.
    limit: Option<i32>,
) -> Result<Vec<AdminApp>, Fault> {
    let rows = APPS_OF_EACH.fetch_first(cx, parent.id("/uuid")?, limit).await?;
    Ok(rows.into_iter().map(|row| show_for_staff(cx, row)).collect())
}

/// Members of the team, by name.
#[edge(AdminPartner, team, reads = TEAM.reads())]
async fn admin_partner_team(
    cx: &RequestContext,
    parent: &Parent<'_>,
    /// Maximum number of entries, from 1 to 100. Default: 20.
    limit: Option<i32>,
) -> Result<Vec<User>, Fault> {
    let users = TEAM.fetch_first(cx, parent.id("/uuid")?, limit).await?;
    Ok(users.into_iter().map(|user| user.for_caller(cx)).collect())
}

/// The partner's subscription, with its scheduled changes.
#[edge(AdminPartner, whole_subscription, reads = SUBSCRIPTION_OF_EACH.reads())]
async fn admin_partner_whole_subscription(
    cx: &RequestContext,
    parent: &Parent<'_>,
) -> Result<Option<PartnerSubscription>, Fault> {
    let row = SUBSCRIPTION_OF_EACH.fetch_one(cx, parent.id("/uuid")?).await?;
    Ok(row.map(|row| PartnerSubscription::for_staff(row, cx)))
}

/// Support tickets of the partner, newest first.
#[edge(AdminPartner, tickets, reads = TICKETS_OF_EACH.reads())]
async fn admin_partner_tickets(
    cx: &RequestContext,
    parent: &Parent<'_>,
    /// Maximum number of entries, from 1 to 100. Default: 20.
    limit: Option<i32>,
) -> Result<Vec<SupportDeskTicket>, Fault> {
    let rows = TICKETS_OF_EACH.fetch_first(cx, parent.id("/uuid")?, limit).await?;
    Ok(rows.into_iter().map(|row| SupportDeskTicket::of(row, cx)).collect())
}

/// Events of the partner from every group, newest first.
#[edge(AdminPartner, events, reads = TIMELINE_OF_EACH.reads())]
async fn admin_partner_events(
    cx: &RequestContext,
    parent: &Parent<'_>,
    /// Maximum number of entries, from 1 to 100. Default: 20.
    limit: Option<i32>,
) -> Result<Vec<PartnerTimelineEntry>, Fault> {
    let rows = TIMELINE_OF_EACH.fetch_first(cx, parent.id("/uuid")?, limit).await?;
    Ok(rows.into_iter().map(PartnerTimelineEntry::from).collect())
}

/// Refused requests of the partner by hour and cause, latest hour first.
#[edge(AdminPartner, refusals, reads = REFUSALS_OF_EACH.reads())]
async fn admin_partner_refusals(
    cx: &RequestContext,
    parent: &Parent<'_>,
    /// Maximum number of entries, from 1 to 100. Default: 20.
    limit: Option<i32>,
) -> Result<Vec<RateLimitRefusal>, Fault> {
    let rows = REFUSALS_OF_EACH.fetch_first(cx, parent.id("/uuid")?, limit).await?;
    rows.into_iter().map(RateLimitRefusal::try_from).collect()
}

/// Returns the edges of this file.
pub(super) fn edges() -> Vec<Edge> {
    vec![
        describe_admin_partner_apps(),
        describe_admin_partner_team(),
        describe_admin_partner_whole_subscription(),
        describe_admin_partner_tickets(),
        describe_admin_partner_events(),
        describe_admin_partner_refusals(),
    ]
}
