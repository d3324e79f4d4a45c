//! The tree of scopes, with the operations to which each scope gives access.
//!
//! Both are read from their source: the scopes from [`labs_core::scope`], the operations from the declarations of the
//! schema's resolvers. No second list exists.

mod list;
mod resolvers;

pub(crate) use resolvers::OPERATIONS;
