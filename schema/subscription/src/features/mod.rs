//! Features: capabilities that tiers can grant, defined once, with a value in every tier.
//!
//! The code and the kind never change, because the service and the partners' programs depend on them. A SCOPE names the
//! scope that it grants to users and machine clients of partners; staff scopes can never be granted by a feature
//! (docs/decisions/partners.md#tiers-are-data).

mod list;
mod resolvers;
mod rules;
mod store;

pub(crate) use list::STATEMENTS;
pub(crate) use resolvers::OPERATIONS;
pub(crate) use store::{DefinitionRow, definitions};
