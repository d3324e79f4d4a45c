//! What may be asked about a partner's own account.

use async_graphql::{Context, Object};
use uuid::Uuid;

use super::list::{EVENTS, OwnHistory, PartnerEventFilter};
use super::store;
use super::types::{ClosureRequest, PartnerAccount, PartnerAccountUpdate, PartnerEventView};
use crate::access::access;
use crate::actor::Actor;
use crate::ask::{Ask, Asking};
use crate::auth::sessions;
use crate::fault::{Code, Fault};
use crate::list::PageRequest;
use crate::page::List;
use crate::partner::company;
use crate::partner::own::own;
use crate::partner::standing::{self, Action, Step};
use crate::principal::{Owner, PrincipalType};

/// Reads of the account.
#[derive(Default)]
pub(crate) struct PartnerAccountQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl PartnerAccountQuery {
    /// The partner's own record.
    #[graphql(directive = access::apply("partner".into()))]
    async fn partner_account_get(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
    ) -> Result<Option<PartnerAccount>, Fault> {
        let ask = ctx.ask();
        ask.answer(found(ask, own(ask, partner_uuid)?).await?)
    }

    /// What happened to the account, by whom; what staff did with it or looked at included.
    #[graphql(directive = access::apply("partner".into()))]
    async fn partner_account_list_events(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        filter: Option<PartnerEventFilter>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<Option<List<PartnerEventView>>, Fault> {
        let ask = ctx.ask();
        let partner_uuid = own(ask, partner_uuid)?.uuid();
        let history = OwnHistory { partner_uuid, filter: filter.unwrap_or_default() };
        let rows = EVENTS.page(ask, &history, &PageRequest::new(None, limit, cursor)).await?;
        ask.answer_list(rows.map(|row| Ok(row.into()))?.list())
    }
}

/// Writes of the account.
#[derive(Default)]
pub(crate) struct PartnerAccountMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl PartnerAccountMutation {
    /// Changes the company's data: what is left out stays, null empties.
    #[graphql(directive = access::apply("partner:write".into()))]
    async fn partner_account_update(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        body: PartnerAccountUpdate,
    ) -> Result<Option<PartnerAccount>, Fault> {
        let ask = ctx.ask();
        let owner = own(ask, partner_uuid)?;
        let actor = Actor::of(ask.principal()?);
        company::change(&ask.db, owner.uuid(), body.into(), actor, None).await?.ok_or_else(missing)?;
        ask.answer(found(ask, owner).await?)
    }

    /// Ends the account after a waiting time, in which everything goes on.
    #[graphql(directive = access::apply("partner:write".into()))]
    async fn partner_account_request_closure(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        body: Option<ClosureRequest>,
    ) -> Result<Option<PartnerAccount>, Fault> {
        let ask = ctx.ask();
        let owner = own(ask, partner_uuid)?;
        if ask.principal()?.kind == PrincipalType::MachineClient {
            return Err(Fault::new(
                Code::ReauthenticationRequired,
                "A program cannot end an account. Somebody of the team does, who gave a password or code just before.",
            ));
        }
        sessions::fresh(ask).await?;
        let reason = body.and_then(|body| body.reason);
        ask.answer(stepped(ask, owner, Action::RequestClosure, reason.as_deref()).await?)
    }

    /// Takes a request to end the account back.
    #[graphql(directive = access::apply("partner:write".into()))]
    async fn partner_account_cancel_closure(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
    ) -> Result<Option<PartnerAccount>, Fault> {
        let ask = ctx.ask();
        let owner = own(ask, partner_uuid)?;
        ask.answer(stepped(ask, owner, Action::CancelClosure, None).await?)
    }
}

/// The account after a step that its own team takes.
async fn stepped(ask: &Ask, owner: Owner, action: Action, reason: Option<&str>) -> Result<PartnerAccount, Fault> {
    let actor = Actor::of(ask.principal()?);
    let step = Step { partner_uuid: owner.uuid(), action, actor, reason };
    standing::take(&ask.db, &ask.services, ask.now, &step).await?.ok_or_else(missing)?;
    found(ask, owner).await
}

async fn found(ask: &Ask, owner: Owner) -> Result<PartnerAccount, Fault> {
    store::get(&ask.db, owner).await?.ok_or_else(missing)?.try_into()
}

fn missing() -> Fault {
    Fault::not_found("partner")
}
