//! Service-internal administration across all partners. Every call leaves an audit record, reads included.
//!
//! Specification: platform, Group separation.

mod audit_records;
mod machine_clients;

use async_graphql::MergedObject;

/// What can be read of the group.
#[derive(MergedObject, Default)]
pub(crate) struct AdminQuery(audit_records::AuditRecordsQuery, machine_clients::MachineClientsQuery);

/// What can be written in the group.
#[derive(MergedObject, Default)]
pub(crate) struct AdminMutation(machine_clients::MachineClientsMutation);
