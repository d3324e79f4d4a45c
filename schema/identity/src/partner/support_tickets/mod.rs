//! Support tickets: questions of a partner to the support staff, and their answers.
//!
//! State machine (docs/decisions/api.md#state-machines):
//!
//! ```text
//!          ┌──reply──┐                  ┌──answer──┐
//!          ▼         │                  ▼          │
//!  open ──▶ OPEN ────┴──answer──▶ WAITING_ON_PARTNER
//!            │ ▲ ◀──────reply──────────│  │  ▲
//!    resolve │ └──reply──┐   ┌─resolve─┘  │  │ answer
//!            ▼           │   ▼            │  │
//!           RESOLVED ────┴───────────────────┘
//!            │                            │
//!            └──close──▶ CLOSED ◀──close──┘ (from OPEN too)
//! ```
//!
//! The partner replies and closes. The desk ([`super::support_desk`]) answers, resolves and closes. The internal notes
//! of the desk are in a table and a type that no code in this module uses.

mod list;
mod mails;
mod resolvers;
mod rules;
mod store;
mod types;

pub(in crate::partner) use list::STATEMENTS;
pub(in crate::partner) use mails::{TicketMails, notify_person, notify_team};
pub(in crate::partner) use resolvers::OPERATIONS;
pub use rules::draw_states;
pub(in crate::partner) use rules::{
    SupportTicketAction, SupportTicketPriority, SupportTicketState, TicketActor, allowed_actions, ensure_not_full,
    next_state, text,
};
pub(in crate::partner) use store::{Message, insert_message, set_state};
pub(in crate::partner) use types::{SupportMessageSide, SupportTopic};
