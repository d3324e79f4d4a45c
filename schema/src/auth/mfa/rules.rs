//! Who must keep a second factor.

use crate::core::fault::Fault;

/// Whether a person may do without a second factor: nobody of the staff, and nobody whose team's policy demands one.
///
/// # Errors
/// [`crate::Code::Conflict`], saying who demands it.
pub(super) fn may_disable(is_staff: bool, is_demanded_by_team: bool) -> Result<(), Fault> {
    if is_staff {
        return Err(Fault::conflict("Staff members must have a second factor, so it cannot be disabled."));
    }
    if is_demanded_by_team {
        return Err(Fault::conflict(
            "Your team's security policy requires a second factor, so it cannot be disabled. An administrator of \
             your team can change the policy.",
        ));
    }
    Ok(())
}

/// The refusal when there is no factor that recovery codes could stand in for.
pub(super) fn no_factor() -> Fault {
    Fault::conflict(
        "No second factor is active, so there are no recovery codes. Enrol one with POST /v1/auth/mfa/totp.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whom_nobody_compels_may_do_without() {
        assert!(may_disable(false, false).is_ok());
        for (is_staff, is_demanded) in [(true, false), (false, true), (true, true)] {
            assert!(may_disable(is_staff, is_demanded).is_err());
        }
    }
}
