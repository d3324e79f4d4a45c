//! Rules for the sources. Each failure states how to fix it.

mod layers;
mod links;
mod migrations;
mod security;
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

/// Returns the code of a file without its tests, to which the rules do not apply; their lines are empty. Expects the
/// formatter's layout.
fn code(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    // Indentation of the test item that contains the line.
    let mut test: Option<&str> = None;
    for line in text.lines() {
        if test.is_none() {
            test = line.strip_suffix("#[cfg(test)]").filter(|indent| indent.trim().is_empty());
        }
        match test {
            None => code.push_str(line),
            Some(indent) => {
                let at_depth = line.strip_prefix(indent).filter(|rest| !rest.starts_with([' ', '#']));
                if at_depth.is_some_and(|rest| rest.ends_with([';', '}', ','])) {
                    test = None;
                }
            }
        }
        code.push('\n');
    }
    code
}

/// Returns the text of a file by its path from the root.
fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
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

#[test]
fn code_has_no_test_items() {
    let text = "use a;\n#[cfg(test)]\nmod tests;\nfn one() {\n    #[cfg(test)]\n    let two = 2;\n}\n#[cfg(test)]\n\
                #[expect(x)]\nmod tests {\n    fn three() {}\n}\nfn four() {}\n";
    assert_eq!(code(text), "use a;\n\n\nfn one() {\n\n\n}\n\n\n\n\n\nfn four() {}\n");
}
