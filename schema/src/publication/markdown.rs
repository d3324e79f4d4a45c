//! Markdown as staff and programs write it, as HTML that is safe to show.
//!
//! CommonMark with tables and strikethrough. HTML in the source is shown as text. Headings have anchors, and a link to
//! `op:<operation id>` leads into the reference. ammonia has the last word on everything.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};
use async_graphql::SimpleObject;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, html};
use serde::Serialize;

use crate::core::slug::slug_of;

/// The deepest nesting of what stands in one another: quotations, lists, emphasis.
const DEEPEST: usize = 24;
/// The most ampersands of a text. The library that cleans HTML takes a time that grows with their square: 65,536 of them
/// took eleven seconds, these take ten milliseconds.
const MOST_AMPERSANDS: usize = 2_000;
/// What stands before a link to an operation.
const OPERATION: &str = "op:";
/// Where the reference shows an operation.
const REFERENCE: &str = "/reference/operations/";
/// What stands before the anchor of a heading, so that it is no id of the page around it.
const ANCHOR: &str = "section-";
/// The same of a changelog entry's migration, which is shown on one page with the entry's text.
const MIGRATION_ANCHOR: &str = "migration-";

/// Whether a text is nested deeper than anybody reads. Such a text is refused when it is written.
pub(crate) fn is_too_deep(markdown: &str) -> bool {
    // A line can open thousands of blocks at once, so lines are looked at before anything parses them.
    markdown.lines().any(|line| markers_of(line) > DEEPEST) || is_deeper(Parser::new_ext(markdown, options()))
}

/// Whether a text has more ampersands than anybody writes. Such a text is refused when it is written.
pub(crate) fn has_too_many_ampersands(markdown: &str) -> bool {
    markdown.bytes().filter(|byte| *byte == b'&').count() > MOST_AMPERSANDS
}

/// A heading of a text, by which a reader gets there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PublicationAnchor {
    /// Its id in the HTML.
    id: String,
    /// From 1 for the uppermost to 6.
    level: i32,
    /// Its words.
    text: String,
}

/// A text as it is shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rendered {
    /// HTML.
    pub(crate) html: String,
    /// Its headings, in their order.
    pub(crate) anchors: Vec<PublicationAnchor>,
}

/// A text as HTML; nothing of one that is refused when it is written.
pub(crate) fn render(markdown: &str) -> String {
    render_whole(markdown).html
}

/// The migration of a changelog entry as HTML. No heading has the id of a heading in the entry's text.
pub(crate) fn render_migration(markdown: &str) -> String {
    render_with(markdown, MIGRATION_ANCHOR).html
}

/// The same with its headings.
pub(crate) fn render_whole(markdown: &str) -> Rendered {
    render_with(markdown, ANCHOR)
}

fn render_with(markdown: &str, prefix: &str) -> Rendered {
    if is_too_deep(markdown) || has_too_many_ampersands(markdown) {
        return Rendered::default();
    }
    let mut events: Vec<Event<'_>> = Vec::new();
    let mut kept = Vec::new();
    for event in Parser::new_ext(markdown, options()) {
        match event {
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let target = target_of(&dest_url).map(|target| target.into_owned().into());
                kept.push(target.is_some());
                events.extend(target.map(|dest_url| Event::Start(Tag::Link { link_type, dest_url, title, id })));
            }
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                let is_kept = dest_url.starts_with("https://");
                kept.push(is_kept);
                events.extend(is_kept.then_some(Event::Start(Tag::Image { link_type, dest_url, title, id })));
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                events.extend(kept.pop().is_some_and(|is_kept| is_kept).then_some(event));
            }
            Event::Html(text) | Event::InlineHtml(text) => events.push(Event::Text(text)),
            event => events.push(event),
        }
    }
    let anchors = anchor_headings(&mut events, prefix);
    let mut written = String::with_capacity(markdown.len() + markdown.len() / 2);
    html::push_html(&mut written, events.into_iter());
    Rendered { html: CLEANER.clean(&written).to_string(), anchors }
}

/// Every operation that a text links to, as written, in alphabetical order; of a text that is nested too deep, none.
pub(crate) fn links_to_operations(markdown: &str) -> Vec<String> {
    if is_too_deep(markdown) {
        return Vec::new();
    }
    let links = Parser::new_ext(markdown, options()).filter_map(|event| match event {
        Event::Start(Tag::Link { dest_url, .. }) => dest_url.strip_prefix(OPERATION).map(str::to_owned),
        _ => None,
    });
    links.collect::<BTreeSet<_>>().into_iter().collect()
}

const fn options() -> Options {
    Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH)
}

