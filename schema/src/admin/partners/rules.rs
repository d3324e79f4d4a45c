//! What staff may write about a partner beside its company data.

use crate::fault::{Fault, FieldError};

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

/// What is wrong with a new partner beside its company data, together with what is wrong with that.
pub(super) fn all_wrong(company: Option<Fault>, mut errors: Vec<FieldError>) -> Option<Fault> {
    match company {
        Some(mut fault) => {
            fault.parts_mut().errors.append(&mut errors);
            Some(fault)
        }
        None if errors.is_empty() => None,
        None => Some(Fault::invalid(errors)),
    }
}

/// A slug made the only one by a few letters and digits.
pub(super) fn slug_with(slug: &str, tail: &str) -> String {
    format!("{slug}-{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_stands_once_and_in_its_place() {
        let sent = ["vip", "at-risk", "vip"].map(str::to_owned).to_vec();
        assert_eq!(labels(sent), ["at-risk", "vip"]);
    }

    #[test]
    fn everything_that_is_wrong_is_told_at_once() {
        assert!(all_wrong(None, Vec::new()).is_none());
        let both = all_wrong(Some(Fault::field("/country", "X", "no")), vec![unknown_tier()]).unwrap();
        let places: Vec<_> = both.parts().errors.iter().filter_map(|error| error.pointer.as_deref()).collect();
        assert_eq!(places, ["/country", "/tier_code"]);
    }
}
