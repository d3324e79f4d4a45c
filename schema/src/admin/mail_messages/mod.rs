//! A mail of the outbox as operators see it: whom it went to and what became of it, never what it says.
//!
//! ```text
//!   QUEUED ──handed over──▶ SENT
//!    │  ▲
//!    ▼  └──── retry
//!   FAILED
//! ```
//!
//! Mail is queued and handed over in [`crate::core::outbox`].

mod list;
mod resolvers;
mod rules;
mod store;

pub(in crate::admin) use list::STATEMENTS;
pub(in crate::admin) use resolvers::{MailMessagesMutation, MailMessagesQuery};
pub(crate) use rules::drawing;
