//! A staff role: a set of scopes under `labs.admin`, kept as data and granted to internal people.
//!
//! ```text
//!   (made) ──▶ UNUSED ◀── granted, taken away ──▶ HELD
//!                │
//!                └── deleted
//! ```
//!
//! Nobody puts into a role what they lack, and nobody changes what a role of their own reaches. What a role reaches is
//! in force for its holders within a second (docs/decisions.md#principals).

mod list;
mod resolvers;
mod rules;
mod store;

pub(in crate::admin) use list::STATEMENTS;
pub(in crate::admin) use resolvers::{StaffRolesMutation, StaffRolesQuery};
