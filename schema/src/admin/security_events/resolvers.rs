//! Operations on all security events and the scopes that they require.

use async_graphql::{Context, Object};
use labs_core::access::{access, audit_partner, audit_target};
use labs_core::audit_target::AuditTargetKind;
use labs_core::context::RequestContextExt;
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::page::CountedList;

use super::list::{EVENTS, LedgerEvent, LedgerEventFilter, LedgerEventSort, VisibleEvents};

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
