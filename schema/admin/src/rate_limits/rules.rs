//! Rules for limits and for the use of a budget.

use labs_core::fault::{Fault, FieldError};
use labs_core::time::Time;
use labs_core::words::words;

words! {
    /// Source of a limit.
    pub enum LimitSource {
        /// The partner's tier.
        Tier = "TIER",
        /// An override for this partner only.
        Override = "OVERRIDE",
    }
}

words! {
    /// Kind of account to which a budget belongs.
    pub enum BudgetAccountKind {
        /// A partner with all its users and machine clients.
        Partner = "PARTNER",
        /// A machine client that is not bound to a partner.
        MachineClient = "MACHINE_CLIENT",
        /// A staff member.
        StaffUser = "STAFF_USER",
    }
}

impl BudgetAccountKind {
    /// Returns the prefix of the account names of this kind.
    pub(super) const fn prefix(self) -> &'static str {
        match self {
            Self::Partner => "partner",
            Self::MachineClient => "client",
            Self::StaffUser => "staff",
        }
    }
}

/// Checks a new override and reports all errors.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`] if it sets no limit or if its end is in the past.
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

/// Computes the remaining budget; 0 if the limit was lowered below the used amount.
pub(super) fn remaining(limit: i64, used: i64) -> i64 {
    limit.saturating_sub(used).max(0)
}

/// Returns the end of the UTC day that contains a time.
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
    fn override_needs_limit_and_future_end() {
        assert!(check_override(Some(10), None, at(2), at(1)).is_ok());
        assert!(check_override(None, Some(0), at(2), at(1)).is_ok());
        let refused = check_override(None, None, at(1), at(1)).unwrap_err();
        let places: Vec<_> = refused.errors().iter().map(|error| error.pointer.clone().unwrap()).collect();
        assert_eq!(places, ["", "/expires_at"]);
    }

    #[test]
    fn remaining_budget_is_zero_if_use_exceeds_limit() {
        assert_eq!(remaining(100, 30), 70);
        assert_eq!(remaining(100, 130), 0);
    }

    #[test]
    fn budget_day_ends_at_next_midnight() {
        assert_eq!(day_end(at(0)), at(86_400));
        assert_eq!(day_end(at(86_399)), at(86_400));
        assert_eq!(day_end(at(86_400)), at(172_800));
    }
}
