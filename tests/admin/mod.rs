//! Stories of administration across all partners, and of those who run the service.

mod audit_records;
mod machine_clients;
mod machine_clients_operators;
mod rate_limits;
mod scopes;
mod staff;
mod staff_refusals;
mod staff_roles;
