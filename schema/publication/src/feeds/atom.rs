//! Writes an Atom feed.

use atom_syndication::{Category, Content, Entry, Feed, FixedDateTime, Generator, Link, Person, Text, WriteConfig};
use labs_core::fault::Fault;
use labs_core::time::Time;

use super::list::FeedItem;
use crate::items::rules::PublicationKind;

/// Time of the last change of an empty feed: earlier than any entry.
const BEFORE_ALL: &str = "2026-01-01T00:00:00Z";

/// Most bytes of HTML in a feed, as XML. Later entries contain only their summary and link to their page.
const MOST_CONTENT: usize = 8 * 1024 * 1024;

/// An item with its texts as HTML.
pub(super) struct FeedEntry {
    pub(super) item: FeedItem,
    pub(super) body_html: String,
    pub(super) migration_html: Option<String>,
}

/// Channel of a feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum FeedChannel {
    /// Changes in releases of the service.
    Changelog,
    /// The developer blog.
    Blog,
}

impl FeedChannel {
    /// Returns the channel for a name in URLs.
    pub(super) fn named(name: &str) -> Option<Self> {
        [Self::Changelog, Self::Blog].into_iter().find(|channel| channel.name() == name)
    }

    /// Returns the name in the URLs of the feed and of the page.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Changelog => "changelog",
            Self::Blog => "blog",
        }
    }

    /// Returns the kind of the items in the feed.
    pub(super) const fn kind(self) -> PublicationKind {
        match self {
            Self::Changelog => PublicationKind::ChangelogEntry,
            Self::Blog => PublicationKind::BlogPost,
        }
    }

    const fn title(self) -> (&'static str, &'static str) {
        match self {
            Self::Changelog => ("Labs changelog", "Changes of the service and its API."),
            Self::Blog => ("Labs developer blog", "News and advice for developers."),
        }
    }
}

/// Writes the feed of a channel at this base URL, with these entries, newest first.
///
/// # Errors
/// [`labs_core::Code::Internal`] if the feed cannot be written.
pub(super) fn feed(channel: FeedChannel, base_url: &str, entries: Vec<FeedEntry>) -> Result<String, Fault> {
    let page = format!("{base_url}/{}", channel.name());
    let own = format!("{base_url}/v1/publication/public/feeds/{}", channel.name());
    let (title, subtitle) = channel.title();
    let updated = entries.iter().map(|entry| entry.item.item.updated_at).max().map(moment).transpose()?;
    let mut room = MOST_CONTENT;
    let entries: Result<Vec<Entry>, Fault> = entries.into_iter().map(|one| entry(one, &page, &mut room)).collect();
    let mut feed = Feed {
        title: Text::plain(title),
        subtitle: Some(Text::plain(subtitle)),
        id: own.clone(),
        updated: updated.map_or_else(|| BEFORE_ALL.parse().map_err(Fault::internal), Ok)?,
        links: vec![link("self", own, "application/atom+xml"), link("alternate", page, "text/html")],
        generator: Some(Generator { value: "Labs".to_owned(), uri: None, version: None }),
        entries: entries?,
        lang: Some("en".to_owned()),
        // Links into the reference contain no host.
        base: Some(format!("{base_url}/")),
        ..Feed::default()
    };
    feed.set_authors(vec![person("Labs")]);
    let written =
        feed.write_with_config(Vec::new(), WriteConfig { write_document_declaration: true, indent_size: None });
    String::from_utf8(written.map_err(Fault::internal)?).map_err(Fault::internal)
}

/// Writes an entry and subtracts its content from the remaining size of the feed.
fn entry(
    FeedEntry { item: row, body_html, migration_html }: FeedEntry,
    page: &str,
    room: &mut usize,
) -> Result<Entry, Fault> {
    let item = &row.item;
    let marked = if row.action_required { "[Action required] " } else { "" };
    let mut html = body_html;
    if let Some(migration) = migration_html {
        html.push_str("<h2>What to do</h2>\n");
        html.push_str(&migration);
    }
    let html = strip_illegal(&html);
    let left = room.checked_sub(xml_bytes(&html));
    *room = left.unwrap_or(0);
    let summary = strip_illegal(&item.summary);
    let terms = row.change.map(|change| change.name().to_owned()).into_iter().chain(item.tags.iter().cloned());
    Ok(Entry {
        title: Text::plain(format!("{marked}{}", strip_illegal(&item.title))),
        id: format!("urn:uuid:{}", item.uuid),
        updated: moment(item.updated_at)?,
        published: Some(moment(item.first_released_at)?),
        authors: row.author.iter().map(|author| person(&strip_illegal(&author.name))).collect(),
        categories: terms.map(|term| Category { term, scheme: None, label: None }).collect(),
        links: vec![link("alternate", format!("{page}/{}", item.slug), "text/html")],
        summary: (!summary.is_empty()).then(|| Text::plain(summary)),
        content: left.map(|_| Content {
            value: Some(html),
            content_type: Some("html".to_owned()),
            ..Content::default()
        }),
        ..Entry::default()
    })
}

