//! The inside of Labs: the GraphQL schema, the engine that answers it, the rules and the SQL.
//!
//! It knows no HTTP. Everybody calls [`Engine`]: a prepared operation ([`engine::PreparedOperation`]) goes in with its
//! caller, an [`engine::Answer`] or a [`Fault`] comes out, and what lies between (guard, transaction, audit record, commit)
//! is the same for everybody. The groups are private: a resolver, a rule or a statement is reached through the schema only.
//! They stand on [`core`], which knows none of them.

// An optimised build works out how large the future of a whole query is, edge within edge.
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

/// Every statement of the service that the compiler has not checked, so that a test can.
pub fn statements() -> Vec<&'static dyn list::Statements> {
    let groups = admin::statements().chain(auth::statements()).chain(marketplace::statements());
    let groups = groups.chain(partner::statements()).chain(publication::statements()).chain(statistics::statements());
    groups.chain(subscription::statements()).chain(engagement::statements()).collect()
}

core::engine::roots! {
    groups:
    /// Everything that can be read.
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
    /// Everything that can be written.
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
