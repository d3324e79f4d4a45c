//! Service-internal administration across all partners. Every call leaves an audit record, reads included.
//!
//! Specification: platform, Group separation.

mod audit_records;
mod granters;
mod machine_clients;
mod order;
mod reason;
mod scopes;
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
    staff::StaffQuery,
    staff_roles::StaffRolesQuery,
    users::UsersQuery,
);

/// What can be written in the group.
#[derive(MergedObject, Default)]
pub(crate) struct AdminMutation(
    machine_clients::MachineClientsMutation,
    staff::StaffMutation,
    staff_roles::StaffRolesMutation,
    users::UsersMutation,
);
