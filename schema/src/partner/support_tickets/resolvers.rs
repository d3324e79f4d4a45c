//! What a partner may ask about its tickets.

use async_graphql::{Context, Object};
use uuid::Uuid;

use super::letters::{Letters, tell_desk, tell_team};
use super::list::{OWN, OwnTickets, SupportTicketFilter, SupportTicketSort, TICKETS};
use super::rules::{self, SupportTicketAction, SupportTicketState, after};
use super::store::{self, HeldRow, Message, NewTicket};
use super::types::{SupportMessageSide, SupportReply, SupportTicket, SupportTicketDetail, SupportTicketOpen};
use crate::access::access;
use crate::ask::{Ask, Asking};
use crate::fault::Fault;
use crate::list::PageRequest;
use crate::mail::message::TicketEvent;
use crate::page::List;
use crate::partner::events::{self, PartnerEvent};
use crate::partner::own::own;
use crate::principal::Owner;

/// Reads of a partner's tickets.
#[derive(Default)]
pub(crate) struct SupportTicketsQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl SupportTicketsQuery {
    /// The partner's tickets.
    #[graphql(directive = access::apply("partner.support".into()))]
    async fn partner_support_tickets_list(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        filter: Option<SupportTicketFilter>,
        sort: Option<SupportTicketSort>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<Option<List<SupportTicket>>, Fault> {
        let ask = ctx.ask();
        let partner_uuid = own(ask, partner_uuid)?.uuid();
        let tickets = OwnTickets { partner_uuid, filter: filter.unwrap_or_default() };
        ask.answer_list(TICKETS.page(ask, &tickets, &PageRequest::new(sort, limit, cursor)).await?.list())
    }

    /// One of the partner's tickets, with what was written in it.
    #[graphql(directive = access::apply("partner.support".into()))]
    async fn partner_support_tickets_get(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        ticket_uuid: Uuid,
    ) -> Result<Option<SupportTicketDetail>, Fault> {
        let ask = ctx.ask();
        ask.answer(found(ask, own(ask, partner_uuid)?, ticket_uuid).await?)
    }
}

/// Writes of a partner's tickets.
#[derive(Default)]
pub(crate) struct SupportTicketsMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl SupportTicketsMutation {
    /// Asks the platform's support.
    #[graphql(directive = access::apply("partner.support:write".into()))]
    async fn partner_support_tickets_open(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        body: SupportTicketOpen,
    ) -> Result<Option<SupportTicketDetail>, Fault> {
        let ask = ctx.ask();
        let owner = own(ask, partner_uuid)?;
        let mut errors = Vec::new();
        let subject = rules::subject(&body.subject).map_err(|error| errors.push(error)).unwrap_or_default();
        let text = rules::text(&body.body).map_err(|error| errors.push(error)).unwrap_or_default();
        if let Some(app_uuid) = body.app_uuid
            && !store::owns_app(&ask.db, owner, app_uuid).await?
        {
            errors.push(rules::unknown_app());
        }
        if !errors.is_empty() {
            return Err(Fault::invalid(errors));
        }
        let (company_name, has_priority) = store::partner_lock(&ask.db, owner).await?;
        rules::room(store::open_count(&ask.db, owner).await?)?;
        let principal = ask.principal()?;
        let new = NewTicket {
            ticket_uuid: ask.new_uuid(),
            subject: &subject,
            topic: body.topic,
            app_uuid: body.app_uuid,
            priority: rules::first_priority(has_priority),
            opened_by_kind: principal.kind.name(),
            opened_by: principal.uuid,
        };
        store::insert(&ask.db, owner, &new).await?;
        wrote(ask, new.ticket_uuid, &text).await?;
        noted(ask, owner, new.ticket_uuid, "TICKET_OPENED").await?;
        let (ticket_uuid, partner_uuid, opened_by) = (new.ticket_uuid, owner.uuid(), new.opened_by);
        let (company_name, subject) = (company_name.as_str(), subject.as_str());
        let letters = Letters { ticket_uuid, partner_uuid, company_name, subject, opened_by, assignee_uuid: None };
        tell_desk(ask, &letters, TicketEvent::Opened).await?;
        tell_team(ask, &letters, TicketEvent::Received).await?;
        ask.answer_created(ticket_uuid, found(ask, owner, ticket_uuid).await?)
    }

