use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::super::sample;
use super::*;

/// A copy of the sample's pieces that a test may modify.
struct Pieces(TempDir);

impl Pieces {
    fn new() -> Pieces {
        let copy = TempDir::new().unwrap();
        copy_folder(&sample::folder(), copy.path());
        Pieces(copy)
    }

    fn replace(self, file: &str, from: &str, to: &str) -> Pieces {
        let path = self.0.path().join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file} has no {from}");
        fs::write(path, text.replacen(from, to, 1)).unwrap();
        self
    }

    fn write(self, file: &str, text: &str) -> Pieces {
        let path = self.0.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    fn problems(&self) -> Vec<String> {
        let problems = assemble(self.0.path(), sample::SDL).err().unwrap_or_default();
        problems.iter().map(ToString::to_string).collect()
    }

    /// Returns the only problem of the modified pieces.
    fn problem(&self) -> String {
        let mut problems = self.problems();
        assert_eq!(problems.len(), 1, "{problems:#?}");
        problems.remove(0)
    }
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

fn assembled() -> Value {
    assemble(&sample::folder(), sample::SDL).unwrap().document
}

fn operation<'a>(document: &'a Value, method: &str, path: &str) -> &'a Value {
    &document["paths"][path][method]
}

fn statuses(operation: &Value) -> Vec<&str> {
    let responses = operation["responses"].as_object().unwrap();
    responses.keys().map(String::as_str).collect()
}

fn headers<'a>(operation: &'a Value, status: &str) -> Vec<&'a str> {
    let headers = operation["responses"][status]["headers"].as_object().unwrap();
    let always = 9;
    headers.keys().skip(always).map(String::as_str).collect()
}

fn parameters(operation: &Value) -> Vec<&str> {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    parameters
        .map(|parameter| parameter["$ref"].as_str().or(parameter["name"].as_str()).unwrap())
        .map(|name| name.trim_start_matches("#/components/parameters/"))
        .collect()
}

#[test]
fn assembly_is_deterministic_and_ends_in_newline() {
    let first = assemble(&sample::folder(), sample::SDL).unwrap().yaml;
    let second = assemble(Pieces::new().0.path(), sample::SDL).unwrap().yaml;
    assert_eq!(first, second);
    assert!(first.starts_with("# Generated from") && first.ends_with('\n'));
}

#[test]
fn groups_keep_contract_order_and_are_counted() {
    let document = assembled();
    let paths: Vec<&String> = document["paths"].as_object().unwrap().keys().collect();
    assert_eq!(paths.first().unwrap().as_str(), "/v1/system/health");
    assert_eq!(paths.last().unwrap().as_str(), "/v1/admin/audit-records:export");
    let counts = &document["info"]["x-operations"];
    assert_eq!(counts["system"], json!(3));
    assert_eq!(counts["marketplace"], json!(9));
    assert_eq!(counts["engagement"], json!(0));
    assert_eq!(counts["total"], json!(16));
}

#[test]
fn operation_keys_are_ordered_from_id_to_responses() {
    let document = assembled();
    let create = operation(&document, "post", "/v1/marketplace/apps");
    let keys: Vec<&String> = create.as_object().unwrap().keys().collect();
    let first = ["operationId", "tags", "x-resource", "summary", "x-since", "x-agentic-access", "security"];
    assert_eq!(keys, [&first[..], &["parameters", "requestBody", "responses"]].concat());
    assert_eq!(create["x-since"], json!("1.0.0"));
    assert_eq!(create["tags"], json!(["marketplace"]));
    assert_eq!(create["x-resource"], json!("apps"));
}

#[test]
fn error_responses_are_derived_from_operation() {
    let document = assembled();
    let health = operation(&document, "get", "/v1/system/health");
    assert_eq!(statuses(health), ["200", "400", "406", "422", "429", "500", "503"], "of this moment, so never 304");
    let create = operation(&document, "post", "/v1/marketplace/apps");
    assert_eq!(statuses(create), ["201", "400", "401", "403", "406", "409", "413", "415", "422", "429", "500", "503"]);
    let update = operation(&document, "patch", "/v1/marketplace/apps/{app_uuid}");
    assert_eq!(
        statuses(update),
        ["200", "400", "401", "403", "404", "406", "412", "413", "415", "422", "429", "500", "503"]
    );
    let me = operation(&document, "get", "/v1/system/me");
    assert!(["401", "304", "412"].iter().all(|status| statuses(me).contains(status)));
    let refusal = |operation: &Value| operation["responses"]["403"]["$ref"].as_str().map(str::to_owned);
    assert_eq!(refusal(me).as_deref(), Some("#/components/responses/NetworkDenied"));
    assert_eq!(refusal(create).as_deref(), Some("#/components/responses/Forbidden"));
    let refresh = operation(&document, "post", "/v1/auth/sessions:refresh");
    assert!(statuses(refresh).contains(&"401") && !statuses(refresh).contains(&"409"));
}

