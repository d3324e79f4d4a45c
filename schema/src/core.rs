//! Shared base of every resource group: engine, request context, guards, lists, faults and cryptography.
//!
//! Nothing in this module depends on a group. The state that a group keeps between requests is passed in with the
//! services.

pub mod access;
pub(crate) mod account_turns;
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
pub(crate) mod demotion;
pub mod deprecation;
pub mod email;
pub mod engine;
pub(crate) mod entitlement;
pub mod fault;
pub(crate) mod imitation;
pub(crate) mod job;
pub mod list;
pub mod locale;
pub mod mail;
pub(crate) mod markdown;
pub mod media;
pub mod money;
pub mod outbox;
pub mod page;
pub(crate) mod plain;
pub(crate) mod pool_lane;
pub mod principal;
pub mod read_replicas;
pub mod scope;
pub mod services;
pub(crate) mod slug;
pub(crate) mod state_diagram;
pub mod surface;
pub mod text;
pub(crate) mod texts;
pub mod time;
pub(crate) mod time_zone;
pub mod trace;
pub(crate) mod type_map;
pub mod usage;
pub mod web_address;
pub mod whole_number;
pub(crate) mod words;
