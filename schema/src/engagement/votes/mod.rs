//! Votes and follows: a person's own, told to nobody else. One vote a person counts, however often it is cast and wherever
//! among what was merged.

mod resolvers;
mod store;

pub(in crate::engagement) use resolvers::{VotesMutation, merged};
