//! The support desk: the tickets of all partners, answered by the platform's staff.
//!
//! What a ticket is and its machine stand in [`super::support_tickets`]; this is the desk's side of it. What the desk
//! notes for itself exists here alone: in a table that the partner's side names nowhere, and in a field that its types
//! do not have.

mod list;
mod resolvers;
mod rules;
mod store;
mod types;

pub(in crate::partner) use list::STATEMENTS;
pub(crate) use list::{TICKET_OF_DESK, TICKETS_OF_EACH};
pub(in crate::partner) use resolvers::{SupportDeskMutation, SupportDeskQuery};
pub(crate) use types::SupportDeskTicket;
