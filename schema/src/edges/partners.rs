//! Edges from a partner.

use async_graphql::{ComplexObject, Context};
use labs_core::access::edge;
use labs_core::context::RequestContextExt;
use labs_core::fault::Fault;

use crate::admin::partners::{AdminPartner, PartnerTimelineEntry, TIMELINE_OF_EACH};
use crate::admin::subscriptions::SUBSCRIPTION_OF_EACH;
use crate::admin::users::{TEAM, User};
use crate::marketplace::apps::{APPS_OF_EACH, AdminApp, show_for_staff};
use crate::partner::support_desk::{SupportDeskTicket, TICKETS_OF_EACH};
use crate::subscription::changing::PartnerSubscription;

#[ComplexObject(rename_fields = "snake_case", rename_args = "snake_case")]
impl AdminPartner {
    /// Apps of the partner, newest first.
    #[graphql(directive = edge::apply(APPS_OF_EACH.reads()))]
    async fn apps(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Maximum number of entries, from 1 to 100. Default: 20.")] limit: Option<i32>,
    ) -> Result<Vec<AdminApp>, Fault> {
        let cx = ctx.cx();
        let rows = APPS_OF_EACH.fetch_first(cx, self.uuid, limit).await?;
        Ok(rows.into_iter().map(|row| show_for_staff(cx, row)).collect())
    }

    /// Members of the team, by name.
    #[graphql(directive = edge::apply(TEAM.reads()))]
    async fn team(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Maximum number of entries, from 1 to 100. Default: 20.")] limit: Option<i32>,
    ) -> Result<Vec<User>, Fault> {
        let cx = ctx.cx();
        let users = TEAM.fetch_first(cx, self.uuid, limit).await?;
        Ok(users.into_iter().map(|user| user.for_caller(cx)).collect())
    }

    /// The partner's subscription, with its scheduled changes.
    #[graphql(directive = edge::apply(SUBSCRIPTION_OF_EACH.reads()))]
    async fn whole_subscription(&self, ctx: &Context<'_>) -> Result<Option<PartnerSubscription>, Fault> {
        let cx = ctx.cx();
        let row = SUBSCRIPTION_OF_EACH.fetch_one(cx, self.uuid).await?;
        Ok(row.map(|row| PartnerSubscription::for_staff(row, cx)))
    }

    /// Support tickets of the partner, newest first.
    #[graphql(directive = edge::apply(TICKETS_OF_EACH.reads()))]
    async fn tickets(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Maximum number of entries, from 1 to 100. Default: 20.")] limit: Option<i32>,
    ) -> Result<Vec<SupportDeskTicket>, Fault> {
        let cx = ctx.cx();
        let rows = TICKETS_OF_EACH.fetch_first(cx, self.uuid, limit).await?;
        Ok(rows.into_iter().map(|row| SupportDeskTicket::of(row, cx)).collect())
    }

    /// Events of the partner from every group, newest first.
    #[graphql(directive = edge::apply(TIMELINE_OF_EACH.reads()))]
    async fn events(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Maximum number of entries, from 1 to 100. Default: 20.")] limit: Option<i32>,
    ) -> Result<Vec<PartnerTimelineEntry>, Fault> {
        let rows = TIMELINE_OF_EACH.fetch_first(ctx.cx(), self.uuid, limit).await?;
        Ok(rows.into_iter().map(PartnerTimelineEntry::from).collect())
    }
}
