//! Sanitises the rendered HTML as the last step before it is returned.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};

use super::TextSource;
use super::events::REFERENCE;
use super::headings::{ANCHOR, MIGRATION_ANCHOR};

/// Removes every element and attribute that the source may not use from the HTML.
pub(super) fn clean(html: &str, source: TextSource) -> String {
    let cleaner = match source {
        TextSource::Staff => &STAFF,
        TextSource::Partners => &PARTNERS,
    };
    cleaner.clean(html).to_string()
}

static STAFF: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut cleaner = cleaner(&["img"]);
    cleaner.link_rel(Some("noopener noreferrer"));
    cleaner
});

static PARTNERS: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut cleaner = cleaner(&[]);
    cleaner.link_rel(Some("nofollow ugc noopener"));
    cleaner
});

fn cleaner(further_tags: &[&'static str]) -> Builder<'static> {
    let headings = ["h1", "h2", "h3", "h4", "h5", "h6"];
    let tags = [
        "p",
        "br",
        "hr",
        "em",
        "strong",
        "del",
        "code",
        "pre",
        "blockquote",
        "ul",
        "ol",
        "li",
        "a",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    ];
    let mut attributes: HashMap<&str, HashSet<&str>> =
        HashMap::from([("a", HashSet::from(["href", "title"])), ("img", HashSet::from(["src", "alt", "title"]))]);
    attributes.extend(headings.map(|heading| (heading, HashSet::from(["id"]))));
    attributes.insert("ol", HashSet::from(["start"]));
    let mut cleaner = Builder::empty();
    cleaner
        .tags(tags.into_iter().chain(headings).chain(further_tags.iter().copied()).collect())
        .tag_attributes(attributes)
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .url_relative(UrlRelative::PassThrough)
        .attribute_filter(|element, attribute, value| match (element, attribute) {
            ("img", "src") if !value.starts_with("https://") => None,
            ("a", "href") if !value.contains(':') && !value.starts_with(REFERENCE) => None,
            (_, "id") if ![ANCHOR, MIGRATION_ANCHOR].iter().any(|prefix| value.starts_with(prefix)) => None,
            _ => Some(value.into()),
        });
    cleaner
}
