//! Operations on all security events and the scopes that they require.

use labs_core::context::RequestContext;
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;

use super::list::{EVENTS, LedgerEvent, LedgerEventFilter, LedgerEventSort, VisibleEvents};

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![admin_security_events_list];

/// List security events across the platform.
#[operation(query, access = "labs.admin.security", audit_target(Person, "person_uuid"), audit_partner = "partner_uuid")]
async fn admin_security_events_list(
    cx: &RequestContext,
    filter: Option<LedgerEventFilter>,
    sort: Option<LedgerEventSort>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<LedgerEvent>, Fault> {
    let events = VisibleEvents::of(filter.unwrap_or_default())?;
    let rows = EVENTS.page(cx, &events, &PageRequest::new(sort, limit, cursor)).await?;
    Ok(rows.counted_list(EVENTS.total(&cx.db, &events, include_total).await?))
}
