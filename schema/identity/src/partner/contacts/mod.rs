//! Contacts of a partner for billing, technical and security matters.
//!
//! A contact is not a team member and cannot sign in. It is often a shared mailbox. A partner need not name a contact.
//! Once it has a security contact, at least one security contact must remain.

mod list;
mod resolvers;
mod rules;
mod store;
mod types;

pub(in crate::partner) use list::STATEMENTS;
pub use list::{CONTACTS_FOR_STAFF, ContactsOf, PartnerContactFilter};
pub(in crate::partner) use resolvers::OPERATIONS;
pub use types::PartnerContact;
