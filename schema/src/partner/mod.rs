//! A partner's own record, kept by its team. The partner comes from the token; the path only repeats it.
//!
//! Specification: platform, Group separation.

mod security;

use async_graphql::MergedObject;

/// What can be read of the group.
#[derive(MergedObject, Default)]
pub(crate) struct PartnerQuery(security::SecurityQuery);

/// What can be written in the group.
#[derive(MergedObject, Default)]
pub(crate) struct PartnerMutation(security::SecurityMutation);
