//! Marketplace: apps with their versions, the review of submissions, and the storefront.

pub mod apps;
pub mod categories;
mod checklist;
pub mod collections;
mod listings;
mod media;
mod preview;
mod public_cache;
mod public_categories;
mod public_collections;
pub mod public_pictures;
mod release;
pub mod reviews;
pub mod submissions;
mod suggestions;
mod suspensions;
mod translations;
mod vendors;
pub mod versions;

use labs_core::list::Statements;
use labs_core::operation::Operation;

pub use listings::watch_index;
pub use release::{PostponedVersions, publish_due};
pub use submissions::process_silent;

/// SQL statements of the group that are assembled at run time, so the compiler does not check them.
pub fn statements() -> impl Iterator<Item = &'static dyn Statements> {
    let of_resources: [&[&dyn Statements]; _] = [
        &apps::STATEMENTS,
        &categories::STATEMENTS,
        &collections::STATEMENTS,
        &listings::STATEMENTS,
        &media::STATEMENTS,
        &public_collections::STATEMENTS,
        &reviews::STATEMENTS,
        &submissions::STATEMENTS,
        &translations::STATEMENTS,
        &versions::STATEMENTS,
    ];
    of_resources.into_iter().flatten().copied()
}

/// Operations of the group.
pub const OPERATIONS: &[&[Operation]] = &[
    apps::ADMINISTRATION_OPERATIONS,
    apps::EVENTS_OPERATIONS,
    apps::LIFE_OPERATIONS,
    apps::OPERATIONS,
    apps::TRANSFER_OPERATIONS,
    categories::OPERATIONS,
    checklist::OPERATIONS,
    collections::OPERATIONS,
    listings::CHANGES_OPERATIONS,
    listings::LISTS_OPERATIONS,
    listings::OPERATIONS,
    media::CHANGES_OPERATIONS,
    media::OPERATIONS,
    preview::OPERATIONS,
    public_categories::OPERATIONS,
    public_collections::OPERATIONS,
    reviews::MODERATION_OPERATIONS,
    reviews::PARTNER_OPERATIONS,
    reviews::STOREFRONT_OPERATIONS,
    submissions::OPERATIONS,
    submissions::THREAD_OPERATIONS,
    suggestions::OPERATIONS,
    suspensions::OPERATIONS,
    translations::OPERATIONS,
    vendors::OPERATIONS,
    versions::CHANGES_OPERATIONS,
    versions::OPERATIONS,
];
