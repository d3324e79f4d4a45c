//! Tests of the inspection: a small consistent set of texts, changed in one place at a time.

mod shapes;

use super::*;
use crate::contract::sample::{contract, folder};
use crate::documents::generate;

/// The three texts, which a test changes in one place.
struct House {
    contract: String,
    documents: Vec<(String, String)>,
    sdl: String,
}

impl House {
    fn new() -> House {
        let fixtures = folder().parent().unwrap().to_owned();
        let house = House {
            contract: contract().text().to_owned(),
            documents: Vec::new(),
            sdl: std::fs::read_to_string(fixtures.join("schema.graphql")).unwrap(),
        };
        house.accepted()
    }

    /// Returns the same texts with the documents that contract and schema generate.
    fn accepted(mut self) -> House {
        let contract = Contract::from_yaml(&self.contract).unwrap_or_else(|problems| panic!("{problems:#?}"));
        self.documents = generate(&contract, &self.sdl).unwrap().into_iter().collect();
        self
    }

    fn contract(mut self, from: &str, to: &str) -> House {
        assert!(self.contract.contains(from), "the contract has no {from}");
        self.contract = self.contract.replace(from, to);
        self
    }

    fn sdl(mut self, from: &str, to: &str) -> House {
        assert!(self.sdl.contains(from), "the SDL has no {from}");
        self.sdl = self.sdl.replace(from, to);
        self
    }

    fn document(mut self, path: &str, from: &str, to: &str) -> House {
        let (_, text) = self.documents.iter_mut().find(|(name, _)| name == path).unwrap();
        assert!(text.contains(from), "{path} has no {from}");
        *text = text.replace(from, to);
        self
    }

    fn apps(self, from: &str, to: &str) -> House {
        self.document("marketplace/apps.graphql", from, to)
    }

    fn differences(&self) -> Vec<String> {
        let contract = Contract::from_yaml(&self.contract).unwrap_or_else(|problems| panic!("{problems:#?}"));
        let documents = Documents::read(self.documents.clone()).unwrap_or_else(|problems| panic!("{problems:#?}"));
        inspect(&contract, &documents, &Sdl::read(&self.sdl)).iter().map(ToString::to_string).collect()
    }

    /// Returns the only difference of the changed texts.
    fn difference(&self) -> String {
        let mut differences = self.differences();
        assert_eq!(differences.len(), 1, "{differences:#?}");
        differences.remove(0)
    }

    /// Asserts that exactly these differences are reported.
    fn differs(&self, expected: &[&str]) {
        let found = self.differences();
        for expected in expected {
            assert!(found.iter().any(|found| found.contains(expected)), "no `{expected}` in {found:#?}");
        }
        let others: Vec<&String> =
            found.iter().filter(|found| !expected.iter().any(|expected| found.contains(expected))).collect();
        assert!(others.is_empty(), "{others:#?}");
    }
}

#[test]
fn consistent_contract_schema_and_documents_have_no_difference() {
    assert_eq!(House::new().differences(), Vec::<String>::new());
}

#[test]
fn operation_without_document_or_root_field_is_reported() {
    House::new().contract("      x-probe: liveness\n", "").differs(&[
        "rest/documents/system/health.graphql: system_health_get is in the contract but has no document",
        "schema/src/system/health/resolvers.rs: system_health_get is in the contract: write a root field",
    ]);
}

#[test]
fn path_must_match_group_and_declare_its_parameters() {
    let elsewhere = House::new().contract("/v1/admin/audit-records:export", "/v1/abmin/audit-records:export");
    assert_eq!(
        elsewhere.difference(),
        "contract/paths/admin/audit_records.yaml: admin_audit_records_export has the path \
         /v1/abmin/audit-records:export, but the paths of its group must begin with /v1/admin"
    );
    House::new().contract("/v1/marketplace/apps/{app_uuid}:archive", "/v1/marketplace/apps/{abb_uuid}:archive").differs(&[
        "has the path /v1/marketplace/apps/{abb_uuid}:archive: declare the parameter abb_uuid",
        "declares the path parameter app_uuid, but its path /v1/marketplace/apps/{abb_uuid}:archive does not contain it",
    ]);
}

#[test]
fn document_without_operation_is_reported() {
    let mut house = House::new();
    house.documents.push(("system/life.graphql".to_owned(), "query system_life_get { system_life_get }".to_owned()));
    assert_eq!(
        house.difference(),
        "rest/documents/system/life.graphql: system_life_get is not an operation of the contract: run `make accept`, \
         or add it to the contract"
    );
}

#[test]
fn undeclared_root_field_must_be_internal_with_access() {
    let house = House::new().sdl(" @internal\n", "\n");
    assert!(
        house
            .difference()
            .starts_with("schema/src: the root field playground_only is not an operation of the contract")
    );
    let house =
        House::new().sdl("playground_only: String! @access(needs: \"labs.admin.audit\")", "playground_only: String!");
    assert!(house.difference().contains("playground_only declares no access"));
    let house = House::new()
        .sdl("system_me_get: Me! @access(needs: \"any\")", "system_me_get: Me! @access(needs: \"any\") @internal");
    assert!(house.difference().contains("marked @internal, but the contract contains it"));
}

