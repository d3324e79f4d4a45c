//! Stories of administration across all partners.

mod audit_records;
mod machine_clients;
