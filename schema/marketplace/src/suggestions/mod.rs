//! Search suggestions: words, categories, collections, partners and listings on the storefront that complete the
//! reader's input.
//!
//! Each replica has a table of names per locale in memory. It is built on first use and cached under the stamp of the
//! storefront ([`super::public_cache`]). So removed content is never suggested, and a keystroke causes no search in the
//! database.

mod resolvers;
mod rules;
mod store;

pub(crate) use resolvers::OPERATIONS;
pub(crate) use rules::Names;
