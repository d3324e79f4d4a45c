//! Rules about the layers: resolvers, rules and stores, and the borders between crates.
//!
//! The compiler guards most borders: a crate uses only what its manifest names, and a resolver cannot end the request's
//! transaction. These tests check the manifests, and the rules that no compiler checks. A module belongs to a layer by
//! its name or its folder: `x/rules.rs` and `x/rules/y.rs` are rules.

use std::path::Path;

use super::{code, files, none, read};

/// A module by the start of its path, with the reason why it contains statements.
const STATEMENTS_OUTSIDE_STORES: [(&str, &str); 3] = [
    ("schema/core/src/", "the core has no resources: each module runs the statements of its own tables"),
    ("schema/src/jobs/", "a job is a statement over the tables of several groups"),
    ("schema/src/open", "it asks the server about itself before any store can"),
];

/// Modules of the core that begin transactions on the pool: requests, audit records and the audit chain.
const BEGIN_TRANSACTIONS: [&str; 2] = ["schema/core/src/engine/", "schema/core/src/audit_chain/"];

/// A library, whether a crate may depend on it, and the rule behind it.
type Border = (&'static str, fn(&str) -> bool, &'static str);

const BORDERS: [Border; 5] = [
    ("axum", is_http, "the crates in schema/ return faults and know no HTTP"),
    ("http", is_http, "the crates in schema/ return faults and know no HTTP"),
    ("hyper", is_http, "the crates in schema/ return faults and know no HTTP"),
    ("sqlx", |folder| !is_http(folder), "REST calls the engine, not the database"),
    ("async-graphql", |folder| ["schema/core", "rest"].contains(&folder), "groups declare operations as functions"),
];

fn is_http(folder: &str) -> bool {
    ["", "rest"].contains(&folder)
}

/// Returns the folders of the workspace's crates, without those of tests. The main package has the empty text.
fn crates() -> Vec<String> {
    let manifest = read("Cargo.toml");
    let (_, members) = manifest.split_once("\nmembers = [\n").unwrap();
    let members = members.lines().map_while(|line| line.trim().strip_prefix('"')?.strip_suffix("\","));
    let members = members.filter(|folder| !folder.starts_with("tests/")).map(str::to_owned);
    members.chain([String::new()]).collect()
}

/// Returns every module of the crates, without its tests: path from the root, and code.
fn modules() -> Vec<(String, String)> {
    let folders = crates().into_iter().map(|folder| Path::new(&folder).join("src"));
    let modules = folders.flat_map(|folder| files(folder.to_str().unwrap(), ".rs"));
    let modules: Vec<_> =
        modules.filter(|(path, _)| !is_in(path, "tests")).map(|(path, text)| (path, code(&text))).collect();
    assert!(modules.len() > 600, "modules were found: {}", modules.len());
    modules
}

/// Whether a module is in this layer: it has the name, or is in a folder of the name.
fn is_in(path: &str, layer: &str) -> bool {
    path.strip_suffix(".rs").unwrap_or(path).split('/').any(|part| part == layer)
}

/// Whether code runs SQL.
fn has_statement(code: &str) -> bool {
    let calls = ["query!(", "query_as!(", "query_scalar!(", "query_as(", "query_scalar(", "raw_sql(", "::query("];
    let typed = ["query_as::<", "query_scalar::<", "QueryBuilder"];
    calls.iter().chain(&typed).any(|call| code.contains(call))
}

/// Returns the modules of a layer that contain one of these words.
fn find_words(layer: &str, words: &[&str]) -> Vec<String> {
    let modules: Vec<_> = modules().into_iter().filter(|(path, _)| is_in(path, layer)).collect();
    assert!(modules.len() > 40, "modules of the layer were found: {}", modules.len());
    let found = modules.into_iter().filter_map(|(path, code)| {
        let word = words.iter().find(|word| code.contains(**word))?;
        Some(format!("{path}: {word}"))
    });
    found.collect()
}

#[test]
fn statements_are_in_stores() {
    let outside = modules().into_iter().filter(|(path, code)| !is_in(path, "store") && has_statement(code));
    let (excepted, found): (Vec<_>, Vec<_>) = outside
        .map(|(path, _)| path)
        .partition(|path| STATEMENTS_OUTSIDE_STORES.iter().any(|(start, _)| path.starts_with(start)));
    none(&found, "move these statements into a store (`store.rs`, or a folder `store/`):");
    let unused =
        STATEMENTS_OUTSIDE_STORES.iter().filter(|(start, _)| !excepted.iter().any(|path| path.starts_with(start)));
    none(&unused.map(|(start, _)| (*start).to_owned()).collect::<Vec<_>>(), "remove these exceptions:");
}

#[test]
fn rules_use_neither_await_nor_clock() {
    let found = find_words("rules", &["sqlx::", ".await", "async fn", "now()", "Db"]);
    none(&found, "a rule is pure: pass it what it needs, and let the resolver wait:");
}

#[test]
fn stores_do_not_use_principals_or_scopes() {
    let found = find_words("store", &["Principal", "ScopeSet", "scope::"]);
    none(&found, "a store knows rows: take plain values or an Owner instead:");
}

#[test]
fn transactions_begin_in_engine_and_jobs() {
    let modules = modules();
    let of_schema = modules.iter().filter(|(path, _)| path.starts_with("schema/"));
    let on_pool = of_schema.filter(|(path, code)| {
        let is_allowed = BEGIN_TRANSACTIONS.iter().any(|start| path.starts_with(start));
        !is_allowed && [".begin()", ".begin_with("].iter().any(|word| code.contains(word))
    });
    none(&on_pool.map(|(path, _)| path.clone()).collect::<Vec<_>>(), "begin these with `Db::own_transaction`:");
    let of_request = modules.iter().filter(|(path, code)| {
        let is_layer = ["resolvers", "rules", "store"].iter().any(|layer| is_in(path, layer));
        (is_layer || code.contains("#[operation(")) && code.contains("own_transaction")
    });
    let of_request: Vec<_> = of_request.map(|(path, _)| path.clone()).collect();
    none(&of_request, "the engine begins and ends the transaction of a request; nothing in it begins another:");
}

#[test]
fn crates_depend_on_libraries_of_their_layer() {
    let mut found = Vec::new();
    for folder in crates() {
        let path = Path::new(&folder).join("Cargo.toml").to_str().unwrap().to_owned();
        let manifest = read(&path);
        let (_, dependencies) = manifest.split_once("\n[dependencies]\n").unwrap();
        let names = dependencies.lines().take_while(|line| !line.starts_with('['));
        let names: Vec<&str> = names.filter_map(|line| line.split(['.', ' ', '=']).next()).collect();
        let crossed = BORDERS.iter().filter(|(library, may, _)| names.contains(library) && !may(&folder));
        found.extend(crossed.map(|(library, _, rule)| format!("{path}: {library}: {rule}")));
    }
    none(&found, "these dependencies cross a border:");
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
