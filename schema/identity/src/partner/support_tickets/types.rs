//! Input and output types of support tickets for their partner.

use labs_core::context::RequestContext;
use labs_core::describe::{InputType, OutputType};
use labs_core::time::Time;
use labs_core::words::words;
use uuid::Uuid;

use super::rules::{SupportTicketPriority, SupportTicketState, TicketActor, allowed_actions};
use super::store::MessageRow;

words! {
    /// Topic of a support ticket.
    pub enum SupportTopic {
        /// The company's account.
        Account = "ACCOUNT",
        /// The team and its invitations.
        Team = "TEAM",
        /// The subscription and its invoices.
        Subscription = "SUBSCRIPTION",
        /// An app on the marketplace.
        App = "APP",
        /// A decision about a submitted version, or a customer review.
        Review = "REVIEW",
        /// Use of this API.
        Api = "API",
        /// Usage statistics.
        Statistics = "STATISTICS",
        /// Anything else.
        Other = "OTHER",
    }
}

words! {
    /// Side that wrote a message: the partner or the platform's support.
    pub enum SupportMessageSide {
        /// The partner.
        Partner = "PARTNER",
        /// The support staff.
        Support = "SUPPORT",
    }
}

/// A support ticket of a partner.
#[derive(Debug, serde::Serialize, OutputType, sqlx::FromRow)]
pub(super) struct SupportTicket {
    /// UUID of the support ticket, for use in paths.
    pub(super) uuid: Uuid,
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
    /// UUID of the user or machine client that created the support ticket.
    opened_by_uuid: Uuid,
    /// Name of the creator. Null if the creator no longer belongs to the partner.
    opened_by_name: Option<String>,
    /// Number of messages in the support ticket.
    messages_count: i32,
    /// Time of the last message.
    pub(super) last_message_at: Time,
    /// Time when the support ticket was created.
    pub(super) created_at: Time,
    /// Actions that the caller can perform now.
    #[sqlx(skip)]
    allowed_actions: Vec<String>,
}

/// A support ticket of a partner, with its messages.
#[derive(serde::Serialize, OutputType)]
pub(super) struct SupportTicketDetail {
    #[serde(flatten)]
    ticket: SupportTicket,
    /// Messages of both sides, oldest first.
    messages: Vec<SupportMessage>,
}

/// A message of the partner or of the support staff in a support ticket.
#[derive(serde::Serialize, OutputType)]
pub(super) struct SupportMessage {
    /// UUID of the message.
    uuid: Uuid,
    /// Side that wrote the message.
    side: SupportMessageSide,
    /// UUID of the user or machine client of the partner that wrote the message. Null for a message of the support
    /// staff.
    author_uuid: Option<Uuid>,
    /// Name of the author. Null for a message of the support staff, and for an author who no longer belongs to the
    /// partner.
    author_name: Option<String>,
    /// Text of the message, as plain text. Line breaks are kept. Show markup as text and do not interpret it.
    body: String,
    /// Time when the message was written.
    created_at: Time,
}

/// A support ticket to create.
#[derive(serde::Deserialize, InputType)]
pub(super) struct SupportTicketOpen {
    /// Subject of the support ticket, in one line.
    pub(super) subject: String,
    /// Text of the message, as plain text. Line breaks are kept. Markup is not interpreted.
    pub(super) body: String,
    /// Topic of the support ticket.
    pub(super) topic: SupportTopic,
    /// UUID of the affected app, which must be an app of the partner.
    pub(super) app_uuid: Option<Uuid>,
}

/// A reply to add to a support ticket.
#[derive(serde::Deserialize, InputType)]
pub(super) struct SupportReply {
    /// Text of the message, as plain text. Line breaks are kept. Markup is not interpreted.
    pub(super) body: String,
}

impl SupportTicket {
    /// Adds the actions that the caller can perform.
    pub(super) fn for_caller(self, cx: &RequestContext) -> Self {
        let acts = cx.may("partner.support:write");
        let allowed_actions = if acts { allowed_actions(self.state, TicketActor::Partner) } else { Vec::new() };
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
            // The partner does not see which staff member wrote the message.
            author_uuid: Some(row.author_uuid).filter(|_| is_partner),
            author_name: row.author_name.filter(|_| is_partner),
            body: row.body,
            created_at: row.created_at,
        }
    }
}
