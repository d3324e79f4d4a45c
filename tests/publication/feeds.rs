//! Tests of feeds.

use std::collections::BTreeMap;

use atom_syndication::Feed;
use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::json;

use super::desk::Desk;
use crate::harness::Answer;

/// Number of times that each element occurs below another, by both names.
type Elements = BTreeMap<(String, String), usize>;

impl Desk {
    async fn feed(&self, channel: &str) -> Answer {
        self.harness.call("publication_feeds_get").path("channel", channel).expect(200).await
    }
}

/// Parses a feed as XML. It must be well-formed and contain no characters that XML forbids.
fn elements(text: &str) -> Elements {
    assert!(!text.chars().any(|letter| letter.is_control() && !matches!(letter, '\n' | '\r' | '\t')), "{text}");
    let mut reader = Reader::from_str(text);
    let (mut open, mut found) = (vec![String::new()], Elements::new());
    loop {
        let event = reader.read_event().unwrap_or_else(|error| panic!("{error}: {text}"));
        let name = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        match event {
            Event::Start(element) => {
                let (within, name) = (open.last().unwrap().clone(), name(element.name().as_ref()));
                *found.entry((within, name.clone())).or_default() += 1;
                open.push(name);
            }
            Event::Empty(element) => {
                *found.entry((open.last().unwrap().clone(), name(element.name().as_ref()))).or_default() += 1;
            }
            Event::End(_) => drop(open.pop().unwrap()),
            Event::Eof => return found,
            _ => {}
        }
    }
}

#[tokio::test]
async fn feed_is_valid_atom() {
    let desk = Desk::new().await;
    for (title, required) in [("What <is> & new", true), ("Plain", false)] {
        let said = json!({ "body": "# Head\n\nSee [it](op:system_me_get) `<b>` & ]]>", "tags": ["api"],
                           "summary": "In short.", "action_required": required, "migration": "Do *this*." });
        desk.released("CHANGELOG_ENTRY", title, said).await;
        desk.harness.advance(60).await;
    }
    // A title that was stored before the service rejected control characters.
    let control = "update publication_item set title = 'What <is> & ' || chr(8) || 'new' where title like 'What%'";
    desk.harness.sql(control).await;
    desk.draft("CHANGELOG_ENTRY", "Not yet").await;
    let answer = desk.feed("changelog").await;
    assert_eq!(answer.header("content-type"), "application/atom+xml; charset=utf-8");
    assert_eq!(answer.header("content-disposition"), "");
    let found = elements(&answer.text());
    let count = |within: &str, name: &str| found.get(&(within.to_owned(), name.to_owned())).copied().unwrap_or(0);
    // Required by RFC 4287, sections 4.1.1 and 4.1.2.
    for required in ["id", "title", "updated", "author"] {
        assert_eq!(count("feed", required), 1, "{required}");
    }
    assert_eq!((count("feed", "entry"), count("feed", "link"), count("author", "name")), (2, 2, 1));
    for required in ["id", "title", "updated", "published", "link", "content", "summary"] {
        assert_eq!(count("entry", required), 2, "{required}");
    }
    let feed: Feed = answer.text().parse().unwrap();
    let base_url = &desk.harness.base_url;
    assert_eq!(feed.id(), format!("{base_url}/v1/publication/public/feeds/changelog"));
    assert_eq!((feed.base(), feed.links()[0].rel()), (Some(format!("{base_url}/").as_str()), "self"));
    let titles: Vec<&str> = feed.entries().iter().map(|entry| entry.title().as_str()).collect();
    assert_eq!(titles, ["Plain", "[Action required] What <is> & new"]);
    let entry = &feed.entries()[1];
    assert_eq!(feed.updated(), feed.entries()[0].updated());
    let html = entry.content().unwrap().value().unwrap();
    assert_eq!(entry.content().unwrap().content_type(), Some("html"));
    for piece in [
        "<h1 id=\"section-head\">",
        "&lt;b&gt;</code> &amp; ]]",
        "<em>this</em>",
        "/reference/operations/system_me_get",
    ] {
        assert!(html.contains(piece), "{piece}: {html}");
    }
    let terms: Vec<&str> = entry.categories().iter().map(|category| category.term()).collect();
    assert_eq!(terms, ["ADDED", "api"]);
}

#[tokio::test]
async fn feed_entry_id_is_stable_and_withdrawn_entry_disappears() {
    let desk = Desk::new().await;
    let empty = desk.feed("blog").await;
    let parsed: Feed = empty.text().parse().unwrap();
    assert_eq!((parsed.entries().len(), parsed.updated().to_rfc3339()), (0, "2026-01-01T00:00:00+00:00".to_owned()));
    let item = desk.released("BLOG_POST", "First", json!({ "show_author": true })).await;
    desk.released("CHANGELOG_ENTRY", "Elsewhere", json!({})).await;
    let first = desk.feed("blog").await;
    assert_ne!(first.header("etag"), empty.header("etag"));
    let feed: Feed = first.text().parse().unwrap();
    assert_eq!((feed.entries().len(), feed.entries()[0].id()), (1, format!("urn:uuid:{item}").as_str()));
    assert_eq!(feed.entries()[0].authors()[0].name(), "Edda Editor");
    let again = desk.harness.call("publication_feeds_get").path("channel", "blog");
    let again = again.header("if-none-match", first.header("etag")).expect(304).await;
    assert_eq!((again.bytes.len(), again.header("etag")), (0, first.header("etag")));

    desk.update(&item, json!({ "slug": "second", "title": "Second", "reason": "Better." })).await;
    let renamed: Feed = desk.feed("blog").await.text().parse().unwrap();
    let entry = &renamed.entries()[0];
    assert_eq!((entry.id(), entry.title().as_str()), (feed.entries()[0].id(), "Second"));
    assert_eq!(entry.links()[0].href(), format!("{}/blog/second", desk.harness.base_url));
    assert_eq!(
        (entry.published(), entry.updated() > feed.entries()[0].updated()),
        (feed.entries()[0].published(), true)
    );
    desk.step("withdraw", &item).await;
    assert_eq!(desk.feed("blog").await.bytes, empty.bytes);
    desk.harness.call("publication_feeds_get").path("channel", "news").expect(404).await;
}
