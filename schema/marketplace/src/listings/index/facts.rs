//! Properties of all visible listings in memory: one set of listing numbers per property.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use fixedbitset::FixedBitSet;
use labs_core::locale::{best, preference, rank};
use labs_core::time::Time;
use uuid::Uuid;

use super::choose::Choice;
use super::store::{CategoryRow, FactsRow};
use crate::listings::list::{ListingFilter, Search};

/// Represents every unknown value in a canonical filter. No slug and no locale has this form.
const NONE: &str = "-";
/// Maximum number of changed listings that the log remembers.
const LOGGED: usize = 10_000;

/// Properties of all visible listings. A listing keeps its number for as long as the service runs.
#[derive(Clone, Default)]
pub(super) struct Facts {
    numbers: HashMap<Uuid, usize>,
    app_uuids: Vec<Uuid>,
    /// Number of the vendor of each listing.
    vendor_of: Vec<usize>,
    /// Average rating of each listing; 0 without ratings.
    averages: Vec<f64>,
    published_at: Vec<Time>,
    pub(super) visible: FixedBitSet,
    pub(super) verified: FixedBitSet,
    /// Listings in each category itself, without its descendants.
    categories: HashMap<Uuid, FixedBitSet>,
    pub(super) locales: BTreeMap<String, FixedBitSet>,
    vendors: Vec<VendorFacts>,
    vendor_numbers: HashMap<Uuid, usize>,
    /// Active categories whose ancestors are all active.
    pub(super) tree: Vec<CategoryRow>,
    /// Identifies the collections on show.
    collections: String,
    /// Increases with each change of the categories or collections: other search terms may find the same listings.
    pub(super) names_version: u64,
    /// Increases with each change of a listing.
    pub(super) version: u64,
    /// Listings that changed with each version, oldest first.
    log: VecDeque<(u64, Vec<usize>)>,
    /// First version that the log covers.
    logged_from: u64,
}

/// Vendor of listings.
#[derive(Clone, PartialEq)]
pub(super) struct VendorFacts {
    pub(super) partner_uuid: Uuid,
    pub(super) slug: String,
    pub(super) name: String,
    pub(super) is_verified: bool,
}

impl Facts {
    /// Replaces the properties of these listings. Listings without a row are no longer visible.
    pub(super) fn apply(&mut self, app_uuids: &[Uuid], rows: Vec<FactsRow>) {
        let known: Vec<usize> = app_uuids.iter().filter_map(|app_uuid| self.numbers.get(app_uuid).copied()).collect();
        known.iter().for_each(|number| self.clear(*number));
        let changed: BTreeSet<usize> = rows.into_iter().map(|row| self.put(row)).chain(known).collect();
        self.visible.grow(self.app_uuids.len());
        self.note(changed.into_iter().collect());
    }

    /// Replaces the tree of categories.
    pub(super) fn replace_tree(&mut self, tree: Vec<CategoryRow>) {
        if self.tree != tree {
            self.tree = tree;
            self.version += 1;
            self.names_version += 1;
        }
    }

    /// Replaces the collections on show.
    pub(super) fn replace_collections(&mut self, collections: String) {
        if self.collections != collections {
            self.collections = collections;
            self.version += 1;
            self.names_version += 1;
        }
    }

    /// Returns facts without a visible listing. Each known listing keeps its number, and what was derived from an
    /// earlier version is outdated.
    pub(super) fn emptied(&self) -> Self {
        let mut facts = self.clone();
        (0..facts.len()).for_each(|number| facts.clear(number));
        facts.version += 1;
        (facts.log, facts.logged_from) = (VecDeque::new(), facts.version);
        facts
    }

    /// Corrects the listings with ids from `after` (exclusive) to `last` (inclusive), given all that are visible.
    pub(super) fn correct(&mut self, after: Uuid, last: Uuid, rows: Vec<FactsRow>) {
        let visible: BTreeSet<Uuid> = rows.iter().map(|row| row.app_uuid).collect();
        let is_gone = |app_uuid: &Uuid| *app_uuid > after && *app_uuid <= last && !visible.contains(app_uuid);
        let gone = self.visible.ones().map(|number| self.app_uuid(number)).filter(is_gone);
        let different: Vec<FactsRow> = rows.iter().filter(|row| !self.contains(row)).cloned().collect();
        let changed: Vec<Uuid> = gone.chain(different.iter().map(|row| row.app_uuid)).collect();
        self.apply(&changed, different);
    }

