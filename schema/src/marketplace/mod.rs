//! The marketplace: apps on their way from an owner's draft to the storefront.
//!
//! Specification: platform, The marketplace; decisions, States.

pub(crate) mod apps;
pub(crate) mod checklist;
pub(crate) mod media;
pub(crate) mod versions;

use async_graphql::MergedObject;

/// What can be read of the group.
#[derive(MergedObject, Default)]
pub(crate) struct MarketplaceQuery(apps::AppsQuery, checklist::ChecklistQuery, media::MediaQuery);

/// What can be written in the group.
#[derive(MergedObject, Default)]
pub(crate) struct MarketplaceMutation(apps::AppsMutation, media::MediaMutation);
