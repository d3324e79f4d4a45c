//! Texts of an app's draft in each locale: name, tagline and description.
//!
//! An app has texts in at least its default locale, which readers get if no other locale matches. The app itself shows
//! the texts of the default locale, so both routes for writing them follow the same rules (`apps/rules/draft.rs`).

mod list;
mod resolvers;
mod rules;
mod store;

pub(crate) use list::STATEMENTS;
pub(crate) use resolvers::OPERATIONS;
pub(crate) use rules::missing_fields;
