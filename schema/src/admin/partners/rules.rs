//! What staff may write about a partner beside its company data.

use crate::core::fault::FieldError;

/// Labels as they are kept: each once, in alphabetical order.
pub(super) fn labels(mut labels: Vec<String>) -> Vec<String> {
    labels.sort_unstable();
    labels.dedup();
    labels
}

/// The refusal of a tier that is none or is not offered.
pub(super) fn unknown_tier() -> FieldError {
    FieldError::at("/tier_code", "UNKNOWN_TIER", "Choose a tier that is offered.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_stands_once_and_in_its_place() {
        let sent = ["vip", "at-risk", "vip"].map(str::to_owned).to_vec();
        assert_eq!(labels(sent), ["at-risk", "vip"]);
    }
}
