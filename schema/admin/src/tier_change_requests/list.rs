//! The list of the tier change requests of all partners, with its filters and order.

use labs_core::describe::InputType;
use labs_core::list::{Condition, FixedOrder, Key, ListQuery, SqlValue, Statements};
use labs_core::time::Time;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use labs_subscription::change_requests::{REQUEST, TierChangeRequest, TierChangeRequestState};

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub(super) struct TierChangeRequestFilter {
    state: Option<Vec<TierChangeRequestState>>,
    partner_uuid: Option<Vec<Uuid>>,
    to_tier_code: Option<Vec<String>>,
    created_at_from: Option<Time>,
    created_at_until: Option<Time>,
}

/// List query of tier change requests: open requests first, longest waiting first; then decided requests, latest
/// decision first.
pub(super) static REQUESTS: ListQuery<TierChangeRequestFilter, TierChangeRequest, FixedOrder> = ListQuery {
    operation: "admin_tier_change_requests_list",
    select: &REQUEST,
    within: &[],
    conditions: &[
        Condition { sql: "state = any({})", value: |of| SqlValue::words(of.state.as_ref()) },
        Condition { sql: "partner_uuid = any({})", value: |of| SqlValue::ids(of.partner_uuid.as_ref()) },
        Condition { sql: "to_tier_code = any({})", value: |of| SqlValue::texts(of.to_tier_code.as_ref()) },
        Condition { sql: "created_at >= {}", value: |of| of.created_at_from.map(SqlValue::from) },
        Condition { sql: "created_at < {}", value: |of| of.created_at_until.map(SqlValue::from) },
    ],
    order: |FixedOrder| const { &[DECIDED.descending(), ID] },
};

const DECIDED: Key<TierChangeRequest> =
    Key::moment("coalesce(decided_at, 'infinity')", |request| json!(request.decided_at));
const ID: Key<TierChangeRequest> = Key::id("request_uuid", |request| json!(request.uuid));

/// Run-time SQL statements of tier change requests, which the compiler does not check.
pub(crate) static STATEMENTS: [&dyn Statements; 1] = [&REQUESTS];
