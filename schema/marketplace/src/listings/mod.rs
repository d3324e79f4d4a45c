//! Listing: one app as the storefront shows it.
//!
//! ```text
//!   app, texts, media, categories, version ──publication──▶ listing ──▶ readers
//! ```
//!
//! A listing is a copy, made when a version is published; later edits reach readers with the next publication
//! (docs/decisions/storefront.md#the-storefront-shows-a-snapshot). It has no states: it is visible or hidden, depending
//! on the app and its partner. The content does not depend on the caller, so every statement is a function of its
//! parameters, and concurrent requests share the busiest statement ([`labs_core::coalescer`]).

mod changes;
mod index;
mod list;
mod resolvers;
mod rules;
mod store;
mod types;

pub(crate) use changes::OPERATIONS as CHANGES_OPERATIONS;
pub(crate) use index::known_locale;
pub use index::watch as watch_index;
pub(crate) use list::{FoundRow, STATEMENTS, shown, text_of_the_listing};
pub(crate) use resolvers::{LISTS_OPERATIONS, OPERATIONS};
pub(crate) use store::{ListingKey, ListingRow, ListingStage, listing_of};
pub(crate) use types::{Listing, ListingFacets, ListingRating, ListingSummary};
