//! Spans of SQL statements, created after each was answered.

use std::time::Duration;

use opentelemetry::trace::{Span as _, SpanBuilder, SpanKind, Tracer as _};
use opentelemetry::{Context, KeyValue, time};

use super::tracer;

/// First word of a statement and its table, for example `SELECT app`, which OpenTelemetry calls a query summary. It
/// never contains a value, because only unquoted table names are used.
#[derive(Debug, PartialEq, Eq)]
pub struct StatementName(String);

impl StatementName {
    /// Creates the name of a statement: its first table outside subqueries, unless it begins with subqueries (`with`).
    #[must_use]
    pub fn of(sql: &str) -> Self {
        let (mut verb, mut inside, mut depth) = (String::new(), None, 0_i32);
        let mut before = "";
        for piece in sql.split_inclusive(|letter: char| letter.is_whitespace() || "(),;".contains(letter)) {
            let word = piece.trim_end_matches(|letter: char| letter.is_whitespace() || "(),;".contains(letter));
            let is_call = piece.ends_with('(') && before != "into";
            if verb.is_empty() {
                verb = word.to_ascii_uppercase();
            } else if matches!(before, "from" | "into" | "update" | "join") && is_bare(word) && !is_call {
                if depth == 0 || verb == "WITH" {
                    return Self(format!("{verb} {word}"));
                }
                inside.get_or_insert(word);
            }
            if !word.is_empty() {
                before = word;
            }
            depth += i32::from(piece.ends_with('(')) - i32::from(piece.ends_with(')'));
        }
        match inside {
            _ if !verb.bytes().all(|byte| byte.is_ascii_uppercase()) => Self("SQL".to_owned()),
            Some(table) => Self(format!("{verb} {table}")),
            None => Self(verb),
        }
    }
}

fn is_bare(word: &str) -> bool {
    word.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'))
        && word.starts_with(|first: char| !first.is_ascii_digit())
}

/// Adds a completed statement with this duration to the current span.
pub fn statement(name: StatementName, took: Duration) {
    let Some(tracer) = tracer() else { return };
    let ended = time::now();
    let made = SpanBuilder::from_name(name.0)
        .with_kind(SpanKind::Client)
        .with_start_time(ended.checked_sub(took).unwrap_or(ended))
        .with_attributes([KeyValue::new("db.system.name", "postgresql")]);
    Context::map_current(|now| tracer.build_with_context(made, now)).end_with_timestamp(ended);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statement_span_is_named_by_verb_and_first_table() {
        for (sql, name) in [
            ("select person.kind, person.name from session\n join person using (person_uuid)", "SELECT session"),
            (
                "\n\nselect (select count(*) from labs_now()), extract(epoch from $1) from app where x = 'from mara'",
                "SELECT app",
            ),
            ("insert into security_event (event_uuid, kind) values ($1, 'NETWORK_REFUSED')", "INSERT security_event"),
            ("update app set state = $1", "UPDATE app"),
            ("delete from app where app_uuid = $1", "DELETE app"),
            ("with due as (select mail_uuid from mail for update skip locked) update mail set state = $1", "WITH mail"),
            ("begin; set local labs.audit_record = '0193-mara@nordsee.example'", "BEGIN"),
            ("commit and chain", "COMMIT"),
            ("select 1", "SELECT"),
            ("'mara@nordsee.example'", "SQL"),
            ("", ""),
        ] {
            assert_eq!(StatementName::of(sql), StatementName(name.to_owned()), "{sql}");
        }
    }
}
