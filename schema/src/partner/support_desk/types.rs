//! Tickets as the desk is shown them, and what it sends.

use async_graphql::{Enum, InputObject, MaybeUndefined, SimpleObject};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::store::{EntryRow, TicketRow};
use crate::core::context::RequestContext;
use crate::core::time::Time;
use crate::partner::support_tickets::{
    Side, SupportMessageSide, SupportTicketAction, SupportTicketPriority, SupportTicketState, SupportTopic,
    allowed_actions,
};

/// A ticket of any partner.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(complex, rename_fields = "snake_case")]
pub(crate) struct SupportDeskTicket {
    /// The ticket.
    uuid: Uuid,
    /// Whose it is.
    pub(crate) partner_uuid: Uuid,
    /// Company name of the partner.
    company_name: String,
    /// Subject of the support ticket, in one line.
    subject: String,
    /// What it is about, by kind.
    topic: SupportTopic,
    /// The app concerned.
    app_uuid: Option<Uuid>,
    /// Slug of the app.
    app_slug: Option<String>,
    /// Where it stands.
    state: SupportTicketState,
    /// Time of the last state change.
    state_changed_at: Time,
    /// New priority of the support ticket.
    priority: SupportTicketPriority,
    /// Who of the staff has it; null: nobody yet.
    assignee: Option<SupportDeskColleague>,
    /// Uuid of the user or machine client that created the support ticket.
    pub(crate) opened_by_uuid: Uuid,
    /// Their name; null for whoever is gone.
    opened_by_name: Option<String>,
    /// Messages in it.
    messages_count: i32,
    /// When the last one was written.
    last_message_at: Time,
    /// Since when the partner waits for the desk; null while it does not.
    waiting_since: Option<Time>,
    /// Time when the support ticket was created.
    created_at: Time,
    /// Time of the last change of any kind, including notes.
    updated_at: Time,
    /// What the caller can do about it now.
    allowed_actions: Vec<String>,
}

/// A support ticket with its messages and the internal notes of the support staff.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SupportDeskTicketDetail {
    #[graphql(flatten)]
    #[serde(flatten)]
    ticket: SupportDeskTicket,
    /// Messages of both sides, oldest first.
    messages: Vec<SupportDeskMessage>,
    /// What the desk noted for itself, the first first. The partner is never shown it.
    notes: Vec<SupportDeskNote>,
}

/// A staff member.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SupportDeskColleague {
    /// The person.
    uuid: Uuid,
    /// Their name.
    name: String,
}

/// A message from one side to the other.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SupportDeskMessage {
    /// The message.
    uuid: Uuid,
    /// Which side wrote it.
    side: SupportMessageSide,
    /// The person or program that did.
    author_uuid: Uuid,
    /// Their name; null for whoever is gone.
    author_name: Option<String>,
    /// The text.
    body: String,
    /// Time when the message was written.
    created_at: Time,
}

/// An internal note of the support staff.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SupportDeskNote {
    /// UUID of the note.
    uuid: Uuid,
    /// Who noted it.
    author_uuid: Uuid,
    /// Their name; null for whoever is gone.
    author_name: Option<String>,
    /// The text.
    body: String,
    /// When it was noted.
    created_at: Time,
}

/// How the desk settles a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, serde::Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum SupportTicketSettlement {
    /// It takes it for settled; a reply opens it again.
    Resolved,
    /// It ends it.
    Closed,
}

/// What is to change of a ticket (RFC 7396).
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SupportDeskTicketUpdate {
    /// How it is settled.
    pub(super) state: Option<SupportTicketSettlement>,
    /// New priority of the support ticket.
    pub(super) priority: Option<SupportTicketPriority>,
    /// Whose it is to be; null: nobody's.
    pub(super) assignee_uuid: MaybeUndefined<Uuid>,
}

/// For whom something is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum SupportDeskMessageKind {
    /// For the partner.
    Answer,
    /// For the desk itself.
    Note,
}

/// A message or note to add to a support ticket.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SupportDeskMessageCreate {
    /// For whom.
    pub(super) kind: SupportDeskMessageKind,
    /// The text.
    pub(super) body: String,
}

impl SupportTicketSettlement {
    /// What that does to a ticket.
    pub(super) const fn action(self) -> SupportTicketAction {
        match self {
            Self::Resolved => SupportTicketAction::Resolve,
            Self::Closed => SupportTicketAction::Close,
        }
    }
}

impl SupportDeskTicket {
    /// A row as it is shown to the caller.
    pub(crate) fn of(row: TicketRow, cx: &RequestContext) -> Self {
        let acts = cx.may("labs.admin.support:write");
        let allowed_actions = if acts { allowed_actions(row.state, Side::Desk) } else { Vec::new() };
        Self {
            uuid: row.ticket_uuid,
            partner_uuid: row.partner_uuid,
            company_name: row.company_name,
            subject: row.subject,
            topic: row.topic,
            app_uuid: row.app_uuid,
            app_slug: row.app_slug,
            state: row.state,
            state_changed_at: row.state_changed_at,
            priority: row.priority,
            assignee: row.assignee_uuid.zip(row.assignee_name).map(|(uuid, name)| SupportDeskColleague { uuid, name }),
            opened_by_uuid: row.opened_by,
            opened_by_name: row.opened_by_name,
            messages_count: row.messages_count,
            last_message_at: row.last_message_at,
            waiting_since: row.waiting_since,
            created_at: row.created_at,
            updated_at: row.updated_at,
            allowed_actions,
        }
    }
}

impl SupportDeskTicketDetail {
    pub(super) fn of(ticket: SupportDeskTicket, messages: Vec<EntryRow>, notes: Vec<EntryRow>) -> Self {
        let messages = messages.into_iter().map(SupportDeskMessage::from).collect();
        let notes = notes.into_iter().map(SupportDeskNote::from).collect();
        Self { ticket, messages, notes }
    }
}

impl From<EntryRow> for SupportDeskMessage {
    fn from(row: EntryRow) -> Self {
        Self {
            uuid: row.entry_uuid,
            side: row.side,
            author_uuid: row.author_uuid,
            author_name: row.author_name,
            body: row.body,
            created_at: row.created_at,
        }
    }
}

impl From<EntryRow> for SupportDeskNote {
    fn from(row: EntryRow) -> Self {
        Self {
            uuid: row.entry_uuid,
            author_uuid: row.author_uuid,
            author_name: row.author_name,
            body: row.body,
            created_at: row.created_at,
        }
    }
}
