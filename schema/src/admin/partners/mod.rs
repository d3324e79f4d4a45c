//! Partners for staff, and the actions of staff on them.
//!
//! Company data follows the same rules as in the partner's own operations ([`crate::partner::company`]), and the state
//! of a partner follows the same state machine ([`crate::partner::lifecycle`]). The team reads every action of staff in
//! its history, with the reason. Notes and labels are visible only to staff.
//!
//! Erasure anonymizes personal data and keeps the data that other records depend on: apps, votes, customer reviews,
//! histories and the audit log.

mod export;
mod list;
mod resolvers;
mod rules;
mod store;
mod timeline;

pub(crate) use list::PARTNER;
pub(in crate::admin) use list::STATEMENTS;
pub(crate) use resolvers::types::AdminPartner;
pub(in crate::admin) use resolvers::{OPERATIONS, note_partner, note_partner_for};
pub(crate) use timeline::{PartnerTimelineEntry, list::TIMELINE_OF_EACH};
