//! Support tickets.

use serde::Deserialize;

/// A support ticket with its conversation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::sample) struct TicketData {
    /// Slug of the partner.
    pub(in crate::sample) partner: String,
    /// Team member who opened the ticket, by the local part of the e-mail address.
    pub(in crate::sample) by: String,
    pub(in crate::sample) topic: String,
    pub(in crate::sample) state: String,
    pub(in crate::sample) priority: String,
    /// Hours since the ticket was opened.
    pub(in crate::sample) hours: u32,
    /// Whether a support agent works on it.
    #[serde(default)]
    pub(in crate::sample) assigned: bool,
    pub(in crate::sample) subject: String,
    pub(in crate::sample) messages: Vec<MessageData>,
    /// Internal note of support; empty if there is none.
    #[serde(default)]
    pub(in crate::sample) note: String,
}

/// A message of a support ticket.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::sample) struct MessageData {
    /// Whether support wrote it, not the team member.
    #[serde(default)]
    pub(in crate::sample) by_support: bool,
    pub(in crate::sample) body: String,
}
