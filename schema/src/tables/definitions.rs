//! Statements of the migrations that define objects of the database, with the comments above them.

use std::collections::BTreeMap;

use sqlx::migrate::Migrator;

/// A group of the schema: the first word of a migration's name.
pub(super) struct Group {
    /// Name.
    pub(super) name: String,
    /// Comment at the start of its first migration.
    pub(super) title: String,
}

/// Statement of a migration.
struct Statement {
    group: usize,
    /// Comment lines directly above the statement.
    comment: String,
    code: String,
    /// The code in one line, without words that do not belong to the name of the object.
    head: String,
}

/// Definition of an object.
pub(super) struct Definition {
    /// Position of the group whose migration first created the object.
    pub(super) group: usize,
    /// The last statement that creates the object, with the comment above it, and later changes of the object.
    pub(super) text: String,
    /// The comment above the statement that creates the object.
    pub(super) comment: String,
    /// The code of the statement that creates the object.
    code: String,
}

/// Statements and groups of all migrations.
pub(super) struct Definitions {
    statements: Vec<Statement>,
    groups: Vec<Group>,
}

impl Definitions {
    /// Reads the migrations.
    pub(super) fn of(migrator: &Migrator) -> Self {
        let texts = migrator.iter().map(|migration| (migration.description.as_ref(), migration.sql.as_str()));
        Self::read(texts)
    }

    /// Reads migrations from their names and texts.
    fn read<'a>(migrations: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut read = Self { statements: Vec::new(), groups: Vec::new() };
        for (description, sql) in migrations {
            let name = description.split([' ', '_']).next().unwrap_or_default();
            let group = read.groups.iter().position(|group| group.name == name).unwrap_or(read.groups.len());
            if group == read.groups.len() {
                let title = sql.lines().take_while(|line| line.starts_with("--"));
                let title = title.collect::<Vec<_>>().join("\n");
                read.groups.push(Group { name: name.to_owned(), title });
            }
            read.statements.extend(split(sql).into_iter().map(|statement| Statement::of(group, statement)));
        }
        read
    }

    /// Returns the groups, in the order of their migrations.
    pub(super) fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Finds the definition of an object. `table` is the table of a trigger. A block of code (`do`) that creates
    /// objects of this kind is the definition of an object that no statement names.
    pub(super) fn find(&self, kind: &str, name: &str, table: Option<&str>) -> Option<Definition> {
        let is_of = |statement: &Statement, verb: &str| {
            let rest = statement.head.strip_prefix(verb).and_then(|rest| rest.strip_prefix(kind)?.strip_prefix(' '));
            let rest = rest.and_then(|rest| rest.strip_prefix(name));
            let is_whole = |rest: &str| !rest.starts_with(|next: char| next == '_' || next.is_alphanumeric());
            rest.is_some_and(is_whole) && table.is_none_or(|table| statement.head.contains(&format!(" on {table} ")))
        };
        let creates = |statement: &&Statement| is_of(statement, "create ");
        let dynamic = format!("create {kind} ");
        let Some(first) = self.statements.iter().find(creates) else {
            let creates = |block: &&Statement| block.head.starts_with("do ") && block.code.contains(&dynamic);
            return self.statements.iter().find(creates).map(|block| block.define(block.group));
        };
        let last = self.statements.iter().rposition(|statement| is_of(statement, "create ")).unwrap_or_default();
        let mut later = self.statements.get(last..)?.iter();
        let mut definition = later.next()?.define(first.group);
        for change in later.filter(|statement| is_of(statement, "alter ")) {
            definition.text.push_str(&change.define(0).text);
        }
        Some(definition)
    }
}

impl Statement {
    fn of(group: usize, text: &str) -> Self {
        let is_code = |line: &&str| !line.trim().is_empty() && !line.starts_with("--");
        let above = text.lines().take_while(|line| !is_code(line)).collect::<Vec<_>>();
        let code = text.lines().skip(above.len()).collect::<Vec<_>>().join("\n");
        let comment: Vec<&str> = above.rsplit(|line| line.trim().is_empty()).next().unwrap_or_default().to_vec();
        let words = code.split_whitespace().collect::<Vec<_>>().join(" ");
        let head = ["or replace ", "unique ", "constraint ", "unlogged ", "if not exists ", "public."]
            .into_iter()
            .fold(words, |head, noise| head.replacen(noise, "", 1));
        Self { group, comment: comment.join("\n"), code, head }
    }

    fn define(&self, group: usize) -> Definition {
        let above = if self.comment.is_empty() { String::new() } else { format!("{}\n", self.comment) };
        let text = format!("{above}{};\n", self.code);
        Definition { group, text, comment: self.comment.clone(), code: self.code.clone() }
    }
}

