//! An invitation into a partner's team, by mail to one address.
//!
//! The machine (docs/decisions.md#states):
//!
//! ```text
//!  invite ──▶ PENDING ──accept──▶ ACCEPTED
//!              │ │ │ └──decline──▶ DECLINED
//!              │ │ └──revoke──▶ REVOKED
//!              │ └──its time is over──▶ EXPIRED ──resend──▶ PENDING
//!              └──resend: a new token, the old one is void──▶ PENDING
//! ```
//!
//! Whoever holds the token reads the address's mail, so accepting proves the address. A person belongs to one partner:
//! accepting makes a new person, or takes over one whose own company is closed; whoever is in another team has to
//! leave it first. What waits is taken back when whoever sent it is out of the team, is held back, or may not give its
//! role any more. Whether an address has an account is told to nobody but the holder of the token.

mod first;
mod inviting;
mod list;
mod resolvers;
pub(crate) mod rules;
mod sending;
mod store;
mod view;

pub(crate) use first::{FirstInvitation, invite_first};
pub(crate) use inviting::{NewInvitation, invite};
pub(in crate::auth) use list::STATEMENTS;
pub(crate) use list::{INVITATIONS, INVITATIONS_FOR_STAFF, InvitationFilter, InvitationSort, InvitationsOf};
pub(crate) use resolvers::find_faults;
pub(in crate::auth) use resolvers::{InvitationsMutation, InvitationsQuery};
pub(crate) use sending::{resend, revoke, revoke_sent_by, send};
pub(crate) use view::{Invitation, InvitationCreate};
