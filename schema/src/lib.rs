//! The GraphQL schema of Labs: the root fields, rules and SQL of all groups.
//!
//! It is independent of HTTP. Every caller uses [`Engine`]: it passes a prepared operation
//! ([`engine::PreparedOperation`]) with its caller and gets an [`engine::Answer`] or a [`Fault`]. The steps between
//! (guard, transaction, audit record, commit) are the same for every caller. The modules of the groups are private:
//! resolvers, rules and statements are reachable only through the schema. They depend on [`labs_core`], which has the
//! engine and everything else that groups share, and depends on none of them.

pub mod jobs;
pub mod open;
pub mod operator;
pub mod sample;
pub mod states;
pub mod tables;

mod calls;
mod edges;
mod system;

use labs_identity::{auth, partner};
use {
    labs_admin as admin, labs_engagement as engagement, labs_marketplace as marketplace,
    labs_publication as publication, labs_statistics as statistics, labs_subscription as subscription,
};

pub use labs_blocking as blocking;
use labs_core::engine::{Descriptions, PreparedSchema};
pub use labs_core::{Code, Engine, Fault, FieldError, Principal, PrincipalType, Scope, ScopeSet};
pub use labs_core::{
    access, audit_chain, authority, budget, context, daily, deprecation, email, engine, fault, identity_issuers, list,
    locale, markdown, money, page, principal, read_replicas, scope, services, surface, text, time, trace, usage,
    web_address, whole_number, words,
};
pub use labs_crypto as crypto;
pub use labs_mail as mail;
pub use labs_mail::outbox;
pub use labs_media as media;
pub use labs_transparency as transparency;

/// Builds the schema with these descriptions of its arguments.
///
/// # Errors
/// Lists every root field without an access rule, or with a declaration that names a missing element.
pub fn prepare_schema(descriptions: Descriptions) -> Result<PreparedSchema, Vec<String>> {
    let groups = [
        admin::OPERATIONS,
        auth::OPERATIONS,
        engagement::OPERATIONS,
        marketplace::OPERATIONS,
        partner::OPERATIONS,
        publication::OPERATIONS,
        statistics::OPERATIONS,
        subscription::OPERATIONS,
        system::OPERATIONS,
    ];
    let operations: Vec<_> = groups.into_iter().flatten().copied().flatten().collect();
    PreparedSchema::of(&operations, edges::edges(), calls::CALLS, descriptions)
}

/// Every SQL statement of the service that the compiler does not check, so that a test can check it.
pub fn statements() -> Vec<&'static dyn list::Statements> {
    let groups = admin::statements().chain(auth::statements()).chain(marketplace::statements());
    let groups = groups.chain(partner::statements()).chain(publication::statements()).chain(statistics::statements());
    groups.chain(subscription::statements()).chain(engagement::statements()).collect()
}
