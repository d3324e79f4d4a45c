//! Entry point of Labs: command line, configuration, the private PostgreSQL and the order of startup and shutdown. The
//! only package that depends on all others.

pub mod cli;
pub mod cluster;
pub mod config;
pub mod database;
pub mod folder;
pub mod issuer_keys;
pub mod metrics;
pub mod outbound;
pub mod platform;
mod readiness;
pub mod sample;
pub mod secret;
pub mod serve;
pub mod telemetry;
pub mod traces;
pub mod wiring;
pub mod witness;
