//! What every group stands on: the engine, the context of a request, the guards, lists, faults and secrets.
//!
//! Nothing here knows a group. What a group keeps for itself between requests is handed in with the services.

pub mod access;
pub(crate) mod actor;
pub mod audit_chain;
pub(crate) mod audit_target;
pub(crate) mod audited_text;
pub mod authority;
pub(crate) mod batch;
pub mod blocking;
pub mod budget;
pub(crate) mod business_time;
pub(crate) mod coalescer;
pub mod context;
pub mod crypto;
pub(crate) mod csv;
pub mod daily;
pub(crate) mod day;
pub(crate) mod db;
pub mod deprecation;
pub mod email;
pub mod engine;
pub(crate) mod entitlement;
pub mod fault;
pub(crate) mod job;
pub mod list;
pub mod mail;
pub mod media;
pub mod money;
pub mod outbox;
pub mod page;
pub(crate) mod plain;
pub(crate) mod pool_lane;
pub mod principal;
pub mod scope;
pub mod services;
pub(crate) mod slug;
pub(crate) mod state_diagram;
pub mod surface;
pub(crate) mod texts;
pub mod time;
pub(crate) mod type_map;
pub mod usage;
pub(crate) mod words;