/// How many blocks a line may open: its marks of quotations and of list entries.
fn markers_of(line: &str) -> usize {
    let mut markers = 0;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let follows_blank = letters.peek().is_none_or(|next| next.is_ascii_whitespace());
        match letter {
            ' ' | '\t' | '0'..='9' => {}
            '>' => markers += 1,
            '-' | '*' | '+' | '.' | ')' if follows_blank => markers += 1,
            _ => break,
        }
    }
    markers
}

fn is_deeper(events: Parser<'_>) -> bool {
    let mut depth = 0_usize;
    for event in events {
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEEPEST * 2 {
            return true;
        }
    }
    false
}

/// Where a link leads: to the web, to a mailbox, or to an operation's place in the reference. None for anywhere else.
fn target_of(written: &str) -> Option<Cow<'_, str>> {
    if let Some(operation) = written.strip_prefix(OPERATION) {
        let is_id = !operation.is_empty() && operation.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        return is_id.then(|| format!("{REFERENCE}{operation}").into());
    }
    let (scheme, _) = written.split_once(':')?;
    let known = ["http", "https", "mailto"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
    known.then_some(Cow::Borrowed(written))
}

/// Gives each heading an id made of a prefix and its words, and answers them; a second one of the same words has a number behind.
fn anchor_headings(events: &mut [Event<'_>], prefix: &str) -> Vec<PublicationAnchor> {
    let mut headings: Vec<(usize, i32, String)> = Vec::new();
    let mut is_within = false;
    for (place, event) in events.iter().enumerate() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                headings.push((place, *level as i32, String::new()));
                is_within = true;
            }
            Event::End(TagEnd::Heading(_)) => is_within = false,
            Event::Text(words) | Event::Code(words) if is_within => push_words(&mut headings, words),
            Event::SoftBreak | Event::HardBreak if is_within => push_words(&mut headings, " "),
            _ => {}
        }
    }
    let mut taken: HashSet<String> = HashSet::new();
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut anchors = Vec::with_capacity(headings.len());
    for (place, level, text) in headings {
        let anchor = slug_of(&text, "part");
        let first = format!("{prefix}{anchor}");
        let number = numbers.entry(anchor).or_insert(1);
        let mut unique = first.clone();
        while !taken.insert(unique.clone()) {
            *number += 1;
            unique = format!("{first}-{number}");
        }
        if let Some(Event::Start(Tag::Heading { id, .. })) = events.get_mut(place) {
            *id = Some(unique.clone().into());
        }
        anchors.push(PublicationAnchor { id: unique, level, text });
    }
    anchors
}

fn push_words(headings: &mut [(usize, i32, String)], words: &str) {
    if let Some((.., text)) = headings.last_mut() {
        text.push_str(words);
    }
}

