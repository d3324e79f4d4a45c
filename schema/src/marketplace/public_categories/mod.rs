//! The tree of categories as readers see it: only what is active all the way up, with what is listed in and beneath.
//! How the tree is kept is told in [`super::categories`].

mod resolvers;
mod rules;
mod store;

pub(in crate::marketplace) use resolvers::{PublicCategoriesQuery, PublicCategory};
