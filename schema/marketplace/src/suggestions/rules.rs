//! Table of names, and the search in it.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use labs_core::slug::{contract, fold};
use labs_core::words::words;

use crate::public_cache::Weighed;

words! {
    /// Kinds of suggestions.
    pub enum SuggestionKind {
        /// A word to search for.
        Word = "WORD",
        /// A category.
        Category = "CATEGORY",
        /// A curated collection.
        Collection = "COLLECTION",
        /// A partner with listings.
        Vendor = "VENDOR",
        /// A listing.
        Listing = "LISTING",
    }
}

/// Name that can be suggested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) kind: SuggestionKind,
    /// Text as readers see it.
    pub(super) text: String,
    /// Other word for the text, which readers may type.
    pub(super) synonym: Option<String>,
    /// Slug; a word has none.
    pub(super) slug: Option<String>,
    /// Weight for the order among equal matches, highest first.
    pub(super) weight: i64,
    /// Locale of the text; `None` for words and companies.
    pub(super) locale: Option<String>,
}

/// Minimum number of letters for a suggestion.
const SHORTEST: usize = 2;
/// Maximum number of names considered for one typed word.
const MOST_NAMES: usize = 2000;

/// Quality of a match, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// The name begins with the typed text.
    Begins,
    /// A word of the name begins with the typed text.
    Holds,
    /// A word of the name almost begins with the typed text; the value is the number of wrong letters.
    Nearly(usize),
}

/// Suggestions of one locale, or of all.
#[derive(Default)]
pub(crate) struct Names {
    names: Vec<Name>,
    /// Each name or its synonym, case-folded.
    folded: Vec<String>,
    /// Every case-folded word of every name, sorted, each with the names that contain it.
    index: Vec<(String, Vec<usize>)>,
}

impl Weighed for Names {
    fn bytes(&self) -> usize {
        let slug = |name: &Name| name.slug.as_ref().map_or(0, String::len);
        let synonym = |name: &Name| name.synonym.as_ref().map_or(0, String::len);
        let names = self.names.iter().map(|name| size_of::<Name>() + name.text.len() + slug(name) + synonym(name));
        let folded = self.folded.iter().map(|text| size_of::<String>() + text.len());
        let place = size_of::<usize>();
        let index = self
            .index
            .iter()
            .map(|(word, places)| size_of::<(String, Vec<usize>)>() + word.len() + places.capacity() * place);
        names.chain(folded).chain(index).sum()
    }
}

impl Names {
    /// Builds the table of these names, and of the words in names and taglines.
    pub(super) fn new(mut names: Vec<Name>, taglines: &[String]) -> Self {
        names.extend(words_of(names.iter().map(|name| name.text.as_str()).chain(taglines.iter().map(String::as_str))));
        let folded: Vec<String> = names.iter().map(|name| fold(name.synonym.as_ref().unwrap_or(&name.text))).collect();
        let mut index: HashMap<&str, Vec<usize>> = HashMap::new();
        for (place, text) in folded.iter().enumerate() {
            for word in text.split(' ') {
                let places = index.entry(word).or_default();
                if places.last() != Some(&place) {
                    places.push(place);
                }
            }
        }
        let mut index: Vec<(String, Vec<usize>)> =
            index.into_iter().map(|(word, places)| (word.to_owned(), places)).collect();
        index.sort_unstable();
        for (_, places) in &mut index {
            places.sort_by_key(|place| names.get(*place).map(|name| (name.kind as u8, Reverse(name.weight))));
        }
        Self { names, folded, index }
    }

