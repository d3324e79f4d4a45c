//! Marketplace: apps with their versions, the review of submissions, and the storefront.

pub(crate) mod apps;
pub(crate) mod categories;
mod checklist;
pub(crate) mod collections;
mod listings;
pub(crate) mod media;
mod preview;
pub(crate) mod public_cache;
mod public_categories;
mod public_collections;
pub(crate) mod public_pictures;
mod release;
pub(crate) mod reviews;
pub(crate) mod submissions;
mod suggestions;
mod suspensions;
mod translations;
mod vendors;
pub(crate) mod versions;

use labs_core::engine::roots;
use labs_core::list::Statements;

pub(crate) use listings::watch_index;
pub(crate) use release::{PostponedVersions, publish_due};
pub(crate) use submissions::process_silent;

/// SQL statements of the group that are assembled at run time, so the compiler does not check them.
pub(crate) fn statements() -> impl Iterator<Item = &'static dyn Statements> {
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

roots! {
    /// Read operations of the group.
    pub(crate) struct MarketplaceQuery(
        apps::AppAdministrationQuery,
        apps::AppEventsQuery,
        apps::AppsQuery,
        categories::CategoriesQuery,
        checklist::ChecklistQuery,
        collections::CollectionsQuery,
        listings::ListingChangesQuery,
        listings::ListingListsQuery,
        listings::ListingsQuery,
        media::MediaQuery,
        preview::PreviewQuery,
        public_categories::PublicCategoriesQuery,
        public_collections::PublicCollectionsQuery,
        reviews::ListingReviewsQuery,
        reviews::ModerationQuery,
        reviews::ReviewsQuery,
        submissions::ReviewMessagesQuery,
        submissions::SubmissionsQuery,
        suggestions::SuggestionsQuery,
        translations::TranslationsQuery,
        vendors::VendorsQuery,
        versions::VersionsQuery,
    );
}

roots! {
    /// Write operations of the group.
    pub(crate) struct MarketplaceMutation(
        apps::AppAdministrationMutation,
        apps::AppLifeMutation,
        apps::AppsMutation,
        categories::CategoriesMutation,
        collections::CollectionsMutation,
        media::MediaChangesMutation,
        media::MediaMutation,
        reviews::ListingReviewsMutation,
        reviews::ModerationMutation,
        reviews::ReviewsMutation,
        submissions::ReviewMessagesMutation,
        submissions::SubmissionMessagesMutation,
        submissions::SubmissionsMutation,
        suspensions::SuspensionsMutation,
        translations::TranslationsMutation,
        versions::VersionChangesMutation,
        versions::VersionsMutation,
    );
}
