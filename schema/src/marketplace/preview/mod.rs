//! The preview: an app's listing as readers would see it, beside the one that they see now.
//!
//! It is made of the snapshot that a publication would take, by the statement and the type of the storefront's own listing
//! ([`crate::marketplace::listings`]), so that it shows what will be shown.

mod resolvers;
mod rules;
mod store;

pub(in crate::marketplace) use resolvers::PreviewQuery;
