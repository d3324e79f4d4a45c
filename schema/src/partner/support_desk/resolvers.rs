//! Operations of the support desk on the tickets of all partners.

use async_graphql::{Context, MaybeUndefined, Object};
use uuid::Uuid;

use super::list::{ANY, QUEUE, SupportDeskFilter, SupportDeskSort};
use super::rules;
use super::store::{self, HeldRow};
use super::types::{
    SupportDeskMessageCreate, SupportDeskMessageKind, SupportDeskTicket, SupportDeskTicketDetail,
    SupportDeskTicketUpdate, SupportTicketSettlement,
};
use crate::core::access::{access, audit_partner, audit_target, batched, hidden_from_partner};
use crate::core::audit_target::AuditTargetKind;
use crate::core::context::{RequestContext, RequestContextExt, Target};
use crate::core::fault::Fault;
use crate::core::list::PageRequest;
use crate::core::mail::message::TicketEvent;
use crate::core::page::CountedList;
use crate::core::principal::PrincipalType;
use crate::partner::events::{self, PartnerEvent, PartnerEventKind};
use crate::partner::support_tickets::{
    Letters, Message, SupportMessageSide, SupportTicketAction, after, full, message_insert, set_state, tell_person,
    tell_team, text,
};

/// Queries for the desk.
#[derive(Default)]
pub(crate) struct SupportDeskQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl SupportDeskQuery {
    /// List support tickets across partners.
    #[graphql(
        directive = access::apply("labs.admin.support".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn partner_support_desk_list(
        &self,
        ctx: &Context<'_>,
        filter: Option<SupportDeskFilter>,
        sort: Option<SupportDeskSort>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<SupportDeskTicket>>, Fault> {
        let (cx, filter) = (ctx.cx(), filter.unwrap_or_default());
        let rows = QUEUE.page(cx, &filter, &PageRequest::new(sort, limit, cursor)).await?;
        let total = QUEUE.total(&cx.db, &filter, include_total).await?;
        cx.answer_list(rows.map(|row| Ok(SupportDeskTicket::of(row, cx)))?.counted_list(total))
    }

    /// Get a partner's support ticket.
    #[graphql(
        directive = access::apply("labs.admin.support".into()),
        directive = audit_target::apply(AuditTargetKind::SupportTicket, "ticket_uuid".into()),
        directive = batched::apply()
    )]
    async fn partner_support_desk_get(
        &self,
        ctx: &Context<'_>,
        ticket_uuid: Uuid,
    ) -> Result<Option<SupportDeskTicketDetail>, Fault> {
        ctx.cx().answer(load_ticket(ctx.cx(), ticket_uuid).await?)
    }
}

/// Mutations of the desk.
#[derive(Default)]
pub(crate) struct SupportDeskMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl SupportDeskMutation {
    /// Update a partner's support ticket.
    #[graphql(
        directive = access::apply("labs.admin.support:write".into()),
        directive = audit_target::apply(AuditTargetKind::SupportTicket, "ticket_uuid".into()),
        directive = hidden_from_partner::apply()
    )]
    async fn partner_support_desk_update(
        &self,
        ctx: &Context<'_>,
        ticket_uuid: Uuid,
        body: SupportDeskTicketUpdate,
    ) -> Result<Option<SupportDeskTicketDetail>, Fault> {
        let cx = ctx.cx();
        let held = lock_ticket(cx, ticket_uuid).await?;
        match body.assignee_uuid {
            MaybeUndefined::Undefined => {}
            MaybeUndefined::Null => assign(cx, ticket_uuid, &held, None).await?,
            MaybeUndefined::Value(colleague) => assign(cx, ticket_uuid, &held, Some(colleague)).await?,
        }
        if let Some(priority) = body.priority.filter(|priority| *priority != held.priority) {
            store::set_priority(&cx.db, ticket_uuid, priority).await?;
        }
        if let Some(settlement) = body.state {
            settle(cx, ticket_uuid, &held, settlement).await?;
        }
        cx.answer(load_ticket(cx, ticket_uuid).await?)
    }

    /// Post a message on a partner's support ticket.
    #[graphql(
        directive = access::apply("labs.admin.support:write".into()),
        directive = audit_target::apply(AuditTargetKind::SupportTicket, "ticket_uuid".into()),
        directive = hidden_from_partner::apply()
    )]
    async fn partner_support_desk_post_message(
        &self,
        ctx: &Context<'_>,
        ticket_uuid: Uuid,
        body: SupportDeskMessageCreate,
    ) -> Result<Option<SupportDeskTicketDetail>, Fault> {
        let cx = ctx.cx();
        let held = lock_ticket(cx, ticket_uuid).await?;
        if store::is_erased(&cx.db, held.partner_uuid).await? {
            return Err(rules::erased());
        }
        let text = text(&body.body).map_err(|error| Fault::invalid(vec![error]))?;
        match body.kind {
            SupportDeskMessageKind::Answer => answer(cx, ticket_uuid, &held, &text).await?,
            SupportDeskMessageKind::Note => {
                full(held.notes_count)?;
                store::note_insert(&cx.db, ticket_uuid, cx.new_uuid(), cx.principal()?.uuid, &text).await?;
            }
        }
        cx.answer(load_ticket(cx, ticket_uuid).await?)
    }
}

