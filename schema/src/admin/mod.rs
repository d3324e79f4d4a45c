//! Service-internal administration across all partners. Every call leaves an audit record, reads included.
//!
//! Specification: platform, Group separation.

mod audit_records;
mod granters;
mod machine_clients;
mod scopes;
mod staff;
mod staff_roles;

use crate::engine::roots;

roots! {
    /// What can be read of the group.
    pub(crate) struct AdminQuery(
        audit_records::AuditRecordsQuery,
        machine_clients::MachineClientsQuery,
        scopes::ScopesQuery,
        staff::StaffQuery,
        staff_roles::StaffRolesQuery,
    );
}

roots! {
    /// What can be written in the group.
    pub(crate) struct AdminMutation(
        machine_clients::MachineClientsMutation,
        staff::StaffMutation,
        staff_roles::StaffRolesMutation,
    );
}
