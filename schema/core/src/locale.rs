//! Languages: accepted tags, and selection of the stored text for a reader.
//!
//! A reader may send any well-formed tag (BCP 47). [`preference`] converts it to the stored tags that match it, best
//! first: RFC 4647 lookup with CLDR's aliases, parent locales and likely subtags, so that `es-419` finds `es`, `pt`
//! finds `pt-BR`, `zh-CN` finds `zh-Hans` and `no` finds `nb`. The database function `locale_rank` uses the same list
//! and agrees with [`rank`].

use icu_locale::fallback::LocaleFallbacker;
use icu_locale::{LanguageIdentifier, Locale, LocaleCanonicalizer, LocaleExpander};
use oxilangtag::LanguageTag;

/// Norwegian languages, whose readers also understand the others of the macrolanguage (ISO 639-3).
const NORWEGIAN: [&str; 3] = ["nb", "no", "nn"];
/// Rank penalty for each subtag that must be removed from a stored tag for a match.
const TRUNCATED: usize = 100;

/// Whether a text is a well-formed language tag (RFC 5646, section 2.2.9).
#[must_use]
pub fn is_language_tag(text: &str) -> bool {
    LanguageTag::parse(text).is_ok()
}

/// Returns the stored tags that match a requested tag, best first, separated by spaces. An unlisted stored tag matches
/// by its language and script, or by its language alone, if these are listed.
pub fn preference(requested: Option<String>) -> Option<String> {
    requested.map(|tag| matching(&tag).join(" "))
}

/// Returns the tags that are equivalent to one of `requested`, for a filter by language.
pub fn equivalents(requested: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for tag in requested {
        match identifier(tag) {
            Some(id) => {
                let alias = norwegian(&id).into_iter().chain([canonical(id.clone())]);
                [id].into_iter().chain(alias).for_each(|id| add_forms(&id, &mut found));
            }
            None => add(tag.clone(), &mut found),
        }
    }
    found
}

/// Ranks a stored tag in a [`preference`]; 0 is best, `None` means no match.
pub fn rank(stored: &str, preference: &str) -> Option<usize> {
    let place = |tag: &str| preference.split(' ').position(|preferred| preferred == tag);
    let mut subtags = stored.splitn(3, '-');
    let language = subtags.next().unwrap_or_default();
    let with_script = subtags.next().map(|script| format!("{language}-{script}"));
    let is_same = || preference.split(['-', ' ']).next() == Some(language);
    place(stored)
        .or_else(|| place(&with_script?).map(|place| place + TRUNCATED))
        .or_else(|| place(language).map(|place| place + 2 * TRUNCATED))
        .or_else(|| is_same().then_some(4 * TRUNCATED + usize::from(stored != language)))
}

/// Selects the best available tag for a [`preference`].
pub fn best<'a>(available: impl IntoIterator<Item = &'a str>, preference: &str) -> Option<&'a str> {
    let ranked = available.into_iter().filter_map(|stored| Some((rank(stored, preference)?, stored)));
    ranked.min().map(|(_, stored)| stored)
}

fn matching(tag: &str) -> Vec<String> {
    let Some(id) = identifier(tag) else { return vec![tag.to_owned()] };
    let mut found = Vec::new();
    for id in [id.clone(), canonical(id.clone())] {
        parents(&id).iter().for_each(|id| add_forms(id, &mut found));
    }
    // Another script of the same language ranks last: the reader at least understands the language.
    for language in [id.language.to_string(), canonical(id).language.to_string()] {
        add(language.clone(), &mut found);
        if NORWEGIAN.contains(&language.as_str()) {
            NORWEGIAN.iter().for_each(|other| add((*other).to_owned(), &mut found));
        }
    }
    found
}

/// Replaces `no` with `nb` or `nb` with `no`: Norwegian without further specification is Bokmål.
fn norwegian(id: &LanguageIdentifier) -> Option<LanguageIdentifier> {
    let other = match id.language.as_str() {
        "no" => "nb",
        "nb" => "no",
        _ => return None,
    };
    Some(LanguageIdentifier { language: other.parse().ok()?, ..id.clone() })
}

/// Returns language, script and region of a tag. `None` for a tag without a language, such as a private-use tag.
fn identifier(tag: &str) -> Option<LanguageIdentifier> {
    let tag = LanguageTag::parse(tag).ok()?;
    let language = tag.extended_language().unwrap_or(tag.primary_language());
    let subtags = [Some(language), tag.script(), tag.region()];
    subtags.into_iter().flatten().collect::<Vec<_>>().join("-").parse().ok()
}

/// Replaces deprecated subtags (CLDR's aliases).
fn canonical(id: LanguageIdentifier) -> LanguageIdentifier {
    let mut locale = Locale::from(id);
    LocaleCanonicalizer::new_extended().canonicalize(&mut locale);
    locale.id
}

