//! Stories of administration across all partners, and of those who run the service.

mod allowed_actions;
mod audit_records;
mod audit_records_chain;
mod data_exports;
mod entitlements;
mod machine_clients;
mod machine_clients_operators;
mod mail_messages;
mod network_denials;
mod notes;
mod partners;
mod partners_standing;
mod profiles;
mod rate_limits;
mod scopes;
mod security_events;
mod sign_in_blocks;
mod signing_keys;
mod staff;
mod staff_refusals;
mod staff_roles;
mod subscriptions;
mod team_members;
mod tidying;
mod users;
mod users_refusals;
