//! Partners' vendor pages as staff see them, and what staff take off them. Its team reads why.

mod resolvers;

pub(in crate::admin) use resolvers::{ProfilesMutation, ProfilesQuery};
