//! The public face of Labs.

pub mod contract;
pub mod routes;
