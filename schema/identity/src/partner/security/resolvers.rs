//! Operations on a team's security.

use labs_core::context::RequestContext;
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::List;
use labs_core::principal::{Owner, PrincipalType};
use uuid::Uuid;

use super::list::{
    CLIENTS, EVENTS, OwnClients, OwnEvents, PartnerMachineClientFilter, TeamSecurityEventFilter, TeamSecurityEventSort,
};
use super::store::{self, PolicyRow};
use super::types::{PartnerMachineClient, SecurityPolicy, SecurityPolicyPut, TeamSecurityEvent};
use crate::auth::security_events::{NewSecurityEvent, SecurityEventKind};
use crate::partner::own::ensure_own;

/// Operations of this file.
pub(in crate::partner) const OPERATIONS: &[Operation] = operations![
    partner_security_get_policy,
    partner_security_list_events,
    partner_security_list_machine_clients,
    partner_security_put_policy,
];

/// Get the security policy.
#[operation(query, access = "partner.security")]
async fn partner_security_get_policy(cx: &RequestContext, partner_uuid: Uuid) -> Result<SecurityPolicy, Fault> {
    policy(cx, ensure_own(cx, partner_uuid)?).await
}

/// List the team's security events.
#[operation(query, access = "partner.security")]
async fn partner_security_list_events(
    cx: &RequestContext,
    partner_uuid: Uuid,
    filter: Option<TeamSecurityEventFilter>,
    sort: Option<TeamSecurityEventSort>,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<TeamSecurityEvent>, Fault> {
    let partner_uuid = ensure_own(cx, partner_uuid)?.uuid();
    let events = OwnEvents { partner_uuid, filter: filter.unwrap_or_default() };
    Ok(EVENTS.page(cx, &events, &PageRequest::new(sort, limit, cursor)).await?.list())
}

/// List the partner's machine clients.
#[operation(query, access = "partner.security")]
async fn partner_security_list_machine_clients(
    cx: &RequestContext,
    partner_uuid: Uuid,
    filter: Option<PartnerMachineClientFilter>,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<PartnerMachineClient>, Fault> {
    let partner_uuid = ensure_own(cx, partner_uuid)?.uuid();
    let clients = OwnClients { partner_uuid, filter: filter.unwrap_or_default() };
    let rows = CLIENTS.page(cx, &clients, &PageRequest::new(None, limit, cursor)).await?;
    Ok(rows.map(|client| Ok(client.without_admin()))?.list())
}

/// Set the security policy.
#[operation(mutation, access = "partner.security:write")]
async fn partner_security_put_policy(
    cx: &RequestContext,
    partner_uuid: Uuid,
    body: SecurityPolicyPut,
) -> Result<SecurityPolicy, Fault> {
    let owner = ensure_own(cx, partner_uuid)?;
    if store::set_policy(&cx.db, owner, body.second_factor_required, body.session_hours).await? {
        record_event(cx, owner).await?;
    }
    policy(cx, owner).await
}

async fn policy(cx: &RequestContext, owner: Owner) -> Result<SecurityPolicy, Fault> {
    Ok(store::get_policy(&cx.db, owner).await?.ok_or_else(|| Fault::not_found("partner"))?.into())
}

/// Writes the change of a policy to the team's security events.
async fn record_event(cx: &RequestContext, owner: Owner) -> Result<(), Fault> {
    let principal = cx.principal()?;
    let mut event = NewSecurityEvent::new(SecurityEventKind::SecurityPolicyChanged, true);
    match principal.kind {
        PrincipalType::MachineClient => event.client_uuid = Some(principal.uuid),
        PrincipalType::PartnerUser | PrincipalType::StaffUser => event.person_uuid = Some(principal.uuid),
    }
    (event.partner_uuid, event.session_uuid) = (Some(owner.uuid()), principal.session_uuid);
    event.write(cx).await
}

impl From<PolicyRow> for SecurityPolicy {
    fn from(row: PolicyRow) -> Self {
        Self { second_factor_required: row.mfa_required, session_hours: row.session_hours }
    }
}
