//! Operations of a partner on its support tickets.

use labs_core::context::RequestContext;
use labs_core::describe::Created;
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::List;
use labs_core::principal::Owner;
use labs_mail::message::TicketEvent;
use uuid::Uuid;

use super::list::{OWN, OwnTickets, SupportTicketFilter, SupportTicketSort, TICKETS};
use super::mails::{TicketMails, notify_desk, notify_team};
use super::rules::{self, SupportTicketAction, SupportTicketState, next_state};
use super::store::{self, LockedTicketRow, Message, NewTicket};
use super::types::{SupportMessageSide, SupportReply, SupportTicket, SupportTicketDetail, SupportTicketOpen};
use crate::partner::events::{self, PartnerEvent, PartnerEventKind};
use crate::partner::own::ensure_own;

/// Operations of this file.
pub(in crate::partner) const OPERATIONS: &[Operation] = operations![
    partner_support_tickets_list,
    partner_support_tickets_get,
    partner_support_tickets_open,
    partner_support_tickets_reply,
    partner_support_tickets_close,
];

/// List support tickets.
#[operation(query, access = "partner.support")]
async fn partner_support_tickets_list(
    cx: &RequestContext,
    partner_uuid: Uuid,
    filter: Option<SupportTicketFilter>,
    sort: Option<SupportTicketSort>,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<SupportTicket>, Fault> {
    let partner_uuid = ensure_own(cx, partner_uuid)?.uuid();
    let tickets = OwnTickets { partner_uuid, filter: filter.unwrap_or_default() };
    let rows = TICKETS.page(cx, &tickets, &PageRequest::new(sort, limit, cursor)).await?;
    Ok(rows.map(|ticket| Ok(ticket.for_caller(cx)))?.list())
}

/// Get a support ticket.
#[operation(query, access = "partner.support")]
async fn partner_support_tickets_get(
    cx: &RequestContext,
    partner_uuid: Uuid,
    ticket_uuid: Uuid,
) -> Result<SupportTicketDetail, Fault> {
    load_ticket(cx, ensure_own(cx, partner_uuid)?, ticket_uuid).await
}

/// Create a support ticket.
#[operation(mutation, access = "partner.support:write")]
async fn partner_support_tickets_open(
    cx: &RequestContext,
    partner_uuid: Uuid,
    body: SupportTicketOpen,
) -> Result<Created<SupportTicketDetail>, Fault> {
    let owner = ensure_own(cx, partner_uuid)?;
    let mut errors = Vec::new();
    let subject = rules::subject(&body.subject).map_err(|error| errors.push(error)).unwrap_or_default();
    let text = rules::text(&body.body).map_err(|error| errors.push(error)).unwrap_or_default();
    if let Some(app_uuid) = body.app_uuid
        && !store::owns_app(&cx.db, owner, app_uuid).await?
    {
        errors.push(rules::err_unknown_app());
    }
    if !errors.is_empty() {
        return Err(Fault::invalid(errors));
    }
    let (company_name, has_priority) = store::lock_partner(&cx.db, owner).await?;
    rules::ensure_quota(store::count_open(&cx.db, owner).await?)?;
    let principal = cx.principal()?;
    let new = NewTicket {
        ticket_uuid: cx.new_uuid(),
        subject: &subject,
        topic: body.topic,
        app_uuid: body.app_uuid,
        priority: rules::first_priority(has_priority),
        opened_by_kind: principal.kind.name(),
        opened_by: principal.uuid,
    };
    store::insert(&cx.db, owner, &new).await?;
    write_message(cx, new.ticket_uuid, &text).await?;
    record_event(cx, owner, new.ticket_uuid, PartnerEventKind::TicketOpened).await?;
    let (ticket_uuid, partner_uuid, opened_by) = (new.ticket_uuid, owner.uuid(), new.opened_by);
    let (company_name, subject) = (company_name.as_str(), subject.as_str());
    let mails = TicketMails { ticket_uuid, partner_uuid, company_name, subject, opened_by, assignee_uuid: None };
    notify_desk(cx, &mails, TicketEvent::Opened).await?;
    notify_team(cx, &mails, TicketEvent::Received).await?;
    Ok(Created::new(ticket_uuid, load_ticket(cx, owner, ticket_uuid).await?))
}

/// Reply to a support ticket.
#[operation(mutation, access = "partner.support:write")]
async fn partner_support_tickets_reply(
    cx: &RequestContext,
    partner_uuid: Uuid,
    ticket_uuid: Uuid,
    body: SupportReply,
) -> Result<SupportTicketDetail, Fault> {
    let owner = ensure_own(cx, partner_uuid)?;
    // Locks the partner first, in the same order as the opening of a ticket. Otherwise two transactions that lock
    // in opposite order would deadlock.
    store::lock_partner(&cx.db, owner).await?;
    let locked = lock_ticket(cx, owner, ticket_uuid).await?;
    let before = locked.state;
    let state = next_state(before, SupportTicketAction::Reply)?;
    let text = rules::text(&body.body).map_err(|error| Fault::invalid(vec![error]))?;
    rules::ensure_not_full(locked.messages_count)?;
    if before == SupportTicketState::Resolved {
        rules::ensure_quota(store::count_open(&cx.db, owner).await?)?;
    }
    write_message(cx, ticket_uuid, &text).await?;
    store::set_state(&cx.db, ticket_uuid, state).await?;
    record_event(cx, owner, ticket_uuid, PartnerEventKind::TicketReplied).await?;
    notify_desk(cx, &compose_mails(owner, ticket_uuid, &locked), TicketEvent::Replied).await?;
    load_ticket(cx, owner, ticket_uuid).await
}

/// Close a support ticket.
#[operation(mutation, access = "partner.support:write")]
async fn partner_support_tickets_close(
    cx: &RequestContext,
    partner_uuid: Uuid,
    ticket_uuid: Uuid,
) -> Result<SupportTicketDetail, Fault> {
    let owner = ensure_own(cx, partner_uuid)?;
    let locked = lock_ticket(cx, owner, ticket_uuid).await?;
    let state = next_state(locked.state, SupportTicketAction::Close)?;
    store::set_state(&cx.db, ticket_uuid, state).await?;
    record_event(cx, owner, ticket_uuid, PartnerEventKind::TicketClosed).await?;
    notify_desk(cx, &compose_mails(owner, ticket_uuid, &locked), TicketEvent::Withdrawn).await?;
    load_ticket(cx, owner, ticket_uuid).await
}

async fn load_ticket(cx: &RequestContext, owner: Owner, ticket_uuid: Uuid) -> Result<SupportTicketDetail, Fault> {
    let ticket = OWN.fetch_one(&cx.db, [owner.uuid().into(), ticket_uuid.into()]).await?.ok_or_else(err_not_found)?;
    Ok(SupportTicketDetail::of(ticket.for_caller(cx), store::messages(&cx.db, owner, ticket_uuid).await?))
}

async fn lock_ticket(cx: &RequestContext, owner: Owner, ticket_uuid: Uuid) -> Result<LockedTicketRow, Fault> {
    store::lock(&cx.db, owner, ticket_uuid).await?.ok_or_else(err_not_found)
}

/// Writes a message of the caller to a ticket of the caller's partner.
async fn write_message(cx: &RequestContext, ticket_uuid: Uuid, body: &str) -> Result<(), Fault> {
    let (message_uuid, author_uuid) = (cx.new_uuid(), cx.principal()?.uuid);
    let message = Message { message_uuid, ticket_uuid, side: SupportMessageSide::Partner, author_uuid, body };
    store::insert_message(&cx.db, &message).await.map(|_| ())
}

async fn record_event(
    cx: &RequestContext,
    owner: Owner,
    ticket_uuid: Uuid,
    kind: PartnerEventKind,
) -> Result<(), Fault> {
    events::insert(&cx.db, &PartnerEvent::by_caller(cx, owner.uuid(), kind)?.with_subject(ticket_uuid)).await
}

fn compose_mails(owner: Owner, ticket_uuid: Uuid, locked: &LockedTicketRow) -> TicketMails<'_> {
    TicketMails {
        ticket_uuid,
        partner_uuid: owner.uuid(),
        company_name: &locked.company_name,
        subject: &locked.subject,
        opened_by: locked.opened_by,
        assignee_uuid: locked.assignee_uuid,
    }
}

fn err_not_found() -> Fault {
    Fault::not_found("support ticket")
}
