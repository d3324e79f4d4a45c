//! The support desk: support tickets of all partners, answered by staff.
//!
//! [`super::support_tickets`] defines tickets and their state machine; this module contains the operations of the desk.
//! Internal notes exist only here: in a table that no statement of the partner's operations names, and in a field that
//! the partner's types do not have.

mod list;
mod resolvers;
mod rules;
mod store;
mod types;

pub(in crate::partner) use list::STATEMENTS;
pub use list::{TICKET_OF_DESK, TICKETS_OF_EACH};
pub(in crate::partner) use resolvers::OPERATIONS;
pub use types::SupportDeskTicket;