/// What is let through, whatever was written before.
static CLEANER: LazyLock<Builder<'static>> = LazyLock::new(|| {
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
        "img",
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
        .tags(tags.into_iter().chain(headings).collect())
        .tag_attributes(attributes)
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .url_relative(UrlRelative::PassThrough)
        .attribute_filter(|element, attribute, value| match (element, attribute) {
            ("img", "src") if !value.starts_with("https://") => None,
            ("a", "href") if !value.contains(':') && !value.starts_with(REFERENCE) => None,
            (_, "id") if ![ANCHOR, MIGRATION_ANCHOR].iter().any(|prefix| value.starts_with(prefix)) => None,
            _ => Some(value.into()),
        })
        .link_rel(Some("noopener noreferrer"));
    cleaner
});

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn what_is_written_is_shown_as_html() {
        let text = "# Café *menus*\n\nOne ~~two~~ `three`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n## Café menus\n\n3. c";
        let html = render(text);
        assert!(html.contains(r#"<h1 id="section-cafe-menus">Café <em>menus</em></h1>"#), "{html}");
        assert!(html.contains(r#"<h2 id="section-cafe-menus-2">"#), "{html}");
        assert!(html.contains("<del>two</del> <code>three</code>") && html.contains("<td>1</td>"), "{html}");
        assert!(html.contains(r#"<ol start="3">"#), "{html}");
        let anchors = render_whole(text).anchors;
        let told: Vec<_> =
            anchors.iter().map(|anchor| (anchor.id.as_str(), anchor.level, anchor.text.as_str())).collect();
        assert_eq!(told, [("section-cafe-menus", 1, "Café menus"), ("section-cafe-menus-2", 2, "Café menus")]);
        let migration = render_migration(text);
        assert!(migration.contains(r#"<h1 id="migration-cafe-menus">"#), "another id on the same page: {migration}");
        assert!(!migration.contains("section-"), "{migration}");
        assert_eq!(render_whole("Two\nlines\n===").anchors[0].text, "Two lines");
        let numbered = render("# Part\n\n# Part 2\n\n# Part");
        assert!(numbered.contains(r#"id="section-part-3""#), "an anchor is one heading's: {numbered}");
    }

    #[test]
    fn links_lead_to_the_web_to_mailboxes_and_into_the_reference() {
        let html = render("[a](op:marketplace_apps_create) [b](https://x.example) [c](mailto:a@b.example)");
        assert!(html.contains(r#"href="/reference/operations/marketplace_apps_create""#), "{html}");
        assert!(
            html.contains(r#"href="https://x.example""#) && html.contains(r#"href="mailto:a@b.example""#),
            "{html}"
        );
        for other in
            ["javascript:alert(1)", "JAVASCRIPT:x", "data:text/html,x", "/v1/x", "//evil", "#x", "op:../x", "op:"]
        {
            let html = render(&format!("[word]({other}) <{other}>"));
            assert!(html.contains("word") && !html.contains("href"), "{other}: {html}");
        }
        assert!(render("![alt](https://x.example/a.png)").contains("<img"));
        for other in ["http://x.example/a.png", "data:image/png;base64,x", "/a.png", "a.png"] {
            let html = render(&format!("![alt]({other})"));
            assert!(html.contains("alt") && !html.contains("<img"), "{other}: {html}");
        }
        let text = "[a](op:b_get) [c](op:a_get 'x') <op:c_get> `op:d_get` [e](op:b_get)\n\n[f]\n\n[f]: op:f_get";
        assert_eq!(links_to_operations(text), ["a_get", "b_get", "c_get", "f_get"]);
    }

    #[test]
    fn html_in_the_source_is_text() {
        let text = "<script>alert(1)</script>\n\n<b onclick=x>bold</b> a <img src=x onerror=y> `<i>`\n\n<!-- c -->";
        let html = render(text);
        for bad in ["<script", "<b", "<img", "<i>", "<!--"] {
            assert!(!html.contains(bad), "{bad}: {html}");
        }
        assert!(html.contains("&lt;script&gt;") && html.contains("&lt;i&gt;"), "{html}");
        let odd = render("[a](https://x.example \"\\\" onmouseover=x\")\n\n# \" onload=x\n");
        assert!(odd.contains(r#"title="&quot; onmouseover=x""#) && odd.contains(r#"id="section-onload-x""#), "{odd}");
    }

    #[test]
    fn what_is_nested_too_deep_is_found_soon() {
        let of = |piece: &str| piece.repeat(64 * 1024 / piece.len());
        let begun = Instant::now();
        for piece in [">", "> ", "- ", "* ", "+ ", "1. ", "1) ", ">- ", "\t- "] {
            assert!(is_too_deep(&of(piece)), "{piece}");
            assert_eq!(render(&of(piece)), "", "{piece}");
        }
        let staircase: String = (0..300).map(|depth| format!("{}- a\n", "  ".repeat(depth))).collect();
        assert!(is_too_deep(&staircase));
        assert!(!is_too_deep("> > - 1. a\n\n- - -\n* * * * * * *\n\n- **a *b ~~c~~***"));
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    }

    #[test]
    fn an_ampersand_is_one_and_too_many_are_found() {
        assert!(render("a & b &amp; `c && d`").contains("a &amp; b &amp; <code>c &amp;&amp; d</code>"));
        assert!(!has_too_many_ampersands(&"& ".repeat(2_000)) && has_too_many_ampersands(&"& ".repeat(2_001)));
        let begun = Instant::now();
        assert!(render(&"& ".repeat(2_000)).contains("&amp; &amp;"));
        assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    }

    #[test]
    fn whatever_repeats_is_rendered_soon() {
        let pieces = [
            "[",
            "![",
            "*a **b ",
            "_a",
            "`",
            "``a",
            "<",
            "& ",
            "~~a",
            "|a",
            "|a\n|-\n",
            "[a](",
            "[a]: b\n",
            "# a\n",
            "\\",
            "[a][b]",
            "<a ",
            "- a\n",
            "**a**",
            "a_b_",
            "<!--",
            "]",
            "***",
            "> a\n\n",
            "![a](https://a)",
        ];
        for piece in pieces {
            let begun = Instant::now();
            render(&piece.repeat(64 * 1024 / piece.len()));
            assert!(begun.elapsed() < Duration::from_secs(5), "{piece:?}: {:?}", begun.elapsed());
        }
    }
}
