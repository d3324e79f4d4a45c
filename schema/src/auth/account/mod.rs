//! The caller's own account.

pub(crate) mod address;
mod list;
mod resolvers;
mod rules;
mod store;
mod view;

pub(in crate::auth) use list::STATEMENTS;
pub(in crate::auth) use resolvers::OPERATIONS;
pub(crate) use rules::{partner_person_name, person_name};
pub(crate) use view::PersonType;
