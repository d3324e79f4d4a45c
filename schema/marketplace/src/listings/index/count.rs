//! Facets of a search, counted in the index.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;
use labs_core::locale::best;
use uuid::Uuid;

use super::facts::{Facts, is_variety};
use super::store::CategoryRow;
use crate::listings::list::ListingFilter;
use crate::listings::types::{CategoryFacet, LanguageFacet, ListingFacets, RatingFacet, VendorFacet};

/// Maximum number of vendors (the contract's `ListingFacets`).
const VENDORS: usize = 20;

/// Filter that a facet ignores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ignored {
    Nothing,
    Category,
    Vendor,
    Verified,
    Rating,
    Language,
}

/// Listings that match the search term, and the listings that pass each filter.
struct Matching {
    found: FixedBitSet,
    passing: Vec<(Ignored, FixedBitSet)>,
}

impl Matching {
    fn new(facts: &Facts, filter: &ListingFilter, found: Option<&FixedBitSet>) -> Self {
        let mut visible = facts.visible.clone();
        found.into_iter().for_each(|found| visible.intersect_with(found));
        Self { found: visible, passing: facts.passing(filter) }
    }

    /// Returns the listings that pass all filters except for one.
    fn ignoring(&self, ignored: Ignored) -> FixedBitSet {
        let mut found = self.found.clone();
        for (_, passing) in self.passing.iter().filter(|(filter, _)| *filter != ignored) {
            found.intersect_with(passing);
        }
        found
    }
}

impl Facts {
    /// Returns the visible listings among `found` that pass all filters.
    pub(super) fn matching(&self, filter: &ListingFilter, found: Option<&FixedBitSet>) -> FixedBitSet {
        Matching::new(self, filter, found).ignoring(Ignored::Nothing)
    }

    /// Counts the visible listings among `found`. Each facet ignores its own filter. `locale` selects the names of the
    /// categories.
    pub(super) fn count(
        &self,
        filter: &ListingFilter,
        found: Option<&FixedBitSet>,
        locale: Option<&str>,
    ) -> ListingFacets {
        let matching = Matching::new(self, filter, found);
        ListingFacets {
            total: whole(matching.ignoring(Ignored::Nothing).count_ones(..)),
            categories: self.categories(&matching.ignoring(Ignored::Category), locale),
            languages: self.languages(&matching.ignoring(Ignored::Language)),
            ratings: self.ratings(&matching.ignoring(Ignored::Rating)),
            vendors: self.vendor_facets(&matching.ignoring(Ignored::Vendor)),
            verified: whole(self.verified.intersection_count(&matching.ignoring(Ignored::Verified))),
        }
    }

    fn passing(&self, filter: &ListingFilter) -> Vec<(Ignored, FixedBitSet)> {
        let ListingFilter { category, partner, rating_from, language, verified, .. } = filter;
        let mut passing = Vec::new();
        if let Some(slugs) = category {
            let chosen = self.tree.iter().filter(|category| slugs.contains(&category.slug));
            let filed: BTreeSet<Uuid> = chosen.flat_map(|category| category.subtree.iter().copied()).collect();
            passing.push((Ignored::Category, self.in_categories(filed)));
        }
        if let Some(slug) = partner {
            let offers =
                |number: &usize| self.vendors().get(self.vendor_of(*number)).is_some_and(|vendor| vendor.slug == *slug);
            passing.push((Ignored::Vendor, self.visible.ones().filter(offers).collect()));
        }
        if let Some(rating_from) = rating_from {
            let is_rated = |number: &usize| {
                let average = self.average(*number);
                average > 0.0 && average >= *rating_from
            };
            passing.push((Ignored::Rating, self.visible.ones().filter(is_rated).collect()));
        }
        if let Some(languages) = language {
            let is_chosen = |locale: &str| languages.iter().any(|language| is_variety(locale, language));
            let chosen = self.locales.iter().filter(|(locale, _)| is_chosen(locale));
            passing.push((Ignored::Language, self.union(chosen.map(|(_, listings)| listings))));
        }
        if let Some(verified) = verified {
            let mut vouched = if *verified { self.verified.clone() } else { self.visible.clone() };
            if !verified {
                vouched.difference_with(&self.verified);
            }
            passing.push((Ignored::Verified, vouched));
        }
        passing
    }

