//! Mail messages in the outbox for staff: recipient and delivery state, never the content.
//!
//! ```text
//!   QUEUED ──handed over──▶ SENT
//!    │  ▲
//!    ▼  └──── retry
//!   FAILED
//! ```
//!
//! [`labs_mail::outbox`] queues mail messages and hands them over to the mail server.

mod list;
mod resolvers;
mod rules;
mod store;

pub(in crate::admin) use list::STATEMENTS;
pub(in crate::admin) use resolvers::OPERATIONS;
pub(crate) use rules::draw_states;
