//! The inside of Labs: the GraphQL schema, the engine that answers it, the rules and the SQL.
//!
//! It knows no HTTP. Its one door is [`Engine`]: a prepared [`engine::Question`] goes in with its caller,
//! an [`engine::Answer`] or a [`Fault`] comes out, and what lies between (guard, transaction, audit record,
//! commit) is the same for everybody. The group modules are private: nobody reaches a resolver, a rule or
//! a statement but through the schema.

pub mod access;
mod actor;
pub mod ask;
pub mod authority;
pub mod budget;
pub mod daily;
mod db;
pub mod engine;
pub mod fault;
pub mod jobs;
pub mod keep;
pub mod mail;
pub mod media;
pub mod money;
pub mod open;
pub mod operator;
pub mod outbox;
pub mod page;
pub mod principal;
pub mod sample;
pub mod scope;
pub mod seal;
pub mod services;
pub mod states;
pub mod time;
pub mod usage;

mod admin;
mod auth;
mod batch;
mod csv;
mod entitlement;
mod handoff;
pub mod list;
mod marketplace;
mod partner;
mod plain;
mod shared;
mod slug;
mod subscription;
mod system;
mod words;

pub use engine::Engine;
pub use fault::{Code, Fault, FieldError};
pub use principal::{Principal, PrincipalType};
pub use scope::{Scope, ScopeSet};

/// Every statement of the service that the compiler has not checked, so that a test can.
pub fn statements() -> Vec<&'static dyn list::Statements> {
    let groups = admin::statements().chain(auth::statements()).chain(marketplace::statements());
    groups.chain(partner::statements()).chain(subscription::statements()).collect()
}

engine::roots! {
    groups:
    /// Everything that can be read.
    struct Query(
        admin::AdminQuery,
        auth::AuthQuery,
        marketplace::MarketplaceQuery,
        partner::PartnerQuery,
        subscription::SubscriptionQuery,
        system::SystemQuery,
    );
}

engine::roots! {
    groups:
    /// Everything that can be written.
    struct Mutation(
        admin::AdminMutation,
        auth::AuthMutation,
        marketplace::MarketplaceMutation,
        partner::PartnerMutation,
        subscription::SubscriptionMutation,
    );
}
