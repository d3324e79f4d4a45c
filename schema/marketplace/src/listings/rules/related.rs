//! Choice and order of related listings.

use std::collections::HashSet;

use labs_core::words::words;
use uuid::Uuid;

words! {
    /// Reasons why two listings are related.
    pub enum RelatedReason {
        /// Both listings share a category.
        SameCategory = "SAME_CATEGORY",
        /// The same partner offers both.
        SameVendor = "SAME_VENDOR",
        /// Words of the listing's name or tagline are in the other listing's name.
        SimilarText = "SIMILAR_TEXT",
    }
}

/// Merges the results of each reason, best first: one result of each reason, then the next of each, up to `most`. An
/// app appears once, for the reason that selected it first.
pub(in crate::listings) fn mix(found: &[(RelatedReason, Uuid)], most: usize) -> Vec<(RelatedReason, Uuid)> {
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
    fn reasons_alternate_and_no_app_is_repeated() {
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
