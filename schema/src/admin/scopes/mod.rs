//! The tree of scopes, with the operations that each of them opens.
//!
//! Both are read from where they are law: the scopes from [`crate::core::scope`], the operations from what the schema itself
//! declares beside its resolvers. There is no second list.

mod list;
mod resolvers;

pub(in crate::admin) use resolvers::ScopesQuery;
