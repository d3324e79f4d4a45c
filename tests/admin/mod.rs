//! Stories of administration across all partners, and of those who run the service.

mod audit_records;
mod machine_clients;
mod machine_clients_operators;
mod scopes;
mod security_events;
mod sign_in_blocks;
mod staff;
mod staff_refusals;
mod staff_roles;
mod users;
mod users_refusals;
