//! Rules on who must keep a second factor.

use labs_core::fault::Fault;

/// Checks whether a user may disable the second factor. Staff members, and users whose team's policy requires one, may
/// not.
///
/// # Errors
/// [`labs_core::Code::Conflict`], naming the source of the requirement.
pub(super) fn ensure_may_disable(is_staff: bool, is_demanded_by_team: bool) -> Result<(), Fault> {
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

/// The fault if the user has no factor that recovery codes could replace.
pub(super) fn err_no_factor() -> Fault {
    Fault::conflict(
        "No second factor is active, so there are no recovery codes. Enrol one with POST /v1/auth/mfa/totp.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_factor_is_optional_only_if_not_enforced() {
        assert!(ensure_may_disable(false, false).is_ok());
        for (is_staff, is_demanded) in [(true, false), (false, true), (true, true)] {
            assert!(ensure_may_disable(is_staff, is_demanded).is_err());
        }
    }
}
