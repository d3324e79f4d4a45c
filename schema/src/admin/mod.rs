//! Service-internal administration across all partners. Every call leaves an audit record, reads included.
//!
//! Specification: platform, Group separation.

mod audit_records;
mod granters;
mod machine_clients;
mod networks;
mod order;
mod reason;
mod scopes;
mod security_events;
mod sign_in_blocks;
mod staff;
mod staff_roles;
mod users;

use async_graphql::MergedObject;

/// What can be read of the group.
#[derive(MergedObject, Default)]
pub(crate) struct AdminQuery(
    audit_records::AuditRecordsQuery,
    machine_clients::MachineClientsQuery,
    scopes::ScopesQuery,
    security_events::SecurityEventsQuery,
    sign_in_blocks::SignInBlocksQuery,
    staff::StaffQuery,
    staff_roles::StaffRolesQuery,
    users::UsersQuery,
);

/// What can be written in the group.
#[derive(MergedObject, Default)]
pub(crate) struct AdminMutation(
    machine_clients::MachineClientsMutation,
    sign_in_blocks::SignInBlocksMutation,
    staff::StaffMutation,
    staff_roles::StaffRolesMutation,
    users::UsersMutation,
);
