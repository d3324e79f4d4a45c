//! Partners as those who run the platform see them, and what they do with them.
//!
//! Company data is under the same rules as in the team's own hands ([`crate::partner::company`]), and where a partner
//! stands follows the one machine ([`crate::partner::standing`]). What staff do, the team reads in its history with the
//! reason given; notes and labels stay among staff.
//!
//! Erasing makes anonymous what is personal and keeps what counts: apps, votes, reviews, histories and the audit log.

mod export;
mod list;
mod resolvers;
mod rules;
mod store;
mod timeline;

pub(crate) use list::PARTNER;
pub(in crate::admin) use list::STATEMENTS;
pub(crate) use resolvers::types::AdminPartner;
pub(in crate::admin) use resolvers::{PartnersMutation, PartnersQuery, note_partner, note_partner_for};
pub(crate) use timeline::{PartnerTimelineEntry, list::TIMELINE_OF_EACH};
