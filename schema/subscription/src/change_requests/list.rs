//! Tier change requests as shown: one, and the list of a partner's own.

use labs_core::describe::InputType;
use labs_core::list::{Condition, FixedOrder, Key, ListQuery, Lookup, Select, SqlValue, Statements};
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::resolvers::TierChangeRequest;
use super::rules::TierChangeRequestState;

/// Tier change requests of all partners.
pub static REQUEST: Select<TierChangeRequest> = Select::new(
    "request_uuid as uuid, partner_uuid, company_name, from_tier_code, from_tier_name, to_tier_code, to_tier_name, message,
     state, actor_kind, actor_uuid, actor_name, created_at, decided_at, decision_reason",
    "tier_change_request_shown",
);

/// Finds one request of any partner.
pub(super) static ANYBODYS: Lookup<TierChangeRequest> = Lookup::new(&REQUEST, &["request_uuid = {}"]);

/// Finds one request of a partner.
pub(super) static OWN: Lookup<TierChangeRequest> = Lookup::new(&REQUEST, &["request_uuid = {}", "partner_uuid = {}"]);

/// Filter of a partner's own requests. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub(super) struct OwnTierChangeRequestFilter {
    state: Option<Vec<TierChangeRequestState>>,
}

/// Scope and filter of a partner's requests.
#[derive(Debug, Serialize)]
pub(super) struct OwnRequests {
    /// Partner whose requests are listed.
    pub(super) partner_uuid: Uuid,
    /// Filter of the list.
    pub(super) filter: OwnTierChangeRequestFilter,
}

/// List of a partner's requests, newest first.
pub(super) static OWN_REQUESTS: ListQuery<OwnRequests, TierChangeRequest, FixedOrder> = ListQuery {
    operation: "subscription_change_requests_list",
    select: &REQUEST,
    within: &[Condition { sql: "partner_uuid = {}", value: |of| Some(of.partner_uuid.into()) }],
    conditions: &[Condition { sql: "state = any({})", value: |of| SqlValue::words(of.filter.state.as_ref()) }],
    order: |FixedOrder| const { &[CREATED.descending(), ID.descending()] },
};

const CREATED: Key<TierChangeRequest> = Key::moment("created_at", |request| json!(request.created_at));
const ID: Key<TierChangeRequest> = Key::id("request_uuid", |request| json!(request.uuid));

/// SQL that this module assembles at run time, so the compiler does not check it.
pub static STATEMENTS: [&dyn Statements; 3] = [&OWN_REQUESTS, &ANYBODYS, &OWN];
