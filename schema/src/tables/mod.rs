//! The schema of the database as one file, `schema/schema.sql`, for readers: the migrations create it, and their number
//! grows.
//!
//! Every migration may change a table, so tables, constraints and grants come from the catalogs of a migrated database.
//! All other objects are created by one statement, which the file shows as the migration has it, with its comment. This
//! also makes the file the same for every version of PostgreSQL: versions print the text of a view differently.

mod definitions;
mod store;
mod style;

use std::collections::{BTreeMap, BTreeSet};

use labs_core::fault::Fault;
use sqlx::Connection as _;
use sqlx::postgres::PgConnection;

use self::definitions::{Definition, Definitions};
use self::store::{Object, Part, Table};
use self::style::to_migration_style;

/// Maximum length of a line of a comment.
const LINE: usize = 120;
/// Kinds of objects in their order in a group. Other kinds come before tables.
const KINDS: [&str; 5] = ["table", "view", "function", "procedure", "aggregate"];
/// Kinds of objects that can be executed.
const ROUTINES: [&str; 3] = ["function", "procedure", "aggregate"];
/// The head of the file.
const HEAD: &str = "\
-- The schema of a migrated database, by group, for readers. Only the migrations create it. `make accept` writes this file,
-- and a test compares it with a migrated database.
--
-- Columns, constraints and grants are those of the database. Everything else is the last statement of the migrations
-- that creates it. Not included are rows that migrations insert, partitions, and the role `labs_service`.
";

/// What the catalogs contain about tables and functions, by the name of the table or function.
struct Catalog {
    tables: BTreeMap<String, Table>,
    columns: BTreeMap<String, Vec<Part>>,
    constraints: BTreeMap<String, Vec<Part>>,
    indexes: BTreeMap<String, Vec<Part>>,
    triggers: BTreeMap<String, Vec<Part>>,
    table_grants: BTreeMap<String, Vec<Part>>,
    function_grants: BTreeMap<String, Vec<Part>>,
}

/// Sections of a group.
#[derive(Default)]
struct Sections {
    /// SQL of objects, by kind.
    objects: BTreeMap<usize, Vec<String>>,
    triggers: String,
    grants: String,
}

/// Draws the schema of a database to which every migration of this program was applied.
///
/// # Errors
/// If the database does not answer, or contains an object that no migration creates with a statement.
pub async fn draw(database_url: &str) -> Result<String, Fault> {
    let mut opened = PgConnection::connect(database_url).await?;
    let connection = &mut opened;
    let definitions = Definitions::of(&crate::open::MIGRATIONS);
    store::set_search_path(connection).await?;
    let mut objects = store::list_objects(connection).await?;
    objects.sort();
    let catalog = Catalog::read(connection).await?;
    let mut groups: Vec<Sections> = definitions.groups().iter().map(|_| Sections::default()).collect();
    let mut drawn = BTreeSet::new();
    for object in &objects {
        let definition = find(&definitions, object)?;
        let Some(sections) = groups.get_mut(definition.group) else { continue };
        let text = match catalog.tables.get(&object.name).filter(|_| object.kind == "table") {
            Some(table) => catalog.draw_table(table, &definition, &definitions),
            None => definition.text.clone(),
        };
        // Several objects may have one statement in common.
        if drawn.insert(text.clone()) {
            let kind = KINDS.iter().position(|kind| *kind == object.kind).map_or(0, |place| place + 1);
            sections.objects.entry(kind).or_default().push(text);
        }
        let is_routine = ROUTINES.contains(&object.kind.as_str());
        let grants = if is_routine { &catalog.function_grants } else { &catalog.table_grants };
        sections.grants.extend(parts(grants, &object.name).map(|grant| format!("{};\n", grant.definition)));
        if object.kind == "table" {
            let triggers = parts(&catalog.triggers, &object.name);
            sections.triggers.extend(triggers.map(|trigger| draw_part("trigger", trigger, &definitions)));
        }
    }
    let sections = groups.iter().zip(definitions.groups());
    Ok(sections.fold(HEAD.to_owned(), |text, (sections, group)| text + &sections.draw(&group.title)))
}

/// Returns the definition of an object.
///
/// # Errors
/// If no migration contains it, or if it differs from the function in the database.
fn find(definitions: &Definitions, object: &Object) -> Result<Definition, Fault> {
    let Object { kind, name, body } = object;
    let found = definitions.find(kind, name, None).filter(|definition| definition.text.contains(body));
    let missing =
        || format!("no migration contains a statement that creates the {kind} {name} as it is in the database");
    found.ok_or_else(|| Fault::internal(missing()))
}

