//! Tickets as their partner is shown them, and what it sends.

use async_graphql::{InputObject, SimpleObject};
use uuid::Uuid;

use super::rules::{Side, SupportTicketPriority, SupportTicketState, allowed_actions};
use super::store::MessageRow;
use crate::core::context::RequestContext;
use crate::core::time::Time;
use crate::core::words::words;

words! {
    /// What a ticket is about.
    pub(crate) enum SupportTopic {
        /// The company's account.
        Account = "ACCOUNT",
        /// The team and its invitations.
        Team = "TEAM",
        /// The subscription and its bills.
        Subscription = "SUBSCRIPTION",
        /// An app on the marketplace.
        App = "APP",
        /// A decision about a submitted version, or a customer's review.
        Review = "REVIEW",
        /// Calling the interface.
        Api = "API",
        /// Usage statistics.
        Statistics = "STATISTICS",
        /// Anything else.
        Other = "OTHER",
    }
}

words! {
    /// Which side wrote.
    pub(crate) enum SupportMessageSide {
        /// The partner.
        Partner = "PARTNER",
        /// The platform's support.
        Support = "SUPPORT",
    }
}

/// A support ticket of a partner.
#[derive(Debug, serde::Serialize, SimpleObject, sqlx::FromRow)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SupportTicket {
    /// The ticket.
    pub(super) uuid: Uuid,
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
    /// How soon it is looked at.
    priority: SupportTicketPriority,
    /// Uuid of the user or machine client that created the support ticket.
    opened_by_uuid: Uuid,
    /// Their name; null for whoever is gone.
    opened_by_name: Option<String>,
    /// Messages in it.
    messages_count: i32,
    /// When the last one was written.
    pub(super) last_message_at: Time,
    /// Time when the support ticket was created.
    pub(super) created_at: Time,
    /// What the caller can do about it now.
    #[sqlx(skip)]
    allowed_actions: Vec<String>,
}

/// A support ticket of a partner, with its messages.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SupportTicketDetail {
    #[graphql(flatten)]
    #[serde(flatten)]
    ticket: SupportTicket,
    /// Messages of both sides, oldest first.
    messages: Vec<SupportMessage>,
}

/// A message from one side to the other.
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
    /// Time when the message was written.
    created_at: Time,
}

/// A support ticket to create.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SupportTicketOpen {
    /// Subject of the support ticket, in one line.
    pub(super) subject: String,
    /// The first message.
    pub(super) body: String,
    /// What it is about, by kind.
    pub(super) topic: SupportTopic,
    /// The app concerned, one of the partner's own.
    pub(super) app_uuid: Option<Uuid>,
}

/// A reply to add to a support ticket.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SupportReply {
    /// The text.
    pub(super) body: String,
}

impl SupportTicket {
    /// The same with what the caller can do about it.
    pub(super) fn for_caller(self, cx: &RequestContext) -> Self {
        let acts = cx.may("partner.support:write");
        let allowed_actions = if acts { allowed_actions(self.state, Side::Partner) } else { Vec::new() };
        Self { allowed_actions, ..self }
    }
}

impl SupportTicketDetail {
    pub(super) fn of(ticket: SupportTicket, messages: Vec<MessageRow>) -> Self {
        Self { ticket, messages: messages.into_iter().map(SupportMessage::from).collect() }
    }
}

impl From<MessageRow> for SupportMessage {
    fn from(row: MessageRow) -> Self {
        let is_partner = row.side == SupportMessageSide::Partner;
        Self {
            uuid: row.message_uuid,
            side: row.side,
            // Who of the platform's staff wrote is nobody else's business.
            author_uuid: Some(row.author_uuid).filter(|_| is_partner),
            author_name: row.author_name.filter(|_| is_partner),
            body: row.body,
            created_at: row.created_at,
        }
    }
}
