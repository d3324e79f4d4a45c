//! Category tree for readers: categories whose ancestors are all active, with the number of listings in their subtree.
//! [`super::categories`] describes the maintenance of the tree.

mod resolvers;
mod rules;
mod store;

pub(crate) use resolvers::{OPERATIONS, PublicCategory};
