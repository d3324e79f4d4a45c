//! The caller's own account.

pub mod address;
mod list;
mod resolvers;
mod rules;
mod store;
mod view;

pub(in crate::auth) use list::STATEMENTS;
pub(in crate::auth) use resolvers::OPERATIONS;
pub use rules::{partner_person_name, person_name};
pub use view::PersonType;
