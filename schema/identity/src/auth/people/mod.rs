//! A user: a member of a partner's team, or a staff member.
//!
//! The state machine of a partner's users (docs/decisions/api.md#state-machines):
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
//! Unlocking restores the state from before: a user whom the team had suspended stays suspended.

pub mod rules;
