//! Tests of a partner's own data.

mod account;
mod allowed_actions;
mod contacts;
pub(crate) mod data_exports;
pub(crate) mod followed_events;
mod imagery;
mod invitations;
mod names;
pub(crate) mod profile;
mod renaming;
mod security;
mod support_desk;
pub(crate) mod support_tickets;
pub(crate) mod team;
mod team_members;
mod uploads;
