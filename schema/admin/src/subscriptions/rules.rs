//! Rules for the tier that staff may assign to a partner.

use labs_core::fault::Fault;

/// Accepts a tier that is or was offered. Subscribers of a retired tier keep it and may be returned to it.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`] for an unknown tier and for a draft.
pub(super) fn ensure_offered_once<T>(tier: Option<T>, is_draft: impl Fn(&T) -> bool) -> Result<T, Fault> {
    let tier = tier.ok_or_else(|| {
        let message = "No tier has this code. GET /v1/subscription/internal/tiers lists all tiers.";
        Fault::field("/tier_code", "UNKNOWN_TIER", message)
    })?;
    if is_draft(&tier) {
        return Err(Fault::field("/tier_code", "TIER_IS_DRAFT", "This tier is a draft. Offer it first."));
    }
    Ok(tier)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draft_or_unknown_tier_cannot_be_assigned() {
        let code =
            |tier: Option<bool>| ensure_offered_once(tier, |draft| *draft).map_err(|f| f.errors()[0].code.clone());
        assert_eq!(code(Some(false)), Ok(false));
        assert_eq!(code(Some(true)), Err("TIER_IS_DRAFT".to_owned()));
        assert_eq!(code(None), Err("UNKNOWN_TIER".to_owned()));
    }
}
