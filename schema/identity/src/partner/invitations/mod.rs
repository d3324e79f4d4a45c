//! Operations of a team on its invitations.
//!
//! [`crate::auth::invitations`] defines invitations, their state machine and their statements, and handles the answers.
//! `admin/invitations` contains the operations of staff.

mod resolvers;

pub(in crate::partner) use resolvers::OPERATIONS;
