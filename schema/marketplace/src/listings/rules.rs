//! Rules for spelling corrections of a search and for related listings.

pub(super) mod corrections;
mod related;

pub(super) use related::{RelatedReason, mix};
