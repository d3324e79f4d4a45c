//! Rules for the content and the listings of a collection.

use labs_core::fault::FieldError;
use labs_core::texts::{self, Texts};
use labs_core::time::Time;
use uuid::Uuid;

/// Fields of a collection that staff edit, without its listings and its position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CollectionContent {
    /// Slug in storefront URLs.
    pub(super) slug: String,
    /// Titles by locale.
    pub(super) titles: Texts,
    /// Theme of the collection, by locale.
    pub(super) descriptions: Texts,
    /// Start of the visibility window; without it the collection is hidden.
    pub(super) shown_from: Option<Time>,
    /// End of the visibility window, exclusive; without it the collection stays visible.
    pub(super) shown_until: Option<Time>,
}

/// Finds texts without readable content, and a window that ends before it begins.
pub(super) fn check(content: &CollectionContent, errors: &mut Vec<FieldError>) {
    texts::check_with_english("titles", &content.titles, errors);
    texts::check("descriptions", &content.descriptions, errors);
    if content.shown_from.zip(content.shown_until).is_some_and(|(from, until)| until <= from) {
        let message = "The period would end before it begins: `shown_until` must be later than `shown_from`.";
        errors.push(FieldError::at("/shown_until", "NOT_LATER", message));
    }
}

/// Listing that may be part of a collection, visible or not.
#[derive(Clone, Debug)]
pub(super) struct KnownListing {
    pub(super) app_uuid: Uuid,
    pub(super) slug: String,
}

/// Returns the named listings, each by app id or slug, in the given order. Adds an error for each unknown or repeated
/// name.
pub(super) fn match_listings(named: &[String], known: &[KnownListing], errors: &mut Vec<FieldError>) -> Vec<Uuid> {
    let mut chosen = Vec::with_capacity(named.len());
    for (place, name) in named.iter().enumerate() {
        let by_id = known.iter().find(|listing| listing.app_uuid.to_string() == *name);
        let found = by_id.or_else(|| known.iter().find(|listing| listing.slug == *name));
        let mut refuse = |code: &str, message: &str| {
            errors.push(FieldError::at(format!("/listings/{place}"), code, message));
        };
        match found {
            None => refuse("UNKNOWN_LISTING", "No app was ever listed under this slug or id."),
            Some(listing) if chosen.contains(&listing.app_uuid) => {
                refuse("DUPLICATE", "This listing occurs earlier in the list. Name each listing once.");
            }
            Some(listing) => chosen.push(listing.app_uuid),
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(errors: &[FieldError]) -> Vec<(&str, &str)> {
        errors.iter().map(|error| (error.code.as_str(), error.pointer.as_deref().unwrap_or_default())).collect()
    }

    #[test]
    fn window_must_end_after_it_begins() {
        let at = |text: Option<&str>| text.map(|text| text.parse::<Time>().unwrap());
        let (march, april) = (Some("2026-03-01T00:00:00Z"), Some("2026-04-01T00:00:00Z"));
        let is_refused = |from, until| {
            let mut errors = Vec::new();
            let titles = Texts::from([("en".to_owned(), "Terraces".to_owned())]);
            let window =
                CollectionContent { titles, shown_from: at(from), shown_until: at(until), ..Default::default() };
            check(&window, &mut errors);
            found(&errors) == [("NOT_LATER", "/shown_until")]
        };
        assert!(is_refused(april, march) && is_refused(march, march));
        for (from, until) in [(march, april), (march, None), (None, march), (None, None)] {
            assert!(!is_refused(from, until), "{from:?} {until:?}");
        }
    }

    #[test]
    fn listings_are_chosen_by_slug_or_app_without_duplicates() {
        let known = [("till", 1), ("table", 2), ("menu", 3)]
            .map(|(slug, number)| KnownListing { app_uuid: Uuid::from_u128(number), slug: slug.to_owned() });
        let named = |names: &[&str]| -> Vec<String> { names.iter().map(ToString::to_string).collect() };
        let by_id = Uuid::from_u128(1).to_string();
        let mut errors = Vec::new();
        assert_eq!(match_listings(&named(&["menu", &by_id]), &known, &mut errors), [3, 1].map(Uuid::from_u128));
        assert!(errors.is_empty());
        match_listings(&named(&["till", "nothing", "table", &by_id, "table"]), &known, &mut errors);
        assert_eq!(
            found(&errors),
            [("UNKNOWN_LISTING", "/listings/1"), ("DUPLICATE", "/listings/3"), ("DUPLICATE", "/listings/4")]
        );
    }

    #[test]
    fn uuid_refers_to_app_not_to_equal_slug() {
        let own = Uuid::from_u128(1);
        let alike = KnownListing { app_uuid: Uuid::from_u128(2), slug: own.to_string() };
        let known = [alike, KnownListing { app_uuid: own, slug: "till".to_owned() }];
        assert_eq!(match_listings(&[own.to_string()], &known, &mut Vec::new()), [own]);
    }
}
