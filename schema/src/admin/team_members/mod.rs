//! Operations of staff on any partner's team.
//!
//! [`crate::partner::team_members`] describes team members and their changes. Staff may set any role, so that a team
//! without an administrator gets one, and give a reason. To lock a compromised account, use `admin_users`.

mod resolvers;

pub(in crate::admin) use resolvers::OPERATIONS;