    /// Whether these are the properties of a visible listing.
    fn contains(&self, row: &FactsRow) -> bool {
        let Some(number) = self.number(&row.app_uuid).filter(|number| self.visible.contains(*number)) else {
            return false;
        };
        let has = |set: &FixedBitSet, is_expected: bool| set.contains(number) == is_expected;
        let vendor = self.vendors.get(self.vendor_of(number));
        vendor == Some(&VendorFacts::of(row))
            && self.published_at.get(number) == Some(&row.published_at)
            && self.average(number).total_cmp(&row.average).is_eq()
            && has(&self.verified, row.is_verified)
            && row.category_uuids.iter().all(|category_uuid| self.categories.contains_key(category_uuid))
            && row.locales.iter().all(|locale| self.locales.contains_key(locale))
            && self.categories.iter().all(|(category_uuid, set)| has(set, row.category_uuids.contains(category_uuid)))
            && self.locales.iter().all(|(locale, set)| has(set, row.locales.contains(locale)))
    }

    /// Hides a listing.
    fn clear(&mut self, number: usize) {
        let sets = self.categories.values_mut().chain(self.locales.values_mut());
        for set in sets.chain([&mut self.visible, &mut self.verified]) {
            if set.contains(number) {
                set.set(number, false);
            }
        }
    }

    /// Adds a hidden or unknown listing. Returns its number.
    fn put(&mut self, row: FactsRow) -> usize {
        let vendor = self.put_vendor(&row);
        let number = *self.numbers.entry(row.app_uuid).or_insert(self.app_uuids.len());
        if number == self.app_uuids.len() {
            self.app_uuids.push(row.app_uuid);
            self.vendor_of.push(vendor);
            self.averages.push(row.average);
            self.published_at.push(row.published_at);
        } else {
            self.vendor_of.get_mut(number).into_iter().for_each(|known| *known = vendor);
            self.averages.get_mut(number).into_iter().for_each(|known| *known = row.average);
            self.published_at.get_mut(number).into_iter().for_each(|known| *known = row.published_at);
        }
        self.visible.grow_and_insert(number);
        if row.is_verified {
            self.verified.grow_and_insert(number);
        }
        for category_uuid in row.category_uuids {
            self.categories.entry(category_uuid).or_default().grow_and_insert(number);
        }
        for locale in row.locales {
            self.locales.entry(locale).or_default().grow_and_insert(number);
        }
        number
    }

    fn put_vendor(&mut self, row: &FactsRow) -> usize {
        let vendor = VendorFacts::of(row);
        let number = *self.vendor_numbers.entry(row.partner_uuid).or_insert(self.vendors.len());
        match self.vendors.get_mut(number) {
            Some(known) => *known = vendor,
            None => self.vendors.push(vendor),
        }
        number
    }

    fn note(&mut self, changed: Vec<usize>) {
        if changed.is_empty() {
            return;
        }
        self.version += 1;
        self.log.push_back((self.version, changed));
        while self.log.iter().map(|(_, changed)| changed.len()).sum::<usize>() > LOGGED {
            self.logged_from = self.log.pop_front().map_or(self.version, |(version, _)| version);
        }
    }

    /// Returns the listings that changed after a version; `None` if the log does not reach back to it.
    pub(super) fn changed_since(&self, version: u64) -> Option<Vec<Uuid>> {
        if version < self.logged_from {
            return None;
        }
        let later = self.log.iter().filter(|(changed_in, _)| *changed_in > version);
        let numbers: BTreeSet<usize> = later.flat_map(|(_, numbers)| numbers.iter().copied()).collect();
        Some(numbers.into_iter().map(|number| self.app_uuid(number)).collect())
    }

    /// Returns the newest of these listings, in no particular order.
    pub(super) fn newest(&self, listings: &FixedBitSet, most: usize) -> Vec<usize> {
        let mut numbers: Vec<usize> = listings.ones().collect();
        if numbers.len() > most {
            let age = |number: &usize| Reverse((self.published_at.get(*number).copied(), self.app_uuid(*number)));
            numbers.select_nth_unstable_by_key(most, age);
            numbers.truncate(most);
        }
        numbers
    }

    /// Returns the ids of these listings.
    pub(super) fn uuids_of(&self, listings: &FixedBitSet) -> Vec<Uuid> {
        listings.ones().map(|number| self.app_uuid(number)).collect()
    }

    /// Returns the number of a known listing.
    pub(super) fn number(&self, app_uuid: &Uuid) -> Option<usize> {
        self.numbers.get(app_uuid).copied()
    }

    /// Whether two preferences select the same text of each listing.
    pub(super) fn is_same_choice(&self, one: Option<&str>, other: Option<&str>) -> bool {
        let order = |preference: Option<&str>| {
            let mut ranked: Vec<(Option<usize>, &str)> = self
                .spoken()
                .map(|locale| (preference.and_then(|preference| rank(locale, preference)), locale))
                .collect();
            // A locale without a rank comes after all others.
            ranked.sort_by_key(|(rank, _)| rank.unwrap_or(usize::MAX));
            ranked.into_iter().map(|(rank, locale)| (rank.is_some(), locale)).collect::<Vec<_>>()
        };
        one == other || order(one) == order(other)
    }

