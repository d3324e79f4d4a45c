//! Nesting of a query's brackets, computed from its text before parsing.
//!
//! The parser recurses once per level without a limit, so three kilobytes of brackets would overflow the thread's stack
//! and abort the process.

/// Maximum nesting of `[`, `{` and `(`. The deepest allowed query needs about half of it.
pub(super) const DEEPEST: usize = 64;

/// Checks that the nesting of brackets does not exceed [`DEEPEST`]. Strings and comments end at the same position as in
/// the parser (GraphQL specification, Comments and String Value). So brackets in them are not counted, and later
/// brackets are not missed.
///
/// # Errors
/// A sentence that names the problem: nested too deeply, or an unterminated string.
pub(super) fn check(text: &str) -> Result<(), String> {
    let mut depth = 0_usize;
    let mut rest = text;
    while let Some((token, after)) = next(rest) {
        rest = match token {
            '[' | '{' | '(' => {
                depth += 1;
                if depth > DEEPEST {
                    return Err(format!(
                        "The brackets of a query may be nested at most {DEEPEST} levels deep. Send several queries."
                    ));
                }
                after
            }
            ']' | '}' | ')' => {
                depth = depth.saturating_sub(1);
                after
            }
            '#' => after.find(['\n', '\r']).and_then(|end| after.get(end..)).unwrap_or_default(),
            _ => after_string(after).ok_or("A string in the query is not terminated.")?,
        };
    }
    Ok(())
}

/// Returns the next opening or closing character and the text after it.
fn next(text: &str) -> Option<(char, &str)> {
    let rest = text.get(text.find(['[', ']', '{', '}', '(', ')', '#', '"'])?..)?;
    let mut characters = rest.chars();
    characters.next().map(|token| (token, characters.as_str()))
}

/// Returns the text after a string whose first quote was read. `None` if the string is not terminated on its line.
fn after_string(text: &str) -> Option<&str> {
    if let Some(block) = text.strip_prefix("\"\"") {
        return after_block(block);
    }
    let mut characters = text.chars();
    loop {
        match characters.next()? {
            '"' => return Some(characters.as_str()),
            '\n' | '\r' => return None,
            '\\' => _ = characters.next(),
            _ => {}
        }
    }
}

/// Returns the text after a block string whose three quotes were read.
fn after_block(mut text: &str) -> Option<&str> {
    loop {
        let end = text.find("\"\"\"")?;
        let is_escaped = text.get(..end)?.ends_with('\\');
        text = text.get(end + 3..)?;
        if !is_escaped {
            return Some(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use async_graphql::parser::parse_query;
    use proptest::prelude::*;

    use super::*;

    /// Opening and closing text of a nesting level, for every kind in the grammar.
    const KINDS: [(&str, &str); 9] = [
        ("{a", "}"),
        ("{a(x:[", "])}"),
        ("[", "]"),
        ("{x:", "}"),
        ("{...{a", "}}"),
        ("{...on Q{a", "}}"),
        ("query(", "){a}"),
        ("fragment F on Q{a(x:", ")}"),
        ("{a@d(x:{y:[", "]})}"),
    ];
    /// Texts between levels: strings and comments with brackets that do not count, and unfinished openings of them.
    const BETWEEN: [&str; 8] =
        ["", " ", "\"]])\" ", "\"\"\"}]\"\"\" ", "#]]]\n", "\"\\\"]\" ", "\"\"\"\\\"\"\" ]\"\"\"", "\"\"\""];

    /// Parses with half of the playground thread's stack.
    fn parse_on_its_stack(text: String) {
        let parsed = std::thread::Builder::new().stack_size(super::super::STACK_BYTES / 2);
        let parsed = parsed.spawn(move || parse_query(&text).is_ok()).unwrap().join();
        assert!(parsed.is_ok());
    }

    proptest! {
        #[test]
        fn accepted_queries_parse_without_stack_overflow(
            pieces in prop::collection::vec((0..KINDS.len(), 0..BETWEEN.len(), 1..200_usize), 1..12),
            is_closed in any::<bool>(),
        ) {
            let opened: String = pieces.iter().map(|(kind, between, times)| {
                format!("{}{}", KINDS[*kind].0.repeat(*times), BETWEEN[*between])
            }).collect();
            let closed: String = pieces.iter().rev().map(|(kind, _, times)| KINDS[*kind].1.repeat(*times)).collect();
            let text = if is_closed { opened + &closed } else { opened };
            if check(&text).is_ok() {
                parse_on_its_stack(text);
            }
        }
    }

    #[test]
    fn deepest_allowed_nesting_is_parsed() {
        let values = |(open, close): (&str, &str)| {
            format!("{{a(x:{}1{})}}", open.repeat(DEEPEST - 2), close.repeat(DEEPEST - 2))
        };
        let selections = format!("{}{}", "{a".repeat(DEEPEST), "}".repeat(DEEPEST));
        let fragments = format!("{{{}a{}}}", "...{".repeat(DEEPEST - 1), "}".repeat(DEEPEST - 1));
        for text in [values(("[", "]")), values(("{x:", "}")), selections, fragments] {
            assert_eq!(check(&text), Ok(()), "{text}");
            parse_on_its_stack(text);
        }
    }

    #[test]
    fn one_more_level_is_rejected() {
        let whole = BETWEEN.iter().filter(|between| **between != "\"\"\"");
        for between in whole {
            let text = format!("{{a(x:[{}", format!("[{between}").repeat(DEEPEST - 2));
            assert!(check(&text).is_err(), "{text}");
        }
    }

    #[test]
    fn brackets_in_strings_and_comments_do_not_count() {
        let many = "[".repeat(DEEPEST + 1);
        for text in [
            format!("{{a(x:\"{many}\")}}"),
            format!("{{a(x:\"\\\"{many}\")}}"),
            format!("{{a(x:\"\"\"{many}\n\\\"\"\"{many}\"\"\")}}"),
            format!("#{many}\n{{a}}"),
        ] {
            assert_eq!(check(&text), Ok(()), "{text}");
            assert!(parse_query(&text).is_ok(), "{text}");
        }
    }

    #[test]
    fn unterminated_string_is_rejected() {
        for text in ["{a(x:[\"\"\"x\" [[[", "{a(x:\"\n[[[", "{a(x:\"\\"] {
            assert_eq!(check(text), Err("A string in the query is not terminated.".to_owned()), "{text}");
        }
    }
}
