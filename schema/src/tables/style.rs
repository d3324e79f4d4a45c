//! SQL by PostgreSQL in the style of the migrations.

/// Converts SQL by PostgreSQL to the style of the migrations: keywords in lower case, texts without a cast, lists with
/// `in`.
pub(super) fn to_migration_style(sql: &str) -> String {
    use_in(&drop_text_casts(&to_lowercase(sql).replace("timestamp with time zone", "timestamptz")))
}

/// Converts everything but quoted texts and names.
fn to_lowercase(sql: &str) -> String {
    let mut quote = None;
    let lower = |letter: char| {
        match quote {
            None if matches!(letter, '\'' | '"') => quote = Some(letter),
            Some(open) if open == letter => quote = None,
            _ => {}
        }
        if quote.is_none() { letter.to_ascii_lowercase() } else { letter }
    };
    sql.chars().map(lower).collect()
}

/// Replaces `'OPEN'::text` with `'OPEN'`, but keeps casts to arrays.
fn drop_text_casts(sql: &str) -> String {
    let mut parts = sql.split("'::text");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + if part.starts_with('[') { "'::text" } else { "'" } + part)
}

/// Replaces `= any (array['A', 'B'])` with `in ('A', 'B')`, unless an element is an expression.
fn use_in(sql: &str) -> String {
    let mut parts = sql.split("= any (array[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| match part.split_once("])") {
        Some((list, rest)) if !list.contains(['(', '[']) => text + "in (" + list + ")" + rest,
        _ => text + "= any (array[" + part,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_become_lower_case_and_quoted_texts_stay() {
        let sql = r#"CHECK (title = 'It''s OPEN'::text) "Name" timestamp with time zone DEFAULT now()"#;
        let styled = r#"check (title = 'It''s OPEN') "Name" timestamptz default now()"#;
        assert_eq!(to_migration_style(sql), styled);
    }

    #[test]
    fn list_of_texts_becomes_in() {
        let sql = "CHECK (state = ANY (ARRAY['OPEN'::text, 'SHUT'::text])) DEFAULT '{}'::text[]";
        assert_eq!(to_migration_style(sql), "check (state in ('OPEN', 'SHUT')) default '{}'::text[]");
        let sql = "check (state = any (array[lower(name)]))";
        assert_eq!(to_migration_style(sql), sql);
    }
}
