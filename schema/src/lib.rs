//! Core of Labs: the GraphQL schema, the engine that executes it, the rules and the SQL.
//!
//! It is independent of HTTP. Every caller uses [`Engine`]: it passes a prepared operation
//! ([`engine::PreparedOperation`]) with its caller and gets an [`engine::Answer`] or a [`Fault`]. The steps between
//! (guard, transaction, audit record, commit) are the same for every caller. The modules of the groups are private:
//! resolvers, rules and statements are reachable only through the schema. They depend on [`core`], which depends on
//! none of them.

// In an optimised build, the compiler computes the size of the future of a whole query, with nested edges.
#![recursion_limit = "256"]

pub mod board_mail;
pub mod further_faults;
pub mod jobs;
pub mod open;
pub mod operator;
pub mod pictures;
pub mod sample;
pub mod states;

mod admin;
mod auth;
mod core;
mod edges;
mod engagement;
mod marketplace;
mod partner;
mod publication;
mod statistics;
mod subscription;
mod system;

pub use core::engine::Engine;
pub use core::fault::{Code, Fault, FieldError};
pub use core::principal::{Principal, PrincipalType};
pub use core::scope::{Scope, ScopeSet};
pub use core::{
    access, audit_chain, authority, blocking, budget, context, crypto, daily, deprecation, email, engine, fault, list,
    locale, mail, media, money, outbox, page, principal, read_replicas, scope, services, surface, text, time, trace,
    usage, web_address, whole_number,
};

/// Every SQL statement of the service that the compiler does not check, so that a test can check it.
pub fn statements() -> Vec<&'static dyn list::Statements> {
    let groups = admin::statements().chain(auth::statements()).chain(marketplace::statements());
    let groups = groups.chain(partner::statements()).chain(publication::statements()).chain(statistics::statements());
    groups.chain(subscription::statements()).chain(engagement::statements()).collect()
}

core::engine::roots! {
    groups:
    /// All queries.
    struct Query(
        admin::AdminQuery,
        auth::AuthQuery,
        engagement::EngagementQuery,
        marketplace::MarketplaceQuery,
        partner::PartnerQuery,
        publication::PublicationQuery,
        statistics::StatisticsQuery,
        subscription::SubscriptionQuery,
        system::SystemQuery,
    );
}

core::engine::roots! {
    groups:
    /// All mutations.
    struct Mutation(
        admin::AdminMutation,
        auth::AuthMutation,
        engagement::EngagementMutation,
        marketplace::MarketplaceMutation,
        partner::PartnerMutation,
        publication::PublicationMutation,
        statistics::StatisticsMutation,
        subscription::SubscriptionMutation,
    );
}
