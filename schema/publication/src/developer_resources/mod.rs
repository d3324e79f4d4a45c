//! Developer resources as partners read them: released ones for the public and for partners.
//! [`super::public_developer_resources`] shows the public ones to every reader.

mod list;
pub(crate) mod reading;
mod resolvers;

pub(crate) use list::{
    DeveloperResource, DeveloperResourceFilter, DeveloperResourceSummary, PUBLIC_BY_SLUG, PUBLIC_RESOURCES, STATEMENTS,
};
pub(crate) use resolvers::OPERATIONS;
