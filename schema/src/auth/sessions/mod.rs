//! A session: a person signed in on one device.
//!
//! ```text
//!  sign-in ──▶ (second factor awaited) ──▶ OPEN ──▶ ENDED
//!                                           │ ▲
//!                                           └─┘ refresh
//! ```
//!
//! A session's refresh token carries its id and a counter. Each use moves the counter on; the token just
//! replaced answers with the same successor for ten seconds, so that two tabs or a lost answer never sign a
//! person out, and anything older ends the session (docs/decisions.md#identity).
//!
//! A sign-in, or a password or code given again, opens a short window in which the session may change what
//! keeps the account safe.

mod list;
mod opening;
mod own;
mod renewal_limiter;
mod resolvers;
mod rules;
pub(crate) mod store;

pub(in crate::auth) use list::STATEMENTS;
pub(crate) use list::{OpenSession, open_sessions};
pub(crate) use own::fresh;
pub(in crate::auth) use own::{Own, busy, load_own, prove_password};
pub(crate) use renewal_limiter::RenewalLimiter;
pub(in crate::auth) use resolvers::{SessionsMutation, SessionsQuery};
pub(in crate::auth) use store::person_lock;
pub(crate) use store::{all_set_ended, own_set_ended};
