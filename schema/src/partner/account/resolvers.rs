//! What may be asked about a partner's own account.

use async_graphql::{Context, Object};
use serde_json::json;
use uuid::Uuid;

use super::store::{self, History};
use super::types::{
    ClosureRequest, PartnerAccount, PartnerAccountUpdate, PartnerEventActorKind, PartnerEventGroup, PartnerEventView,
};
use crate::access::access;
use crate::actor::Actor;
use crate::ask::{Ask, Asking};
use crate::auth::sessions;
use crate::fault::{Code, Fault};
use crate::page::{List, Window, names};
use crate::partner::company;
use crate::partner::own::own;
use crate::partner::standing::{self, Action, Step};
use crate::principal::{Owner, PrincipalType};
use crate::time::Time;

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
    #[expect(clippy::too_many_arguments, reason = "one argument per parameter of the contract")]
    async fn partner_account_list_events(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        group: Option<Vec<PartnerEventGroup>>,
        kind: Option<Vec<String>>,
        actor_kind: Option<Vec<PartnerEventActorKind>>,
        occurred_at_from: Option<Time>,
        occurred_at_until: Option<Time>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<Option<List<PartnerEventView>>, Fault> {
        let (ask, list) = (ctx.ask(), "partner_account_list_events");
        let owner = own(ask, partner_uuid)?;
        let filter = History {
            group: names(group),
            kind: names(kind),
            actor_kind: names(actor_kind),
            occurred_at_from,
            occurred_at_until,
        };
        let window = Window::read(&ask.services.cursors, list, &(owner, &filter), limit, cursor.as_deref())?;
        let rows = store::history_page(&ask.db, owner, &filter, &window).await?;
        let (rows, page) = window.cut(rows, |row| vec![json!(row.occurred_at), json!(row.event_uuid)]);
        let data = rows.into_iter().map(PartnerEventView::try_from).collect::<Result<_, _>>()?;
        ask.answer_list(List { data, page })
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
