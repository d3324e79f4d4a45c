//! Resolvers of tier change requests, for partners and for staff who decide them.

use labs_core::actor::Actor;
use labs_core::context::RequestContext;
use labs_core::describe::{Created, InputType, OutputType};
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::List;
use labs_core::principal::Owner;
use labs_core::time::Time;
use serde_json::json;
use uuid::Uuid;

use super::list::{ANYBODYS, OWN, OWN_REQUESTS, OwnRequests, OwnTierChangeRequestFilter};
use super::rules::{self, TierChangeRequestAction, TierChangeRequestState, allowed_actions, next_state};
use super::store::{self, NewRequest};
use crate::changing::{self, SubscriptionActor, SubscriptionChange};
use crate::tiers::rules::TierState;

/// A partner's request for another tier.
#[derive(serde::Serialize, OutputType, sqlx::FromRow)]
pub struct TierChangeRequest {
    /// UUID of the request, for use in paths.
    pub uuid: Uuid,
    /// UUID of the requesting partner.
    partner_uuid: Uuid,
    /// Company name of the partner.
    company_name: String,
    /// Code of the partner's tier at the time of the request.
    from_tier_code: String,
    /// Display name of that tier.
    from_tier_name: String,
    /// Code of the requested tier.
    to_tier_code: String,
    /// Display name of that tier.
    to_tier_name: String,
    /// Message of the partner. Empty if none.
    message: String,
    /// State of the request.
    state: TierChangeRequestState,
    /// Author of the request.
    #[sqlx(flatten)]
    requested_by: SubscriptionActor,
    /// Time of the request.
    pub(super) created_at: Time,
    /// Time when the tier change request left the state `PENDING`. Null while it is `PENDING`.
    pub decided_at: Option<Time>,
    /// Reason that staff gave for the decision. Null if none.
    decision_reason: Option<String>,
    /// Actions that the caller can perform now.
    #[sqlx(skip)]
    allowed_actions: Vec<String>,
}

/// A request for another tier.
#[derive(serde::Deserialize, InputType)]
pub(super) struct TierChangeRequestCreate {
    /// Code of a tier on offer.
    tier_code: String,
    /// Information for staff, if they decide.
    message: Option<String>,
}

/// Operations of this file.
pub const OPERATIONS: &[Operation] = operations![
    subscription_change_requests_list,
    subscription_change_requests_get,
    subscription_change_requests_create,
    subscription_change_requests_withdraw,
];

