//! Preview of an app's listing in the form that readers would see, next to the published listing.
//!
//! The preview uses the snapshot that a publication would use, and the statement and type of the storefront's listing
//! ([`crate::listings`]). So it equals the later listing.

mod resolvers;
mod rules;
mod store;

pub(crate) use resolvers::OPERATIONS;
