//! What a reader may have meant whose words nothing has, and which listings are shown beside another.

pub(super) mod corrections;
mod related;

pub(super) use related::{RelatedReason, mix};
