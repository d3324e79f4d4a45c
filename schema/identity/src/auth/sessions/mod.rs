//! A session: a user signed in on one device.
//!
//! ```text
//!  sign-in ──▶ (second factor awaited) ──▶ OPEN ──▶ ENDED
//!                                           │ ▲
//!                                           └─┘ refresh
//! ```
//!
//! The refresh token of a session contains its id and a counter. Each use increments the counter. For ten seconds, the
//! replaced token returns the same successor, so that two tabs or a lost response never sign a user out. Any older
//! token ends the session (docs/decisions/credentials.md#refresh-tokens).
//!
//! A sign-in or a reauthentication with password or code opens a short period in which the session may change security
//! settings.

mod list;
mod opening;
mod own;
mod renewal_limiter;
mod resolvers;
mod rules;
pub mod store;

pub(in crate::auth) use list::STATEMENTS;
pub use list::{OpenSession, open_sessions};
pub use own::require_fresh;
pub(in crate::auth) use own::{OwnSession, err_busy, load_own, prove_password};
pub use renewal_limiter::RenewalLimiter;
pub(in crate::auth) use resolvers::OPERATIONS;
pub(in crate::auth) use store::lock_person;
pub use store::{end_all, end_own};
