//! Filter over the events of the Markdown parser that passes on only safe events. HTML becomes text, links and pictures
//! keep only allowed targets, and headings get anchors.

use std::borrow::Cow;
use std::collections::{BTreeSet, VecDeque};

use pulldown_cmark::{CowStr, Event, LinkType, Parser, Tag, TagEnd};

use super::headings::{Heading, Headings};
use super::{DEEPEST, TextFormat, TextSource};

/// Prefix of a link to an operation.
const OPERATION: &str = "op:";
/// Path prefix of the operation pages in the API reference.
pub(super) const REFERENCE: &str = "/reference/operations/";

/// An open link or picture of the source, by its output.
enum Opened<'a> {
    /// Written as a link.
    Link,
    /// Written as a picture.
    Picture,
    /// A picture that is written as a link. If it has no alternative text, its address is the link text.
    PictureLink { address: CowStr<'a>, has_text: bool },
    /// The element is dropped; its text is kept.
    Dropped,
}

/// Iterator over the safe events of a text, in source order. It buffers only the events of the current heading, until
/// the heading ends.
pub(super) struct SafeEvents<'a> {
    parser: Parser<'a>,
    format: TextFormat,
    anchor: fn(&str) -> String,
    ready: VecDeque<Event<'a>>,
    opened: Vec<Opened<'a>>,
    headings: Headings,
    operations: BTreeSet<String>,
    depth: usize,
    is_too_deep: bool,
}

impl<'a> SafeEvents<'a> {
    pub(super) fn new(parser: Parser<'a>, format: TextFormat, anchor: fn(&str) -> String) -> Self {
        Self {
            parser,
            format,
            anchor,
            ready: VecDeque::new(),
            opened: Vec::new(),
            headings: Headings::default(),
            operations: BTreeSet::new(),
            depth: 0,
            is_too_deep: false,
        }
    }

    /// Whether the events ended early because the text is nested too deep.
    pub(super) const fn is_too_deep(&self) -> bool {
        self.is_too_deep
    }

    /// Returns the headings and the ids of the linked operations.
    pub(super) fn into_parts(self) -> (Vec<Heading>, Vec<String>) {
        (self.headings.into_list(), self.operations.into_iter().collect())
    }

    /// Parses the next event and queues its safe output. Returns false at the end.
    fn advance(&mut self) -> bool {
        let Some(event) = self.parse() else { return false };
        if let Event::Start(Tag::Heading { .. }) = event {
            self.read_heading(event);
        } else {
            self.push_safe(event);
        }
        true
    }

    /// Returns the next event of the source. `None` at the end, or if the text is nested too deep.
    fn parse(&mut self) -> Option<Event<'a>> {
        if self.is_too_deep {
            return None;
        }
        let event = self.parser.next()?;
        match event {
            Event::Start(_) => self.depth += 1,
            Event::End(_) => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        // A list item counts as two levels: the list and the item.
        self.is_too_deep = self.depth > DEEPEST * 2;
        (!self.is_too_deep).then_some(event)
    }

    /// Reads a heading to its end and gives it an id derived from its text.
    fn read_heading(&mut self, start: Event<'a>) {
        let place = self.ready.len();
        self.ready.push_back(start);
        let mut words = String::new();
        while let Some(event) = self.parse() {
            let is_end = matches!(event, Event::End(TagEnd::Heading(_)));
            match &event {
                Event::Text(text) | Event::Code(text) | Event::InlineHtml(text) => words.push_str(text),
                Event::SoftBreak | Event::HardBreak => words.push(' '),
                _ => {}
            }
            self.push_safe(event);
            if is_end {
                break;
            }
        }
        if let Some(Event::Start(Tag::Heading { level, id, .. })) = self.ready.get_mut(place) {
            let anchor = (self.anchor)(&words);
            *id = Some(self.headings.add(*level as u8, words, (self.format.anchor_prefix, anchor)).into());
        }
    }

