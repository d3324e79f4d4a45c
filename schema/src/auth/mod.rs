//! Authentication of both kinds of principal: users sign in and have sessions, machine clients have client secrets.
//!
//! Rules: docs/decisions/access.md, docs/decisions/credentials.md.

pub(crate) mod account;
pub(crate) mod attempts;
pub(crate) mod devices;
pub(crate) mod invitations;
pub(crate) mod mfa;
pub(crate) mod passwords;
pub(crate) mod people;
pub(crate) mod registrations;
pub(crate) mod security_events;
pub(crate) mod sessions;
mod tokens;

use labs_core::list::Statements;
use labs_core::operation::Operation;

/// SQL of the module that is assembled at run time, so the compiler does not check it.
pub(crate) fn statements() -> impl Iterator<Item = &'static dyn Statements> {
    let of_resources: [&[&dyn Statements]; _] = [&account::STATEMENTS, &invitations::STATEMENTS, &sessions::STATEMENTS];
    of_resources.into_iter().flatten().copied()
}

/// Operations of the group.
pub(crate) const OPERATIONS: &[&[Operation]] = &[
    account::OPERATIONS,
    invitations::OPERATIONS,
    mfa::OPERATIONS,
    passwords::OPERATIONS,
    registrations::OPERATIONS,
    sessions::OPERATIONS,
    tokens::OPERATIONS,
];
