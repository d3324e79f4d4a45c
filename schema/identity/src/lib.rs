//! Accounts and partners: users, sessions, invitations, teams and companies.
//!
//! The two groups are one crate, because an invitation creates a user of a partner.

pub mod auth;
pub mod partner;
