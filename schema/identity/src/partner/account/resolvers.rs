//! Operations on a partner's own account.

use std::future::ready;

use labs_core::actor::Actor;
use labs_core::context::RequestContext;
use labs_core::event_positions::EventSort;
use labs_core::fault::{Code, Fault};
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::List;
use labs_core::principal::{Owner, PrincipalType};
use uuid::Uuid;

use super::list::{EVENTS, FOLLOWED, OwnHistory, PartnerEventFilter};
use super::store;
use super::types::{ClosureRequest, PartnerAccount, PartnerAccountUpdate, PartnerEventView};
use crate::auth::sessions;
use crate::partner::company::{self, NamedBy};
use crate::partner::lifecycle::{self, Action, Step};
use crate::partner::own::ensure_own;

/// Operations of this file.
pub(in crate::partner) const OPERATIONS: &[Operation] = operations![
    partner_account_get,
    partner_account_list_events,
    partner_account_update,
    partner_account_request_closure,
    partner_account_cancel_closure,
];

/// Get the partner account.
#[operation(query, access = "partner")]
async fn partner_account_get(cx: &RequestContext, partner_uuid: Uuid) -> Result<PartnerAccount, Fault> {
    load_account(cx, ensure_own(cx, partner_uuid)?).await
}

/// List the partner account's events.
#[operation(query, access = "partner")]
async fn partner_account_list_events(
    cx: &RequestContext,
    partner_uuid: Uuid,
    filter: Option<PartnerEventFilter>,
    sort: Option<EventSort>,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<PartnerEventView>, Fault> {
    let partner_uuid = ensure_own(cx, partner_uuid)?.uuid();
    let history = OwnHistory { partner_uuid, filter: filter.unwrap_or_default() };
    let rows = match sort {
        Some(EventSort::Position) => {
            FOLLOWED.page(cx, &history, &PageRequest::new(sort, limit, cursor), ready(Ok(()))).await?
        }
        _ => EVENTS.page(cx, &history, &PageRequest::new(None, limit, cursor)).await?,
    };
    Ok(rows.map(|row| Ok(row.into()))?.list())
}

/// Update the partner account.
#[operation(mutation, access = "partner:write")]
async fn partner_account_update(
    cx: &RequestContext,
    partner_uuid: Uuid,
    body: PartnerAccountUpdate,
) -> Result<PartnerAccount, Fault> {
    let owner = ensure_own(cx, partner_uuid)?;
    let by = (Actor::of(cx.principal()?), NamedBy::Team);
    company::change(&cx.db, owner.uuid(), body.into(), by, None).await?.ok_or_else(err_not_found)?;
    load_account(cx, owner).await
}

/// Request closure of the partner account.
#[operation(mutation, access = "partner:write")]
async fn partner_account_request_closure(
    cx: &RequestContext,
    partner_uuid: Uuid,
    body: Option<ClosureRequest>,
) -> Result<PartnerAccount, Fault> {
    let owner = ensure_own(cx, partner_uuid)?;
    if cx.principal()?.kind == PrincipalType::MachineClient {
        return Err(Fault::new(
            Code::ReauthenticationRequired,
            "A machine client cannot close an account. A user of the team must do it, shortly after entering a \
             password or code.",
        ));
    }
    sessions::require_fresh(cx).await?;
    let reason = body.and_then(|body| body.reason);
    take_step(cx, owner, Action::RequestClosure, reason.as_deref()).await
}

/// Cancel closure of the partner account.
#[operation(mutation, access = "partner:write")]
async fn partner_account_cancel_closure(cx: &RequestContext, partner_uuid: Uuid) -> Result<PartnerAccount, Fault> {
    let owner = ensure_own(cx, partner_uuid)?;
    take_step(cx, owner, Action::CancelClosure, None).await
}

/// Performs a transition requested by the team. Returns the account after it.
async fn take_step(
    cx: &RequestContext,
    owner: Owner,
    action: Action,
    reason: Option<&str>,
) -> Result<PartnerAccount, Fault> {
    let actor = Actor::of(cx.principal()?);
    let step = Step { partner_uuid: owner.uuid(), action, actor, reason, shows_reason: true };
    lifecycle::take_step(&cx.db, &cx.services, cx.now, &step).await?.ok_or_else(err_not_found)?;
    load_account(cx, owner).await
}

async fn load_account(cx: &RequestContext, owner: Owner) -> Result<PartnerAccount, Fault> {
    PartnerAccount::of(store::get(&cx.db, owner).await?.ok_or_else(err_not_found)?, cx)
}

fn err_not_found() -> Fault {
    Fault::not_found("partner")
}