    /// Returns at most `most` completions of `typed`, best first. A name must contain all words before the last one
    /// completely. The last word may be incomplete, and misspelled if there is no other match. A resource is named once.
    pub(super) fn complete(&self, typed: &str, most: usize) -> Vec<Name> {
        let (typed, mut found) = (fold(typed), HashMap::new());
        self.look_for(&typed, &mut found);
        if let Some(contracted) = contract(&typed) {
            self.look_for(&contracted, &mut found);
        }
        let mut found: Vec<(usize, Fit)> = found.into_iter().collect();
        found.sort_by_cached_key(|(place, fit)| {
            let name = self.names.get(*place);
            (*fit, name.map(|name| (name.kind as u8, Reverse(name.weight), name.text.clone())))
        });
        let mut resources = HashSet::new();
        found.retain(|(place, _)| {
            let resource =
                self.names.get(*place).map(|name| (name.kind as u8, name.slug.as_ref().unwrap_or(&name.text)));
            resources.insert(resource)
        });
        let mut each = HashMap::new();
        let shares = |(place, _): &(usize, Fit)| {
            let kind = self.names.get(*place).map(|name| name.kind as u8);
            let so_far = each.entry(kind).or_insert(0_usize);
            *so_far += 1;
            *so_far <= most.div_ceil(2)
        };
        let (first, rest): (Vec<_>, Vec<_>) = found.into_iter().partition(shares);
        first.into_iter().chain(rest).take(most).filter_map(|(place, _)| self.names.get(place).cloned()).collect()
    }

    /// Adds completions of the case-folded `typed`.
    fn look_for(&self, typed: &str, found: &mut HashMap<usize, Fit>) {
        let (settled, last) = typed.rsplit_once(' ').unwrap_or(("", typed));
        if last.chars().count() < SHORTEST {
            return;
        }
        let settled: Vec<&str> = settled.split(' ').filter(|word| !word.is_empty()).collect();
        for (_, places) in self.index.get(self.words_with_prefix(last)).unwrap_or_default() {
            self.add(found, places, &settled, |name| if name.starts_with(typed) { Fit::Begins } else { Fit::Holds });
        }
        if found.is_empty() {
            for (word, places) in &self.index {
                if let Some(wrong) = nearly(last, word) {
                    self.add(found, places, &settled, |_| Fit::Nearly(wrong));
                }
            }
        }
    }

    /// Returns the range of index words that start with `beginning`.
    fn words_with_prefix(&self, beginning: &str) -> Range<usize> {
        let from = self.index.partition_point(|(word, _)| word.as_str() < beginning);
        let until = self.index.partition_point(|(word, _)| word.as_str() < beginning || word.starts_with(beginning));
        from..until
    }

    /// Adds the names that contain every complete word.
    fn add(&self, found: &mut HashMap<usize, Fit>, places: &[usize], settled: &[&str], fit: impl Fn(&str) -> Fit) {
        for place in places.iter().take(MOST_NAMES) {
            let Some(folded) = self.folded.get(*place) else { continue };
            if settled.iter().all(|word| folded.split(' ').any(|own| own == *word)) {
                let fit = fit(folded);
                let known = found.entry(*place).or_insert(fit);
                *known = fit.min(*known);
            }
        }
    }
}

/// Returns the words of texts as separate suggestions, weighted by the number of texts that use them. It omits short
/// words and numbers.
fn words_of<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<Name> {
    let mut uses: HashMap<String, (String, i64)> = HashMap::new();
    for text in texts {
        for word in text.split(|letter: char| !letter.is_alphanumeric()) {
            if word.chars().count() > 3 && word.chars().all(char::is_alphabetic) {
                let word = word.to_lowercase();
                uses.entry(fold(&word)).or_insert((word, 0)).1 += 1;
            }
        }
    }
    let name =
        |(text, weight)| Name { kind: SuggestionKind::Word, text, synonym: None, slug: None, weight, locale: None };
    uses.into_values().map(name).collect()
}

