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

pub use list::COLLEAGUE;
pub use list::STATEMENTS;
pub use resolvers::OPERATIONS;
pub use resolvers::types::StaffMember;
pub use rules::StaffState;
