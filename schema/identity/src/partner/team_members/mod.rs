//! The members of a partner's team, as the team and staff manage them.
//!
//! [`crate::auth::people`] defines the state machine of a user. In this module a team suspends, reinstates and removes
//! members, and sets their roles. Three rules apply to the operations of the team and of staff:
//!
//! - A partner always keeps one active administrator, even if two administrators demote each other at the same time.
//! - A team member cannot grant a role with write scopes that their own role lacks, or change a member with such
//!   scopes. Read scopes do not count: a VIEWER is below all other roles.
//! - The service notifies the changed member by mail. Revoked rights end on every replica within a second.

mod changes;
mod list;
mod resolvers;
pub mod rules;
mod store;
mod types;

pub use changes::{change_role, remove};
pub(in crate::partner) use list::STATEMENTS;
pub use list::{MEMBERS_FOR_STAFF, MembersOf, TeamMemberFilter, TeamMemberSort};
pub(in crate::partner) use resolvers::OPERATIONS;
pub use types::{TeamMember, TeamMemberDetail, load_team_member};
