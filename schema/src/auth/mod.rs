//! Both authentication planes: people sign in and hold sessions, programs hold client secrets.
//!
//! Specification: platform, Authentication; decisions, Principals.

pub(crate) mod mfa;
pub(crate) mod security_events;
mod sessions;

use async_graphql::MergedObject;

/// What can be written in the group.
#[derive(MergedObject, Default)]
pub(crate) struct AuthMutation(sessions::SessionsMutation);
