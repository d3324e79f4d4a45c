//! Whether a person is named on the board beside their company: for all that they wrote at once, from the next read on,
//! because every entry asks for it whenever it is read.

mod resolvers;
mod store;

pub(in crate::engagement) use resolvers::{AttributionMutation, AttributionQuery};
