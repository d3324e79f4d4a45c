//! Staff roles: sets of scopes under `labs.admin`, stored as data and granted to staff members.
//!
//! ```text
//!   (create) ──▶ UNUSED ◀── grant, revoke ──▶ HELD
//!                  │
//!                  └── delete
//! ```
//!
//! A caller cannot add scopes to a role that they lack themselves, and cannot change the scopes of a role that they
//! hold. A change of scopes takes effect for the holders within a second
//! (docs/decisions/credentials.md#revocation-within-a-second).

mod list;
mod resolvers;
mod rules;
mod store;

pub(crate) use list::STATEMENTS;
pub(crate) use resolvers::OPERATIONS;
