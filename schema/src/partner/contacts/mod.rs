//! Whom the platform turns to: addresses for bills, for technical matters and for safety.
//!
//! A contact is no member of the team and signs in nowhere; often it is a mailbox that several read. A partner need not
//! name any, but once it named somebody for safety, somebody for safety stays.

mod resolvers;
mod rules;
mod store;

pub(crate) use resolvers::{Contact, ContactKind};
pub(in crate::partner) use resolvers::{ContactsMutation, ContactsQuery};
pub(crate) use store::{ContactRow, page_of};
