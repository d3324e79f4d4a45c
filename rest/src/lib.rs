//! The public face of Labs.

pub mod bind;
pub mod contract;
pub mod documents;
pub mod inspect;
pub mod routes;