/// Upper bound of the bytes that a text needs in XML: an escaped character has at most six letters.
fn xml_bytes(text: &str) -> usize {
    text.len() + 5 * text.bytes().filter(|byte| matches!(byte, b'<' | b'>' | b'&' | b'"' | b'\'')).count()
}

fn link(rel: &str, href: String, mime_type: &str) -> Link {
    Link { href, rel: rel.to_owned(), mime_type: Some(mime_type.to_owned()), ..Link::default() }
}

fn person(name: &str) -> Person {
    Person { name: name.to_owned(), ..Person::default() }
}

fn moment(time: Time) -> Result<FixedDateTime, Fault> {
    time.to_string().parse().map_err(Fault::internal)
}

/// Removes the characters that XML does not allow (XML 1.0 section 2.2).
fn strip_illegal(text: &str) -> String {
    let is_legible = |letter: char| matches!(letter, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    text.chars().filter(|letter| is_legible(*letter)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::items::rules::ChangeKind;
    use crate::readers::ReleasedItem;

    fn row(number: u128, title: &str) -> FeedEntry {
        let at = |hour: u128| format!("2026-03-01T{hour:02}:00:00.5Z").parse().unwrap();
        let item = FeedItem {
            item: ReleasedItem {
                uuid: uuid::Uuid::from_u128(number),
                slug: format!("item-{number}"),
                title: title.to_owned(),
                summary: String::new(),
                tags: vec!["search".to_owned()],
                first_released_at: at(1),
                released_at: at(number),
                updated_at: at(number),
            },
            body: "# One & two\n\n`<b>`]]>".to_owned(),
            migration: Some("Do *this*.".to_owned()),
            change: Some(ChangeKind::Deprecated),
            action_required: true,
            author: None,
        };
        let body_html = "<h1>One &amp; two</h1>\n<p><code>&lt;b&gt;</code>]]&gt;</p>\n".to_owned();
        FeedEntry { item, body_html, migration_html: Some("<p>Do <em>this</em>.</p>\n".to_owned()) }
    }

    fn read(entries: Vec<FeedEntry>) -> Feed {
        let written = feed(FeedChannel::Changelog, "https://labs.example", entries).unwrap();
        assert!(written.len() < MOST_CONTENT + 100_000, "{}", written.len());
        written.parse().unwrap()
    }

    #[test]
    fn feed_lists_new_items_with_links() {
        let feed = read(vec![row(3, "a <b> & c"), row(2, "d\u{8}e\u{fffe}f\u{0}g")]);
        assert_eq!(
            (feed.id(), feed.updated().to_rfc3339()),
            (feed.links()[0].href(), "2026-03-01T03:00:00.500+00:00".to_owned())
        );
        assert_eq!(feed.links()[0].rel(), "self");
        let titles: Vec<&str> = feed.entries().iter().map(|entry| entry.title().as_str()).collect();
        assert_eq!(titles, ["[Action required] a <b> & c", "[Action required] defg"]);
        let entry = &feed.entries()[0];
        assert_eq!(entry.id(), "urn:uuid:00000000-0000-0000-0000-000000000003");
        assert_eq!(entry.links()[0].href(), "https://labs.example/changelog/item-3");
        let terms: Vec<&str> = entry.categories().iter().map(Category::term).collect();
        assert_eq!((terms, entry.summary()), (vec!["DEPRECATED", "search"], None));
        let html = entry.content().unwrap().value().unwrap();
        assert!(
            html.contains("One &amp; two") && html.contains("&lt;b&gt;") && html.contains("<em>this</em>"),
            "{html}"
        );
    }

    #[test]
    fn entries_beyond_feed_limit_have_no_content() {
        let long = |number| FeedEntry { body_html: "<p></p>\n".repeat(120_000), ..row(number, "a") };
        let feed = read((1..10).rev().map(long).collect());
        let with_content: Vec<bool> = feed.entries().iter().map(|entry| entry.content().is_some()).collect();
        assert_eq!(with_content, [true, true, false, false, false, false, false, false, false]);
        assert!(feed.entries().iter().all(|entry| entry.links().len() == 1), "each leads to its page");
    }

    #[test]
    fn empty_feed_is_valid() {
        let feed = read(Vec::new());
        assert_eq!((feed.entries().len(), feed.updated().to_rfc3339()), (0, "2026-01-01T00:00:00+00:00".to_owned()));
        assert_eq!(feed.authors()[0].name(), "Labs");
        assert_eq!((FeedChannel::named("blog"), FeedChannel::named("Blog")), (Some(FeedChannel::Blog), None));
    }
}
