//! Staff members: the persons who run the service.
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
//! An invited staff member receives a mail with a token and sets a password with it. Until a second factor is active,
//! they can access only their own account. Rules (docs/decisions/access.md#the-last-staff-member-with-a-right):
//!
//! - A caller cannot grant rights that they do not hold.
//! - A caller cannot change their own rights.
//! - A caller cannot take over the account of a staff member with more rights.
//! - The last staff member who can admit others must remain.

mod list;
mod resolvers;
mod rules;
mod store;

pub(crate) use list::COLLEAGUE;
pub(in crate::admin) use list::STATEMENTS;
pub(in crate::admin) use resolvers::OPERATIONS;
pub(crate) use resolvers::types::StaffMember;
pub(in crate::admin) use rules::StaffState;
