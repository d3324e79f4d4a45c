//! Invitation into a partner's team, sent by e-mail to one address.
//!
//! The state machine (docs/decisions/api.md#state-machines):
//!
//! ```text
//!  invite ──▶ PENDING ──accept──▶ ACCEPTED
//!              │ │ │ └──decline──▶ DECLINED
//!              │ │ └──revoke──▶ REVOKED
//!              │ └──expiry passes──▶ EXPIRED ──resend──▶ PENDING
//!              └──resend: a new token, the old one is void──▶ PENDING
//! ```
//!
//! The holder of the token reads the mail of the address, so accepting verifies the address. A user belongs to one
//! partner. Accepting creates a new user, or moves a user whose own partner is closed. A user in another team must
//! first leave it. A pending invitation is revoked if its sender leaves the team, is suspended, or may no longer grant
//! its role. Only the holder of the token learns whether the address has an account.

mod first;
mod inviting;
mod list;
mod resolvers;
pub mod rules;
mod sending;
mod store;
mod view;

pub use first::{FirstInvitation, invite_first};
pub use inviting::{NewInvitation, invite};
pub(in crate::auth) use list::STATEMENTS;
pub use list::{INVITATIONS, INVITATIONS_FOR_STAFF, InvitationFilter, InvitationSort, InvitationsOf};
pub(in crate::auth) use resolvers::OPERATIONS;
pub use sending::{resend, revoke, revoke_sent_by, send};
pub use view::{Invitation, InvitationCreate};
