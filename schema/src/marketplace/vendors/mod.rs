//! Vendors: partners as the storefront shows them.
//!
//! What is shown is the snapshot that the partner's team published last ([`crate::partner::profile`]), while the partner's
//! account is active. A vendor's slug never changes, so there is no former one to lead on from.

mod resolvers;
mod store;

pub(in crate::marketplace) use resolvers::VendorsQuery;
