//! A machine client: a program that an operator provisioned.
//!
//! ```text
//!            disable
//!   ACTIVE ───────────▶ DISABLED
//!     ▲                    │
//!     └────────────────────┘
//!             enable
//! ```
//!
//! It is bound to one partner, for good, or is one of the service's own (the storefront, a release tool). What
//! it may ask for is kept beside what its calls really needed. It signs in with a secret, of which two may be
//! good at the same time, so that it can change over without a gap (docs/decisions.md#principals). A secret
//! that is deleted takes along the tokens that were issued for it, and enabling is a new beginning: tokens from before
//! stay void.

mod list;
mod resolvers;
mod rules;
mod store;

pub(in crate::admin) use list::STATEMENTS;
pub(in crate::admin) use resolvers::{MachineClientsMutation, MachineClientsQuery};
