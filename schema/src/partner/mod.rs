//! Operations of a team on its partner. The token determines the partner; the path only repeats it.
//!
//! Rule: docs/decisions/api.md#resources-of-other-partners.

mod account;
pub(crate) mod company;
pub(crate) mod contacts;
pub(crate) mod data_exports;
pub(crate) mod events;
pub(crate) mod imagery;
pub(crate) mod invitations;
pub(crate) mod lifecycle;
mod own;
pub(crate) mod profile;
mod security;
pub(crate) mod support_desk;
pub(crate) mod support_tickets;
pub(crate) mod team;
pub(crate) mod team_members;

use labs_core::list::Statements;
use labs_core::operation::Operation;

/// Run-time SQL statements of the group, which the compiler does not check.
pub(crate) fn statements() -> impl Iterator<Item = &'static dyn Statements> {
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
pub(crate) const OPERATIONS: &[&[Operation]] = &[
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
