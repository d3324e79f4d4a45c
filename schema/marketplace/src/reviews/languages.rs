//! Filter of customer reviews by language: `de` also finds `de-AT`, `de-AT` finds only itself.
//!
//! An index finds the reviews of one primary language in the order of the list. Only if a requested tag names a region or
//! script, each of these reviews is compared with the tags.

use std::collections::BTreeSet;

use labs_core::list::SqlValue;
use labs_core::locale::equivalents;

/// One primary language.
pub(super) const OF_LANGUAGE: &str = "r.language = {}";
/// Several primary languages.
pub(super) const OF_LANGUAGES: &str = "r.language = any({})";
/// Tags with a region or a script.
pub(super) const OF_VARIETY: &str = "(select true from unnest({}::text[]) as tag
    where r.locale = tag or starts_with(r.locale, tag || '-') limit 1) is true";

/// Returns the value of [`OF_LANGUAGE`]: the primary language, if all tags have the same.
pub(super) fn only(requested: Option<&[String]>) -> Option<SqlValue> {
    let mut primary = primaries(requested?).into_iter();
    primary.next().filter(|_| primary.next().is_none()).map(SqlValue::Text)
}

/// Returns the value of [`OF_LANGUAGES`]: the primary languages, if there are several.
pub(super) fn several(requested: Option<&[String]>) -> Option<SqlValue> {
    let primary = primaries(requested?);
    (primary.len() > 1).then(|| SqlValue::Texts(primary.into_iter().collect()))
}

/// Returns the value of [`OF_VARIETY`]: the tags, if one of them has a region or a script.
pub(super) fn varieties(requested: Option<&[String]>) -> Option<SqlValue> {
    let requested = requested?;
    requested.iter().any(|tag| tag.contains('-')).then(|| SqlValue::Texts(equivalents(requested)))
}

fn primaries(requested: &[String]) -> BTreeSet<String> {
    let primary = |tag: String| tag.split('-').next().unwrap_or_default().to_owned();
    equivalents(requested).into_iter().map(primary).collect()
}
