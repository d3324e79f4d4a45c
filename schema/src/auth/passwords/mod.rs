//! A password: reset with a token from a mail, or changed by whoever knows it.
//!
//! ```text
//!  request ──▶ token in a mail (an hour) ──token and new password──▶ reset: every session ends
//!  change (current and new password) ──▶ changed: every other session ends
//! ```
//!
//! Who asks for a reset learns nothing: known and unknown addresses are answered alike and cost the same work.

mod resolvers;
mod rules;
mod store;

pub(in crate::auth) use resolvers::PasswordsMutation;
pub(in crate::auth) use rules::new_password;
