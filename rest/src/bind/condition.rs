//! `If-Match` and `If-None-Match` (RFC 9110, sections 13.1.1 and 13.1.2).

use std::fmt;

use http::HeaderMap;

use crate::front::coding;

/// The value of a condition header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// `*`: any representation that exists.
    Any,
    /// A list of entity tags.
    Tags(Vec<EntityTag>),
}

/// An entity tag (RFC 9110, section 8.8.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityTag {
    /// Whether the tag is marked as weak, `W/`.
    pub weak: bool,
    /// The text between the quotation marks.
    pub opaque: String,
}

impl Condition {
    /// Reads the lines of one header; none if they are malformed.
    pub fn parse<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Option<Condition> {
        let mut tags = Vec::new();
        let mut any = false;
        for line in lines {
            let line = std::str::from_utf8(line).ok()?.trim();
            if line == "*" {
                any = true;
            } else {
                read_tags(line, &mut tags)?;
            }
        }
        match (any, tags.is_empty()) {
            (true, true) => Some(Condition::Any),
            (false, false) => Some(Condition::Tags(tags)),
            _ => None,
        }
    }

    /// Whether `If-Match` matches the current representation. The comparison is strong, so a weak tag never matches.
    /// `current` is the text between the quotation marks of its strong `ETag`.
    pub fn matches_strongly(&self, current: &str) -> bool {
        match self {
            Condition::Any => true,
            Condition::Tags(tags) => tags.iter().any(|tag| !tag.weak && tag.names(current)),
        }
    }

    /// Whether `If-Match` of a write matches: the editable fields are unchanged, even if the rest of the response has
    /// changed.
    pub fn matches_state(&self, current: &str) -> bool {
        match self {
            Condition::Any => true,
            Condition::Tags(tags) => {
                tags.iter().any(|tag| !tag.weak && state(coding::strip_coding_mark(&tag.opaque)) == state(current))
            }
        }
    }

    /// Returns the tag of `If-None-Match` that weakly matches the current representation. This is the caller's tag,
    /// which its cache looks for in the response (RFC 9111, section 4.3.4). The tag of a coded form matches only if the
    /// caller accepts that coding. `*` names no tag: the response has the tag of the form that would be sent.
    pub fn find_weakly(&self, current: &str, headers: &HeaderMap) -> Option<EntityTag> {
        let plain = || EntityTag { weak: false, opaque: current.to_owned() };
        match self {
            Condition::Any => None,
            Condition::Tags(tags) if tags.iter().any(|tag| tag.opaque == current && !tag.weak) => Some(plain()),
            Condition::Tags(tags) => {
                let held = |tag: &&EntityTag| tag.names(current) && coding::is_taken(&tag.opaque, headers);
                tags.iter().find(held).cloned()
            }
        }
    }
}

impl EntityTag {
    /// Whether the tag belongs to this representation, in any coding.
    fn names(&self, current: &str) -> bool {
        coding::strip_coding_mark(&self.opaque) == current
    }
}

impl fmt::Display for EntityTag {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}\"{}\"", if self.weak { "W/" } else { "" }, self.opaque)
    }
}

/// Returns the part of an entity tag that identifies the editable fields.
fn state(opaque: &str) -> &str {
    opaque.split_once('.').map_or(opaque, |(state, _)| state)
}

/// Reads a list of entity tags. A tag may contain a comma, so the list cannot be split at commas.
fn read_tags(line: &str, tags: &mut Vec<EntityTag>) -> Option<()> {
    let mut rest = line;
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        if rest.is_empty() {
            return Some(());
        }
        let (weak, quoted) = match rest.strip_prefix("W/") {
            Some(quoted) => (true, quoted),
            None => (false, rest),
        };
        let (opaque, behind) = quoted.strip_prefix('"')?.split_once('"')?;
        if !opaque.chars().all(|char| char.is_ascii_graphic()) {
            return None;
        }
        tags.push(EntityTag { weak, opaque: opaque.to_owned() });
        rest = behind.trim_start();
        if !rest.is_empty() && !rest.starts_with(',') {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(lines: &[&str]) -> Option<Condition> {
        Condition::parse(lines.iter().map(|line| line.as_bytes()))
    }

    fn found(condition: &Condition, current: &str, codings: Option<&'static str>) -> String {
        let sent = codings.map(|codings| (http::header::ACCEPT_ENCODING, http::HeaderValue::from_static(codings)));
        condition.find_weakly(current, &sent.into_iter().collect()).map_or(String::new(), |tag| tag.to_string())
    }

    #[test]
    fn tag_lists_and_star_are_parsed() {
        assert_eq!(parse(&["*"]), Some(Condition::Any));
        let several = parse(&["\"a,b\" , W/\"c\"", "\"d\""]).unwrap();
        assert!(several.matches_strongly("a,b") && several.matches_strongly("d"));
        assert!(!several.matches_strongly("c") && found(&several, "c", None) == "W/\"c\"");
        assert_eq!(found(&several, "e", None), "");
        assert!(Condition::Any.matches_strongly("x") && found(&Condition::Any, "x", None).is_empty());
    }

    #[test]
    fn tag_with_coding_suffix_matches_its_representation() {
        let coded = parse(&["\"a-gzip\", W/\"b-br\""]).unwrap();
        assert!(coded.matches_strongly("a") && !coded.matches_strongly("b"));
        assert_eq!(["a", "b", "c"].map(|now| found(&coded, now, None)), ["\"a-gzip\"", "W/\"b-br\"", ""]);
        let takes = |codings, now| found(&coded, now, Some(codings));
        assert_eq!([takes("gzip", "a"), takes("br", "a"), takes("", "a")], ["\"a-gzip\"", "", ""]);
        let both = parse(&["\"a-gzip\", \"a\""]).unwrap();
        assert_eq!(found(&both, "a", Some("gzip")), "\"a\"", "what everybody takes, where it is held too");
    }

    #[test]
    fn malformed_condition_is_ignored() {
        for line in ["", "abc", "\"abc", "\"a\" \"b\"", "w/\"a\"", "*, \"a\"", "\"a b\"", "\"é\""] {
            assert_eq!(parse(&[line]), None, "{line}");
        }
        assert_eq!(parse(&["*", "\"a\""]), None);
    }
}
