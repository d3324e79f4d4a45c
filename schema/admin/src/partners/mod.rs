//! Partners for staff, and the actions of staff on them.
//!
//! Company data follows the same rules as in the partner's own operations ([`labs_identity::partner::company`]), and
//! the state of a partner follows the same state machine ([`labs_identity::partner::lifecycle`]). The team reads every
//! action of staff in its history, with the reason. Notes and labels are visible only to staff.
//!
//! Erasure anonymizes personal data and keeps the data that other records depend on: apps, votes, customer reviews,
//! histories and the audit log.

mod export;
mod list;
mod resolvers;
mod rules;
mod store;
mod timeline;

pub use list::PARTNER;
pub use list::STATEMENTS;
pub use resolvers::types::AdminPartner;
pub use resolvers::{OPERATIONS, note_partner, note_partner_for};
pub use timeline::{PartnerTimelineEntry, list::TIMELINE_OF_EACH};
