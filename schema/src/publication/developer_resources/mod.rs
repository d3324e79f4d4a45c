//! Developer resources as partners read them: released ones for the public and for partners.
//! [`super::public_developer_resources`] shows the public ones to every reader.

mod list;
pub(in crate::publication) mod reading;
mod resolvers;

pub(in crate::publication) use list::{DeveloperResource, DeveloperResourceFilter, DeveloperResourceSummary};
pub(in crate::publication) use list::{PUBLIC_BY_SLUG, PUBLIC_RESOURCES, STATEMENTS};
pub(in crate::publication) use resolvers::OPERATIONS;
