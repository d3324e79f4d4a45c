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
    /// That partner's name.
    company_name: String,
    /// What it is about, in a line.
    subject: String,
    /// What it is about, by kind.
    topic: SupportTopic,
    /// The app concerned.
    app_uuid: Option<Uuid>,
    /// The app's name in addresses.
    app_slug: Option<String>,
    /// Where it stands.
    state: SupportTicketState,
    /// Since when it stands there.
    state_changed_at: Time,
    /// How soon it is to be looked at.
    priority: SupportTicketPriority,
    /// Who of the staff has it; null: nobody yet.
    assignee: Option<SupportDeskColleague>,
    /// The person or program that opened it.
    pub(crate) opened_by_uuid: Uuid,
    /// Their name; null for whoever is gone.
    opened_by_name: Option<String>,
    /// Messages in it.
    messages_count: i32,
    /// When the last one was written.
    last_message_at: Time,
    /// Since when the partner waits for the desk; null while it does not.
    waiting_since: Option<Time>,
    /// When it was opened.
    created_at: Time,
    /// When anything about it last changed, notes included.
    updated_at: Time,
    /// What the caller can do about it now.
    allowed_actions: Vec<String>,
}

/// A ticket with what was written in it and what the desk noted for itself.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SupportDeskTicketDetail {
    #[graphql(flatten)]
    #[serde(flatten)]
    ticket: SupportDeskTicket,
    /// What both sides wrote, the first first.
    messages: Vec<SupportDeskMessage>,
    /// What the desk noted for itself, the first first. The partner is never shown it.
    notes: Vec<SupportDeskNote>,
}

/// Somebody of the staff.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SupportDeskColleague {
    /// The person.
    uuid: Uuid,
    /// Their name.
    name: String,
}

/// Something that one side wrote to the other.
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
    /// When it was written.
    created_at: Time,
}

/// Something that the desk noted for itself.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SupportDeskNote {
    /// The note.
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
    /// How soon it is to be looked at.
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

/// Something to write into a ticket.
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
