//! Service-internal administration across all partners. Every call leaves an audit record, reads included.
//!
//! Specification: platform, Group separation.

mod audit_records;
mod entitlements;
mod granters;
mod machine_clients;
pub(crate) mod mail_messages;
mod network_denials;
mod networks;
mod order;
mod rate_limits;
mod reason;
mod scopes;
mod security_events;
mod sign_in_blocks;
mod signing_keys;
mod staff;
mod staff_roles;
mod subscriptions;
mod tier_change_requests;
mod users;

use crate::engine::roots;

roots! {
    /// What can be read of the group.
    pub(crate) struct AdminQuery(
        audit_records::AuditRecordsQuery,
        entitlements::EntitlementsQuery,
        machine_clients::MachineClientsQuery,
        mail_messages::MailMessagesQuery,
        network_denials::NetworkDenialsQuery,
        rate_limits::RateLimitsQuery,
        scopes::ScopesQuery,
        security_events::SecurityEventsQuery,
        sign_in_blocks::SignInBlocksQuery,
        signing_keys::SigningKeysQuery,
        staff::StaffQuery,
        staff_roles::StaffRolesQuery,
        subscriptions::SubscriptionsQuery,
        tier_change_requests::TierChangeRequestsQuery,
        users::UsersQuery,
    );
}

roots! {
    /// What can be written in the group.
    pub(crate) struct AdminMutation(
        entitlements::EntitlementsMutation,
        machine_clients::MachineClientsMutation,
        mail_messages::MailMessagesMutation,
        network_denials::NetworkDenialsMutation,
        rate_limits::RateLimitsMutation,
        sign_in_blocks::SignInBlocksMutation,
        signing_keys::SigningKeysMutation,
        staff::StaffMutation,
        staff_roles::StaffRolesMutation,
        subscriptions::SubscriptionsMutation,
        tier_change_requests::TierChangeRequestsMutation,
        users::UsersMutation,
    );
}
