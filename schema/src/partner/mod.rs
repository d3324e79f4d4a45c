//! A partner's own record, kept by its team. The partner comes from the token; the path only repeats it.
//!
//! Specification: platform, Group separation.

mod account;
pub(crate) mod company;
pub(crate) mod contacts;
pub(crate) mod events;
mod own;
mod security;
pub(crate) mod standing;

use crate::engine::roots;

roots! {
    /// What can be read of the group.
    pub(crate) struct PartnerQuery(
        account::PartnerAccountQuery,
        contacts::ContactsQuery,
        security::SecurityQuery,
    );
}

roots! {
    /// What can be written in the group.
    pub(crate) struct PartnerMutation(
        account::PartnerAccountMutation,
        contacts::ContactsMutation,
        security::SecurityMutation,
    );
}
