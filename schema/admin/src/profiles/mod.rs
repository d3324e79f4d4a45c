//! Profiles of partners for staff, and the removal of profile content by staff. The partner's team can read the reason.

mod resolvers;

pub(crate) use resolvers::OPERATIONS;
