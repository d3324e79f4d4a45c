//! Operations of the support desk on the tickets of all partners.

use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, Target};
use labs_core::describe::MaybeUndefined;
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;
use labs_core::principal::PrincipalType;
use labs_mail::message::TicketEvent;
use uuid::Uuid;

use super::list::{ANY, QUEUE, SupportDeskFilter, SupportDeskSort};
use super::rules;
use super::store::{self, LockedTicketRow};
use super::types::{
    SupportDeskMessageCreate, SupportDeskMessageKind, SupportDeskTicket, SupportDeskTicketDetail,
    SupportDeskTicketUpdate, SupportTicketSettlement,
};
use crate::partner::events::{self, PartnerEvent, PartnerEventKind};
use crate::partner::support_tickets::{
    Message, SupportMessageSide, SupportTicketAction, TicketMails, ensure_not_full, insert_message, next_state,
    notify_person, notify_team, set_state, text,
};

/// Operations of this file.
pub(in crate::partner) const OPERATIONS: &[Operation] = operations![
    partner_support_desk_list,
    partner_support_desk_get,
    partner_support_desk_update,
    partner_support_desk_post_message,
];

/// List support tickets across partners.
#[operation(query, access = "labs.admin.support", audit_partner = "partner_uuid")]
async fn partner_support_desk_list(
    cx: &RequestContext,
    filter: Option<SupportDeskFilter>,
    sort: Option<SupportDeskSort>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<SupportDeskTicket>, Fault> {
    let mut filter = filter.unwrap_or_default();
    if let Some(q) = &filter.q {
        filter.is_common_text = store::is_common_text(&cx.db, q).await?;
    }
    let rows = QUEUE.page(cx, &filter, &PageRequest::new(sort, limit, cursor)).await?;
    let total = QUEUE.total(&cx.db, &filter, include_total).await?;
    Ok(rows.map(|row| Ok(SupportDeskTicket::of(row, cx)))?.counted_list(total))
}

/// Get a partner's support ticket.
#[operation(query, access = "labs.admin.support", audit_target(SupportTicket, "ticket_uuid"), batched)]
async fn partner_support_desk_get(cx: &RequestContext, ticket_uuid: Uuid) -> Result<SupportDeskTicketDetail, Fault> {
    load_ticket(cx, ticket_uuid).await
}

/// Update a partner's support ticket.
#[operation(
    mutation,
    access = "labs.admin.support:write",
    audit_target(SupportTicket, "ticket_uuid"),
    hidden_from_partner
)]
async fn partner_support_desk_update(
    cx: &RequestContext,
    ticket_uuid: Uuid,
    body: SupportDeskTicketUpdate,
) -> Result<SupportDeskTicketDetail, Fault> {
    let locked = lock_ticket(cx, ticket_uuid).await?;
    match body.assignee_uuid {
        MaybeUndefined::Undefined => {}
        MaybeUndefined::Null => assign(cx, ticket_uuid, &locked, None).await?,
        MaybeUndefined::Value(colleague) => assign(cx, ticket_uuid, &locked, Some(colleague)).await?,
    }
    if let Some(priority) = body.priority.filter(|priority| *priority != locked.priority) {
        store::set_priority(&cx.db, ticket_uuid, priority).await?;
    }
    if let Some(settlement) = body.state {
        settle(cx, ticket_uuid, &locked, settlement).await?;
    }
    load_ticket(cx, ticket_uuid).await
}

/// Post a message on a partner's support ticket.
#[operation(
    mutation,
    access = "labs.admin.support:write",
    audit_target(SupportTicket, "ticket_uuid"),
    hidden_from_partner
)]
async fn partner_support_desk_post_message(
    cx: &RequestContext,
    ticket_uuid: Uuid,
    body: SupportDeskMessageCreate,
) -> Result<SupportDeskTicketDetail, Fault> {
    let locked = lock_ticket(cx, ticket_uuid).await?;
    if store::is_erased(&cx.db, locked.partner_uuid).await? {
        return Err(rules::err_erased());
    }
    let text = text(&body.body).map_err(|error| Fault::invalid(vec![error]))?;
    match body.kind {
        SupportDeskMessageKind::Answer => answer(cx, ticket_uuid, &locked, &text).await?,
        SupportDeskMessageKind::Note => {
            ensure_not_full(locked.notes_count)?;
            store::insert_note(&cx.db, ticket_uuid, cx.new_uuid(), cx.principal()?.uuid, &text).await?;
        }
    }
    load_ticket(cx, ticket_uuid).await
}