#[test]
fn access_must_match_in_contract_and_schema() {
    let house = House::new().sdl(
        "marketplace_apps_get(app_uuid: UUID!): App @access(needs: \"marketplace.apps\")",
        "marketplace_apps_get(app_uuid: UUID!): App @access(needs: \"marketplace.apps:write\")",
    );
    assert_eq!(
        house.difference(),
        "schema/marketplace/src/apps/resolvers.rs: marketplace_apps_get has @access(needs: \"marketplace.apps:write\"), \
         but the contract says marketplace.apps: make them equal"
    );
    let house = House::new().sdl("system_me_get: Me! @access(needs: \"any\")", "system_me_get: Me!");
    assert!(house.difference().contains("write @access(needs: \"any\")"));
    let house = House::new().contract("            storefront: Read the storefront\n", "");
    assert!(house.difference().contains("needs the scope storefront, which the security scheme does not list"));
}

#[test]
fn get_must_be_a_query_and_use_right_root_type() {
    let field = "  playground_only: String!";
    let moved = "  system_me_get: Me! @access(needs: \"any\")\n";
    let house = House::new().sdl(moved, "").sdl("type Mutation {\n", &format!("type Mutation {{\n{moved}"));
    house.differs(&[
        "system_me_get is a GET but its root field is a mutation",
        "system_me_get: its root field is a mutation",
    ]);
    assert!(House::new().sdl.contains(field));
    let house = House::new().apps("mutation marketplace_apps_delete", "query marketplace_apps_delete");
    assert!(house.difference().contains("its root field is a mutation: run `make accept`"));
}

#[test]
fn document_selects_one_root_field_with_its_name() {
    let path = "system/me.graphql";
    let house = House::new().document(path, "  system_me_get {", "  me: system_me_get {");
    assert!(house.difference().contains("its root field has an alias"));
    let house = House::new().document(path, "  system_me_get {", "  system_me_explain {");
    assert!(house.difference().contains("it selects system_me_explain: select the root field system_me_get"));
    let house = House::new().document(path, "query system_me_get {", "query system_me_get { playground_only");
    assert!(house.difference().contains("it selects several root fields"));
}

#[test]
fn document_must_be_in_file_of_its_resource() {
    let mut house = House::new();
    house.contract = house.contract.replace("x-resource: listings", "x-resource: listing");
    house.differs(&["it belongs in rest/documents/marketplace/listing.graphql: run `make accept`"]);
}

#[test]
fn only_root_field_may_be_nullable_without_declaration() {
    let house = House::new().sdl("system_me_get: Me!", "system_me_get: Me").sdl("): Verdict!", "): Verdict");
    assert_eq!(house.differences(), Vec::<String>::new());
    let house = House::new().sdl("): AppList!", "): AppList").sdl("data: [App!]!", "data: [App!]");
    assert!(house.difference().contains("marketplace_apps_list: data can be null in the schema ([App!])"));
}

#[test]
fn operation_with_direct_answer_has_no_document() {
    let id = "operationId: system_me_get\n";
    let house = House::new().contract(id, &format!("{id}      x-direct: explanation\n"));
    assert!(house.difference().contains("system_me_get is answered without a document and has one"));
    assert_eq!(house.accepted().differences(), Vec::<String>::new());
}

#[test]
fn operation_for_partners_accepts_only_own_partner() {
    let house = House::new().contract("app_uuid", "partner_uuid").sdl("app_uuid", "partner_uuid").accepted();
    house.differs(&["has the path parameter partner_uuid: declare 403 with PARTNER_MISMATCH"]);
    let house = House::new().contract("    Forbidden:\n", "    Forbidden:\n      x-codes: [PARTNER_MISMATCH]\n");
    house.differs(&["declares PARTNER_MISMATCH, but no path parameter partner_uuid, or it is for staff"]);
}

#[test]
fn operation_counts_must_match() {
    let house = House::new().contract("    system: 3\n", "    system: 4\n");
    assert!(house.difference().contains("info.x-operations declares 4 for system instead of 3"));
    let house = House::new().contract("    total: 16\n", "");
    assert!(house.difference().contains("declares nothing for total instead of 16"));
}

#[test]
fn unreadable_sdl_is_reported() {
    let mut house = House::new();
    house.sdl = "type {".to_owned();
    assert!(house.difference().starts_with("schema/schema.graphql: the schema's SDL cannot be read"));
}

#[test]
fn file_response_and_answers_file_marker_must_correspond() {
    let unmarked = House::new()
        .sdl(r#"@access(needs: "labs.admin.audit") @answers_file"#, r#"@access(needs: "labs.admin.audit")"#);
    assert!(unmarked.difference().contains("admin_audit_records_export: its root field is not marked @answers_file"));
    let get = r#"marketplace_apps_get(app_uuid: UUID!): App @access(needs: "marketplace.apps")"#;
    let marked = House::new().sdl(get, &format!("{get} @answers_file"));
    assert!(marked.difference().contains("marketplace_apps_get: its root field is marked @answers_file"));
}
