//! The texts of an app's draft, locale by locale: name, tagline and description.
//!
//! An app has texts in one locale at least, its default one, and readers get that where no other matches. The texts of
//! the default locale are those that the app itself shows, so both ways of writing them go by the same rules
//! (`apps/rules/draft.rs`).

mod list;
mod resolvers;
mod rules;
mod store;

pub(in crate::marketplace) use list::STATEMENTS;
pub(in crate::marketplace) use resolvers::{TranslationsMutation, TranslationsQuery};
pub(in crate::marketplace) use rules::missing;
