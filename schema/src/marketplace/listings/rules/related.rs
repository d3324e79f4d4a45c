//! Which listings are shown beside another, and in which order.

use std::collections::HashSet;

use uuid::Uuid;

use crate::core::words::words;

words! {
    /// What two listings have in common.
    pub(in crate::marketplace) enum RelatedReason {
        /// A category.
        SameCategory = "SAME_CATEGORY",
        /// The partner who offers them.
        SameVendor = "SAME_VENDOR",
        /// Words of one's name or tagline, which the other has in its name.
        SimilarText = "SIMILAR_TEXT",
    }
}

/// Chooses from what was found for each reason, the best first: one of each reason, then another of each, until there are
/// enough. An app is chosen once, for the reason whose turn it was.
pub(in crate::marketplace::listings) fn mix(
    found: &[(RelatedReason, Uuid)],
    most: usize,
) -> Vec<(RelatedReason, Uuid)> {
    let of = |reason| found.iter().filter(move |(of, _)| *of == reason);
    let mut each = RelatedReason::EACH.map(|reason| of(reason).peekable());
    let (mut chosen, mut taken) = (Vec::new(), HashSet::new());
    while each.iter_mut().any(|rest| rest.peek().is_some()) {
        for rest in &mut each {
            chosen.extend(rest.find(|(_, app_uuid)| taken.insert(*app_uuid)).copied());
        }
    }
    chosen.truncate(most);
    chosen
}

#[cfg(test)]
mod tests {
    use super::RelatedReason::{SameCategory, SameVendor, SimilarText};
    use super::*;

    fn mixed(found: &[(RelatedReason, u128)], most: usize) -> Vec<(RelatedReason, u128)> {
        let found: Vec<_> = found.iter().map(|(reason, app)| (*reason, Uuid::from_u128(*app))).collect();
        mix(&found, most).into_iter().map(|(reason, app)| (reason, app.as_u128())).collect()
    }

    #[test]
    fn each_reason_has_its_turn_and_no_app_comes_twice() {
        let found = [
            (SameCategory, 1),
            (SameCategory, 2),
            (SameCategory, 1),
            (SameCategory, 3),
            (SameVendor, 1),
            (SameVendor, 4),
            (SimilarText, 2),
            (SimilarText, 5),
        ];
        let all = [(SameCategory, 1), (SameVendor, 4), (SimilarText, 2), (SameCategory, 3), (SimilarText, 5)];
        assert_eq!(mixed(&found, 20), all);
        assert_eq!(mixed(&found, 2), all[..2], "fewer are the first of more");
        assert_eq!(mixed(&[], 20), []);
    }
}
