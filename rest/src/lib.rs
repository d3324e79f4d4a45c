//! Labs over HTTP: each operation of the contract is answered by one fixed document.
//!
//! Every request goes the same way: [`edge`] says who calls and how fast they may, [`routes`] which operation is meant,
//! [`bind`] whether the request fits it, [`dispatch`] has the engine execute the operation's document, [`answer`] writes
//! what came back. What cannot be a document stands in [`exceptions`], named one by one. Nothing here knows a table, a rule
//! or SQL.

pub mod answer;
mod answered;
pub mod bind;
mod bound;
pub mod contract;
mod deprecations;
pub mod dispatch;
pub mod documents;
pub mod edge;
pub mod exceptions;
pub mod generated;
pub mod inspect;
mod near_path;
mod precompressed;
pub mod probes;
pub mod problem;
mod request;
pub mod rest;
pub mod routes;
mod sdl;

pub use answered::{Answered, Observer, REQUESTS};
pub use rest::{Bound, Rest, Settings};
