//! A signing key: signs access tokens while it is current, and verifies them until the last one has expired.
//!
//! ```text
//!   NEXT ──rotate──▶ CURRENT ──rotate──▶ RETIRED, good for what it signed until `expires_at`
//! ```
//!
//! Every replica holds the next key before it signs, so a token of a new current key is verified everywhere at once.
//! The private half leaves the database when a key is retired (docs/decisions.md#identity).

mod list;
mod resolvers;
mod store;

pub(in crate::admin) use list::STATEMENTS;
pub(in crate::admin) use resolvers::{SigningKeysMutation, SigningKeysQuery};
