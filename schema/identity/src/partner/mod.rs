//! Operations of a team on its partner. The token determines the partner; the path only repeats it.
//!
//! Rule: docs/decisions/api.md#resources-of-other-partners.

mod account;
pub mod company;
pub mod contacts;
pub mod data_exports;
pub mod events;
pub mod imagery;
pub mod invitations;
pub mod lifecycle;
mod own;
pub mod profile;
mod security;
pub mod support_desk;
pub mod support_tickets;
pub mod team;
pub mod team_members;

use labs_core::list::Statements;
use labs_core::operation::Operation;

/// Run-time SQL statements of the group, which the compiler does not check.
pub fn statements() -> impl Iterator<Item = &'static dyn Statements> {
    let of_resources: [&[&dyn Statements]; _] = [
        &account::STATEMENTS,
        &contacts::STATEMENTS,
        &data_exports::STATEMENTS,
        &imagery::STATEMENTS,
        &security::STATEMENTS,
        &support_desk::STATEMENTS,
        &support_tickets::STATEMENTS,
        &team_members::STATEMENTS,
    ];
    of_resources.into_iter().flatten().copied()
}

/// Operations of the group.
pub const OPERATIONS: &[&[Operation]] = &[
    account::OPERATIONS,
    contacts::OPERATIONS,
    data_exports::OPERATIONS,
    imagery::OPERATIONS,
    invitations::OPERATIONS,
    profile::OPERATIONS,
    security::OPERATIONS,
    support_desk::OPERATIONS,
    support_tickets::OPERATIONS,
    team_members::OPERATIONS,
];
