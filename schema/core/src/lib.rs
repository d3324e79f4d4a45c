//! Shared base of every resource group: engine, request context, guards, database, lists and faults.
//!
//! Nothing in this crate depends on a group. The state that a group keeps between requests is passed in with the
//! services.

// The derives of `labs_macros` name this crate, also in the crate itself.
extern crate self as labs_core;

pub mod access;
pub(crate) mod account_turns;
pub mod actor;
pub mod audit_chain;
pub mod audit_target;
pub mod audited_text;
pub mod authority;
pub mod batch;
pub mod budget;
pub mod business_time;
pub mod coalescer;
pub mod context;
pub mod csv;
pub mod daily;
pub mod day;
pub mod db;
pub mod demotion;
pub mod deprecation;
pub mod describe;
pub mod email;
pub mod engine;
pub mod entitlement;
pub mod event_positions;
pub mod fault;
pub mod identity_issuers;
pub mod imitation;
pub mod list;
pub mod locale;
pub mod markdown;
pub mod missing_scope;
pub mod money;
pub mod operation;
pub mod page;
pub mod plain;
pub mod pool_lane;
pub mod principal;
pub mod read_replicas;
pub mod scope;
pub mod services;
pub mod slug;
pub mod state_diagram;
pub mod surface;
pub mod text;
pub mod texts;
pub mod time;
pub mod time_zone;
mod timed_queue;
pub mod trace;
pub mod type_map;
pub mod usage;
pub mod web_address;
pub mod whole_number;
pub mod words;

pub use engine::Engine;
pub use fault::{Code, Fault, FieldError};
pub use principal::{Principal, PrincipalType};
pub use scope::{Scope, ScopeSet};
