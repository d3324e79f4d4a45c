//! A feed as a text.

use atom_syndication::{Category, Content, Entry, Feed, FixedDateTime, Generator, Link, Person, Text, WriteConfig};

use super::list::FeedItem;
use crate::core::fault::Fault;
use crate::core::time::Time;
use crate::publication::items::rules::PublicationKind;
use crate::publication::readers::ShownTexts;

/// When a feed of nothing was last changed: it is older than any entry.
const BEFORE_ALL: &str = "2026-01-01T00:00:00Z";

/// A feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum FeedChannel {
    /// What changed in releases of the service.
    Changelog,
    /// The developers' blog.
    Blog,
}

impl FeedChannel {
    /// The channel of a name in addresses.
    pub(super) fn named(name: &str) -> Option<Self> {
        [Self::Changelog, Self::Blog].into_iter().find(|channel| channel.name() == name)
    }

    /// Its name in addresses, of the feed and of the page.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Changelog => "changelog",
            Self::Blog => "blog",
        }
    }

    /// What stands in it.
    pub(super) const fn kind(self) -> PublicationKind {
        match self {
            Self::Changelog => PublicationKind::ChangelogEntry,
            Self::Blog => PublicationKind::BlogPost,
        }
    }

    const fn title(self) -> (&'static str, &'static str) {
        match self {
            Self::Changelog => ("Labs changelog", "What changed in the service and its interface."),
            Self::Blog => ("Labs developer blog", "News and advice for developers."),
        }
    }
}

/// The feed of a channel at this address, with these items, the latest first.
///
/// # Errors
/// [`crate::Code::Internal`] for what cannot be written.
pub(super) fn feed(
    channel: FeedChannel,
    base_url: &str,
    items: &[FeedItem],
    texts: &ShownTexts,
) -> Result<String, Fault> {
    let page = format!("{base_url}/{}", channel.name());
    let own = format!("{base_url}/v1/publication/public/feeds/{}", channel.name());
    let (title, subtitle) = channel.title();
    let updated = items.iter().map(|row| row.item.updated_at).max().map(moment).transpose()?;
    let entries: Result<Vec<Entry>, Fault> = items.iter().map(|row| entry(row, &page, texts)).collect();
    let mut feed = Feed {
        title: Text::plain(title),
        subtitle: Some(Text::plain(subtitle)),
        id: own.clone(),
        updated: updated.map_or_else(|| BEFORE_ALL.parse().map_err(Fault::internal), Ok)?,
        links: vec![link("self", own, "application/atom+xml"), link("alternate", page, "text/html")],
        generator: Some(Generator { value: "Labs".to_owned(), uri: None, version: None }),
        entries: entries?,
        lang: Some("en".to_owned()),
        // Links into the reference name no host.
        base: Some(format!("{base_url}/")),
        ..Feed::default()
    };
    feed.set_authors(vec![person("Labs")]);
    let written =
        feed.write_with_config(Vec::new(), WriteConfig { write_document_declaration: true, indent_size: None });
    String::from_utf8(written.map_err(Fault::internal)?).map_err(Fault::internal)
}

fn entry(row: &FeedItem, page: &str, texts: &ShownTexts) -> Result<Entry, Fault> {
    let item = &row.item;
    let marked = if row.action_required { "[Action required] " } else { "" };
    let mut html = texts.shown(&row.body).html.clone();
    if let Some(migration) = &row.migration {
        html.push_str("<h2>What to do</h2>\n");
        html.push_str(&texts.shown(migration).html);
    }
    let summary = legible(&item.summary);
    let terms = row.change.map(|change| change.name().to_owned()).into_iter().chain(item.tags.iter().cloned());
    Ok(Entry {
        title: Text::plain(format!("{marked}{}", legible(&item.title))),
        id: format!("urn:uuid:{}", item.uuid),
        updated: moment(item.updated_at)?,
        published: Some(moment(item.first_released_at)?),
        authors: row.author.iter().map(|author| person(&legible(&author.name))).collect(),
        categories: terms.map(|term| Category { term, scheme: None, label: None }).collect(),
        links: vec![link("alternate", format!("{page}/{}", item.slug), "text/html")],
        summary: (!summary.is_empty()).then(|| Text::plain(summary)),
        content: Some(Content {
            value: Some(legible(&html)),
            content_type: Some("html".to_owned()),
            ..Content::default()
        }),
        ..Entry::default()
    })
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

/// A text without the letters that no XML document can hold (XML 1.0 section 2.2).
fn legible(text: &str) -> String {
    let is_legible = |letter: char| matches!(letter, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    text.chars().filter(|letter| is_legible(*letter)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::publication::items::rules::ChangeKind;
    use crate::publication::readers::ReleasedItem;

    fn row(number: u128, title: &str) -> FeedItem {
        let at = |hour: u128| format!("2026-03-01T{hour:02}:00:00.5Z").parse().unwrap();
        FeedItem {
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
        }
    }

    fn read(items: &[FeedItem]) -> Feed {
        let written = feed(FeedChannel::Changelog, "https://labs.example", items, &ShownTexts::default()).unwrap();
        written.parse().unwrap()
    }

    #[test]
    fn a_feed_says_what_is_new_and_where() {
        let feed = read(&[row(3, "a <b> & c"), row(2, "d\u{8}e\u{fffe}f\u{0}g")]);
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
    fn a_feed_of_nothing_is_one_too() {
        let feed = read(&[]);
        assert_eq!((feed.entries().len(), feed.updated().to_rfc3339()), (0, "2026-01-01T00:00:00+00:00".to_owned()));
        assert_eq!(feed.authors()[0].name(), "Labs");
        assert_eq!((FeedChannel::named("blog"), FeedChannel::named("Blog")), (Some(FeedChannel::Blog), None));
    }
}