#[test]
fn only_audited_operations_declare_audit_unavailable() {
    let document = assembled();
    let audit = operation(&document, "get", "/v1/admin/audit-records");
    let apps = operation(&document, "get", "/v1/marketplace/apps");
    assert_eq!(audit["responses"]["503"]["$ref"], json!("#/components/responses/AuditUnavailable"));
    assert_eq!(apps["responses"]["503"]["$ref"], json!("#/components/responses/Unavailable"));
}

#[test]
fn parameters_are_derived_from_operation() {
    let document = assembled();
    let of = |method, path| parameters(operation(&document, method, path));
    assert_eq!(of("get", "/v1/system/health"), [""; 0]);
    assert_eq!(of("get", "/v1/system/me"), ["IfNoneMatch", "IfMatchToRead"]);
    assert_eq!(of("post", "/v1/marketplace/apps"), ["IdempotencyKey"]);
    assert_eq!(of("patch", "/v1/marketplace/apps/{app_uuid}"), ["AppUuid", "IfMatch"]);
    assert_eq!(of("delete", "/v1/marketplace/apps/{app_uuid}"), ["AppUuid", "IfMatch"]);
    assert_eq!(of("post", "/v1/marketplace/apps/{app_uuid}:archive"), ["AppUuid", "IdempotencyKey"]);
    assert_eq!(of("get", "/v1/admin/audit-records"), ["Limit", "Cursor", "IncludeTotal"]);
    assert_eq!(of("get", "/v1/admin/audit-records:export"), Vec::<&str>::new());
    assert_eq!(of("post", "/v1/oauth/token"), Vec::<&str>::new());
    assert!(!of("get", "/v1/marketplace/apps").contains(&"IncludeTotal"));
}

#[test]
fn headers_are_derived_from_status_and_kind() {
    let document = assembled();
    let of = |method, path, status| headers(operation(&document, method, path), status);
    assert_eq!(of("get", "/v1/marketplace/apps/{app_uuid}", "200"), ["ETag"]);
    assert_eq!(of("get", "/v1/marketplace/apps", "200"), ["Link"]);
    assert_eq!(of("post", "/v1/marketplace/apps", "201"), ["Location", "ETag", "Idempotency-Replayed"]);
    assert_eq!(of("delete", "/v1/marketplace/apps/{app_uuid}", "204"), Vec::<&str>::new());
    assert_eq!(of("post", "/v1/oauth/token", "200"), Vec::<&str>::new());
    let component = |name: &str| {
        let headers = &document["components"]["responses"][name]["headers"];
        headers.as_object().unwrap().keys().next_back().unwrap().as_str()
    };
    assert_eq!(component("Unauthenticated"), "WWW-Authenticate");
    assert_eq!(component("AuditUnavailable"), "Retry-After");
    assert_eq!(component("NotModified"), "ETag");
    assert_eq!(component("Forbidden"), "X-RateLimit-Daily-Reset");
}

#[test]
fn never_stored_operation_has_no_etag_and_no_conditions() {
    let id = "operationId: system_me_get\n";
    let pieces = Pieces::new().replace("paths/system/me.yaml", id, &format!("{id}    x-never-stored: true\n"));
    let document = assemble(pieces.0.path(), sample::SDL).unwrap().document;
    let me = operation(&document, "get", "/v1/system/me");
    assert!(parameters(me).is_empty() && headers(me, "200").is_empty(), "{me}");
    assert!(!statuses(me).iter().any(|status| ["304", "412"].contains(status)));
}

#[test]
fn own_error_response_lists_all_problem_codes() {
    let document = assembled();
    let archive = operation(&document, "post", "/v1/marketplace/apps/{app_uuid}:archive");
    let conflict = &archive["responses"]["409"];
    assert_eq!(conflict["x-codes"], json!(["ILLEGAL_TRANSITION", "IDEMPOTENCY_IN_PROGRESS"]));
    assert_eq!(
        conflict["content"]["application/problem+json"]["schema"]["$ref"],
        json!("#/components/schemas/Problem")
    );
}

#[test]
fn duplicate_keys_are_rejected_with_file_name() {
    let pieces =
        Pieces::new().replace("paths/system/health.yaml", "    summary: Liveness", "    summary: A\n    summary: B");
    assert!(pieces.problems()[0].starts_with("contract/paths/system/health.yaml: "), "{:?}", pieces.problems());
    assert!(pieces.problems()[0].contains("duplicate entry"));
}

