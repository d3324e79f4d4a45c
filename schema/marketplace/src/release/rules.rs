//! Differences between two snapshots, in the order of the submitted one.

use std::collections::HashMap;
use std::mem::take;

use similar::{ChangeTag, TextDiff};

use super::view::{ListingSnapshot, SubmissionDifference, TextPart, TextPartChange};
use crate::versions::AppPermission;

/// Path and its value.
type PathText = (String, String);

/// Returns all differences between the two snapshots. Paths that exist only in the published one come last.
pub(super) fn differences(live: Option<&ListingSnapshot>, submitted: &ListingSnapshot) -> Vec<SubmissionDifference> {
    let before = live.map(places).unwrap_or_default();
    let after = places(submitted);
    let known: HashMap<&str, &str> = before.iter().map(|(path, value)| (path.as_str(), value.as_str())).collect();
    let kept: HashMap<&str, &str> = after.iter().map(|(path, value)| (path.as_str(), value.as_str())).collect();
    let changed =
        after.iter().filter(|(path, value)| known.get(path.as_str()) != Some(&value.as_str())).map(|(path, value)| {
            let live = known.get(path.as_str()).map(|live| (*live).to_owned());
            let parts = live.as_deref().map(|live| parts(live, value)).unwrap_or_default();
            SubmissionDifference { path: display_path(path), live, submitted: Some(value.clone()), parts }
        });
    let gone = before.iter().filter(|(path, _)| !kept.contains_key(path.as_str())).map(|(path, value)| {
        SubmissionDifference { path: display_path(path), live: Some(value.clone()), submitted: None, parts: Vec::new() }
    });
    changed.chain(gone).collect()
}

/// Compares two texts word by word and returns the kept, removed and added parts, in reading order. A space between two
/// changed words counts as changed, so that a replaced sentence is one part.
fn parts(live: &str, submitted: &str) -> Vec<TextPart> {
    let (mut parts, mut removed, mut added, mut space) = (Vec::new(), String::new(), String::new(), String::new());
    let mut end = |removed: &mut String, added: &mut String, kept: &str| {
        let texts = [(TextPartChange::Removed, take(removed)), (TextPartChange::Added, take(added))];
        for (change, text) in texts.into_iter().chain([(TextPartChange::Kept, kept.to_owned())]) {
            match parts.last_mut() {
                _ if text.is_empty() => {}
                Some(TextPart { change: last, text: before }) if *last == change => before.push_str(&text),
                _ => parts.push(TextPart { change, text }),
            }
        }
    };
    for change in TextDiff::from_words(live, submitted).iter_all_changes() {
        let word = change.value();
        match change.tag() {
            ChangeTag::Equal if word.trim().is_empty() && !(removed.is_empty() && added.is_empty()) => {
                space.push_str(word);
            }
            ChangeTag::Equal => end(&mut removed, &mut added, &format!("{}{word}", take(&mut space))),
            ChangeTag::Delete | ChangeTag::Insert => {
                let between = take(&mut space);
                removed.push_str(&between);
                added.push_str(&between);
                let side = if change.tag() == ChangeTag::Delete { &mut removed } else { &mut added };
                side.push_str(word);
            }
        }
    }
    end(&mut removed, &mut added, &space);
    parts
}

/// Returns the permissions of one version that another version does not request. A different reason makes no
/// difference.
pub(crate) fn permissions_only_in(one: &[AppPermission], other: &[AppPermission]) -> Vec<AppPermission> {
    let is_in_other = |permission: &AppPermission| other.iter().any(|known| known.code == permission.code);
    one.iter().filter(|permission| !is_in_other(permission)).cloned().collect()
}

/// Separates a list's path from a redirect URI during the comparison. A redirect URI is identified only by itself and
/// is too long for a path.
const MEMBER: char = '\u{1}';

fn display_path(path: &str) -> String {
    path.split(MEMBER).next().unwrap_or_default().to_owned()
}

/// Returns all paths of a snapshot that have a value.
pub(super) fn paths(snapshot: &ListingSnapshot) -> Vec<String> {
    places(snapshot).iter().map(|(path, _)| display_path(path)).collect()
}

