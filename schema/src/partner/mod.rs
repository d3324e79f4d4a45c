//! A partner's own record, kept by its team. The partner comes from the token; the path only repeats it.
//!
//! Specification: platform, Group separation.

pub(crate) mod events;
mod security;

use crate::engine::roots;

roots! {
    /// What can be read of the group.
    pub(crate) struct PartnerQuery(security::SecurityQuery);
}

roots! {
    /// What can be written in the group.
    pub(crate) struct PartnerMutation(security::SecurityMutation);
}