    fn union<'s>(&self, sets: impl Iterator<Item = &'s FixedBitSet>) -> FixedBitSet {
        let mut all = FixedBitSet::with_capacity(self.len());
        sets.for_each(|set| all.union_with(set));
        all
    }

    fn in_categories(&self, category_uuids: impl IntoIterator<Item = Uuid>) -> FixedBitSet {
        self.union(category_uuids.into_iter().filter_map(|category_uuid| self.in_category(category_uuid)))
    }

    fn categories(&self, found: &FixedBitSet, locale: Option<&str>) -> Vec<CategoryFacet> {
        let count = |category: &CategoryRow| match category.subtree.as_slice() {
            [alone] => self.in_category(*alone).map_or(0, |listings| listings.intersection_count(found)),
            subtree => self.in_categories(subtree.iter().copied()).intersection_count(found),
        };
        let counted = self.tree.iter().map(|category| (whole(count(category)), category));
        let mut facets: Vec<CategoryFacet> = counted
            .filter(|(count, _)| *count > 0)
            .map(|(count, category)| CategoryFacet {
                slug: category.slug.clone(),
                name: category.name(locale),
                parent_slug: category.parent_slug.clone(),
                count,
            })
            .collect();
        facets.sort_by(|one, other| (Reverse(one.count), &one.slug).cmp(&(Reverse(other.count), &other.slug)));
        facets
    }

    fn languages(&self, found: &FixedBitSet) -> Vec<LanguageFacet> {
        let counted = self.locales.iter().map(|(locale, listings)| LanguageFacet {
            locale: locale.clone(),
            count: whole(listings.intersection_count(found)),
        });
        let mut facets: Vec<LanguageFacet> = counted.filter(|facet| facet.count > 0).collect();
        // The sort is stable, so locales with the same count stay in alphabetical order.
        facets.sort_by_key(|facet| Reverse(facet.count));
        facets
    }

    fn ratings(&self, found: &FixedBitSet) -> Vec<RatingFacet> {
        let mut facets = [4, 3, 2, 1].map(|at_least| RatingFacet { at_least, count: 0 });
        for average in found.ones().map(|number| self.average(number)) {
            for facet in facets.iter_mut().filter(|facet| average >= f64::from(facet.at_least)) {
                facet.count += 1;
            }
        }
        facets.into()
    }

    /// Returns the vendors with the most listings. The lowest ids are first among vendors with the same number.
    fn vendor_facets(&self, found: &FixedBitSet) -> Vec<VendorFacet> {
        let mut counts = vec![0; self.vendors().len()];
        for vendor in found.ones().map(|number| self.vendor_of(number)) {
            counts.get_mut(vendor).into_iter().for_each(|count| *count += 1);
        }
        let mut counted: Vec<_> = self.vendors().iter().zip(counts).filter(|(_, count)| *count > 0).collect();
        counted.sort_unstable_by_key(|(vendor, count)| (Reverse(*count), vendor.partner_uuid));
        counted.truncate(VENDORS);
        counted.sort_by(|(one, many), (other, few)| (Reverse(many), &one.slug).cmp(&(Reverse(few), &other.slug)));
        let facet = |(vendor, count): (&super::facts::VendorFacts, usize)| VendorFacet {
            slug: vendor.slug.clone(),
            name: vendor.name.clone(),
            verified: vendor.is_verified,
            count: whole(count),
        };
        counted.into_iter().map(facet).collect()
    }
}