/// Returns a tag and its parents, without the root.
fn parents(id: &LanguageIdentifier) -> Vec<LanguageIdentifier> {
    let fallbacker = LocaleFallbacker::new();
    let mut steps =
        fallbacker.for_config(icu_locale::fallback::LocaleFallbackConfig::default()).fallback_for(id.into());
    let mut found = vec![id.clone()];
    // A chain currently has at most six steps; the limit protects against changed data.
    for _ in 0..16 {
        let step = steps.get().into_locale().id;
        if step.language.is_unknown() {
            break;
        }
        found.push(step);
        steps.step();
    }
    found
}

/// Adds the forms of a tag: as given, and with the script and region that its language implies.
fn add_forms(id: &LanguageIdentifier, found: &mut Vec<String>) {
    let mut full = id.clone();
    LocaleExpander::new_extended().maximize(&mut full);
    let implies = |script, region| {
        let mut other = LanguageIdentifier { language: full.language, script, region, ..LanguageIdentifier::UNKNOWN };
        LocaleExpander::new_extended().maximize(&mut other);
        other == full
    };
    add(id.to_string(), found);
    for (script, region) in [(None, full.region), (full.script, full.region), (full.script, None)] {
        if implies(script, region) {
            let form = LanguageIdentifier { language: id.language, script, region, ..LanguageIdentifier::UNKNOWN };
            add(form.to_string(), found);
        }
    }
}

fn add(tag: String, found: &mut Vec<String>) {
    if !found.contains(&tag) {
        found.push(tag);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose<'a>(requested: &str, available: &[&'a str]) -> Option<&'a str> {
        best(available.iter().copied(), &preference(Some(requested.to_owned())).unwrap())
    }

    #[test]
    fn reader_gets_nearest_stored_locale() {
        for (requested, available, expected) in [
            ("de-AT", &["en", "de", "de-AT"][..], Some("de-AT")),
            ("de-AT", &["en", "de"], Some("de")),
            ("de-AT-1996", &["en", "de"], Some("de")),
            ("de-at", &["en", "de-AT"], Some("de-AT")),
            ("de-Latn-AT", &["de-AT", "de"], Some("de-AT")),
            ("es-419", &["en", "es"], Some("es")),
            ("es-MX", &["es", "es-419", "es-ES"], Some("es-419")),
            ("pt", &["en", "pt-BR", "pt-PT"], Some("pt-BR")),
            ("pt", &["en", "pt-PT"], Some("pt-PT")),
            ("pt-AO", &["pt-BR", "pt-PT"], Some("pt-PT")),
            ("zh-CN", &["zh-Hant", "zh-Hans"], Some("zh-Hans")),
            ("zh-TW", &["zh-Hant", "zh-Hans", "zh"], Some("zh-Hant")),
            ("zh-TW", &["en", "zh"], Some("zh")),
            ("zh-Hans", &["zh-CN", "zh-TW"], Some("zh-CN")),
            ("zh-cmn-Hans", &["en", "zh-Hans"], Some("zh-Hans")),
            ("sr-Latn", &["sr", "sr-Latn-RS"], Some("sr-Latn-RS")),
            ("no", &["en", "nb"], Some("nb")),
            ("nb-NO", &["en", "no"], Some("no")),
            ("nn", &["en", "nb"], Some("nb")),
            ("iw", &["en", "he"], Some("he")),
            ("en-GB-oxendict", &["de", "en"], Some("en")),
            ("fr", &["de", "en"], None),
            ("x-private", &["de", "en"], None),
            ("i-klingon", &["de", "en"], None),
        ] {
            assert_eq!(choose(requested, available), expected, "{requested} of {available:?}");
        }
    }

    #[test]
    fn language_tags_are_validated() {
        for tag in [
            "de",
            "de-AT",
            "zh-Hant-TW",
            "es-419",
            "zh-cmn-Hans-CN",
            "sl-rozaj-biske",
            "x-a",
            "i-klingon",
            "en-u-ca-buddhist",
            "DE-at",
        ] {
            assert!(is_language_tag(tag), "{tag}");
        }
        for tag in ["", "d", "de_AT", "de-", "-de", "de AT", "de--AT", "d\u{e9}", "abcdefghi"] {
            assert!(!is_language_tag(tag), "{tag:?}");
        }
    }

    #[test]
    fn locale_filter_includes_equivalent_tags() {
        let of = |tag: &str| equivalents(&[tag.to_owned()]);
        assert!(of("zh-CN").contains(&"zh-Hans".to_owned()) && !of("zh-CN").contains(&"zh".to_owned()));
        assert!(of("no").contains(&"nb".to_owned()));
        assert_eq!(of("pt")[0], "pt");
    }
}
