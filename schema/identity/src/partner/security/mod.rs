//! Security of a team: its policy, its security events, and the machine clients that can act for it.
//!
//! A change of the policy takes effect at the next sign-in of each member. A session keeps the requirements of its
//! start. If a second factor is required, a session without one can access only the member's own account, to enrol a
//! factor (docs/decisions/access.md#policy-of-a-team).

mod list;
mod resolvers;
mod store;
mod types;

pub(in crate::partner) use list::STATEMENTS;
pub(in crate::partner) use resolvers::OPERATIONS;