/// Converts a snapshot to paths with texts. Empty values are omitted.
fn places(snapshot: &ListingSnapshot) -> Vec<PathText> {
    let mut places = Vec::new();
    let mut add = |path: String, value: Option<&str>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            places.push((path, value.to_owned()));
        }
    };
    add("/slug".into(), snapshot.slug.as_deref());
    add("/default_locale".into(), Some(&snapshot.default_locale));
    for text in &snapshot.texts {
        add(format!("/texts/{}/name", text.locale), Some(&text.name));
        add(format!("/texts/{}/tagline", text.locale), Some(&text.tagline));
        add(format!("/texts/{}/description", text.locale), Some(&text.description));
    }
    let links = &snapshot.links;
    add("/links/support_url".into(), links.support_url.as_deref());
    add("/links/support_email".into(), links.support_email.as_deref());
    add("/links/privacy_url".into(), links.privacy_url.as_deref());
    add("/links/website_url".into(), links.website_url.as_deref());
    add("/links/terms_url".into(), links.terms_url.as_deref());
    for category in &snapshot.categories {
        let primary = if category.primary { "true" } else { "false" };
        add(format!("/categories/{}/primary", category.slug), Some(primary));
    }
    for picture in &snapshot.media {
        add(format!("/media/{}/kind", picture.uuid), Some(picture.kind.name()));
        add(format!("/media/{}/position", picture.uuid), Some(&picture.position.to_string()));
        add(format!("/media/{}/alt_text", picture.uuid), picture.alt_text.as_deref());
        add(format!("/media/{}/caption", picture.uuid), picture.caption.as_deref());
        for (locale, text) in &picture.alt_texts.0 {
            add(format!("/media/{}/alt_texts/{locale}", picture.uuid), Some(text));
        }
        for (locale, text) in &picture.captions.0 {
            add(format!("/media/{}/captions/{locale}", picture.uuid), Some(text));
        }
    }
    add("/version/number".into(), Some(&snapshot.version.number));
    for (locale, text) in &snapshot.version.release_notes.0 {
        add(format!("/version/release_notes/{locale}"), Some(text));
    }
    for permission in &snapshot.version.manifest.permissions {
        let place = format!("/version/manifest/permissions/{}", permission.code);
        add(format!("{place}/reason"), Some(&permission.reason));
        for (locale, reason) in permission.reasons.iter() {
            add(format!("{place}/reasons/{locale}"), Some(reason));
        }
    }
    for uri in &snapshot.version.manifest.redirect_uris {
        add(format!("/version/manifest/redirect_uris{MEMBER}{uri}"), Some(uri));
    }
    places
}

#[cfg(test)]
mod tests {
    use labs_core::describe::Json;

    use super::*;

    #[test]
    fn texts_are_compared_word_by_word() {
        use TextPartChange::{Added, Kept, Removed};
        let told = |live, submitted| -> Vec<(TextPartChange, String)> {
            parts(live, submitted).into_iter().map(|part| (part.change, part.text)).collect()
        };
        let part = |change, text: &str| (change, text.to_owned());
        assert_eq!(
            told("Seats guests at once.", "Seats your guests at once."),
            [part(Kept, "Seats "), part(Added, "your "), part(Kept, "guests at once.")]
        );
        assert_eq!(
            told("Old words here.", "New ones there."),
            [part(Removed, "Old words here."), part(Added, "New ones there.")]
        );
        assert_eq!(
            told("One. Two.", "One. Three."),
            [part(Kept, "One. "), part(Removed, "Two."), part(Added, "Three.")]
        );
    }

    #[test]
    fn permissions_are_compared_by_code() {
        let permission = |code: &str, reason: &str| AppPermission {
            code: code.to_owned(),
            reason: reason.to_owned(),
            reasons: Json::default(),
        };
        let before = [permission("orders", "Shows what was ordered."), permission("customers", "Shows a name.")];
        let after = [permission("orders", "Shows orders of a table."), permission("orders:write", "Changes a table.")];
        assert_eq!(permissions_only_in(&after, &before), [permission("orders:write", "Changes a table.")]);
        assert_eq!(permissions_only_in(&before, &after), [permission("customers", "Shows a name.")]);
        assert_eq!(permissions_only_in(&after, &[]), after);
    }
}