    /// Queues the safe output of one source event.
    fn push_safe(&mut self, event: Event<'a>) {
        match event {
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                self.note_operation(&dest_url);
                match target_of(&dest_url).map(Cow::into_owned).filter(|_| !self.is_within_link()) {
                    Some(target) => {
                        self.opened.push(Opened::Link);
                        self.ready.push_back(Event::Start(Tag::Link { link_type, dest_url: target.into(), title, id }));
                    }
                    None => self.opened.push(Opened::Dropped),
                }
            }
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                self.open_picture(link_type, dest_url, title, id);
            }
            Event::End(TagEnd::Link | TagEnd::Image) => self.close(),
            Event::Html(text) | Event::InlineHtml(text) => self.push_text(Event::Text(text)),
            Event::Text(_) | Event::Code(_) => self.push_text(event),
            event => self.ready.push_back(event),
        }
    }

    fn push_text(&mut self, event: Event<'a>) {
        for opened in &mut self.opened {
            if let Opened::PictureLink { has_text, .. } = opened {
                *has_text = true;
            }
        }
        self.ready.push_back(event);
    }

    fn open_picture(&mut self, link_type: LinkType, dest_url: CowStr<'a>, title: CowStr<'a>, id: CowStr<'a>) {
        match self.format.source {
            TextSource::Staff if dest_url.starts_with("https://") => {
                self.opened.push(Opened::Picture);
                self.ready.push_back(Event::Start(Tag::Image { link_type, dest_url, title, id }));
            }
            TextSource::Partners if is_of_web(&dest_url) && !self.is_within_link() => {
                self.opened.push(Opened::PictureLink { address: dest_url.clone(), has_text: false });
                let link_type = LinkType::Inline;
                self.ready.push_back(Event::Start(Tag::Link { link_type, dest_url, title, id }));
            }
            _ => self.opened.push(Opened::Dropped),
        }
    }

    fn close(&mut self) {
        match self.opened.pop() {
            Some(Opened::Link) => self.ready.push_back(Event::End(TagEnd::Link)),
            Some(Opened::Picture) => self.ready.push_back(Event::End(TagEnd::Image)),
            Some(Opened::PictureLink { address, has_text }) => {
                if !has_text {
                    self.ready.push_back(Event::Text(address));
                }
                self.ready.push_back(Event::End(TagEnd::Link));
            }
            Some(Opened::Dropped) | None => {}
        }
    }

    /// Whether a link is open. HTML does not allow a link inside a link.
    fn is_within_link(&self) -> bool {
        self.opened.iter().any(|opened| matches!(opened, Opened::Link | Opened::PictureLink { .. }))
    }

    fn note_operation(&mut self, address: &str) {
        if let Some(operation) = address.strip_prefix(OPERATION)
            && !self.operations.contains(operation)
        {
            self.operations.insert(operation.to_owned());
        }
    }
}

impl<'a> Iterator for SafeEvents<'a> {
    type Item = Event<'a>;

    fn next(&mut self) -> Option<Event<'a>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if !self.advance() {
                return None;
            }
        }
    }
}

/// Returns the allowed target of a link: a web address, a `mailto:` address, or the page of an operation in the
/// reference. `None` for any other target.
fn target_of(written: &str) -> Option<Cow<'_, str>> {
    if let Some(operation) = written.strip_prefix(OPERATION) {
        let is_id = !operation.is_empty() && operation.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        return is_id.then(|| format!("{REFERENCE}{operation}").into());
    }
    let is_mail = scheme_of(written).is_some_and(|scheme| scheme.eq_ignore_ascii_case("mailto"));
    (is_mail || is_of_web(written)).then_some(Cow::Borrowed(written))
}

fn is_of_web(address: &str) -> bool {
    scheme_of(address).is_some_and(|scheme| ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known)))
}

fn scheme_of(address: &str) -> Option<&str> {
    address.split_once(':').map(|(scheme, _)| scheme)
}
