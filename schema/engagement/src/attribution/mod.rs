//! Attribution: whether the board shows a user's name next to the company's name. A change applies to all of the user's
//! entries from the next read on, because every entry is read together with the setting.

mod resolvers;
mod store;

pub(crate) use resolvers::OPERATIONS;
