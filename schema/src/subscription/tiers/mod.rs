//! Tiers under staff's hands: a price, two budgets and a value for each feature, all of them data.
//!
//! ```text
//!   DRAFT ──offer──▶ OFFERED ──retire──▶ RETIRED
//!                       ▲ ◀────offer──────┘
//! ```
//!
//! Subscribers of a retired tier keep it. What is changed here is in force for the subscribers of the tier within a
//! second. There is always a tier on offer that costs nothing and that anybody may choose: cancelled subscriptions fall
//! back to it (docs/decisions.md#tiers).

mod list;
mod resolvers;
pub(crate) mod rules;
mod simulation;
mod store;

pub(in crate::subscription) use list::STATEMENTS;
pub(in crate::subscription) use resolvers::{TiersMutation, TiersQuery};

use uuid::Uuid;

use crate::core::db::Db;
use crate::core::fault::Fault;
use crate::core::scope::ScopeSet;

/// Makes those who change tiers or features wait for one another until the transaction ends.
pub(in crate::subscription) async fn turn(db: &Db) -> Result<(), Fault> {
    store::catalogue_lock(db).await
}

/// Refuses what has just been written of a tier, or of what all are worth, where it leaves subscribers no way out.
///
/// # Errors
/// [`crate::Code::Conflict`] with the tier and the scopes that are lacking.
pub(in crate::subscription) async fn way_out(db: &Db, tier_uuid: Option<Uuid>) -> Result<(), Fault> {
    // Of two who change what tiers hold, the second sees what the first has written.
    turn(db).await?;
    for tier in store::grants_page(db, tier_uuid).await? {
        rules::leaves_a_way_out(&tier.code, ScopeSet::parse(tier.scopes.iter().map(String::as_str)))?;
    }
    Ok(())
}
