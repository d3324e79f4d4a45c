//! Values that exist on the storefront. Cache keys contain only these values: a caller may invent any number of locales
//! and slugs, and an unknown value would cost as much as a known one.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{PublicCache, Weighed, store};
use crate::core::context::RequestContext;
use crate::core::fault::Fault;
use crate::core::locale::{best, preference};

/// Represents every unknown value. No slug and no locale has this form.
const NONE: &str = "-";

/// Locales with texts on the storefront, slugs of categories, and slugs of partners with listings.
#[derive(Debug, Default)]
pub(in crate::marketplace) struct KnownValues {
    pub(super) locales: BTreeSet<String>,
    pub(super) categories: BTreeSet<String>,
    pub(super) vendors: BTreeSet<String>,
}

/// Returns the values that exist under a stamp.
///
/// # Errors
/// If the database does not answer.
pub(in crate::marketplace) async fn known_values(cx: &RequestContext, stamp: &str) -> Result<Arc<KnownValues>, Fault> {
    let cache = cx.services.state::<PublicCache>();
    cache.known.get_or_make(stamp.to_owned(), String::new(), store::get_known(&cx.db)).await
}

impl KnownValues {
    /// Returns the preference of the stored locale that best matches a reader's [`preference`]. Returns `None` if no
    /// locale matches; the reader then gets the fallback of each text.
    pub(in crate::marketplace) fn locale(&self, asked: Option<&str>) -> Option<String> {
        let stored = best(self.locales.iter().map(String::as_str), asked?)?;
        preference(Some(stored.to_owned()))
    }

    /// Returns the existing category slugs among the given ones, in canonical order.
    pub(in crate::marketplace) fn categories_of(&self, slugs: &[String]) -> Vec<String> {
        select_known(slugs, |slug| self.categories.contains(slug))
    }

    /// Returns the given languages for which a text exists, including regional variants, in canonical order.
    pub(in crate::marketplace) fn languages_of(&self, languages: &[String]) -> Vec<String> {
        let is_spoken = |language: &str| {
            let varieties = format!("{language}-");
            let mut behind = self.locales.range(varieties.clone()..);
            self.locales.contains(language) || behind.next().is_some_and(|locale| locale.starts_with(&varieties))
        };
        select_known(languages, is_spoken)
    }

    /// Returns the slug if a partner with listings has it.
    pub(in crate::marketplace) fn vendor(&self, slug: &str) -> String {
        let is_known = self.vendors.contains(slug);
        if is_known { slug.to_owned() } else { NONE.to_owned() }
    }
}

/// Returns the existing values, each once and sorted. If none exists, the result is one placeholder.
fn select_known(values: &[String], exists: impl Fn(&str) -> bool) -> Vec<String> {
    let found: BTreeSet<&String> = values.iter().filter(|value| exists(value)).collect();
    if found.is_empty() { vec![NONE.to_owned()] } else { found.into_iter().cloned().collect() }
}

impl Weighed for KnownValues {
    fn bytes(&self) -> usize {
        let all = [&self.locales, &self.categories, &self.vendors];
        all.into_iter().flatten().map(|value| value.len() + size_of::<String>() * 2).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> KnownValues {
        let set = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
        KnownValues {
            locales: set(&["de", "de-AT", "en", "pt-BR"]),
            categories: set(&["payments", "tables"]),
            vendors: set(&["nordsee"]),
        }
    }

    fn texts(values: &[&str]) -> Vec<String> {
        values.iter().map(|value| (*value).to_owned()).collect()
    }

    #[test]
    fn locale_preference_is_an_existing_locale_or_none() {
        let known = known();
        let of = |tag: Option<&str>| preference(tag.map(str::to_owned));
        let cases = [
            (Some("de-AT"), Some("de-AT")),
            (Some("de-CH"), Some("de")),
            (Some("de-x-1"), Some("de")),
            (Some("pt"), Some("pt-BR")),
            (Some("fr"), None),
            (Some("xx-AA"), None),
            (None, None),
        ];
        for (asked, locale) in cases {
            assert_eq!(known.locale(of(asked).as_deref()), of(locale), "{asked:?}");
        }
    }

    #[test]
    fn unknown_filter_values_are_equivalent() {
        let known = known();
        assert_eq!(known.categories_of(&texts(&["x1"])), known.categories_of(&texts(&["x2", "x3"])));
        assert_eq!(
            known.categories_of(&texts(&["tables", "x1", "payments", "tables"])),
            texts(&["payments", "tables"])
        );
        assert_eq!(known.languages_of(&texts(&["pt", "xx", "de"])), texts(&["de", "pt"]));
        assert_eq!(known.languages_of(&texts(&["p"])), texts(&["-"]));
        assert_eq!((known.vendor("nordsee"), known.vendor("x")), ("nordsee".to_owned(), "-".to_owned()));
    }
}
