//! Whom the platform turns to: addresses for bills, for technical matters and for safety.
//!
//! A contact is no member of the team and signs in nowhere; often it is a mailbox that several read. A partner need not
//! name any, but once it named somebody for safety, somebody for safety stays.

mod list;
mod resolvers;
mod rules;
mod store;
mod types;

pub(in crate::partner) use list::STATEMENTS;
pub(crate) use list::{CONTACTS_FOR_STAFF, ContactsOf, PartnerContactFilter};
pub(in crate::partner) use resolvers::{ContactsMutation, ContactsQuery};
pub(crate) use types::PartnerContact;