/// List tier change requests.
#[operation(query, access = "subscription")]
async fn subscription_change_requests_list(
    cx: &RequestContext,
    filter: Option<OwnTierChangeRequestFilter>,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<TierChangeRequest>, Fault> {
    let own = OwnRequests { partner_uuid: cx.owner()?.uuid(), filter: filter.unwrap_or_default() };
    let rows = OWN_REQUESTS.page(cx, &own, &PageRequest::new(None, limit, cursor)).await?;
    Ok(rows.map(|request| Ok(request.for_caller(cx, false)))?.list())
}

/// Get a tier change request.
#[operation(query, access = "subscription")]
async fn subscription_change_requests_get(cx: &RequestContext, request_uuid: Uuid) -> Result<TierChangeRequest, Fault> {
    load_request(cx, request_uuid, Some(cx.owner()?)).await
}

/// Create a tier change request.
#[operation(mutation, access = "subscription:write")]
async fn subscription_change_requests_create(
    cx: &RequestContext,
    body: TierChangeRequestCreate,
) -> Result<Created<TierChangeRequest>, Fault> {
    let owner = cx.owner()?;
    let tier = changing::get_tier(&cx.db, &body.tier_code).await?;
    let tier = changing::ensure_on_offer(tier, |tier| tier.state == TierState::Offered)?;
    let change = SubscriptionChange::by_caller(cx, None)?;
    let state = if tier.self_service { TierChangeRequestState::Applied } else { TierChangeRequestState::Pending };
    let new = NewRequest {
        request_uuid: cx.new_uuid(),
        to_tier_uuid: tier.tier_uuid,
        message: body.message.as_deref().unwrap_or_default().trim(),
        state: state.name(),
        actor: Actor::of(cx.principal()?),
    };
    change.other_than(owner.uuid(), &tier).await?;
    if state == TierChangeRequestState::Applied {
        change.withdraw_request(owner.uuid()).await?;
    }
    store::insert(&cx.db, owner, &new).await?;
    if state == TierChangeRequestState::Applied {
        change.to_tier(owner.uuid(), &tier).await?;
    } else {
        let detail = json!({ "request_uuid": new.request_uuid });
        change.note(owner.uuid(), "CHANGE_REQUESTED", Some(tier.tier_uuid), detail).await?;
    }
    Ok(Created::new(new.request_uuid, load_request(cx, new.request_uuid, Some(owner)).await?))
}

/// Withdraw a tier change request.
#[operation(mutation, access = "subscription:write")]
async fn subscription_change_requests_withdraw(
    cx: &RequestContext,
    request_uuid: Uuid,
) -> Result<TierChangeRequest, Fault> {
    settle_request(cx, request_uuid, TierChangeRequestAction::Withdraw, None, Some(cx.owner()?)).await
}

/// Settles a request; only of the caller's own partner if the caller is a partner. The partner can read the reason.
///
/// # Errors
/// [`labs_core::Code::NotFound`], [`labs_core::Code::IllegalTransition`] if it is already settled,
/// [`labs_core::Code::Conflict`] if the tier is not offered any more, or the partner is closed.
pub async fn settle_request(
    cx: &RequestContext,
    request_uuid: Uuid,
    action: TierChangeRequestAction,
    reason: Option<&str>,
    owner: Option<Owner>,
) -> Result<TierChangeRequest, Fault> {
    let change = SubscriptionChange::by_caller(cx, reason)?;
    let partner_uuid = store::get_partner(&cx.db, request_uuid, owner).await?.ok_or_else(err_not_found)?;
    change.lock_first(partner_uuid).await?;
    let locked = store::lock(&cx.db, request_uuid, owner).await?.ok_or_else(err_not_found)?;
    let state = next_state(locked.state, action)?;
    let tier = changing::get_tier(&cx.db, &locked.to_tier_code).await?.ok_or_else(err_not_found)?;
    let detail = json!({ "request_uuid": request_uuid });
    store::set_decided(&cx.db, request_uuid, state.name(), reason).await?;
    match action {
        TierChangeRequestAction::Approve => {
            rules::ensure_open(&locked.partner_state)?;
            rules::ensure_applicable(tier.state, &tier.code)?;
            change.to_tier(partner_uuid, &tier).await?;
        }
        TierChangeRequestAction::Reject => {
            change.note(partner_uuid, "CHANGE_REJECTED", Some(tier.tier_uuid), detail).await?;
            change.notify_rejected(partner_uuid, &tier.name).await?;
        }
        TierChangeRequestAction::Withdraw => {
            change.note(partner_uuid, "CHANGE_WITHDRAWN", Some(tier.tier_uuid), detail).await?;
        }
    }
    load_request(cx, request_uuid, owner).await
}

/// Loads the current request.
async fn load_request(
    cx: &RequestContext,
    request_uuid: Uuid,
    owner: Option<Owner>,
) -> Result<TierChangeRequest, Fault> {
    let request = match owner {
        Some(owner) => OWN.fetch_one(&cx.db, [request_uuid.into(), owner.uuid().into()]).await?,
        None => ANYBODYS.fetch_one(&cx.db, [request_uuid.into()]).await?,
    };
    Ok(request.ok_or_else(err_not_found)?.for_caller(cx, owner.is_none()))
}

fn err_not_found() -> Fault {
    Fault::not_found("tier change request")
}

impl TierChangeRequest {
    /// Returns the request with the allowed actions of the caller, who is a staff member or belongs to the partner.
    pub fn for_caller(self, cx: &RequestContext, is_staff: bool) -> Self {
        let acts = cx.may(if is_staff { "labs.admin.subscriptions:write" } else { "subscription:write" });
        let allowed_actions = if acts { allowed_actions(self.state, is_staff) } else { Vec::new() };
        Self { allowed_actions, ..self }
    }

    /// Returns the requesting partner, for the audit record.
    pub fn partner(&self) -> (Uuid, &str) {
        (self.partner_uuid, &self.company_name)
    }
}
