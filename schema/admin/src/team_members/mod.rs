//! Operations of staff on any partner's team.
//!
//! [`labs_identity::partner::team_members`] describes team members and their changes. Staff may set any role, so that a
//! team without an administrator gets one, and give a reason. To lock a compromised account, use `admin_users`.

mod resolvers;

pub(crate) use resolvers::OPERATIONS;
