//! The marketplace: apps with their versions, the review of what is submitted, and the storefront.

mod categories;
mod listings;
mod public_categories;
mod publication;
pub(crate) mod slug;
mod submissions;
mod versions;

/// SHIM until the branch `apps` is merged.
mod apps {
    #[path = "rules.rs"]
    mod rules;
    pub(crate) use rules::{Action, State, after};
}

/// SHIM until the branch `apps` is merged.
mod checklist {
    use uuid::Uuid;

    use crate::ask::Ask;
    use crate::fault::Fault;

    pub(crate) struct OpenItem {
        pub(crate) code: String,
        pub(crate) title: String,
        pub(crate) detail: String,
    }

    pub(crate) async fn open_items(_: &Ask, _: Uuid, _: Option<Uuid>) -> Result<Vec<OpenItem>, Fault> {
        Ok(Vec::new())
    }
}

use async_graphql::MergedObject;

pub(crate) use publication::publish_due;

/// What can be read in the group.
#[derive(MergedObject, Default)]
pub(crate) struct MarketplaceQuery(
    categories::CategoriesQuery,
    listings::ListingsQuery,
    public_categories::PublicCategoriesQuery,
    submissions::SubmissionsQuery,
    versions::VersionsQuery,
);

/// What can be written in the group.
#[derive(MergedObject, Default)]
pub(crate) struct MarketplaceMutation(
    categories::CategoriesMutation,
    submissions::SubmissionsMutation,
    versions::VersionsMutation,
);
