//! Input and output types of support tickets for the desk.

use labs_core::context::RequestContext;
use labs_core::describe::{EnumType, InputType, MaybeUndefined, OutputType};
use labs_core::time::Time;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::store::{EntryRow, TicketRow};
use crate::partner::support_tickets::{
    SupportMessageSide, SupportTicketAction, SupportTicketPriority, SupportTicketState, SupportTopic, TicketActor,
    allowed_actions,
};

/// A support ticket of any partner, as staff see it.
#[derive(serde::Serialize, OutputType)]
pub struct SupportDeskTicket {
    /// UUID of the support ticket, for use in paths.
    uuid: Uuid,
    /// UUID of the partner that the support ticket belongs to.
    pub(crate) partner_uuid: Uuid,
    /// Company name of the partner.
    company_name: String,
    /// Subject of the support ticket, in one line.
    subject: String,
    /// Topic of the support ticket.
    topic: SupportTopic,
    /// UUID of the affected app. Null if the ticket concerns no app, or an app that no longer exists.
    app_uuid: Option<Uuid>,
    /// Slug of the app.
    app_slug: Option<String>,
    /// State of the support ticket.
    state: SupportTicketState,
    /// Time when the support ticket entered this state.
    state_changed_at: Time,
    /// Priority of the support ticket.
    priority: SupportTicketPriority,
    /// Staff member to whom the support ticket is assigned. Null if it is unassigned.
    assignee: Option<SupportDeskColleague>,
    /// UUID of the user or machine client that created the support ticket.
    pub(crate) opened_by_uuid: Uuid,
    /// Name of the creator. Null if the creator no longer exists.
    opened_by_name: Option<String>,
    /// Number of messages in the support ticket.
    messages_count: i32,
    /// Time of the last message.
    last_message_at: Time,
    /// Time since which the partner has waited for the support staff. Null if the partner does not wait.
    waiting_since: Option<Time>,
    /// Time when the support ticket was created.
    created_at: Time,
    /// Time of the last change of any kind, including notes.
    updated_at: Time,
    /// Actions that the caller can perform now.
    allowed_actions: Vec<String>,
}

/// A support ticket with its messages and the internal notes of the support staff.
#[derive(serde::Serialize, OutputType)]
pub(super) struct SupportDeskTicketDetail {
    #[serde(flatten)]
    ticket: SupportDeskTicket,
    /// Messages of both sides, oldest first.
    messages: Vec<SupportDeskMessage>,
    /// Internal notes of the support staff, oldest first. Partners never see them.
    notes: Vec<SupportDeskNote>,
}

/// A staff member.
#[derive(serde::Serialize, OutputType)]
pub(super) struct SupportDeskColleague {
    /// UUID of the staff member.
    uuid: Uuid,
    /// Name of the staff member. Partners never see it.
    name: String,
}

/// A message of the partner or of the support staff in a support ticket.
#[derive(serde::Serialize, OutputType)]
pub(super) struct SupportDeskMessage {
    /// UUID of the message.
    uuid: Uuid,
    /// Side that wrote the message.
    side: SupportMessageSide,
    /// UUID of the user or machine client that wrote the message.
    author_uuid: Uuid,
    /// Name of the author. Null if the author no longer exists.
    author_name: Option<String>,
    /// Text of the message, as plain text. Line breaks are kept. Show markup as text and do not interpret it.
    body: String,
    /// Time when the message was written.
    created_at: Time,
}

/// An internal note of the support staff.
#[derive(serde::Serialize, OutputType)]
pub(super) struct SupportDeskNote {
    /// UUID of the note.
    uuid: Uuid,
    /// UUID of the staff member or machine client that wrote the note.
    author_uuid: Uuid,
    /// Name of the author. Null if the author no longer exists.
    author_name: Option<String>,
    /// Text of the note, as plain text. Line breaks are kept. Show markup as text and do not interpret it.
    body: String,
    /// Time when the note was written.
    created_at: Time,
}

/// State to which the desk moves a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumType, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum SupportTicketSettlement {
    /// The desk regards the issue as resolved; a reply reopens the ticket.
    Resolved,
    /// The desk closes the ticket.
    Closed,
}

/// A merge patch (RFC 7396). Omitted fields keep their values.
#[derive(serde::Deserialize, InputType)]
pub(super) struct SupportDeskTicketUpdate {
    /// New state, which settles the support ticket.
    pub(super) state: Option<SupportTicketSettlement>,
    /// New priority of the support ticket.
    pub(super) priority: Option<SupportTicketPriority>,
    /// UUID of the new assignee. Null removes the assignment.
    #[serde(default)]
    pub(super) assignee_uuid: MaybeUndefined<Uuid>,
}

/// Kind of the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumType, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum SupportDeskMessageKind {
    /// For the partner.
    Answer,
    /// For the support staff only.
    Note,
}

/// A message or note to add to a support ticket.
#[derive(serde::Deserialize, InputType)]
pub(super) struct SupportDeskMessageCreate {
    /// Audience of the message.
    pub(super) kind: SupportDeskMessageKind,
    /// Text of the message, as plain text. Line breaks are kept. Markup is not interpreted.
    pub(super) body: String,
}

impl SupportTicketSettlement {
    /// Returns the action on the ticket.
    pub(super) const fn action(self) -> SupportTicketAction {
        match self {
            Self::Resolved => SupportTicketAction::Resolve,
            Self::Closed => SupportTicketAction::Close,
        }
    }
}

impl SupportDeskTicket {
    /// Converts a row to the representation for the caller.
    pub fn of(row: TicketRow, cx: &RequestContext) -> Self {
        let acts = cx.may("labs.admin.support:write");
        let allowed_actions = if acts { allowed_actions(row.state, TicketActor::Desk) } else { Vec::new() };
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
