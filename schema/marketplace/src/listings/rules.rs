//! Rules for substitutes of a search term and for related listings.

pub(super) mod corrections;
mod related;

pub(super) use related::{RelatedReason, mix};
