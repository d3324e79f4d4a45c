//! A listing: one app as the storefront shows it.
//!
//! ```text
//!   app, texts, media, categories, version ──publication──▶ listing ──▶ readers
//! ```
//!
//! It is a copy, made when a version goes live; what the owner edits afterwards reaches readers with the next
//! publication (docs/decisions.md#states). It has no states of its own: it is visible or it is not, which
//! follows from the app and its partner. Nothing here depends on who asks, so every statement is a function of its
//! parameters alone, and the busiest one is shared among requests ([`crate::core::coalescer`]).

mod changes;
mod list;
mod resolvers;
mod rules;
mod store;
mod types;

pub(in crate::marketplace) use changes::ListingChangesQuery;
pub(in crate::marketplace) use list::{FoundRow, STATEMENTS, shown, text_of_the_listing};
pub(in crate::marketplace) use resolvers::{ListingListsQuery, ListingsQuery};
pub(in crate::marketplace) use store::{ListingKey, ListingRow, Side, listing_of};
pub(in crate::marketplace) use types::{Listing, ListingFacets, ListingRating, ListingSummary};
