//! What a partner may ask about its requests for another tier, and how staff decide them.

use async_graphql::{Context, InputObject, Object, SimpleObject};
use serde_json::json;
use uuid::Uuid;

use super::rules::{self, Action, State, after};
use super::store::{self, NewRequest, RequestRow};
use crate::access::access;
use crate::actor::Actor;
use crate::ask::{Ask, Asking};
use crate::fault::Fault;
use crate::page::{List, Window, names};
use crate::principal::Owner;
use crate::subscription::changing::{self, Change, SubscriptionActor};
use crate::time::Time;

/// A partner asks for another tier.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct TierChangeRequest {
    /// The request.
    uuid: Uuid,
    /// The partner.
    partner_uuid: Uuid,
    /// Its name.
    company_name: String,
    /// The tier that it was on.
    from_tier_code: String,
    /// That tier's name for people.
    from_tier_name: String,
    /// The tier that it asks for.
    to_tier_code: String,
    /// That tier's name for people.
    to_tier_name: String,
    /// What the partner wrote with it; empty when nothing.
    message: String,
    /// Where it stands.
    state: State,
    /// Who made it.
    requested_by: SubscriptionActor,
    /// When it was made.
    created_at: Time,
    /// When it was settled; null while it is not.
    decided_at: Option<Time>,
    /// What staff said to it; null when nothing.
    decision_reason: Option<String>,
}

/// A new request.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct TierChangeRequestCreate {
    /// The tier.
    tier_code: String,
    /// What staff should know.
    message: Option<String>,
}

/// Reads of requests.
#[derive(Default)]
pub(crate) struct ChangeRequestsQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl ChangeRequestsQuery {
    /// The caller's partner's requests.
    #[graphql(directive = access::apply("subscription".into()))]
    async fn subscription_change_requests_list(
        &self,
        ctx: &Context<'_>,
        state: Option<Vec<State>>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<Option<List<TierChangeRequest>>, Fault> {
        let (ask, list, state) = (ctx.ask(), "subscription_change_requests_list", names(state));
        let owner = ask.owner()?;
        let window = Window::read(&ask.services.cursors, list, &(owner, &state), limit, cursor.as_deref())?;
        let rows = store::page(&ask.db, owner, state.as_deref(), &window).await?;
        let (rows, page) = window.cut(rows, RequestRow::own_keys);
        let data = rows.into_iter().map(TierChangeRequest::try_from).collect::<Result<_, _>>()?;
        ask.answer_list(List { data, page })
    }

    /// One of them.
    #[graphql(directive = access::apply("subscription".into()))]
    async fn subscription_change_requests_get(
        &self,
        ctx: &Context<'_>,
        request_uuid: Uuid,
    ) -> Result<Option<TierChangeRequest>, Fault> {
        let ask = ctx.ask();
        ask.answer(found(ask, request_uuid, Some(ask.owner()?)).await?)
    }
}

/// Writes of requests.
#[derive(Default)]
pub(crate) struct ChangeRequestsMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl ChangeRequestsMutation {
    /// Asks for another tier. One of self-service is applied at once, any other waits for staff.
    #[graphql(directive = access::apply("subscription:write".into()))]
    async fn subscription_change_requests_create(
        &self,
        ctx: &Context<'_>,
        body: TierChangeRequestCreate,
    ) -> Result<Option<TierChangeRequest>, Fault> {
        let ask = ctx.ask();
        let owner = ask.owner()?;
        let tier = changing::tier_get(&ask.db, &body.tier_code).await?;
        let tier = changing::on_offer(tier, |tier| tier.state == "OFFERED")?;
        let change = Change::asked(ask, None)?;
        let state = if tier.self_service { State::Applied } else { State::Pending };
        let new = NewRequest {
            request_uuid: ask.new_uuid(),
            to_tier_uuid: tier.tier_uuid,
            message: body.message.as_deref().unwrap_or_default().trim(),
            state: state.name(),
            actor: Actor::of(ask.principal()?),
        };
        change.other_than(owner.uuid(), &tier).await?;
        if state == State::Applied {
            change.take_back_request(owner.uuid()).await?;
        }
        store::insert(&ask.db, owner, &new).await?;
        if state == State::Applied {
            change.to_tier(owner.uuid(), &tier).await?;
        } else {
            let detail = json!({ "request_uuid": new.request_uuid });
            change.note(owner.uuid(), "CHANGE_REQUESTED", Some(tier.tier_uuid), detail).await?;
        }
        ask.answer_created(new.request_uuid, found(ask, new.request_uuid, Some(owner)).await?)
    }

