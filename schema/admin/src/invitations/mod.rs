//! Operations of staff on the invitations of any partner's team.
//!
//! [`labs_identity::auth::invitations`] describes invitations. An invitation that staff send for a team counts against
//! the tier's limit of the partner like any other.

mod resolvers;

pub(crate) use resolvers::OPERATIONS;
