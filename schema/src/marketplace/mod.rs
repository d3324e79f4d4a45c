//! The marketplace: what partners list, how it is reviewed, and what the storefront shows of it.

mod categories;
mod listings;
mod public_categories;
pub(crate) mod slug;

use async_graphql::MergedObject;

/// What can be read in the group.
#[derive(MergedObject, Default)]
pub(crate) struct MarketplaceQuery(
    categories::CategoriesQuery,
    listings::ListingsQuery,
    public_categories::PublicCategoriesQuery,
);

/// What can be written in the group.
#[derive(MergedObject, Default)]
pub(crate) struct MarketplaceMutation(categories::CategoriesMutation);
