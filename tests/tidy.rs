//! Rules for the sources. Each failure states how to fix it.

mod links;
mod texts;

use std::path::{Path, PathBuf};

/// Maximum length of a source file, in lines.
const LONGEST_FILE: usize = 400;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Returns every file below a folder with this extension: path from the root, and text.
fn files(folder: &str, ending: &str) -> Vec<(String, String)> {
    fn walk(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for entry in entries {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if path.is_dir() && !matches!(name.as_str(), "target" | "node_modules" | "dist" | "made" | ".git" | ".labs")
            {
                walk(&path, ending, found);
            } else if name.ends_with(ending) {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&root().join(folder), ending, &mut found);
    found.sort();
    let relative = |path: &PathBuf| path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
    found.iter().map(|path| (relative(path), std::fs::read_to_string(path).unwrap())).collect()
}

/// Returns the code of a file without its tests, to which the rules do not apply.
fn code(text: &str) -> &str {
    text.split("#[cfg(test)]").next().unwrap_or(text)
}

fn none(found: &[String], advice: &str) {
    assert!(found.is_empty(), "{advice}\n{}", found.join("\n"));
}

#[test]
fn files_are_within_line_limit() {
    let long = files("", ".rs").into_iter().filter(|(_, text)| text.lines().count() > LONGEST_FILE);
    let long: Vec<String> = long.map(|(path, text)| format!("{path}: {} lines", text.lines().count())).collect();
    none(&long, "split these by what they are about:");
}

#[test]
fn resolvers_access_database_only_through_stores() {
    let found = files("schema", "resolvers.rs").into_iter().filter(|(_, text)| text.contains("sqlx::query"));
    none(&found.map(|(path, _)| path).collect::<Vec<_>>(), "move these statements into the store beside them:");
}

#[test]
fn rules_use_neither_await_nor_clock() {
    let forbidden = ["sqlx::", ".await", "async fn", "now()", "Db"];
    let broken = files("schema", "rules.rs").into_iter().filter_map(|(path, text)| {
        let word = forbidden.iter().find(|word| code(&text).contains(**word))?;
        Some(format!("{path}: {word}"))
    });
    none(&broken.collect::<Vec<_>>(), "a rule is pure: hand it what it needs, and let the resolver wait:");
}

#[test]
fn stores_do_not_use_graphql_principals_or_scopes() {
    let forbidden = ["async_graphql::", "Principal", "ScopeSet", "scope::"];
    let broken = files("schema", "store.rs").into_iter().filter(|(path, _)| !path.contains("/media/store")).filter_map(
        |(path, text)| {
            let word = forbidden.iter().find(|word| code(&text).contains(**word))?;
            Some(format!("{path}: {word}"))
        },
    );
    none(&broken.collect::<Vec<_>>(), "a store knows rows: take plain values or an Owner instead:");
}

#[test]
fn transactions_begin_and_end_in_allowed_modules() {
    let allowed = [
        "schema/core/src/engine/",
        "schema/core/src/db.rs",
        "schema/mail/src/outbox",
        "schema/core/src/audit_chain",
        "schema/src/jobs",
        "schema/src/operator",
        "schema/src/sample",
        "schema/marketplace/src/versions/store.rs",
        "schema/marketplace/src/release",
        "schema/subscription/src/changing/due.rs",
        "schema/identity/src/partner/data_exports/run.rs",
    ];
    let broken =
        files("schema", ".rs").into_iter().filter(|(path, _)| !allowed.iter().any(|start| path.starts_with(start)));
    let broken = broken.filter(|(_, text)| {
        [".begin()", ".begin_with(", ".commit()", ".rollback()"].iter().any(|word| code(text).contains(word))
    });
    none(
        &broken.map(|(path, _)| path).collect::<Vec<_>>(),
        "the engine settles requests, jobs settle themselves; nobody else begins:",
    );
}

#[test]
fn schema_crates_use_no_http_and_rest_crate_no_sql() {
    let inside = files("schema", ".rs")
        .into_iter()
        .filter(|(_, text)| ["axum::", "http::Status", "hyper::"].iter().any(|word| text.contains(word)));
    none(&inside.map(|(path, _)| path).collect::<Vec<_>>(), "the crates in schema/ return faults and know no HTTP:");
    let face = files("rest/src", ".rs").into_iter().filter(|(_, text)| text.contains("sqlx::"));
    none(&face.map(|(path, _)| path).collect::<Vec<_>>(), "the public face asks the engine, not the database:");
}

#[test]
fn statements_are_within_line_limit() {
    let mut long = Vec::new();
    for (path, text) in files("schema", ".rs") {
        for statement in text.split("sqlx::query").skip(1) {
            if statement.starts_with("_as;") || statement.starts_with("::") {
                continue;
            }
            let body = statement.split("fetch").next().unwrap_or_default().split(".execute").next().unwrap_or_default();
            let lines = body.lines().count();
            if lines > 60 {
                let begin: String = body.lines().take(2).collect();
                long.push(format!("{path}: {lines} lines: {begin}"));
            }
        }
    }
    none(&long, "make a view of these statements (parameters included, 60 lines are many):");
}

#[test]
fn committed_contract_equals_assembled_contract() {
    let assembled =
        labs::wiring::assemble_contract(&root().join("contract")).unwrap_or_else(|error| panic!("{error:?}"));
    let committed = std::fs::read_to_string(root().join("contract/openapi.yaml")).unwrap();
    assert!(assembled.yaml == committed, "contract/openapi.yaml is not what its pieces make: run `make accept`");
}

#[test]
fn committed_schema_equals_built_schema() {
    let plan = labs::wiring::schema().unwrap();
    let agreed = std::fs::read_to_string(root().join("schema/schema.graphql")).unwrap();
    assert!(
        plan.sdl() == agreed,
        "schema/schema.graphql is not what the resolvers make: run `make accept` and read the difference"
    );
}

#[test]
fn committed_documents_match_contract_and_schema() {
    let contract = std::fs::read_to_string(root().join("contract/openapi.yaml")).unwrap();
    let made = labs::wiring::make_documents(&contract).unwrap();
    let committed = labs::wiring::read_documents(&root().join("rest/documents")).unwrap();
    let paths: std::collections::BTreeSet<&String> = made.keys().chain(committed.keys()).collect();
    let differ = paths.into_iter().filter(|path| made.get(*path) != committed.get(*path)).cloned();
    none(&differ.collect::<Vec<_>>(), "run `make accept` and read the difference of these in rest/documents:");
}

#[tokio::test]
async fn committed_database_schema_equals_migrated_database() {
    let harness = crate::harness::Harness::new().await;
    let migrated = labs_schema::tables::draw(&harness.database_url).await.unwrap();
    let committed = std::fs::read_to_string(root().join("schema/schema.sql")).unwrap();
    let differ = migrated.lines().filter(|line| !committed.lines().any(|known| known == *line)).take(10);
    let differ: Vec<&str> = differ.collect();
    assert!(
        migrated == committed,
        "schema/schema.sql is not what the migrations make: run `make accept` and read the difference\n{}",
        differ.join("\n")
    );
}

#[test]
fn drawn_state_machines_match_code() {
    let agreed = std::fs::read_to_string(root().join("schema/states.md")).unwrap();
    assert!(labs_schema::states::draw() == agreed, "schema/states.md is not what the tables say: run `make accept`");
}

#[tokio::test]
async fn contract_documents_schema_and_routes_agree() {
    let differences = labs::wiring::check().await.unwrap();
    none(&differences, "mend each where it says:");
}

#[test]
fn each_mutant_target_occurs_once_in_its_file() {
    let list = std::fs::read_to_string(root().join("tests/mutants/list.toml")).unwrap();
    let value = |mutant: &str, key: &str| -> String {
        let line = mutant.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
        serde_json::from_str(line.unwrap_or_else(|| panic!("no {key} in:{mutant}"))).unwrap()
    };
    let stray: Vec<String> = list
        .split("[[mutant]]")
        .skip(1)
        .map(|mutant| (value(mutant, "what"), value(mutant, "file"), value(mutant, "find")))
        .filter(|(_, file, find)| {
            std::fs::read_to_string(root().join(file)).unwrap().matches(find.as_str()).count() != 1
        })
        .map(|(what, file, _)| format!("{file}: {what}"))
        .collect();
    none(&stray, "Say anew what these mutants of tests/mutants/list.toml change.");
}

#[test]
fn settings_page_lists_exactly_the_settings() {
    let page = std::fs::read_to_string(root().join("operate/settings.md")).unwrap();
    let rows = labs::config::table().into_iter().map(|row| {
        let default = if row.default.is_empty() { String::new() } else { format!("`{}`", row.default) };
        format!("| `{}` | `{}` | {default} | {} |", row.variable, row.flag, row.meaning)
    });
    let (_, section) = page.split_once("\n## Flags and variables\n").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    // Header rows do not start with code.
    let mut stray: Vec<&str> = section.lines().filter(|line| line.starts_with("| `")).collect();
    let (shown, lacking): (Vec<_>, Vec<_>) = rows.partition(|row| stray.contains(&row.as_str()));
    stray.retain(|line| !shown.iter().any(|row| row == line));
    let stray: Vec<String> = stray.into_iter().map(str::to_owned).collect();
    none(&lacking, "operate/settings.md lacks these lines; each replaces the line of the same variable:");
    none(&stray, "these lines of operate/settings.md do not match a setting:");
}

#[test]
fn sources_contain_no_machine_paths_or_todos() {
    let words = [
        concat!("/ro", "ot/"),
        concat!("/ho", "me/"),
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
        concat!("todo", "!("),
        concat!("unimple", "mented!("),
    ];
    let mut found = Vec::new();
    for ending in [".rs", ".sql", ".yaml", ".graphql", ".md", ".toml", ".sh"] {
        for (path, text) in files("", ending) {
            found.extend(words.iter().filter(|word| text.contains(**word)).map(|word| format!("{path}: {word}")));
        }
    }
    none(&found, "finish these, or say them without a machine's path:");
}
