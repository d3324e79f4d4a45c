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

pub use list::STATEMENTS;
pub use resolvers::OPERATIONS;
pub use rules::draw_states;
