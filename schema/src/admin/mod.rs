//! Service-internal administration across all partners. Every call leaves an audit record, reads included.
//!
//! Specification: platform, Group separation.

mod audit_records;
mod granters;
mod machine_clients;
pub(crate) mod mail_messages;
mod network_denials;
mod rate_limits;
mod scopes;
mod signing_keys;
mod staff;
mod staff_roles;

use crate::engine::roots;

roots! {
    /// What can be read of the group.
    pub(crate) struct AdminQuery(
        audit_records::AuditRecordsQuery,
        machine_clients::MachineClientsQuery,
        mail_messages::MailMessagesQuery,
        network_denials::NetworkDenialsQuery,
        rate_limits::RateLimitsQuery,
        scopes::ScopesQuery,
        signing_keys::SigningKeysQuery,
        staff::StaffQuery,
        staff_roles::StaffRolesQuery,
    );
}

roots! {
    /// What can be written in the group.
    pub(crate) struct AdminMutation(
        machine_clients::MachineClientsMutation,
        mail_messages::MailMessagesMutation,
        network_denials::NetworkDenialsMutation,
        rate_limits::RateLimitsMutation,
        signing_keys::SigningKeysMutation,
        staff::StaffMutation,
        staff_roles::StaffRolesMutation,
    );
}
