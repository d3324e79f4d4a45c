//! The service itself: no business data.

mod me;

use async_graphql::MergedObject;

/// What can be read of the group.
#[derive(MergedObject, Default)]
pub(crate) struct SystemQuery(me::MeQuery);