    pub(super) fn app_uuid(&self, number: usize) -> Uuid {
        self.app_uuids.get(number).copied().unwrap_or_default()
    }

    /// Returns the set of these listings. It omits unknown ones.
    pub(super) fn set_of(&self, app_uuids: &[Uuid]) -> FixedBitSet {
        let mut set = FixedBitSet::with_capacity(self.app_uuids.len());
        for number in app_uuids.iter().filter_map(|app_uuid| self.numbers.get(app_uuid)) {
            set.insert(*number);
        }
        set
    }

    /// Returns the number of listings that the sets can contain.
    pub(super) fn len(&self) -> usize {
        self.app_uuids.len()
    }

    pub(super) fn average(&self, number: usize) -> f64 {
        self.averages.get(number).copied().unwrap_or_default()
    }

    pub(super) fn vendor_of(&self, number: usize) -> usize {
        self.vendor_of.get(number).copied().unwrap_or_default()
    }

    pub(super) fn vendors(&self) -> &[VendorFacts] {
        &self.vendors
    }

    pub(super) fn in_category(&self, category_uuid: Uuid) -> Option<&FixedBitSet> {
        self.categories.get(&category_uuid)
    }

    /// Returns the preference of the stored locale that best matches a reader's [`preference`]. Returns `None` if no
    /// locale matches; the reader then gets the fallback of each text.
    pub(super) fn locale(&self, asked: Option<&str>) -> Option<String> {
        let of_categories = self.tree.iter().flat_map(|category| category.locales.iter());
        let of_listings = self.spoken().chain(of_categories.map(String::as_str));
        let stored = best(of_listings, asked?)?;
        preference(Some(stored.to_owned()))
    }

    /// Normalizes a search to existing values, so that equivalent searches are equal. So a caller cannot force new
    /// counts with invented values.
    pub(super) fn canonical_search(&self, search: &Search) -> Search {
        let filter = &search.filter;
        Search {
            typed: search.search_terms().map(str::to_owned),
            substitute: None,
            filter: ListingFilter {
                q: None,
                category: filter.category.as_ref().map(|slugs| self.categories_of(slugs)),
                partner: filter.partner.as_ref().map(|slug| self.vendor(slug)),
                rating_from: filter.rating_from,
                language: filter.language.as_ref().map(|languages| self.languages_of(languages)),
                verified: filter.verified,
            },
            locale: self.locale(search.locale.as_deref()),
            choice: Choice::default(),
        }
    }

    /// Returns the existing category slugs among the given ones, in canonical order.
    fn categories_of(&self, slugs: &[String]) -> Vec<String> {
        select_known(slugs, |slug| self.tree.iter().any(|category| category.slug == slug))
    }

    /// Returns the given languages for which a text exists, including regional variants, in canonical order.
    fn languages_of(&self, languages: &[String]) -> Vec<String> {
        select_known(languages, |language| self.spoken().any(|locale| is_variety(locale, language)))
    }

    /// Returns the slug if a partner with listings has it.
    fn vendor(&self, slug: &str) -> String {
        let is_known = self.vendors.iter().any(|vendor| vendor.slug == slug);
        if is_known { slug.to_owned() } else { NONE.to_owned() }
    }

    fn spoken(&self) -> impl Iterator<Item = &str> {
        self.locales.iter().filter(|(_, listings)| !listings.is_clear()).map(|(locale, _)| locale.as_str())
    }
}

impl VendorFacts {
    fn of(row: &FactsRow) -> Self {
        Self {
            partner_uuid: row.partner_uuid,
            slug: row.vendor_slug.clone(),
            name: row.vendor_name.clone(),
            is_verified: row.is_verified,
        }
    }
}

/// Whether a locale is a language or one of its regional variants.
pub(super) fn is_variety(locale: &str, language: &str) -> bool {
    locale.strip_prefix(language).is_some_and(|region| region.is_empty() || region.starts_with('-'))
}

/// Returns the existing values, each once and sorted. If none exists, the result is one placeholder.
fn select_known(values: &[String], exists: impl Fn(&str) -> bool) -> Vec<String> {
    let found: BTreeSet<&String> = values.iter().filter(|value| exists(value)).collect();
    if found.is_empty() { vec![NONE.to_owned()] } else { found.into_iter().cloned().collect() }
}

#[cfg(test)]
pub(super) mod tests;