#[test]
fn operation_id_must_start_with_group_and_resource() {
    let pieces = Pieces::new().replace("paths/system/health.yaml", "system_health_get", "system_life_get");
    let problem = pieces.problem();
    assert!(problem.starts_with("contract/paths/system/health.yaml: system_life_get: "), "{problem}");
    assert!(problem.contains("`system_health_`"), "{problem}");
}

#[test]
fn duplicate_operations_and_components_are_rejected() {
    let pieces = Pieces::new().replace("paths/system/me.yaml", "system_me_explain", "system_me_get");
    assert!(pieces.problem().contains("this operationId is also defined in contract/paths/system/me.yaml"));
    let health = fs::read_to_string(sample::folder().join("paths/system/health.yaml")).unwrap();
    let pieces = Pieces::new().write("paths/system/life.yaml", &health.replace("system_health_", "system_life_"));
    assert!(pieces.problem().contains("get /v1/system/health is also defined in"), "{}", pieces.problem());
    let pieces = Pieces::new().write("components/more.yaml", "schemas: {Uuid: {type: string}}");
    let twice = "schemas/Uuid: a component of this name is also defined in contract/components/more.yaml";
    assert!(pieces.problem().contains(twice), "{}", pieces.problem());
}

#[test]
fn references_must_resolve_and_components_must_be_used() {
    let pieces = Pieces::new().replace("paths/system/me.yaml", "schemas/Me'", "schemas/Mee'");
    let problems = pieces.problems();
    assert!(problems[0].contains("#/components/schemas/Mee: a $ref names this component"), "{problems:?}");
    assert!(problems[1].contains("schemas/Me: no operation uses this component"), "{problems:?}");
}

#[test]
fn access_must_be_declared_with_known_scopes() {
    let file = "paths/system/health.yaml";
    let problem = Pieces::new().replace(file, "    security: []\n", "").problem();
    assert!(problem.contains("declares no access"), "{problem}");
    let problem = Pieces::new().replace(file, "security: []", "security: [{labs: [marketplace.ap]}]").problem();
    assert!(problem.contains("the scope marketplace.ap is not listed"), "{problem}");
    let problem = Pieces::new().replace(file, "security: []", "security: []\n    x-access: magic").problem();
    assert!(problem.contains("`cookie` or `client`"), "{problem}");
    let problem = Pieces::new().replace(file, "security: []", "security: [{labs: [a, b]}]").problem();
    assert!(problem.contains("at most one scope"), "{problem}");
}

#[test]
fn path_parameters_must_match_template() {
    let file = "paths/marketplace/listings.yaml";
    let problems = Pieces::new().replace(file, "name: listing_slug", "name: slug").problems();
    assert!(problems.iter().any(|problem| problem.contains("has no {slug}")), "{problems:?}");
    let problem = Pieces::new().replace(file, "{listing_slug}:", "{listing_slug}/{more}:").problem();
    assert!(problem.contains("declares no path parameter more"), "{problem}");
}

#[test]
fn invalid_responses_and_extensions_are_rejected() {
    let file = "paths/auth/sessions.yaml";
    let problem = Pieces::new().replace(file, "'200'", "'404'").problems().join("\n");
    assert!(problem.contains("declares no successful response"), "{problem}");
    assert!(problem.contains("has no `x-codes`"), "{problem}");
    let problem = Pieces::new().replace(file, "x-idempotency: none", "x-list: true").problem();
    assert!(problem.contains("`x-list` is allowed only on a GET"), "{problem}");
    let problem = Pieces::new().replace(file, "x-idempotency: none", "x-followable: true").problem();
    assert!(problem.contains("`x-followable` is allowed only with `x-list`"), "{problem}");
    let file = "paths/marketplace/apps.yaml";
    let problem = Pieces::new().replace(file, "[ENTITLEMENT_EXCEEDED]", "[TOO_MANY_APPS]").problem();
    assert!(problem.contains("\"TOO_MANY_APPS\""), "{problem}");
}

#[test]
fn examples_must_match_their_schema() {
    let problem = Pieces::new().replace("paths/system/health.yaml", "{status: UP}", "{status: FINE}").problem();
    assert!(problem.contains("system_health_get"), "{problem}");
    assert!(problem.contains("`/status`: Send UP."), "{problem}");
}

