//! What may be asked about a team's security.

use async_graphql::{Context, Enum, InputObject, Object, SimpleObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::store::{self, ClientRow, EventRow, Events, PolicyRow};
use crate::access::access;
use crate::ask::{Ask, Asking};
use crate::auth::security_events::LedgerEntry;
use crate::fault::Fault;
use crate::page::{List, Window, names};
use crate::partner::own::own;
use crate::principal::{Owner, PrincipalType};
use crate::scope::ScopeSet;
use crate::time::Time;

/// What a team asks of its members' sessions.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SecurityPolicy {
    /// Whether a member reaches anything but their own account only with a second factor.
    second_factor_required: bool,
    /// Hours after which a session ends for good; null: as long as the service allows, 30 days.
    session_hours: Option<i32>,
}

/// A policy to put in force.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SecurityPolicyPut {
    /// Whether a second factor is required.
    second_factor_required: bool,
    /// Hours after which a session ends for good; null: as long as the service allows.
    session_hours: Option<i32>,
}

/// How something in the ledger ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum TeamSecurityEventOutcome {
    /// It was done.
    Succeeded,
    /// It was not allowed.
    Refused,
    /// It did not work: a wrong password, a wrong code.
    Failed,
}

/// Something that happened to an account or a program of the team.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct TeamSecurityEvent {
    /// The entry.
    uuid: Uuid,
    /// When it happened.
    occurred_at: Time,
    /// What: `SIGN_IN`, `SECOND_FACTOR_ENABLED` and so on.
    kind: String,
    /// How it ended.
    outcome: TeamSecurityEventOutcome,
    /// The member concerned.
    person_uuid: Option<Uuid>,
    /// Their name.
    person_name: Option<String>,
    /// The program concerned.
    client_uuid: Option<Uuid>,
    /// Its name.
    client_name: Option<String>,
    /// The session concerned.
    session_uuid: Option<Uuid>,
    /// From which network address.
    address: Option<String>,
    /// With what, in its own words.
    user_agent: Option<String>,
}

/// Whether a program may sign in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum PartnerMachineClientState {
    /// It may.
    Active,
    /// The operator shut it out.
    Disabled,
}

/// A program that may act for the partner.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PartnerMachineClient {
    /// The program.
    uuid: Uuid,
    /// What it sends as `username` for a token.
    client_id: String,
    /// What it is, for people.
    name: String,
    /// Whether it may sign in.
    state: PartnerMachineClientState,
    /// What it may ask for, in alphabetical order.
    allowed_scopes: Vec<String>,
    /// Where it may come from; empty means from anywhere.
    allowed_networks: Vec<String>,
    /// When it was provisioned.
    created_at: Time,
    /// When it last got a token.
    last_used_at: Option<Time>,
}

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
    #[expect(clippy::too_many_arguments, reason = "one argument per parameter of the contract")]
    async fn partner_security_list_events(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        kind: Option<Vec<String>>,
        outcome: Option<Vec<TeamSecurityEventOutcome>>,
        person_uuid: Option<Vec<Uuid>>,
        client_uuid: Option<Vec<Uuid>>,
        occurred_at_from: Option<Time>,
        occurred_at_until: Option<Time>,
        sort: Option<String>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<Option<List<TeamSecurityEvent>>, Fault> {
        let (ask, list) = (ctx.ask(), "partner_security_list_events");
        let owner = own(ask, partner_uuid)?;
        let filter = Events {
            kind: names(kind),
            outcome: names(outcome),
            person_uuid: person_uuid.filter(|uuids| !uuids.is_empty()),
            client_uuid: client_uuid.filter(|uuids| !uuids.is_empty()),
            occurred_at_from,
            occurred_at_until,
            earliest_first: sort.as_deref() == Some("occurred_at"),
        };
        let window = Window::read(&ask.services.cursors, list, &(owner, &filter), limit, cursor.as_deref())?;
        let rows = store::events_page(&ask.db, owner, &filter, &window).await?;
        let (rows, page) = window.cut(rows, EventRow::keys);
        ask.answer_list(List { data: rows.into_iter().map(TeamSecurityEvent::from).collect(), page })
    }

    /// The programs that the operator issued to the partner.
    #[graphql(directive = access::apply("partner.security".into()))]
    async fn partner_security_list_machine_clients(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        state: Option<Vec<PartnerMachineClientState>>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<Option<List<PartnerMachineClient>>, Fault> {
        let (ask, list) = (ctx.ask(), "partner_security_list_machine_clients");
        let (owner, states) = (own(ask, partner_uuid)?, names(state));
        let window = Window::read(&ask.services.cursors, list, &(owner, &states), limit, cursor.as_deref())?;
        let rows = store::clients_page(&ask.db, owner, states.as_deref(), &window).await?;
        let (rows, page) = window.cut(rows, |row| vec![json!(row.created_at), json!(row.client_uuid)]);
        ask.answer_list(List { data: rows.into_iter().map(PartnerMachineClient::from).collect(), page })
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
    let mut event = LedgerEntry::new("SECURITY_POLICY_CHANGED", true);
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

impl From<EventRow> for TeamSecurityEvent {
    fn from(row: EventRow) -> Self {
        Self {
            uuid: row.event_uuid,
            occurred_at: row.occurred_at,
            kind: row.kind,
            outcome: match row.outcome.as_str() {
                "SUCCEEDED" => TeamSecurityEventOutcome::Succeeded,
                "REFUSED" => TeamSecurityEventOutcome::Refused,
                _ => TeamSecurityEventOutcome::Failed,
            },
            person_uuid: row.person_uuid,
            person_name: row.person_name,
            client_uuid: row.client_uuid,
            client_name: row.client_name,
            session_uuid: row.session_uuid,
            address: row.address,
            user_agent: row.user_agent,
        }
    }
}

impl From<ClientRow> for PartnerMachineClient {
    fn from(row: ClientRow) -> Self {
        // Whatever a row says, nothing bound to a partner holds anything of the operator's domain.
        let mut allowed_scopes = ScopeSet::parse(row.allowed_scopes.iter().map(String::as_str)).without_admin().names();
        allowed_scopes.sort_unstable();
        Self {
            uuid: row.client_uuid,
            client_id: row.client_id,
            name: row.name,
            state: match row.state.as_str() {
                "ACTIVE" => PartnerMachineClientState::Active,
                _ => PartnerMachineClientState::Disabled,
            },
            allowed_scopes,
            allowed_networks: row.allowed_networks,
            created_at: row.created_at,
            last_used_at: row.last_used_at,
        }
    }
}
