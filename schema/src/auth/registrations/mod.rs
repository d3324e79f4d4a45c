//! A registration: how a company comes in, in one step.
//!
//! It makes the business partner, its first administrator and its subscription together. The administrator is
//! UNVERIFIED until the token from the mail proves the address; a registration whose token has ended is dropped
//! as if it never was. Whether an address was known before is told to nobody but its owner, by mail.
//!
//! ```text
//!  register ──▶ administrator UNVERIFIED ──token from the mail──▶ ACTIVE, the subscription begins
//!                 │           ▲
//!                 │           └── register again: takes its place, the first token is void
//!                 └── no token in force any more: dropped
//! ```

mod resolvers;
mod rules;
mod store;

pub(in crate::auth) use resolvers::RegistrationsMutation;
pub(crate) use store::expired_delete;
