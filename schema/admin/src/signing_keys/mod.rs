//! Signing keys: a key signs access tokens while it is current, and verifies them until the last one has expired.
//!
//! ```text
//!   NEXT ──rotate──▶ CURRENT ──rotate──▶ RETIRED, verifies its tokens until `expires_at`
//! ```
//!
//! Every replica has the next key before that key signs, so every replica can verify tokens of a new current key at
//! once. When a key is retired, the private key is deleted from the database
//! (docs/decisions/credentials.md#signing-keys).

mod list;
mod resolvers;
mod store;

pub(crate) use list::STATEMENTS;
pub(crate) use resolvers::OPERATIONS;
