//! Service-internal administration across all partners. Every call leaves an audit record, reads included.
//!
//! Rule: docs/decisions/access.md.

pub(crate) mod audit_records;
mod data_exports;
pub(crate) mod deprecations;
mod entitlements;
mod granters;
mod invitations;
pub(crate) mod jobs;
pub(crate) mod machine_clients;
pub(crate) mod mail_messages;
mod network_denials;
mod networks;
mod notes;
mod overview;
pub(crate) mod partners;
mod profiles;
mod rate_limits;
mod reason;
mod scopes;
mod security_events;
mod sign_in_blocks;
mod signing_keys;
pub(crate) mod staff;
mod staff_roles;
pub(crate) mod subscriptions;
mod team_members;
mod tier_change_requests;
pub(crate) mod users;

use labs_core::engine::roots;
use labs_core::list::Statements;

/// Run-time SQL statements of the group, which the compiler does not check.
pub(crate) fn statements() -> impl Iterator<Item = &'static dyn Statements> {
    let of_resources: [&[&dyn Statements]; _] = [
        &audit_records::STATEMENTS,
        &deprecations::STATEMENTS,
        &jobs::STATEMENTS,
        &machine_clients::STATEMENTS,
        &mail_messages::STATEMENTS,
        &network_denials::STATEMENTS,
        &notes::STATEMENTS,
        &overview::STATEMENTS,
        &partners::STATEMENTS,
        &rate_limits::STATEMENTS,
        &security_events::STATEMENTS,
        &sign_in_blocks::STATEMENTS,
        &signing_keys::STATEMENTS,
        &staff::STATEMENTS,
        &staff_roles::STATEMENTS,
        &subscriptions::STATEMENTS,
        &tier_change_requests::STATEMENTS,
        &users::STATEMENTS,
    ];
    of_resources.into_iter().flatten().copied()
}

roots! {
    /// Queries of the group.
    pub(crate) struct AdminQuery(
        audit_records::AuditRecordsQuery,
        data_exports::StaffDataExportsQuery,
        deprecations::DeprecationsQuery,
        entitlements::AdminEntitlementsQuery,
        invitations::InvitationsQuery,
        jobs::JobsQuery,
        machine_clients::MachineClientsQuery,
        mail_messages::MailMessagesQuery,
        network_denials::NetworkDenialsQuery,
        notes::NotesQuery,
        overview::OverviewQuery,
        partners::PartnersQuery,
        profiles::ProfilesQuery,
        rate_limits::RateLimitsQuery,
        scopes::ScopesQuery,
        security_events::SecurityEventsQuery,
        sign_in_blocks::SignInBlocksQuery,
        signing_keys::SigningKeysQuery,
        staff::StaffQuery,
        staff_roles::StaffRolesQuery,
        subscriptions::SubscriptionsQuery,
        team_members::TeamMembersQuery,
        tier_change_requests::TierChangeRequestsQuery,
        users::UsersQuery,
    );
}

roots! {
    /// Mutations of the group.
    pub(crate) struct AdminMutation(
        data_exports::StaffDataExportsMutation,
        deprecations::DeprecationsMutation,
        entitlements::AdminEntitlementsMutation,
        invitations::InvitationsMutation,
        jobs::JobsMutation,
        machine_clients::MachineClientsMutation,
        mail_messages::MailMessagesMutation,
        network_denials::NetworkDenialsMutation,
        notes::NotesMutation,
        partners::PartnersMutation,
        profiles::ProfilesMutation,
        rate_limits::RateLimitsMutation,
        sign_in_blocks::SignInBlocksMutation,
        signing_keys::SigningKeysMutation,
        staff::StaffMutation,
        staff_roles::StaffRolesMutation,
        subscriptions::SubscriptionsMutation,
        team_members::TeamMembersMutation,
        tier_change_requests::TierChangeRequestsMutation,
        users::UsersMutation,
    );
}
