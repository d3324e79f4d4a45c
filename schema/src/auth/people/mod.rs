//! A person: somebody of a partner's team, or of the staff.
//!
//! The machine of a partner's people (docs/decisions.md#states):
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
