//! A person's own account.

mod address;
mod resolvers;
mod rules;
mod store;
mod view;

pub(in crate::auth) use resolvers::{AccountMutation, AccountQuery};
pub(in crate::auth) use rules::person_name;
