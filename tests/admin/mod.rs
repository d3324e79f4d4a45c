//! Stories of those who run the service.

mod machine_clients_operators;
mod scopes;
mod staff;
mod staff_refusals;
mod staff_roles;
