//! Labs over HTTP: one fixed document answers each operation of the contract.
//!
//! Every request takes the same steps: [`front`] identifies the caller and applies the budgets, [`routes`] finds the
//! operation, [`bind`] validates the request, [`dispatch`] lets the engine execute the operation's document, [`answer`]
//! writes the response. Operations that cannot be documents are in [`exceptions`], listed one by one. This crate
//! contains no tables, rules or SQL.

pub mod agents;
pub mod answer;
pub mod bind;
mod bound;
pub mod contract;
mod deprecations;
pub mod dispatch;
pub mod documents;
pub mod exceptions;
pub mod front;
pub mod generated;
pub mod inspect;
mod near_path;
mod observer;
mod precompressed;
pub mod probes;
pub mod problem;
mod request;
pub mod rest;
pub mod routes;
mod sdl;

pub use observer::{AnsweredRequest, Observer, REQUESTS};
pub use rest::{BoundContract, Rest, Settings};
