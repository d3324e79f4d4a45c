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

mod letters;
mod list;
mod resolvers;
mod rules;
mod store;
mod types;

pub(in crate::partner) use letters::{Letters, tell_person, tell_team};
pub(in crate::partner) use list::STATEMENTS;
pub(in crate::partner) use resolvers::{SupportTicketsMutation, SupportTicketsQuery};
pub(crate) use rules::drawing;
pub(in crate::partner) use rules::{
    Side, SupportTicketAction, SupportTicketPriority, SupportTicketState, after, allowed_actions, full, text,
};
pub(in crate::partner) use store::{Message, message_insert, set_state};
pub(in crate::partner) use types::{SupportMessageSide, SupportTopic};
