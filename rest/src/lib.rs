//! The public face of Labs: a promise (contract) is answered by a question (document).
//!
//! Every request walks the same corridor: [`edge`] settles who calls and how fast, [`routes`] which promise
//! is meant, [`bind`] whether the request fits it, [`dispatch`] asks the engine the promise's one fixed
//! question, [`answer`] writes what came back. What cannot be a question stands in [`exceptions`], named one
//! by one. Nothing here knows a table, a rule or SQL.

pub mod answer;
pub mod bind;
mod bound;
pub mod contract;
pub mod dispatch;
pub mod documents;
pub mod edge;
pub mod exceptions;
pub mod inspect;
pub mod problem;
pub mod rest;
pub mod routes;
mod sdl;

pub use rest::{Bound, Rest, Settings};
