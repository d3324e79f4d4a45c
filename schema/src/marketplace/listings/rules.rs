//! Rules for searches, for spelling corrections of a search, and for related listings.

pub(super) mod corrections;
mod related;

pub(super) use related::{RelatedReason, mix};

use crate::core::fault::{Fault, SpentBudget};

/// The fault for a search whose account already has many searches that wait for their facets.
pub(super) fn err_too_many_searches() -> Fault {
    let detail = "Too many different searches of this account run at the same time. Wait 1 s, then send fewer in parallel. \
                  Equal searches share their facets and do not wait.";
    Fault::rate_limited(SpentBudget::Burst, 1, detail)
}
