//! A person: somebody of a partner's team, or of the staff.
//!
//! The machine of a partner's people (specification: decisions, States, partner user):
//!
//! ```text
//!  UNVERIFIED ──verify──▶ ACTIVE ──suspend──▶ SUSPENDED (by the team)
//!                          │ ▲ ◀──reinstate──   │ ▲
//!                     lock │ │ unlock      lock │ │ unlock
//!                          ▼ │                  ▼ │
//!                         LOCKED (by staff) ◀─────┘
//!  every one of them ──remove──▶ REMOVED
//! ```
//!
//! Unlocking gives back what was there before: whom the team had suspended stays suspended.

pub(crate) mod rules;
mod store;

pub(crate) use store::{Addressee, addressee_get, administrators_page};
