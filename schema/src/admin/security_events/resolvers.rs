//! Operations on all security events and the scopes that they require.

use async_graphql::{Context, Object};

use super::list::{EVENTS, LedgerEvent, LedgerEventFilter, LedgerEventSort, VisibleEvents};
use crate::core::access::{access, audit_partner, audit_target};
use crate::core::audit_target::AuditTargetKind;
use crate::core::context::RequestContextExt;
use crate::core::fault::Fault;
use crate::core::list::PageRequest;
use crate::core::page::CountedList;

/// Queries for security events.
#[derive(Default)]
pub(crate) struct SecurityEventsQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl SecurityEventsQuery {
    /// List security events across the platform.
    #[graphql(
        directive = access::apply("labs.admin.security".into()),
        directive = audit_target::apply(AuditTargetKind::Person, "person_uuid".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn admin_security_events_list(
        &self,
        ctx: &Context<'_>,
        filter: Option<LedgerEventFilter>,
        sort: Option<LedgerEventSort>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<LedgerEvent>>, Fault> {
        let (cx, events) = (ctx.cx(), VisibleEvents::of(filter.unwrap_or_default())?);
        let rows = EVENTS.page(cx, &events, &PageRequest::new(sort, limit, cursor)).await?;
        cx.answer_list(rows.counted_list(EVENTS.total(&cx.db, &events, include_total).await?))
    }
}
