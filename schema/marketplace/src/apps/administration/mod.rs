//! Apps across partners for staff: the owner's draft and the published listing.

mod list;
mod resolvers;
mod store;
mod transfer;

pub use list::{APP, APPS_OF_EACH};
pub(super) use list::{APPS_OF_ALL, APPS_OF_ONE, BY_ID};
pub(crate) use resolvers::OPERATIONS;
pub use resolvers::{AdminApp, show};
pub(crate) use transfer::OPERATIONS as TRANSFER_OPERATIONS;