impl CategoryRow {
    /// Returns the name in the best locale: the reader's, else English, else the slug.
    fn name(&self, locale: Option<&str>) -> String {
        let stored = locale.and_then(|locale| best(self.names.keys().map(String::as_str), locale)).unwrap_or("en");
        self.names.get(stored).unwrap_or(&self.slug).clone()
    }
}

fn whole(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::super::facts::tests::{category, row, uuid};
    use super::super::store::FactsRow;
    use super::*;

    /// Categories 1 to 5: 2 and 3 are below 1, and 4 is below 3.
    fn tree() -> Vec<CategoryRow> {
        let rows = [(1, None, vec![2, 3, 4]), (2, Some(1), vec![]), (3, Some(1), vec![4]), (4, Some(3), vec![])];
        let rows = rows.into_iter().chain([(5, None, vec![])]);
        rows.map(|(number, parent, below)| category(number, parent, &below)).collect()
    }

    fn rows() -> impl Strategy<Value = Vec<FactsRow>> {
        let category = prop::collection::btree_set(1..7_u128, 0..4);
        let locales = prop::sample::subsequence(vec!["de", "de-AT", "den", "en"], 0..4);
        let one = (1..4_u128, category, locales, prop::sample::select(vec![0.0, 1.2, 3.0, 4.1, 5.0]));
        prop::collection::vec(one, 0..40).prop_map(|rows| {
            let row = |(app, (vendor, categories, locales, average)): (u128, (_, BTreeSet<_>, Vec<&str>, _))| {
                row(app, vendor, &categories.into_iter().collect::<Vec<_>>(), &locales, average)
            };
            (1..).zip(rows).map(row).collect()
        })
    }

    fn filters() -> impl Strategy<Value = ListingFilter> {
        let text = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
        let category = prop::sample::subsequence(text(&["category-1", "category-3", "category-5", "-"]), 1..3);
        let partner = prop::sample::select(text(&["vendor-1", "vendor-2", "-"]));
        let language = prop::sample::subsequence(text(&["de", "de-AT", "-"]), 1..3);
        let rating = prop::sample::select(vec![1.0, 3.0, 4.1]);
        let option = (
            prop::option::of(category),
            prop::option::of(partner),
            prop::option::of(rating),
            prop::option::of(language),
            prop::option::of(any::<bool>()),
        );
        option.prop_map(|(category, partner, rating_from, language, verified)| ListingFilter {
            q: None,
            category,
            partner,
            rating_from,
            language,
            verified,
        })
    }

    /// Whether a listing passes all filters except for one.
    fn passes(row: &FactsRow, filter: &ListingFilter, ignored: Ignored) -> bool {
        let is_filed = |slugs: &Vec<String>| {
            let tree = tree();
            let mut chosen = tree.iter().filter(|category| slugs.contains(&category.slug));
            chosen.any(|category| row.category_uuids.iter().any(|own| category.subtree.contains(own)))
        };
        let speaks = |languages: &Vec<String>| {
            let is_in = |language: &String| {
                row.locales.iter().any(|locale| locale == language || locale.starts_with(&format!("{language}-")))
            };
            languages.iter().any(is_in)
        };
        let is_rated = |from: &f64| row.average > 0.0 && row.average >= *from;
        [
            (Ignored::Category, filter.category.as_ref().is_none_or(is_filed)),
            (Ignored::Vendor, filter.partner.as_ref().is_none_or(|slug| row.vendor_slug == *slug)),
            (Ignored::Rating, filter.rating_from.as_ref().is_none_or(is_rated)),
            (Ignored::Language, filter.language.as_ref().is_none_or(speaks)),
            (Ignored::Verified, filter.verified.is_none_or(|verified| row.is_verified == verified)),
        ]
        .into_iter()
        .all(|(own, passes)| passes || own == ignored)
    }

    proptest! {
        #[test]
        fn facets_equal_counts_of_each_listing(rows in rows(), filter in filters(), found in any::<u64>()) {
            let mut facts = Facts::default();
            let app_uuids: Vec<Uuid> = rows.iter().map(|row| row.app_uuid).collect();
            facts.apply(&app_uuids, rows.clone());
            facts.replace_tree(tree());
            let is_found = |row: &&FactsRow| found >> (row.app_uuid.as_u128() % 64) & 1 == 1;
            let found: Vec<Uuid> = rows.iter().filter(is_found).map(|row| row.app_uuid).collect();
            let facets = facts.count(&filter, Some(&facts.set_of(&found)), None);
            let matching = |ignored| {
                let passing = rows.iter().filter(|row| found.contains(&row.app_uuid));
                passing.filter(|row| passes(row, &filter, ignored)).collect::<Vec<_>>()
            };
            let number = |rows: Vec<&FactsRow>, is_counted: &dyn Fn(&FactsRow) -> bool| {
                whole(rows.into_iter().filter(|row| is_counted(row)).count())
            };
            prop_assert_eq!(facets.total, number(matching(Ignored::Nothing), &|_| true));
            prop_assert_eq!(facets.verified, number(matching(Ignored::Verified), &|row| row.is_verified));
            for RatingFacet { at_least, count } in facets.ratings {
                let is_rated = |row: &FactsRow| row.average >= f64::from(at_least);
                prop_assert_eq!(count, number(matching(Ignored::Rating), &is_rated));
            }
            let categories: BTreeMap<String, i32> =
                facets.categories.into_iter().map(|facet| (facet.slug, facet.count)).collect();
            for category in tree() {
                let is_in = |row: &FactsRow| row.category_uuids.iter().any(|own| category.subtree.contains(own));
                let count = categories.get(&category.slug).copied().unwrap_or_default();
                prop_assert_eq!(count, number(matching(Ignored::Category), &is_in));
            }
            for vendor in 1..4 {
                let slug = format!("vendor-{vendor}");
                let facet = facets.vendors.iter().find(|facet| facet.slug == slug);
                let count = facet.map_or(0, |facet| facet.count);
                prop_assert_eq!(count, number(matching(Ignored::Vendor), &|row| row.vendor_slug == slug));
            }
            for locale in ["de", "de-AT", "den", "en"] {
                let facet = facets.languages.iter().find(|facet| facet.locale == locale);
                let is_in = |row: &FactsRow| row.locales.iter().any(|own| own == locale);
                prop_assert_eq!(facet.map_or(0, |facet| facet.count), number(matching(Ignored::Language), &is_in));
            }
        }
    }

    #[test]
    fn facets_are_ordered_by_count_then_name() {
        let mut facts = Facts::default();
        let rows = (1..=50).map(|app| row(app, 1 + app % 25, &[2, 5], &["en"], 0.0)).collect();
        facts.apply(&(1..=50).map(uuid).collect::<Vec<_>>(), rows);
        facts.apply(&[uuid(51)], vec![row(51, 9, &[5], &["de"], 4.5)]);
        facts.replace_tree(tree());
        let facets = facts.count(&ListingFilter::default(), None, Some("de en"));
        let categories: Vec<_> = facets.categories.iter().map(|facet| (facet.slug.as_str(), facet.count)).collect();
        assert_eq!(categories, [("category-5", 51), ("category-1", 50), ("category-2", 50)]);
        assert_eq!(facets.categories[2].name, "Category 2");
        assert_eq!(facets.categories[2].parent_slug.as_deref(), Some("category-1"));
        assert_eq!((facets.vendors.len(), facets.vendors[0].slug.as_str()), (VENDORS, "vendor-9"));
        assert_eq!(facets.vendors[1].slug, "vendor-1");
        assert_eq!(facets.languages.iter().map(|facet| facet.count).collect::<Vec<_>>(), [50, 1]);
    }
}
