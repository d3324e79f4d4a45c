//! Vendors: partners in the form that the storefront shows.
//!
//! The storefront shows the snapshot that the partner's team published last (`schema/identity/src/partner/profile`),
//! while the partner's account is active. The slug of a partner never changes, so there are no redirects from former
//! slugs.

mod resolvers;
mod store;

pub(crate) use resolvers::OPERATIONS;
