//! A partner's own record, kept by its team. The partner comes from the token; the path only repeats it.
//!
//! Specification: platform, Group separation.

pub(crate) mod data_exports;
pub(crate) mod events;
pub(crate) mod imagery;
mod own;
pub(crate) mod profile;
mod security;

use crate::engine::roots;

roots! {
    /// What can be read of the group.
    pub(crate) struct PartnerQuery(
        data_exports::DataExportsQuery,
        imagery::ImageryQuery,
        profile::ProfileQuery,
        security::SecurityQuery,
    );
}

roots! {
    /// What can be written in the group.
    pub(crate) struct PartnerMutation(
        data_exports::DataExportsMutation,
        imagery::ImageryMutation,
        profile::ProfileMutation,
        security::SecurityMutation,
    );
}
