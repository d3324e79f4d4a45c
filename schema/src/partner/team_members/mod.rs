//! The people of a partner's team, as the team keeps it and as operators help it.
//!
//! The machine of a person stands in [`crate::auth::people`]; here a team suspends, reinstates and removes, and gives
//! roles. Three rules hold at both doors, the team's and the operators':
//!
//! - A partner always keeps one active administrator, also when two of them demote each other at the same moment.
//! - Nobody of a team gives a role that writes what their own does not, or touches whoever has such a role. Reading alone
//!   lifts nobody above anybody: a VIEWER stands below all.
//! - Whoever is changed is told by mail, and whatever right ends has ended everywhere within a second.

mod changes;
mod list;
mod resolvers;
pub(crate) mod rules;
mod store;
mod types;

pub(crate) use changes::{change_role, remove};
pub(in crate::partner) use list::STATEMENTS;
pub(crate) use list::{MEMBERS_FOR_STAFF, MembersOf, TeamMemberFilter, TeamMemberSort};
pub(in crate::partner) use resolvers::{TeamMembersMutation, TeamMembersQuery};
pub(crate) use types::{TeamMember, TeamMemberDetail, load_team_member};