    /// Takes a request back while it is undecided.
    #[graphql(directive = access::apply("subscription:write".into()))]
    async fn subscription_change_requests_withdraw(
        &self,
        ctx: &Context<'_>,
        request_uuid: Uuid,
    ) -> Result<Option<TierChangeRequest>, Fault> {
        let ask = ctx.ask();
        ask.answer(decided(ask, request_uuid, Action::Withdraw, None, Some(ask.owner()?)).await?)
    }
}

/// Settles a request: of one partner only, where its partner asks. The partner reads the reason.
///
/// # Errors
/// [`crate::Code::NotFound`], [`crate::Code::IllegalTransition`] when it is settled already, [`crate::Code::Conflict`] for
/// a tier that is not on offer any more, or a partner that is closed.
pub(crate) async fn decided(
    ask: &Ask,
    request_uuid: Uuid,
    action: Action,
    reason: Option<&str>,
    owner: Option<Owner>,
) -> Result<TierChangeRequest, Fault> {
    let change = Change::asked(ask, reason)?;
    let partner_uuid = store::partner_get(&ask.db, request_uuid, owner).await?.ok_or_else(not_found)?;
    change.hold_first(partner_uuid).await?;
    let held = store::lock(&ask.db, request_uuid, owner).await?.ok_or_else(not_found)?;
    let state = after(State::parse(&held.state)?, action)?;
    let tier = changing::tier_get(&ask.db, &held.to_tier_code).await?.ok_or_else(not_found)?;
    let detail = json!({ "request_uuid": request_uuid });
    store::set_decided(&ask.db, request_uuid, state.name(), reason).await?;
    match action {
        Action::Approve => {
            rules::open(&held.partner_state)?;
            rules::applicable(&tier.state, &tier.code)?;
            change.to_tier(partner_uuid, &tier).await?;
        }
        Action::Reject => {
            change.note(partner_uuid, "CHANGE_REJECTED", Some(tier.tier_uuid), detail).await?;
            change.tell_rejected(partner_uuid, &tier.name).await?;
        }
        Action::Withdraw => change.note(partner_uuid, "CHANGE_WITHDRAWN", Some(tier.tier_uuid), detail).await?,
    }
    found(ask, request_uuid, owner).await
}

/// The request as it is now.
async fn found(ask: &Ask, request_uuid: Uuid, owner: Option<Owner>) -> Result<TierChangeRequest, Fault> {
    store::get(&ask.db, request_uuid, owner).await?.ok_or_else(not_found)?.try_into()
}

fn not_found() -> Fault {
    Fault::not_found("request for another tier")
}

impl TierChangeRequest {
    /// The partner that asks, for the audit record.
    pub(crate) fn partner(&self) -> (Uuid, &str) {
        (self.partner_uuid, &self.company_name)
    }
}

impl TryFrom<RequestRow> for TierChangeRequest {
    type Error = Fault;

    fn try_from(row: RequestRow) -> Result<Self, Fault> {
        Ok(Self {
            uuid: row.request_uuid,
            partner_uuid: row.partner_uuid,
            company_name: row.company_name,
            from_tier_code: row.from_tier_code,
            from_tier_name: row.from_tier_name,
            to_tier_code: row.to_tier_code,
            to_tier_name: row.to_tier_name,
            message: row.message,
            state: State::parse(&row.state)?,
            requested_by: SubscriptionActor::of(&row.actor_kind, Some(row.actor_uuid), row.actor_name),
            created_at: row.created_at,
            decided_at: row.decided_at,
            decision_reason: row.decision_reason,
        })
    }
}
