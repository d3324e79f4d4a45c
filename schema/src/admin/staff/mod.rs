//! An internal person: somebody who runs the service.
//!
//! ```text
//!             accept (sets a password)         disable
//!   INVITED ────────────────────────▶ ACTIVE ─────────▶ DISABLED
//!     │  ▲                              ▲                 │ │
//!     │  └──── enable, never accepted ──┼─────────────────┘ │
//!     │                                 └──────── enable ───┘
//!     └────────── disable ────────────────────────▶ DISABLED
//! ```
//!
//! Whoever is invited gets a mail with a token, sets a password with it, and reaches nothing but their own account until
//! a second factor is in force. Nobody grants what they lack, nobody changes their own rights, nobody takes over the
//! account of somebody who may do more, and the last one who can let others in stays (docs/decisions.md#principals).

mod list;
mod resolvers;
mod rules;
mod store;

pub(crate) use list::COLLEAGUE;
pub(in crate::admin) use list::STATEMENTS;
pub(crate) use resolvers::types::StaffMember;
pub(in crate::admin) use resolvers::{StaffMutation, StaffQuery};
pub(in crate::admin) use rules::StaffState;
