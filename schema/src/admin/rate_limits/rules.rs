//! What limits may be set to, and how much of a budget is used.

use crate::core::fault::{Fault, FieldError};
use crate::core::time::Time;
use crate::core::words::words;

words! {
    /// Where a limit comes from.
    pub(crate) enum LimitSource {
        /// The tier.
        Tier = "TIER",
        /// An override for this partner.
        Override = "OVERRIDE",
    }
}

words! {
    /// The kinds of account.
    pub(crate) enum BudgetAccountKind {
        /// A partner: all its people and programs together.
        Partner = "PARTNER",
        /// A program of the service's own.
        MachineClient = "MACHINE_CLIENT",
        /// An internal person.
        StaffUser = "STAFF_USER",
    }
}

impl BudgetAccountKind {
    /// What the names of such accounts begin with.
    pub(super) const fn prefix(self) -> &'static str {
        match self {
            Self::Partner => "partner",
            Self::MachineClient => "client",
            Self::StaffUser => "staff",
        }
    }
}

/// Everything that is wrong with an override to be.
///
/// # Errors
/// [`crate::Code::ValidationFailed`] when it says no limit, or ends before it begins.
pub(super) fn check_override(
    burst_per_second: Option<i32>,
    daily_requests: Option<i64>,
    expires_at: Time,
    moment: Time,
) -> Result<(), Fault> {
    let mut errors = Vec::new();
    if burst_per_second.is_none() && daily_requests.is_none() {
        let message =
            "Send `burst_per_second`, `daily_requests` or both. To restore the tier's limits, delete the override.";
        errors.push(FieldError::at("", "NO_LIMIT", message));
    }
    if expires_at <= moment {
        errors.push(FieldError::at("/expires_at", "PAST", "An override must end in the future. Send a later time."));
    }
    if errors.is_empty() { Ok(()) } else { Err(Fault::invalid(errors)) }
}

/// What is left of a budget; nothing when the limit was lowered below what is used.
pub(super) fn remaining(limit: i64, used: i64) -> i64 {
    limit.saturating_sub(used).max(0)
}

/// When the day that a moment lies in is over, in UTC.
pub(super) fn day_end(moment: Time) -> Time {
    let into_the_day = moment.unix().rem_euclid(86_400);
    moment.whole_seconds().plus_seconds(86_400 - into_the_day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Time {
        Time(jiff::Timestamp::UNIX_EPOCH).plus_seconds(seconds)
    }

    #[test]
    fn an_override_says_a_limit_and_ends_in_the_future() {
        assert!(check_override(Some(10), None, at(2), at(1)).is_ok());
        assert!(check_override(None, Some(0), at(2), at(1)).is_ok());
        let refused = check_override(None, None, at(1), at(1)).unwrap_err();
        let places: Vec<_> = refused.errors().iter().map(|error| error.pointer.clone().unwrap()).collect();
        assert_eq!(places, ["", "/expires_at"]);
    }

    #[test]
    fn nothing_is_left_of_a_budget_that_was_lowered_below_its_use() {
        assert_eq!(remaining(100, 30), 70);
        assert_eq!(remaining(100, 130), 0);
    }

    #[test]
    fn a_day_ends_at_midnight_and_never_at_its_own_beginning() {
        assert_eq!(day_end(at(0)), at(86_400));
        assert_eq!(day_end(at(86_399)), at(86_400));
        assert_eq!(day_end(at(86_400)), at(172_800));
    }
}
