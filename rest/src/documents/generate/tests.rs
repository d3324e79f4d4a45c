use async_graphql::parser::parse_query;

use super::*;
use crate::contract::sample::{contract, folder};
use crate::documents::Documents;

/// Returns the small schema that belongs to the small contract.
fn sdl() -> String {
    std::fs::read_to_string(folder().parent().unwrap().join("schema.graphql")).unwrap()
}

fn made(sdl: &str) -> BTreeMap<String, String> {
    generate(contract(), sdl).unwrap()
}

#[test]
fn generated_operation_passes_arguments_and_selects_plain_fields() {
    let files = made(&sdl());
    assert_eq!(
        files["system/me.graphql"],
        "# Made from contract and schema by `make accept`: rest/documents/README.md says how.

query system_me_get {
  system_me_get {
    ...MeFields
  }
}

query system_me_explain($method: Method!, $path: String!) {
  system_me_explain(method: $method, path: $path) {
    ...VerdictFields
  }
}

fragment MeFields on Me {
  principal_type
  scopes
  rate_limit {
    ...RateLimitFields
  }
}

fragment RateLimitFields on RateLimit {
  limit_per_second
}

fragment VerdictFields on Verdict {
  verdict
}
"
    );
    let apps = &files["marketplace/apps.graphql"];
    assert!(apps.contains(
        "mutation marketplace_apps_delete($app_uuid: UUID!) {\n  marketplace_apps_delete(app_uuid: $app_uuid)\n}\n"
    ));
    assert!(
        apps.contains("query marketplace_apps_list(\n  $state: [AppState!]\n  $category_uuid: [UUID!]\n"),
        "{apps}"
    );
    let with_default = made(&sdl().replace("sort: String!, limit: Int!", "sort: String! = \"name\", limit: Int!"));
    assert!(with_default["marketplace/apps.graphql"].contains("\n  $sort: String! = \"name\"\n"));
}

#[test]
fn shared_fragments_are_written_to_shared_file() {
    let files = made(&sdl());
    let homes = |fragment: &str| -> Vec<&str> {
        let start = format!("fragment {fragment} ");
        files.iter().filter(|(_, text)| text.contains(&start)).map(|(path, _)| path.as_str()).collect()
    };
    assert_eq!(homes("AppListFields"), ["marketplace/apps.graphql"]);
    assert_eq!(homes("AppFields"), ["types.graphql"], "listings answer it too");
    assert_eq!(homes("CategoryFields"), ["types.graphql"]);
    assert_eq!(homes("TokenFields"), ["auth/tokens.graphql"]);
}

#[test]
fn edges_and_fields_with_access_or_arguments_are_omitted() {
    let whole = made(&sdl());
    assert!(!whole["system/me.graphql"].contains("secret"));
    assert!(
        made(&sdl().replace("secret: String! @edge", "secret: String!"))["system/me.graphql"].contains("  secret\n")
    );
    for field in ["secret(of: Int): String!", "secret: String! @access(needs: \"labs.admin\")"] {
        assert_eq!(made(&sdl().replace("secret: String! @edge", field)), whole, "{field}");
    }
    // An edge may be recursive: none of its fields is selected.
    assert!(!whole["types.graphql"].contains("owner"));
}

#[test]
fn recursive_types_are_expanded_four_levels() {
    let types = &made(&sdl())["types.graphql"];
    let inner = "  children {\n    uuid\n    name\n  }\n";
    let deeper = |inner: &str| {
        let lines: String = inner.lines().map(|line| format!("  {line}\n")).collect();
        format!("  children {{\n    uuid\n    name\n{lines}  }}\n")
    };
    let fragment = format!("fragment CategoryFields on Category {{\n  uuid\n  name\n{}}}\n", deeper(&deeper(inner)));
    assert!(types.contains(&fragment), "{fragment}{types}");
    // Two types that refer to each other: each is written out within the other's fragment.
    let files = made(
        &sdl()
            .replace("children: [Category!]!", "kin: Kin")
            .replace("type App {", "type Kin { of: Category! }\ntype App {\n  kin: Kin"),
    );
    let documents = Documents::read(files.clone()).unwrap_or_else(|problems| panic!("{problems:#?}\n{files:#?}"));
    assert!(documents.get("marketplace_apps_get").is_some());
    assert_eq!(files["types.graphql"].matches("  of {").count(), 3 + 4, "{}", files["types.graphql"]);
}

#[test]
fn union_members_are_selected_by_type() {
    let union = sdl().replace(
        "type Verdict { verdict: String! }",
        "type Mail { kind: String! }\ntype Phone { phone: String! }\nunion Verdict = Mail | Phone",
    );
    let me = &made(&union)["system/me.graphql"];
    assert!(
        me.contains(
            "  system_me_explain(method: $method, path: $path) {\n    ...MailFields\n    ...PhoneFields\n  }\n"
        )
    );
    assert!(me.contains("fragment PhoneFields on Phone {\n  phone\n}\n"));
}

#[test]
fn operations_without_root_field_get_no_document() {
    let without = made(&sdl().replace("  system_me_", "  other_me_"));
    assert!(!without.contains_key("system/me.graphql") && !without.contains_key("system/health.graphql"));
    let message = generate(contract(), "type {").unwrap_err();
    assert!(!message.is_empty());
}

#[test]
fn generated_documents_parse_and_are_deterministic() {
    let files = made(&sdl());
    assert_eq!(files, made(&sdl()));
    for (path, text) in &files {
        parse_query(format!("{text}query last {{ a }}")).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(text.ends_with("}\n") && !text.contains("\n\n\n") && text.lines().all(|line| line.len() <= WIDTH));
    }
    let documents = Documents::read(files).unwrap_or_else(|problems| panic!("{problems:#?}"));
    // Only liveness has no document.
    assert_eq!(documents.iter().count() + 1, contract().operations().len());
}