/// Writes an answer to the partner and notifies the partner by mail. An unassigned ticket is assigned to the author.
async fn answer(cx: &RequestContext, ticket_uuid: Uuid, held: &HeldRow, body: &str) -> Result<(), Fault> {
    let state = after(held.state, SupportTicketAction::Answer)?;
    full(held.messages_count)?;
    let principal = cx.principal()?;
    let (message_uuid, author_uuid) = (cx.new_uuid(), principal.uuid);
    let message = Message { message_uuid, ticket_uuid, side: SupportMessageSide::Support, author_uuid, body };
    message_insert(&cx.db, &message).await?;
    set_state(&cx.db, ticket_uuid, state).await?;
    if held.assignee_uuid.is_none() && principal.kind == PrincipalType::StaffUser {
        store::set_assignee(&cx.db, ticket_uuid, Some(author_uuid)).await?;
    }
    record_event(cx, ticket_uuid, held, PartnerEventKind::TicketAnswered).await?;
    tell_team(cx, &letters(ticket_uuid, held), TicketEvent::Answered).await
}

/// Resolves or closes a ticket and notifies the partner by mail.
async fn settle(
    cx: &RequestContext,
    ticket_uuid: Uuid,
    held: &HeldRow,
    settlement: SupportTicketSettlement,
) -> Result<(), Fault> {
    let Some(state) = rules::settle(held.state, settlement.action())? else { return Ok(()) };
    set_state(&cx.db, ticket_uuid, state).await?;
    let (kind, event) = match settlement {
        SupportTicketSettlement::Resolved => (PartnerEventKind::TicketResolved, TicketEvent::Resolved),
        SupportTicketSettlement::Closed => (PartnerEventKind::TicketClosed, TicketEvent::Closed),
    };
    record_event(cx, ticket_uuid, held, kind).await?;
    tell_team(cx, &letters(ticket_uuid, held), event).await
}

/// Assigns a ticket to a staff member of the desk, who is notified by mail, or removes the assignment.
async fn assign(cx: &RequestContext, ticket_uuid: Uuid, held: &HeldRow, to: Option<Uuid>) -> Result<(), Fault> {
    if to == held.assignee_uuid {
        return Ok(());
    }
    if let Some(colleague) = to
        && !store::is_colleague(&cx.db, colleague, &rules::answering()).await?
    {
        return Err(rules::no_colleague());
    }
    store::set_assignee(&cx.db, ticket_uuid, to).await?;
    match to.filter(|colleague| Some(*colleague) != cx.principal().ok().map(|principal| principal.uuid)) {
        Some(colleague) => tell_person(cx, &letters(ticket_uuid, held), colleague, TicketEvent::Assigned).await,
        None => Ok(()),
    }
}

/// Writes the change to the history of the partner's account, as the partner sees it.
async fn record_event(
    cx: &RequestContext,
    ticket_uuid: Uuid,
    held: &HeldRow,
    kind: PartnerEventKind,
) -> Result<(), Fault> {
    events::insert(&cx.db, &PartnerEvent::by_caller(cx, held.partner_uuid, kind)?.about(ticket_uuid)).await
}

fn letters(ticket_uuid: Uuid, held: &HeldRow) -> Letters<'_> {
    Letters {
        ticket_uuid,
        partner_uuid: held.partner_uuid,
        company_name: &held.company_name,
        subject: &held.subject,
        opened_by: held.opened_by,
        assignee_uuid: held.assignee_uuid,
    }
}

/// Loads the current ticket and names it in the audit record.
async fn load_ticket(cx: &RequestContext, ticket_uuid: Uuid) -> Result<SupportDeskTicketDetail, Fault> {
    let ticket = ANY.one(&cx.db, [ticket_uuid.into()]).await?.ok_or_else(not_found)?;
    note(cx, ticket_uuid, &ticket.subject, ticket.partner_uuid);
    let messages = store::messages(&cx.db, ticket_uuid).await?;
    let notes = store::notes(&cx.db, ticket_uuid).await?;
    Ok(SupportDeskTicketDetail::of(SupportDeskTicket::of(ticket, cx), messages, notes))
}

/// Locks the ticket for a change and names it in the audit record.
async fn lock_ticket(cx: &RequestContext, ticket_uuid: Uuid) -> Result<HeldRow, Fault> {
    let held = store::lock(&cx.db, ticket_uuid).await?.ok_or_else(not_found)?;
    note(cx, ticket_uuid, &held.subject, held.partner_uuid);
    Ok(held)
}

fn note(cx: &RequestContext, ticket_uuid: Uuid, subject: &str, partner_uuid: Uuid) {
    let (kind, label) = (Some(AuditTargetKind::SupportTicket), Some(subject.to_owned()));
    cx.note_target(Target { kind, uuid: Some(ticket_uuid), label, partner_uuid: Some(partner_uuid) });
}

fn not_found() -> Fault {
    Fault::not_found("support ticket")
}
