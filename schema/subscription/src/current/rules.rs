//! Comparison of two tiers for one partner.

use serde_json::Value;

use crate::values::{Effect, cap, effect};

/// A feature in a comparison of two tiers for one partner.
pub(super) struct ComparedFeature<'a> {
    /// Current value.
    pub(super) before: &'a Value,
    /// Value under the other tier; an override stays.
    pub(super) after: &'a Value,
    /// Used amount, if the service counts it.
    pub(super) used: Option<i64>,
}

impl ComparedFeature<'_> {
    /// Returns whether the value would increase or decrease.
    pub(super) fn effect(&self) -> Option<Effect> {
        effect(self.before, self.after)
    }

    /// Returns the limit and the usage if the partner would exceed the limit. It would keep everything and could add no
    /// more.
    pub(super) fn exceeded_limit(&self) -> Option<(i64, i64)> {
        let (limit, used) = (cap(self.after)?, self.used?);
        (used > limit && self.effect() == Some(Effect::Loss)).then_some((limit, used))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn use_beyond_a_smaller_limit_is_reported() {
        let cells = [
            (json!(20), json!(3), Some(5), Some(Effect::Loss), Some((3, 5))),
            (json!(20), json!(3), Some(3), Some(Effect::Loss), None),
            (json!(20), json!(3), None, Some(Effect::Loss), None),
            (json!("unlimited"), json!(3), Some(4), Some(Effect::Loss), Some((3, 4))),
            (json!(3), json!(20), Some(30), Some(Effect::Gain), None),
            (json!(true), json!(false), None, Some(Effect::Loss), None),
            (json!(3), json!(3), Some(9), None, None),
        ];
        for (before, after, used, effect, exceeded) in cells {
            let compared = ComparedFeature { before: &before, after: &after, used };
            assert_eq!((compared.effect(), compared.exceeded_limit()), (effect, exceeded), "{before} {after} {used:?}");
        }
    }
}
