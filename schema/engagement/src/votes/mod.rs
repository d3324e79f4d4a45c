//! Votes and follows of a user, which are never disclosed to others. A user has one vote per feature request, even if
//! they vote several times or for several merged ones.

mod resolvers;
mod rules;
mod store;

pub(crate) use resolvers::{OPERATIONS, err_merged};
