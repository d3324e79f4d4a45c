//! Tickets as their partner is shown them, and what it sends.

use async_graphql::{Enum, InputObject, SimpleObject};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::rules::State;
use super::store::{MessageRow, TicketRow};
use crate::fault::Fault;
use crate::time::Time;

/// What a ticket is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum SupportTopic {
    /// The company's account.
    Account,
    /// The team and its invitations.
    Team,
    /// The subscription and its bills.
    Subscription,
    /// An app on the marketplace.
    App,
    /// A decision about a submitted version, or a customer's review.
    Review,
    /// Calling the interface.
    Api,
    /// Usage statistics.
    Statistics,
    /// Anything else.
    Other,
}

/// Where a ticket stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum SupportTicketState {
    /// The partner waits for the desk.
    Open,
    /// The desk waits for the partner.
    WaitingOnPartner,
    /// The desk takes it for settled; a reply opens it again.
    Resolved,
    /// It is over.
    Closed,
}

/// How soon a ticket is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum SupportTicketPriority {
    /// After the others.
    Low,
    /// In its turn.
    Normal,
    /// Before the others.
    High,
    /// At once.
    Urgent,
}

/// Which side wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum SupportMessageSide {
    /// The partner.
    Partner,
    /// The platform's support.
    Support,
}

/// A partner's ticket.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SupportTicket {
    /// The ticket.
    uuid: Uuid,
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
    /// How soon it is looked at.
    priority: SupportTicketPriority,
    /// The person or program that opened it.
    opened_by_uuid: Uuid,
    /// Their name; null for whoever is gone.
    opened_by_name: Option<String>,
    /// Messages in it.
    messages_count: i32,
    /// When the last one was written.
    last_message_at: Time,
    /// When it was opened.
    created_at: Time,
}

/// A partner's ticket with what was written in it.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SupportTicketDetail {
    #[graphql(flatten)]
    #[serde(flatten)]
    ticket: SupportTicket,
    /// What both sides wrote, the first first.
    messages: Vec<SupportMessage>,
}

/// Something that one side wrote to the other.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SupportMessage {
    /// The message.
    uuid: Uuid,
    /// Which side wrote it.
    side: SupportMessageSide,
    /// The person or program of the partner that did; null for the support.
    author_uuid: Option<Uuid>,
    /// Their name; null for the support, and for whoever is gone.
    author_name: Option<String>,
    /// The text.
    body: String,
    /// When it was written.
    created_at: Time,
}

/// A ticket to open.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SupportTicketOpen {
    /// What it is about, in a line.
    pub(super) subject: String,
    /// The first message.
    pub(super) body: String,
    /// What it is about, by kind.
    pub(super) topic: SupportTopic,
    /// The app concerned, one of the partner's own.
    pub(super) app_uuid: Option<Uuid>,
}

/// Something to write into a ticket.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SupportReply {
    /// The text.
    pub(super) body: String,
}

/// Reads a column's value as one of an enumeration's.
pub(in crate::partner) fn read<T: serde::de::DeserializeOwned>(what: &str, text: &str) -> Result<T, Fault> {
    serde_json::from_value(serde_json::Value::String(text.to_owned()))
        .map_err(|_| Fault::internal(format!("a support ticket with the {what} {text}")))
}

/// The value that a column keeps of one of an enumeration's.
pub(in crate::partner) fn written<T: Serialize>(value: T) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

impl SupportTicketState {
    pub(in crate::partner) fn of(state: State) -> Self {
        match state {
            State::Open => Self::Open,
            State::WaitingOnPartner => Self::WaitingOnPartner,
            State::Resolved => Self::Resolved,
            State::Closed => Self::Closed,
        }
    }
}

impl TryFrom<TicketRow> for SupportTicket {
    type Error = Fault;

    fn try_from(row: TicketRow) -> Result<Self, Fault> {
        Ok(Self {
            uuid: row.ticket_uuid,
            subject: row.subject,
            topic: read("topic", &row.topic)?,
            app_uuid: row.app_uuid,
            app_slug: row.app_slug,
            state: SupportTicketState::of(State::parse(&row.state)?),
            state_changed_at: row.state_changed_at,
            priority: read("priority", &row.priority)?,
            opened_by_uuid: row.opened_by,
            opened_by_name: row.opened_by_name,
            messages_count: row.messages_count,
            last_message_at: row.last_message_at,
            created_at: row.created_at,
        })
    }
}

impl SupportTicketDetail {
    pub(super) fn of(ticket: TicketRow, messages: Vec<MessageRow>) -> Result<Self, Fault> {
        let messages = messages.into_iter().map(SupportMessage::try_from).collect::<Result<_, _>>()?;
        Ok(Self { ticket: ticket.try_into()?, messages })
    }
}

impl TryFrom<MessageRow> for SupportMessage {
    type Error = Fault;

    fn try_from(row: MessageRow) -> Result<Self, Fault> {
        let side = read("side", &row.side)?;
        let is_partner = side == SupportMessageSide::Partner;
        Ok(Self {
            uuid: row.message_uuid,
            side,
            // Who of the platform's staff wrote is nobody else's business.
            author_uuid: Some(row.author_uuid).filter(|_| is_partner),
            author_name: row.author_name.filter(|_| is_partner),
            body: row.body,
            created_at: row.created_at,
        })
    }
}
