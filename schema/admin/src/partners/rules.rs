//! Rules for the data of a partner that only staff write.

use labs_core::fault::{Fault, FieldError};

/// Normalizes labels as they are stored: without duplicates, in alphabetical order.
pub(super) fn labels(mut labels: Vec<String>) -> Vec<String> {
    labels.sort_unstable();
    labels.dedup();
    labels
}

/// Rejects permission for a similar name without a reason.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`], pointing to the reason.
pub(super) fn ensure_reason(allows_imitation: bool, reason: Option<&str>) -> Result<(), Fault> {
    if allows_imitation && reason.is_none_or(|reason| reason.trim().is_empty()) {
        return Err(Fault::field("/reason", "REQUIRED", "Send a reason why the name may resemble another one."));
    }
    Ok(())
}

/// Returns the error for a tier that does not exist or is not offered.
pub(super) fn err_unknown_tier() -> FieldError {
    FieldError::at("/tier_code", "UNKNOWN_TIER", "Choose a tier that is offered.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allowing_impersonating_name_requires_reason() {
        assert!(ensure_reason(false, None).is_ok());
        assert!(ensure_reason(true, Some("The register shows it.")).is_ok());
        for reason in [None, Some(" ")] {
            assert_eq!(ensure_reason(true, reason).unwrap_err().errors()[0].code, "REQUIRED");
        }
    }

    #[test]
    fn labels_are_sorted_and_deduplicated() {
        let sent = ["vip", "at-risk", "vip"].map(str::to_owned).to_vec();
        assert_eq!(labels(sent), ["at-risk", "vip"]);
    }
}
