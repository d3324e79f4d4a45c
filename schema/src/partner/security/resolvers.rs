//! What may be asked about a team's security.

use async_graphql::{Context, Object};
use uuid::Uuid;

use super::list::{
    CLIENTS, EVENTS, OwnClients, OwnEvents, PartnerMachineClientFilter, TeamSecurityEventFilter, TeamSecurityEventSort,
};
use super::store::{self, PolicyRow};
use super::types::{PartnerMachineClient, SecurityPolicy, SecurityPolicyPut, TeamSecurityEvent};
use crate::access::access;
use crate::ask::{Ask, Asking};
use crate::auth::security_events::SecurityEvent;
use crate::fault::Fault;
use crate::list::PageRequest;
use crate::page::List;
use crate::partner::own::own;
use crate::principal::{Owner, PrincipalType};

/// Reads of a team's security.
#[derive(Default)]
pub(crate) struct SecurityQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl SecurityQuery {
    /// What the team asks of its members' sessions.
    #[graphql(directive = access::apply("partner.security".into()))]
    async fn partner_security_get_policy(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
    ) -> Result<Option<SecurityPolicy>, Fault> {
        let ask = ctx.ask();
        ask.answer(policy(ask, own(ask, partner_uuid)?).await?)
    }

    /// The team's ledger of sign-ins and account changes.
    #[graphql(directive = access::apply("partner.security".into()))]
    async fn partner_security_list_events(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        filter: Option<TeamSecurityEventFilter>,
        sort: Option<TeamSecurityEventSort>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<Option<List<TeamSecurityEvent>>, Fault> {
        let ask = ctx.ask();
        let partner_uuid = own(ask, partner_uuid)?.uuid();
        let events = OwnEvents { partner_uuid, filter: filter.unwrap_or_default() };
        ask.answer_list(EVENTS.page(ask, &events, &PageRequest::new(sort, limit, cursor)).await?.list())
    }

    /// The programs that the operator issued to the partner.
    #[graphql(directive = access::apply("partner.security".into()))]
    async fn partner_security_list_machine_clients(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        filter: Option<PartnerMachineClientFilter>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<Option<List<PartnerMachineClient>>, Fault> {
        let ask = ctx.ask();
        let partner_uuid = own(ask, partner_uuid)?.uuid();
        let clients = OwnClients { partner_uuid, filter: filter.unwrap_or_default() };
        let rows = CLIENTS.page(ask, &clients, &PageRequest::new(None, limit, cursor)).await?;
        ask.answer_list(rows.map(|client| Ok(client.without_admin()))?.list())
    }
}

/// Writes of a team's security.
#[derive(Default)]
pub(crate) struct SecurityMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl SecurityMutation {
    /// Puts a policy in force, for each member from their next sign-in on.
    #[graphql(directive = access::apply("partner.security:write".into()))]
    async fn partner_security_put_policy(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        body: SecurityPolicyPut,
    ) -> Result<Option<SecurityPolicy>, Fault> {
        let ask = ctx.ask();
        let owner = own(ask, partner_uuid)?;
        if store::set_policy(&ask.db, owner, body.second_factor_required, body.session_hours).await? {
            noted(ask, owner).await?;
        }
        ask.answer(policy(ask, owner).await?)
    }
}

async fn policy(ask: &Ask, owner: Owner) -> Result<SecurityPolicy, Fault> {
    Ok(store::policy_get(&ask.db, owner).await?.ok_or_else(|| Fault::not_found("partner"))?.into())
}

/// The change of a policy belongs to the team's ledger.
async fn noted(ask: &Ask, owner: Owner) -> Result<(), Fault> {
    let principal = ask.principal()?;
    let mut event = SecurityEvent::new("SECURITY_POLICY_CHANGED", true);
    match principal.kind {
        PrincipalType::MachineClient => event.client_uuid = Some(principal.uuid),
        PrincipalType::PartnerUser | PrincipalType::StaffUser => event.person_uuid = Some(principal.uuid),
    }
    (event.partner_uuid, event.session_uuid) = (Some(owner.uuid()), principal.session_uuid);
    event.write(ask).await
}

impl From<PolicyRow> for SecurityPolicy {
    fn from(row: PolicyRow) -> Self {
        Self { second_factor_required: row.mfa_required, session_hours: row.session_hours }
    }
}
