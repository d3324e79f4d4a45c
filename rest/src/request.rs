//! Checks of a request and reading of its body, for operations of the contract and for the other paths.

pub(crate) mod body;
pub(crate) mod checks;
pub(crate) mod denied;
mod exchange;
pub(crate) mod refusals;

pub(crate) use exchange::{Exchange, catch_panic};