fn parts<'a>(of: &'a BTreeMap<String, Vec<Part>>, owner: &str) -> impl Iterator<Item = &'a Part> {
    of.get(owner).into_iter().flatten()
}

/// Draws an index or a trigger: its statement, or SQL by PostgreSQL if code has created it.
fn draw_part(kind: &str, part: &Part, definitions: &Definitions) -> String {
    let above = part.comment.as_deref().map(|comment| draw_comment(comment, "")).unwrap_or_default();
    let statement = definitions.find(kind, &part.name, (kind == "trigger").then_some(&part.owner));
    let statement = statement.filter(|statement| !statement.text.contains("do $$"));
    let shown = || to_migration_style(&part.definition).replace(" for each row ", "\n    for each row ") + ";\n";
    above + &statement.map_or_else(shown, |statement| statement.text)
}

/// Draws a comment as lines.
fn draw_comment(comment: &str, indent: &str) -> String {
    let mut lines = vec![format!("{indent}--")];
    for word in comment.split_whitespace() {
        if lines.last().is_some_and(|line| line.len() + 1 + word.len() > LINE) {
            lines.push(format!("{indent}--"));
        }
        if let Some(line) = lines.last_mut() {
            line.push(' ');
            line.push_str(word);
        }
    }
    lines.join("\n") + "\n"
}

impl Catalog {
    async fn read(connection: &mut PgConnection) -> Result<Self, Fault> {
        let by_owner = |parts: Vec<Part>| {
            let mut owners: BTreeMap<String, Vec<Part>> = BTreeMap::new();
            for part in parts {
                owners.entry(part.owner.clone()).or_default().push(part);
            }
            owners
        };
        let tables = store::list_tables(connection).await?.into_iter().map(|table| (table.name.clone(), table));
        Ok(Self {
            tables: tables.collect(),
            columns: by_owner(store::list_columns(connection).await?),
            constraints: by_owner(store::list_constraints(connection).await?),
            indexes: by_owner(store::list_indexes(connection).await?),
            triggers: by_owner(store::list_triggers(connection).await?),
            table_grants: by_owner(store::list_table_grants(connection).await?),
            function_grants: by_owner(store::list_function_grants(connection).await?),
        })
    }

    /// Draws a table with its constraints and indexes. The comments are those above it and in it where it was created,
    /// and those in the database.
    fn draw_table(&self, table: &Table, created: &Definition, definitions: &Definitions) -> String {
        let inner = created.inner_comments();
        let lines = parts(&self.columns, &table.name).chain(parts(&self.constraints, &table.name)).map(|part| {
            let written: String =
                inner.get(part.name.as_str()).into_iter().flatten().map(|line| format!("    {line}\n")).collect();
            let stored = part.comment.as_deref().map(|comment| draw_comment(comment, "    ")).unwrap_or_default();
            let definition = to_migration_style(&part.definition).replace('\n', "\n        ");
            format!("{written}{stored}    {definition}")
        });
        let lines = lines.collect::<Vec<_>>().join(",\n");
        let written = if created.comment.is_empty() { String::new() } else { format!("{}\n", created.comment) };
        let stored = table.comment.as_deref().map(|comment| draw_comment(comment, "")).unwrap_or_default();
        let options = to_migration_style(&table.options);
        let indexes: String =
            parts(&self.indexes, &table.name).map(|index| draw_part("index", index, definitions)).collect();
        format!("{written}{stored}create table {} (\n{lines}\n){options};\n{indexes}", table.name)
    }
}

impl Sections {
    fn draw(&self, title: &str) -> String {
        let rule = "-".repeat(LINE);
        let objects = self.objects.values().flatten().map(String::as_str);
        let parts = objects.chain([self.triggers.as_str(), self.grants.as_str()]).filter(|text| !text.is_empty());
        parts.fold(format!("\n{rule}\n{title}\n{rule}\n"), |drawn, text| format!("{drawn}\n{text}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_comment_is_wrapped() {
        let drawn = draw_comment(&["word"; 50].join(" "), "    ");
        assert_eq!(drawn.lines().count(), 3);
        assert!(drawn.lines().all(|line| line.starts_with("    -- word") && line.len() <= LINE));
        assert_eq!(drawn.matches("word").count(), 50);
    }
}
