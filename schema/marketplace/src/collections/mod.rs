//! Collection: listings that staff group under a title, in an order, and show during a time window.
//!
//! A collection has no states: its window and the clock decide whether it is visible. A hidden listing keeps its
//! position and reappears there once it is visible again. [`super::public_collections`] describes the public reads.

mod list;
mod resolvers;
mod rules;
mod store;

pub(crate) use list::STATEMENTS;
pub use resolvers::CollectionListing;
pub(crate) use resolvers::OPERATIONS;
