//! What a request must pass and how its body is read, whether an operation of the contract answers it or a path beside it.

pub(crate) mod body;
pub(crate) mod checks;
pub(crate) mod denied;
mod exchange;
pub(crate) mod refusals;

pub(crate) use exchange::{Exchange, catch_panic};
