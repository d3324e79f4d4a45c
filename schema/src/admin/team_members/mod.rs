//! The team of any partner, under operators' hands.
//!
//! What a team's people are and how they change stands in [`crate::partner::team_members`]; this is the operators' door
//! to it. Operators give any role, so that a team that lost its administrator gets one, and say why. An account in wrong
//! hands is shut at `admin_users`.

mod resolvers;

pub(in crate::admin) use resolvers::{TeamMembersMutation, TeamMembersQuery};
