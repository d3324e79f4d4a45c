//! A sign-in block: an account, or a network, that is held back after failed tries.
//!
//! Tries are counted and held back in [`crate::auth::attempts`], by themselves and for a short while; an operator sees
//! what is held back now, and lifts it. Every replica asks the database before each try, so a lift is in force at once.

mod list;
mod resolvers;
mod store;

pub(in crate::admin) use list::STATEMENTS;
pub(in crate::admin) use resolvers::{SignInBlocksMutation, SignInBlocksQuery};
