//! Administration of tiers by staff. A tier has a price, two budgets and a value for each feature, all of them data.
//!
//! ```text
//!   DRAFT ──offer──▶ OFFERED ──retire──▶ RETIRED
//!                       ▲ ◀────offer──────┘
//! ```
//!
//! Subscribers of a retired tier keep it. A change takes effect for the subscribers of the tier within a second. At
//! least one offered tier is always free and has self-service: cancelled subscriptions fall back to it
//! (docs/decisions/partners.md#the-free-tier-always-exists).

mod list;
mod resolvers;
pub mod rules;
mod simulation;
mod store;

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::scope::ScopeSet;
use uuid::Uuid;

pub use list::STATEMENTS;
pub use resolvers::OPERATIONS;

/// Serialises changes of tiers and features until the transaction ends.
pub async fn lock_changes(db: &Db) -> Result<(), Fault> {
    store::lock_catalogue(db).await
}

/// Rejects a change of a tier, or of feature defaults, that takes away the scopes that subscribers need to leave the
/// tier.
///
/// # Errors
/// [`labs_core::Code::Conflict`] with the tier and the missing scopes.
pub async fn ensure_way_out(db: &Db, tier_uuid: Option<Uuid>) -> Result<(), Fault> {
    // Of two concurrent changes of tier contents, the second sees the writes of the first.
    lock_changes(db).await?;
    for tier in store::grants_page(db, tier_uuid).await? {
        rules::ensure_way_out(&tier.code, ScopeSet::parse(tier.scopes.iter().map(String::as_str)))?;
    }
    Ok(())
}
