use super::*;

const APPS: &str = "# Apps.
fragment App on App { uuid name category { ...Category } }
fragment Category on Category { uuid name }
fragment Page on Page { next_cursor has_more }

query marketplace_apps_list($limit: Int!) {
  marketplace_apps_list(limit: $limit) { data { ...App } page { ...Page } }
}

query marketplace_apps_get($app_uuid: UUID!) {
  marketplace_apps_get(app_uuid: $app_uuid) { ...App }
}
mutation marketplace_apps_delete($app_uuid: UUID!) { marketplace_apps_delete(app_uuid: $app_uuid) }
";

fn read(path: &str, text: &str) -> Result<Documents, Vec<Problem>> {
    Documents::read([(path.to_owned(), text.to_owned())])
}

/// Returns the only problem of a file.
fn problem(path: &str, text: &str) -> String {
    let problems = read(path, text).unwrap_err();
    assert_eq!(problems.len(), 1, "{problems:#?}");
    problems[0].to_string()
}

#[test]
fn file_yields_one_document_per_operation() {
    let documents = read("marketplace/apps.graphql", APPS).unwrap();
    let names: Vec<&str> = documents.iter().map(|document| document.name.as_str()).collect();
    assert_eq!(names, ["marketplace_apps_delete", "marketplace_apps_get", "marketplace_apps_list"]);
    let get = documents.get("marketplace_apps_get").unwrap();
    assert_eq!(get.file, "rest/documents/marketplace/apps.graphql");
    assert_eq!(get.line, 10);
    assert!(get.is_in("marketplace", "apps") && !get.is_in("marketplace", "app"));
    assert_eq!(get.operation().unwrap().variable_definitions.len(), 1);
}

#[test]
fn document_includes_only_reachable_fragments() {
    let documents = read("marketplace/apps.graphql", APPS).unwrap();
    let text = |name: &str| documents.get(name).unwrap().text.clone();
    assert_eq!(
        text("marketplace_apps_get"),
        "fragment App on App { uuid name category { ...Category } }\n\n\
         fragment Category on Category { uuid name }\n\n\
         query marketplace_apps_get($app_uuid: UUID!) {\n  \
         marketplace_apps_get(app_uuid: $app_uuid) { ...App }\n}\n"
    );
    assert!(text("marketplace_apps_list").contains("fragment Page"));
    assert!(!text("marketplace_apps_delete").contains("fragment"));
    for document in documents.iter() {
        let again = async_graphql::parser::parse_query(&document.text).unwrap();
        assert_eq!(again.fragments.len(), document.parsed.fragments.len(), "{}", document.name);
        assert_eq!(again.operations.iter().count(), 1);
    }
}

#[test]
fn invalid_graphql_is_reported_with_line() {
    let problem = problem("marketplace/apps.graphql", "query marketplace_apps_list {\n  a(\n}\n");
    assert!(problem.starts_with("rest/documents/marketplace/apps.graphql: line "), "{problem}");
}

#[test]
fn operation_names_are_required_and_must_match_file() {
    let path = "marketplace/apps.graphql";
    assert!(
        problem(path, "\n{ a }")
            .starts_with("rest/documents/marketplace/apps.graphql: line 2: this operation has no name")
    );
    assert!(problem(path, "query marketplace_versions_list { a }").contains("must begin with `marketplace_apps_`"));
    assert!(problem(path, "query marketplace_apps_ { a }").contains("must begin with"));
    assert!(problem("apps.graphql", "query a { a }").contains("<group>/<resource>.graphql"));
    assert!(problem("shop/apps.graphql", "query a { a }").contains("<group>/<resource>.graphql"));
    assert!(problem(path, "fragment A on A { a }").contains("operation"));
}

#[test]
fn duplicate_operation_name_across_files_is_rejected() {
    let twice = Documents::read([
        ("marketplace/apps.graphql".to_owned(), "query marketplace_apps_events_list { a }".to_owned()),
        ("marketplace/apps_events.graphql".to_owned(), "query marketplace_apps_events_list { a }".to_owned()),
    ]);
    assert!(twice.unwrap_err()[0].to_string().contains("is also defined in rest/documents/marketplace/apps.graphql"));
}

#[test]
fn missing_unused_and_cyclic_fragments_are_rejected() {
    let path = "marketplace/apps.graphql";
    let missing = problem(path, "query marketplace_apps_list {\n ...App\n}");
    assert_eq!(missing, "rest/documents/marketplace/apps.graphql: line 2: the documents define no fragment App");
    let unused = problem(path, "fragment App on App { a }\nquery marketplace_apps_list { a }");
    assert!(unused.contains("line 1: no operation uses the fragment App"), "{unused}");
    let endless = problem(
        path,
        "fragment A on A { ...B }\nfragment B on A { a { ...A } }\nquery marketplace_apps_list { a { ...A } }",
    );
    assert!(endless.contains("includes itself"), "{endless}");
}

#[test]
fn fragment_is_defined_once_and_usable_in_all_files() {
    let own = (
        "partner/profile.graphql",
        "fragment Page on Page { slug ...Logo }\nquery partner_profile_get { p { ...Page } }",
    );
    let pictures =
        ("partner/imagery.graphql", "fragment Logo on Logo { uuid }\nquery partner_imagery_list { l { ...Logo } }");
    let other = ("admin/profiles.graphql", "query admin_profiles_get { p { ...Page } }");
    let files = |files: &[(&str, &str)]| {
        Documents::read(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect::<Vec<_>>())
    };
    let documents = files(&[other, own, pictures]).unwrap();
    let document = documents.get("admin_profiles_get").unwrap();
    assert_eq!(
        document.text,
        "fragment Logo on Logo { uuid }\n\nfragment Page on Page { slug ...Logo }\n\nquery admin_profiles_get { p { ...Page } }\n"
    );
    assert_eq!(document.parsed.fragments.len(), 2);
    let again =
        ("admin/profiles.graphql", "fragment Logo on Logo { uuid }\nquery admin_profiles_get { p { ...Logo } }");
    let twice = files(&[own, pictures, again]).unwrap_err()[0].to_string();
    assert!(
        twice.contains(
            "admin/profiles.graphql: line 1: the fragment Logo is also defined in rest/documents/partner/imagery"
        ),
        "{twice}"
    );
    let lacking = files(&[other]).unwrap_err()[0].to_string();
    assert!(lacking.contains("the documents define no fragment Page"), "{lacking}");
}

#[test]
fn shared_file_contains_only_fragments() {
    let files = |shared: &str| {
        let asked = "query marketplace_apps_list { a { ...App } }";
        let files = [(SHARED, shared), ("marketplace/apps.graphql", asked)];
        Documents::read(files.map(|(path, text)| (path.to_owned(), text.to_owned())))
    };
    let document = files("fragment App on App { a }").unwrap().get("marketplace_apps_list").cloned().unwrap();
    assert!(document.text.starts_with("fragment App on App { a }\n\nquery"), "{}", document.text);
    let problems = files("fragment App on App { a }\nquery marketplace_apps_get { a }").unwrap_err();
    assert_eq!(
        problems[0].to_string(),
        "rest/documents/types.graphql: line 2: marketplace_apps_get is an operation, but this file may contain only \
         fragments"
    );
}

#[test]
fn embedded_documents_load() {
    Documents::load().unwrap_or_else(|problems| panic!("{problems:#?}"));
}
