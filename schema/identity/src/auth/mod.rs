//! Authentication of both kinds of principal: users sign in and have sessions, machine clients have client secrets.
//!
//! Rules: docs/decisions/access.md, docs/decisions/credentials.md.

pub mod account;
pub mod attempts;
pub mod devices;
pub mod invitations;
pub mod mfa;
pub mod passwords;
pub mod people;
pub mod registrations;
pub mod security_events;
pub mod sessions;
mod tokens;
pub mod trusted_identities;

use labs_core::list::Statements;
use labs_core::operation::Operation;

/// SQL of the module that is assembled at run time, so the compiler does not check it.
pub fn statements() -> impl Iterator<Item = &'static dyn Statements> {
    let of_resources: [&[&dyn Statements]; _] = [&account::STATEMENTS, &invitations::STATEMENTS, &sessions::STATEMENTS];
    of_resources.into_iter().flatten().copied()
}

/// Operations of the group.
pub const OPERATIONS: &[&[Operation]] = &[
    account::OPERATIONS,
    invitations::OPERATIONS,
    mfa::OPERATIONS,
    passwords::OPERATIONS,
    registrations::OPERATIONS,
    sessions::OPERATIONS,
    tokens::OPERATIONS,
];
