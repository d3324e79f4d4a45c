//! Features: what a tier can hold, defined once and worth something in every tier.
//!
//! The code and the kind never change, because the service and its partners' programs go by them. A SCOPE names the
//! scope that it lets people and programs of partners hold; nothing of the staff's can be granted so (docs/decisions.md#tiers).

mod list;
mod resolvers;
mod rules;
mod store;

pub(in crate::subscription) use list::STATEMENTS;
pub(in crate::subscription) use resolvers::{FeaturesMutation, FeaturesQuery};
pub(in crate::subscription) use store::{DefinitionRow, definitions};
