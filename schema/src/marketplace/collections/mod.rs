//! A collection: listings that staff put together under a title, in an order, and show from and until a moment.
//!
//! It has no states of its own: whether it is on show follows from its window and the clock. A listing that is hidden
//! keeps its place in it and is back there once it is visible again. What readers see of it is told in
//! [`super::public_collections`].

mod list;
mod resolvers;
mod rules;
mod store;

pub(in crate::marketplace) use list::STATEMENTS;
pub(crate) use resolvers::CollectionListing;
pub(in crate::marketplace) use resolvers::{CollectionsMutation, CollectionsQuery};
