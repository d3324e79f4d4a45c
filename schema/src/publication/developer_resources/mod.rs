//! Developer resources as partners read them: those that are released, for everybody and for partners.
//! [`super::public_developer_resources`] shows everybody those for everybody.

mod list;
pub(in crate::publication) mod reading;
mod resolvers;

pub(in crate::publication) use list::{DeveloperResource, DeveloperResourceFilter, DeveloperResourceSummary};
pub(in crate::publication) use list::{PUBLIC_BY_SLUG, PUBLIC_RESOURCES, STATEMENTS};
pub(in crate::publication) use resolvers::DeveloperResourcesQuery;
