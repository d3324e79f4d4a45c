//! Service-internal administration across all partners. Every call leaves an audit record, reads included.
//!
//! Rule: docs/decisions/access.md.

pub mod audit_records;
mod data_exports;
pub mod deprecations;
mod entitlements;
mod granters;
mod invitations;
pub mod jobs;
pub mod machine_clients;
pub mod mail_messages;
mod network_denials;
mod networks;
mod notes;
mod overview;
pub mod partners;
mod profiles;
pub mod rate_limits;
mod reason;
mod scopes;
mod security_events;
mod sign_in_blocks;
mod signing_keys;
pub mod staff;
mod staff_roles;
pub mod subscriptions;
mod team_members;
mod tier_change_requests;
pub mod users;

use labs_core::list::Statements;
use labs_core::operation::Operation;

/// Run-time SQL statements of the group, which the compiler does not check.
pub fn statements() -> impl Iterator<Item = &'static dyn Statements> {
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

/// Operations of the group.
pub const OPERATIONS: &[&[Operation]] = &[
    audit_records::OPERATIONS,
    data_exports::OPERATIONS,
    deprecations::OPERATIONS,
    entitlements::OPERATIONS,
    invitations::OPERATIONS,
    jobs::OPERATIONS,
    machine_clients::OPERATIONS,
    mail_messages::OPERATIONS,
    network_denials::OPERATIONS,
    notes::OPERATIONS,
    overview::OPERATIONS,
    partners::OPERATIONS,
    profiles::OPERATIONS,
    rate_limits::OPERATIONS,
    scopes::OPERATIONS,
    security_events::OPERATIONS,
    sign_in_blocks::OPERATIONS,
    signing_keys::OPERATIONS,
    staff::OPERATIONS,
    staff_roles::OPERATIONS,
    subscriptions::OPERATIONS,
    team_members::OPERATIONS,
    tier_change_requests::OPERATIONS,
    users::OPERATIONS,
];
