//! `If-Match` and `If-None-Match` (RFC 9110, sections 13.1.1 and 13.1.2).

/// What such a header names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// `*`: any representation that exists.
    Any,
    /// These entity tags.
    Tags(Vec<EntityTag>),
}

/// An entity tag (RFC 9110, section 8.8.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityTag {
    /// Whether it is marked as weak, `W/`.
    pub weak: bool,
    /// What stands between the quotation marks.
    pub opaque: String,
}

impl Condition {
    /// Reads the lines of one header; none when they are not well formed.
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

    /// Whether `If-Match` is satisfied by what is there now: strong comparison, so a weak tag never
    /// matches. `current` is what stands between the quotation marks of its strong `ETag`.
    pub fn matches_strongly(&self, current: &str) -> bool {
        match self {
            Condition::Any => true,
            Condition::Tags(tags) => tags.iter().any(|tag| !tag.weak && tag.opaque == current),
        }
    }

    /// Whether `If-None-Match` finds what is there now: weak comparison.
    pub fn matches_weakly(&self, current: &str) -> bool {
        match self {
            Condition::Any => true,
            Condition::Tags(tags) => tags.iter().any(|tag| tag.opaque == current),
        }
    }
}

/// Reads a list of entity tags. A comma may stand within a tag, so that they cannot just be split.
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

    #[test]
    fn lists_of_tags_and_the_star_are_read() {
        assert_eq!(parse(&["*"]), Some(Condition::Any));
        let several = parse(&["\"a,b\" , W/\"c\"", "\"d\""]).unwrap();
        assert!(several.matches_strongly("a,b") && several.matches_strongly("d"));
        assert!(!several.matches_strongly("c") && several.matches_weakly("c"));
        assert!(!several.matches_weakly("e"));
        assert!(Condition::Any.matches_strongly("x") && Condition::Any.matches_weakly("x"));
    }

    #[test]
    fn what_is_not_well_formed_is_no_condition() {
        for line in ["", "abc", "\"abc", "\"a\" \"b\"", "w/\"a\"", "*, \"a\"", "\"a b\"", "\"é\""] {
            assert_eq!(parse(&[line]), None, "{line}");
        }
        assert_eq!(parse(&["*", "\"a\""]), None);
    }
}
