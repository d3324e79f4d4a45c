//! Which tier an operator may put a partner on.

use crate::core::fault::Fault;

/// A tier that was offered at some time: subscribers of a retired one keep it, and may be given it back.
///
/// # Errors
/// [`crate::Code::ValidationFailed`] for no tier, and for a draft.
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
    fn nobody_is_put_on_a_draft_or_on_no_tier() {
        let code =
            |tier: Option<bool>| ensure_offered_once(tier, |draft| *draft).map_err(|f| f.errors()[0].code.clone());
        assert_eq!(code(Some(false)), Ok(false));
        assert_eq!(code(Some(true)), Err("TIER_IS_DRAFT".to_owned()));
        assert_eq!(code(None), Err("UNKNOWN_TIER".to_owned()));
    }
}