    /// Writes to the support in a ticket; one that was resolved is open again.
    #[graphql(directive = access::apply("partner.support:write".into()))]
    async fn partner_support_tickets_reply(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        ticket_uuid: Uuid,
        body: SupportReply,
    ) -> Result<Option<SupportTicketDetail>, Fault> {
        let ask = ctx.ask();
        let owner = own(ask, partner_uuid)?;
        // The partner first, as whoever opens a ticket: two who hold one and wait for the other would wait for ever.
        store::partner_lock(&ask.db, owner).await?;
        let held = held(ask, owner, ticket_uuid).await?;
        let before = held.state;
        let state = after(before, SupportTicketAction::Reply)?;
        let text = rules::text(&body.body).map_err(|error| Fault::invalid(vec![error]))?;
        rules::full(held.messages_count)?;
        if before == SupportTicketState::Resolved {
            rules::room(store::open_count(&ask.db, owner).await?)?;
        }
        wrote(ask, ticket_uuid, &text).await?;
        store::set_state(&ask.db, ticket_uuid, state).await?;
        noted(ask, owner, ticket_uuid, "TICKET_REPLIED").await?;
        tell_desk(ask, &letters(owner, ticket_uuid, &held), TicketEvent::Replied).await?;
        ask.answer(found(ask, owner, ticket_uuid).await?)
    }

    /// Ends a ticket that is settled.
    #[graphql(directive = access::apply("partner.support:write".into()))]
    async fn partner_support_tickets_close(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        ticket_uuid: Uuid,
    ) -> Result<Option<SupportTicketDetail>, Fault> {
        let ask = ctx.ask();
        let owner = own(ask, partner_uuid)?;
        let held = held(ask, owner, ticket_uuid).await?;
        let state = after(held.state, SupportTicketAction::Close)?;
        store::set_state(&ask.db, ticket_uuid, state).await?;
        noted(ask, owner, ticket_uuid, "TICKET_CLOSED").await?;
        tell_desk(ask, &letters(owner, ticket_uuid, &held), TicketEvent::Withdrawn).await?;
        ask.answer(found(ask, owner, ticket_uuid).await?)
    }
}

async fn found(ask: &Ask, owner: Owner, ticket_uuid: Uuid) -> Result<SupportTicketDetail, Fault> {
    let ticket = OWN.one(&ask.db, [owner.uuid().into(), ticket_uuid.into()]).await?.ok_or_else(not_found)?;
    Ok(SupportTicketDetail::of(ticket, store::messages(&ask.db, owner, ticket_uuid).await?))
}

async fn held(ask: &Ask, owner: Owner, ticket_uuid: Uuid) -> Result<HeldRow, Fault> {
    store::lock(&ask.db, owner, ticket_uuid).await?.ok_or_else(not_found)
}

/// The caller writes into a ticket of the caller's partner.
async fn wrote(ask: &Ask, ticket_uuid: Uuid, body: &str) -> Result<(), Fault> {
    let (message_uuid, author_uuid) = (ask.new_uuid(), ask.principal()?.uuid);
    let message = Message { message_uuid, ticket_uuid, side: SupportMessageSide::Partner, author_uuid, body };
    store::message_insert(&ask.db, &message).await.map(|_| ())
}

async fn noted(ask: &Ask, owner: Owner, ticket_uuid: Uuid, kind: &'static str) -> Result<(), Fault> {
    events::insert(&ask.db, &PartnerEvent::by_caller(ask, owner.uuid(), kind)?.about(ticket_uuid)).await
}

fn letters(owner: Owner, ticket_uuid: Uuid, held: &HeldRow) -> Letters<'_> {
    Letters {
        ticket_uuid,
        partner_uuid: owner.uuid(),
        company_name: &held.company_name,
        subject: &held.subject,
        opened_by: held.opened_by,
        assignee_uuid: held.assignee_uuid,
    }
}

fn not_found() -> Fault {
    Fault::not_found("support ticket")
}
