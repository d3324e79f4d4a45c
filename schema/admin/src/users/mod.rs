//! Users for staff: members of a partner's team, or staff members.
//!
//! Staff help and protect users here: they restore access, lock a compromised account, or correct an e-mail address. No
//! single step takes over an account:
//!
//! - Staff never see or set a password.
//! - The reader of a new address's mail must verify the address.
//! - Every step is recorded and mailed.
//! - The old address can undo an address change.
//!
//! [`labs_identity::auth::people`] defines the state machine of a user.
//!
//! Staff members are shown only to callers with `labs.admin.staff`, and changed only through `admin_staff`. A second
//! method of changing them would bypass its guards.

mod list;
mod resolvers;
mod rules;
mod store;

pub use list::STATEMENTS;
pub use list::{PERSON, TEAM};
pub use resolvers::OPERATIONS;
pub use resolvers::User;