/// Writes an answer to the partner and notifies the partner by mail. An unassigned ticket is assigned to the author.
async fn answer(cx: &RequestContext, ticket_uuid: Uuid, locked: &LockedTicketRow, body: &str) -> Result<(), Fault> {
    let state = next_state(locked.state, SupportTicketAction::Answer)?;
    ensure_not_full(locked.messages_count)?;
    let principal = cx.principal()?;
    let (message_uuid, author_uuid) = (cx.new_uuid(), principal.uuid);
    let message = Message { message_uuid, ticket_uuid, side: SupportMessageSide::Support, author_uuid, body };
    insert_message(&cx.db, &message).await?;
    set_state(&cx.db, ticket_uuid, state).await?;
    if locked.assignee_uuid.is_none() && principal.kind == PrincipalType::StaffUser {
        store::set_assignee(&cx.db, ticket_uuid, Some(author_uuid)).await?;
    }
    record_event(cx, ticket_uuid, locked, PartnerEventKind::TicketAnswered).await?;
    notify_team(cx, &compose_mails(ticket_uuid, locked), TicketEvent::Answered).await
}

/// Resolves or closes a ticket and notifies the partner by mail.
async fn settle(
    cx: &RequestContext,
    ticket_uuid: Uuid,
    locked: &LockedTicketRow,
    settlement: SupportTicketSettlement,
) -> Result<(), Fault> {
    let Some(state) = rules::settle(locked.state, settlement.action())? else { return Ok(()) };
    set_state(&cx.db, ticket_uuid, state).await?;
    let (kind, event) = match settlement {
        SupportTicketSettlement::Resolved => (PartnerEventKind::TicketResolved, TicketEvent::Resolved),
        SupportTicketSettlement::Closed => (PartnerEventKind::TicketClosed, TicketEvent::Closed),
    };
    record_event(cx, ticket_uuid, locked, kind).await?;
    notify_team(cx, &compose_mails(ticket_uuid, locked), event).await
}

/// Assigns a ticket to a staff member of the desk, who is notified by mail, or removes the assignment.
async fn assign(
    cx: &RequestContext,
    ticket_uuid: Uuid,
    locked: &LockedTicketRow,
    to: Option<Uuid>,
) -> Result<(), Fault> {
    if to == locked.assignee_uuid {
        return Ok(());
    }
    if let Some(colleague) = to
        && !store::is_colleague(&cx.db, colleague, &rules::answer_scopes()).await?
    {
        return Err(rules::err_no_colleague());
    }
    store::set_assignee(&cx.db, ticket_uuid, to).await?;
    match to.filter(|colleague| Some(*colleague) != cx.principal().ok().map(|principal| principal.uuid)) {
        Some(colleague) => {
            notify_person(cx, &compose_mails(ticket_uuid, locked), colleague, TicketEvent::Assigned).await
        }
        None => Ok(()),
    }
}

/// Writes the change to the history of the partner's account, as the partner sees it.
async fn record_event(
    cx: &RequestContext,
    ticket_uuid: Uuid,
    locked: &LockedTicketRow,
    kind: PartnerEventKind,
) -> Result<(), Fault> {
    events::insert(&cx.db, &PartnerEvent::by_caller(cx, locked.partner_uuid, kind)?.with_subject(ticket_uuid)).await
}

fn compose_mails(ticket_uuid: Uuid, locked: &LockedTicketRow) -> TicketMails<'_> {
    TicketMails {
        ticket_uuid,
        partner_uuid: locked.partner_uuid,
        company_name: &locked.company_name,
        subject: &locked.subject,
        opened_by: locked.opened_by,
        assignee_uuid: locked.assignee_uuid,
    }
}

/// Loads the current ticket and names it in the audit record.
async fn load_ticket(cx: &RequestContext, ticket_uuid: Uuid) -> Result<SupportDeskTicketDetail, Fault> {
    let ticket = ANY.fetch_one(&cx.db, [ticket_uuid.into()]).await?.ok_or_else(err_not_found)?;
    note(cx, ticket_uuid, &ticket.subject, ticket.partner_uuid);
    let messages = store::messages(&cx.db, ticket_uuid).await?;
    let notes = store::notes(&cx.db, ticket_uuid).await?;
    Ok(SupportDeskTicketDetail::of(SupportDeskTicket::of(ticket, cx), messages, notes))
}

/// Locks the ticket for a change and names it in the audit record.
async fn lock_ticket(cx: &RequestContext, ticket_uuid: Uuid) -> Result<LockedTicketRow, Fault> {
    let locked = store::lock(&cx.db, ticket_uuid).await?.ok_or_else(err_not_found)?;
    note(cx, ticket_uuid, &locked.subject, locked.partner_uuid);
    Ok(locked)
}

fn note(cx: &RequestContext, ticket_uuid: Uuid, subject: &str, partner_uuid: Uuid) {
    let (kind, label) = (Some(AuditTargetKind::SupportTicket), Some(subject.to_owned()));
    cx.note_target(Target { kind, uuid: Some(ticket_uuid), label, partner_uuid: Some(partner_uuid) });
}

fn err_not_found() -> Fault {
    Fault::not_found("support ticket")
}
