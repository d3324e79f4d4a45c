//! Tiers, their features, and the entitlements of each partner's subscription. The subscription record decides access,
//! never a payment provider.
//!
//! Rule: docs/decisions/partners.md#tiers-are-data.

pub mod change_requests;
pub mod changing;
mod current;
pub mod entitlements;
mod features;
mod public_features;
pub mod public_tiers;
pub mod tiers;
pub mod usage;
pub mod values;

use labs_core::list::Statements;
use labs_core::operation::Operation;

/// SQL of the module that is assembled at run time, so the compiler does not check it.
pub fn statements() -> impl Iterator<Item = &'static dyn Statements> {
    let of_resources: [&[&dyn Statements]; _] = [
        &change_requests::STATEMENTS,
        &current::STATEMENTS,
        &features::STATEMENTS,
        &public_features::STATEMENTS,
        &public_tiers::STATEMENTS,
        &tiers::STATEMENTS,
    ];
    of_resources.into_iter().flatten().copied().chain(changing::statements())
}

/// Operations of the group.
pub const OPERATIONS: &[&[Operation]] = &[
    change_requests::OPERATIONS,
    current::OPERATIONS,
    entitlements::OPERATIONS,
    features::OPERATIONS,
    public_features::OPERATIONS,
    public_tiers::OPERATIONS,
    tiers::OPERATIONS,
    usage::OPERATIONS,
];
