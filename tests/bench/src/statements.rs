//! The service's own statements, as the compiler checked them.

use std::collections::BTreeMap;

use anyhow::bail;

/// Every statement that holds all of these marks; there must be exactly one.
pub(crate) fn find(marks: &[&str]) -> anyhow::Result<&'static str> {
    let mut found = BTreeMap::new();
    for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.sqlx"))? {
        let file: serde_json::Value = serde_json::from_slice(&std::fs::read(file?.path())?)?;
        let text = file.get("query").and_then(serde_json::Value::as_str).unwrap_or_default();
        if marks.iter().all(|mark| text.contains(mark)) {
            found.insert(text.to_owned(), ());
        }
    }
    let count = found.len();
    match found.pop_first() {
        Some((text, ())) if count == 1 => Ok(text.leak()),
        _ => bail!("{count} statements hold {marks:?}: name marks of the one that is meant"),
    }
}

/// One listing by its slug.
pub(crate) fn listing() -> anyhow::Result<&'static str> {
    find(&["o.locale <> l.default_locale", "where l.slug = $1 and l.visible"])
}

/// A partner's apps, newest first, twenty to a page.
pub(crate) fn apps() -> anyhow::Result<&'static str> {
    find(&["words.tagline, words.description", "order by app.created_at desc, app.app_uuid desc limit 21"])
}

/// One app of a partner.
pub(crate) fn app() -> anyhow::Result<&'static str> {
    find(&["words.tagline, words.description", "where app.partner_uuid = $1 and app.app_uuid = $2"])
}

/// A machine client with its secrets.
pub(crate) fn client() -> anyhow::Result<&'static str> {
    find(&["from machine_client_shown\n            where client_uuid = $1"])
}

/// An app held for a change.
pub(crate) fn hold() -> anyhow::Result<&'static str> {
    find(&["select app_uuid from app where app_uuid = $1 and partner_uuid = $2 for update"])
}

/// What is written of an app now.
pub(crate) fn present() -> anyhow::Result<&'static str> {
    find(&["select app.slug, app.default_locale, app.state", "\"was_published!\""])
}

/// An app's draft and its history's entry.
pub(crate) fn set_draft() -> anyhow::Result<&'static str> {
    find(&["update app set slug = $2", "'UPDATED'"])
}