#[test]
fn constructs_that_client_generators_misread_are_reported() {
    let file = "components/schemas.yaml";
    let seats = "seats: {type: integer, format: int32, minimum: 1, maximum: 500}";
    let problem = Pieces::new().replace(file, seats, "seats: {type: integer, format: int8}").problem();
    assert!(problem.contains("/seats: an integer must have `format: int32`"), "{problem}");
    let problem =
        Pieces::new().replace(file, seats, "seats: {type: [boolean, integer, 'null'], format: int64}").problem();
    assert!(problem.contains("/seats: generated clients do not support a field of several types"), "{problem}");
    let pattern = "seats: {type: string, pattern: 'Z$'}";
    let problem = Pieces::new().replace(file, seats, pattern).problem();
    assert!(problem.contains("/seats: a pattern must begin with ^"), "{problem}");
    let pattern = r"seats: {type: string, pattern: '^[^\x00-\x1F\x7F-\x9F]*$'}";
    let problem = Pieces::new().replace(file, seats, pattern).problem();
    assert!(problem.contains("/seats: a pattern must not have a range that begins at"), "{problem}");
    for typed in ["format: uuid, maxLength: 36", "format: date-time, pattern: '^.*Z$'", "format: uri, minLength: 1"] {
        let problem = Pieces::new().replace(file, seats, &format!("seats: {{type: string, {typed}}}")).problem();
        assert!(problem.contains("/seats: omit pattern, minLength and maxLength"), "{problem}");
    }
    let entries = "seats: {type: object, properties: {en: {type: string}}, additionalProperties: {type: string}}";
    let problem = Pieces::new().replace(file, seats, entries).problem();
    assert!(problem.contains("/seats: an optional field must not accompany `additionalProperties`"), "{problem}");
    let problem = Pieces::new().replace(file, seats, "seats: {type: [string, 'null'], enum: [A, null]}").problem();
    assert!(problem.contains("/seats: an enumeration must not contain null"), "{problem}");
    let problem = Pieces::new().replace(file, seats, "seats: {type: boolean, enum: [true]}").problem();
    assert!(problem.contains("/seats: a boolean must not have an enumeration"), "{problem}");
    let (scope, letters) = ("items: {type: string, maxLength: 64}", "items: {type: string, enum: [A, B]}");
    let problem = Pieces::new().replace(file, scope, letters).problem();
    assert!(problem.contains("/scopes: an enumeration in a response must be a component"), "{problem}");
    let reference = "seats: {$ref: '#/components/schemas/Uuid', default: x}";
    let problem = Pieces::new().replace(file, seats, reference).problem();
    assert!(problem.contains("/seats: only a description may accompany a `$ref`"), "{problem}");
}

#[test]
fn optional_bearer_is_alternative_security_without_scopes() {
    let document = assembled();
    let security = |method, path| operation(&document, method, path)["security"].clone();
    assert_eq!(security("get", "/v1/system/health"), json!([]));
    assert_eq!(security("get", "/v1/system/me"), json!([{"labs": []}, {"bearer": []}]));
    let apps = json!([{"labs": ["marketplace.apps:write"]}, {"bearer": []}]);
    assert_eq!(security("post", "/v1/marketplace/apps"), apps);
}

#[test]
fn unexpected_files_and_folders_are_reported() {
    let pieces = Pieces::new()
        .write("paths/stuff/a.yaml", "a: 1")
        .write("paths/system/notes.txt", "x")
        .write("components/b.yaml", "things: {}");
    let problems = pieces.problems();
    assert!(problems.iter().any(|p| p.starts_with("contract/paths/stuff: ")), "{problems:?}");
    assert!(problems.iter().any(|p| p.starts_with("contract/paths/system/notes.txt: ")), "{problems:?}");
    assert!(problems.iter().any(|p| p.contains("things: not a section")), "{problems:?}");
}

#[test]
fn patterns_and_pattern_messages_must_correspond() {
    let slugs = "'^[a-z0-9-]+$': Send small letters, digits and hyphens.\n";
    let without = Pieces::new().replace("patterns.yaml", slugs, "").problem();
    assert!(without.contains("^[a-z0-9-]+$: this pattern has no message"), "{without}");
    let idle = Pieces::new().replace("patterns.yaml", slugs, &format!("{slugs}'^x$': Send x.\n")).problem();
    assert!(idle.contains("^x$: no schema uses this pattern"), "{idle}");
    let document = assemble(&sample::folder(), sample::SDL).unwrap_or_else(|problems| panic!("{problems:#?}")).document;
    let words = document.pointer("/components/schemas/AppInput/properties/slug/x-message");
    assert_eq!(words, Some(&json!("Send small letters and digits, with single hyphens between them.")));
}
