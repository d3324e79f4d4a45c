//! The invitations that a team sends.
//!
//! What an invitation is, its machine and every statement about it stand in [`crate::auth::invitations`], where it is
//! answered too; this is the team's door to it, and `admin/invitations` the operators'.

mod resolvers;

pub(in crate::partner) use resolvers::{InvitationsMutation, InvitationsQuery};