/// Returns the number of wrong letters if an incomplete word almost matches the beginning of this word: one from four
/// letters on, two from eight. The first letter must match, which is almost always the case.
fn nearly(typed: &str, word: &str) -> Option<usize> {
    let letters = typed.chars().count();
    let most = match letters {
        0..=3 => return None,
        4..=7 => 1,
        _ => 2,
    };
    if typed.chars().next() != word.chars().next() {
        return None;
    }
    let beginning =
        |length: usize| word.char_indices().nth(length).map_or(word, |(end, _)| word.get(..end).unwrap_or(word));
    let wrong = (letters.saturating_sub(most)..=letters + most)
        .map(|length| strsim::osa_distance(typed, beginning(length)))
        .min()
        .unwrap_or(letters);
    (1..=most).contains(&wrong).then_some(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use SuggestionKind::{Category, Listing, Vendor};

    fn name(text: &str) -> Name {
        Name { kind: Category, text: text.to_owned(), synonym: None, slug: None, weight: 0, locale: None }
    }

    fn names() -> Names {
        let name = |kind, text: &str, weight| Name {
            kind,
            text: text.to_owned(),
            synonym: None,
            slug: Some(labs_core::slug::slug_of(text, "x")),
            weight,
            locale: None,
        };
        Names::new(
            vec![
                name(Listing, "Mise Table Planner", 5),
                name(Listing, "Table Pilot", 9),
                name(Listing, "Küchenmonitor", 1),
                name(Listing, "Dienstplan Nord", 1),
                name(Category, "Table management", 3),
                name(Vendor, "Tablier & Söhne", 2),
            ],
            &["Reservierungen und Warteliste".to_owned()],
        )
    }

    fn texts(typed: &str) -> Vec<String> {
        names().complete(typed, 8).into_iter().map(|name| name.text).collect()
    }

    #[test]
    fn prefix_matches_precede_other_matches() {
        assert_eq!(
            texts("tab"),
            ["table", "tablier", "Table management", "Tablier & Söhne", "Table Pilot", "Mise Table Planner"]
        );
        assert_eq!(texts("KÜCH"), ["küchenmonitor", "Küchenmonitor"]);
        assert_eq!(texts("kuch"), ["küchenmonitor", "Küchenmonitor"]);
        assert_eq!(texts("kueche"), ["küchenmonitor", "Küchenmonitor"]);
        assert_eq!(texts("reserv"), ["reservierungen"]);
    }

    #[test]
    fn only_last_word_may_be_incomplete() {
        assert_eq!(texts("table pl"), ["Mise Table Planner"]);
        assert_eq!(texts("tab pl"), Vec::<String>::new());
    }

    #[test]
    fn mistyped_words_match_only_without_other_results() {
        assert_eq!(texts("dinstplan"), ["dienstplan", "Dienstplan Nord"]);
        assert_eq!(texts("plinn"), ["planner", "Mise Table Planner"]);
        assert_eq!(texts("tabli"), ["tablier", "Tablier & Söhne"], "not table, which differs in one letter");
        assert_eq!(texts("zzzz"), Vec::<String>::new());
        assert_eq!(texts("x"), Vec::<String>::new());
        assert_eq!(texts("& !"), Vec::<String>::new());
    }

    #[test]
    fn synonym_suggests_its_category_once() {
        let of = |text: &str, synonym: Option<&str>| Name {
            synonym: synonym.map(str::to_owned),
            slug: Some("tills".to_owned()),
            ..name(text)
        };
        let names =
            [of("Tills", None), of("Tills", Some("POS")), of("Kassen", None), of("Kassen", Some("Registrierkasse"))];
        let names = Names::new(names.into(), &[]);
        let texts = |typed: &str| -> Vec<String> {
            let found = names.complete(typed, 8).into_iter().filter(|name| name.kind == Category);
            found.map(|name| name.text).collect()
        };
        assert_eq!(
            (texts("pos"), texts("kass"), texts("til")),
            (vec!["Tills".to_owned()], vec!["Kassen".to_owned()], vec!["Tills".to_owned()])
        );
    }

    #[test]
    fn each_kind_gets_at_most_half_while_others_match() {
        let listing = |number| Name { kind: Listing, text: format!("Tapas {number}"), ..name("") };
        let vendor = Name { kind: Vendor, ..name("Nord Tapas") };
        let names = Names::new((0..9).map(listing).chain([vendor]).collect(), &[]);
        let kinds: Vec<_> = names.complete("tap", 4).into_iter().map(|name| name.kind).collect();
        assert!(kinds.contains(&Vendor), "{kinds:?}");
    }
}