impl Definition {
    /// Returns the comments inside the statement, by the column or constraint below them.
    pub(super) fn inner_comments(&self) -> BTreeMap<&str, Vec<&str>> {
        let mut comments = BTreeMap::new();
        let mut waiting = Vec::new();
        for line in self.code.lines().map(str::trim) {
            if line.starts_with("--") {
                waiting.push(line);
            } else if !waiting.is_empty() {
                let line = line.strip_prefix("constraint ").unwrap_or(line);
                comments.insert(line.split(' ').next().unwrap_or_default(), std::mem::take(&mut waiting));
            }
        }
        comments
    }
}

/// Splits a script into its statements, without the semicolons.
fn split(sql: &str) -> Vec<&str> {
    let mut statements = Vec::new();
    let mut rest = sql;
    let mut length = 0;
    while let Some(tail) = rest.get(length..) {
        let Some(next) = tail.find([';', '\'', '"', '$', '-']) else { break };
        let from = length + next;
        let opened = rest.get(from..).unwrap_or_default();
        if opened.starts_with(';') {
            statements.push(rest.get(..from).unwrap_or_default());
            rest = opened.get(1..).unwrap_or_default();
            length = 0;
        } else {
            length = from + quoted_length(opened);
        }
    }
    statements
}

/// Returns the length of the quoted text or comment with which a text begins; 1 if it begins with neither. A quotation
/// mark in a text is doubled, so that the text ends there and another one begins.
fn quoted_length(text: &str) -> usize {
    let name_end = text.get(1..).and_then(|rest| rest.find(|next: char| next != '_' && !next.is_alphanumeric()));
    let tag = name_end.and_then(|end| text.get(..end + 2)).filter(|tag| tag.starts_with('$') && tag.ends_with('$'));
    let end = if text.starts_with("--") {
        "\n"
    } else if let Some(tag) = tag {
        tag
    } else if text.starts_with('\'') {
        "'"
    } else if text.starts_with('"') {
        "\""
    } else {
        return 1;
    };
    let start = if end == "\n" { 0 } else { end.len() };
    let closed = text.get(start..).and_then(|rest| rest.find(end));
    closed.map_or(text.len(), |closed| start + closed + end.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = "-- Foundation: logs.
set timezone = 'UTC';

-- Not this one.

-- Returns one;
-- it's the first.
create function one() returns text language sql
    as $body$ select 'a;b', $$;$$ $body$;
-- A table.
create table thing (
    -- In cents: \"a;b\".
    price integer,
    -- Not negative.
    constraint thing_check check (price >= 0)
);
create unique index thing_idx on thing (price);
create constraint trigger thing_kept after update on thing for each row execute function one();
do $$ begin execute 'create sequence ' || 'counted'; end $$;
";
    const LATER: &str = "-- Partner: more.

create or replace function public.one() returns text language sql as 'select ''c;d''';
create function one_more() returns integer language sql as 'select 1';
alter function one() volatile;
";

    fn read() -> Definitions {
        Definitions::read([("foundation", FIRST), ("partner notes", LATER)])
    }

    #[test]
    fn last_statement_defines_object_of_first_group() {
        let definitions = read();
        let one = definitions.find("function", "one", None).unwrap();
        let text = "create or replace function public.one() returns text language sql as 'select ''c;d''';\n\
                    alter function one() volatile;\n";
        assert_eq!((one.group, one.text.as_str()), (0, text));
        let more = definitions.find("function", "one_more", None).unwrap();
        assert_eq!(more.group, 1);
        assert!(definitions.find("function", "two", None).is_none());
        let names: Vec<&str> = definitions.groups().iter().map(|group| group.name.as_str()).collect();
        assert_eq!(names, ["foundation", "partner"]);
    }

    #[test]
    fn comment_directly_above_belongs_to_statement() {
        let definitions = Definitions::read([("foundation", FIRST)]);
        let one = definitions.find("function", "one", None).unwrap();
        assert_eq!(one.comment, "-- Returns one;\n-- it's the first.");
        assert!(one.text.ends_with("$body$ select 'a;b', $$;$$ $body$;\n"), "{}", one.text);
        let thing = definitions.find("table", "thing", None).unwrap();
        assert_eq!(thing.comment, "-- A table.");
        let inner =
            BTreeMap::from([("price", vec!["-- In cents: \"a;b\"."]), ("thing_check", vec!["-- Not negative."])]);
        assert_eq!(thing.inner_comments(), inner);
    }

    #[test]
    fn index_trigger_and_dynamic_object_are_found() {
        let definitions = read();
        assert!(definitions.find("index", "thing_idx", None).is_some());
        assert!(definitions.find("trigger", "thing_kept", Some("thing")).is_some());
        assert!(definitions.find("trigger", "thing_kept", Some("other")).is_none());
        let counted = definitions.find("sequence", "counted", None).unwrap();
        assert!(counted.text.starts_with("do $$"));
    }
}
