//! Completions of what a reader is typing: words, categories, vendors and listings that are on show.
//!
//! They come out of a table of names in the memory of each replica, one for a locale, made when it is first needed and
//! found again only under the stamp of the shop window ([`super::public_cache`]): what left the storefront is never
//! suggested, and a letter costs no search in the database.

mod resolvers;
mod rules;
mod store;

pub(in crate::marketplace) use resolvers::SuggestionsQuery;
pub(in crate::marketplace) use rules::Names;
