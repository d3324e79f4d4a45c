//! Tests of the generated files.

use std::collections::BTreeSet;

use serde_json::json;

use super::*;
use crate::contract::Contract;

const BASE: &str = "https://labs.example.com";
const ALL: [GeneratedResource; 5] = [
    GeneratedResource::OpenapiYaml,
    GeneratedResource::OpenapiJson,
    GeneratedResource::PostmanCollection,
    GeneratedResource::InsomniaExport,
    GeneratedResource::TypescriptTypes,
];

fn made(resource: GeneratedResource) -> GeneratedFile {
    make(resource, BASE, &AnnouncedDeprecations::default()).unwrap()
}

fn read(resource: GeneratedResource) -> Value {
    serde_json::from_slice(&made(resource).content).unwrap()
}

/// A small contract with all variants of requests.
fn small() -> Value {
    json!({
        "info": { "title": "Labs", "version": "1.0.0", "description": "All of it." },
        "tags": [{ "name": "shelf", "description": "Things." }, { "name": "desk", "description": "Forms." }],
        "paths": {
            "/v1/things/{kind}/{thing_uuid}:open": { "post": {
                "operationId": "shelf_things_open", "tags": ["shelf"], "summary": "Open it", "description": "Opens */ it.",
                "security": [{ "labs": ["shelf"] }],
                "parameters": [
                    { "name": "kind", "in": "path", "required": true, "schema": { "enum": ["BOX"] } },
                    { "$ref": "#/components/parameters/ThingUuid" },
                    { "name": "q", "in": "query", "required": true, "schema": { "type": "string" }, "example": "a b" },
                    { "name": "tag", "in": "query", "schema": { "type": "array", "items": { "type": "string" } }, "example": ["x", "y"] },
                    { "name": "If-Match", "in": "header", "schema": { "type": "string" }, "example": "\"1\"" },
                ],
                "requestBody": { "content": { "application/json": {
                    "schema": { "$ref": "#/components/schemas/Thing" },
                    "examples": { "first": { "$ref": "#/components/examples/Thing" } },
                } } },
                "responses": {
                    "200": { "description": "It.", "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Thing" } } } },
                    "204": { "description": "Nothing." },
                },
            } },
            "/v1/things/{thing_uuid}/picture": { "get": {
                "operationId": "shelf_pictures_get", "tags": ["shelf"], "summary": "Look", "security": [],
                "parameters": [{ "$ref": "#/components/parameters/ThingUuid" }],
                "responses": { "204": { "description": "Nothing." } },
            } },
            "/v1/forms": {
                "post": { "operationId": "desk_forms_send", "tags": ["desk"], "summary": "Send", "security": [],
                    "requestBody": { "required": true, "content": { "multipart/form-data": {
                        "schema": { "type": "object", "properties": {
                            "file": { "type": "string", "format": "binary" }, "client_id": { "type": "string" } } },
                        "example": { "file": "(bytes)", "client_id": "labs-1" } } } },
                    "responses": { "204": { "description": "Kept." } } },
                "put": { "operationId": "desk_forms_put", "tags": ["desk"], "summary": "Put", "security": [{ "bearer": [] }],
                    "requestBody": { "content": { "application/octet-stream": { "schema": { "type": "string", "format": "binary" }, "example": "(bytes)" } } },
                    "responses": { "204": { "description": "Kept." } } },
            },
        },
        "components": {
            "parameters": { "ThingUuid": { "name": "thing_uuid", "in": "path", "required": true,
                "schema": { "type": "string" }, "example": "0198" } },
            "examples": { "Thing": { "value": { "name": "A", "size": null } } },
            "schemas": { "Thing": { "type": "object", "description": "A thing.", "required": ["name"], "properties": {
                "name": { "type": "string", "deprecated": true },
                "size": { "type": ["integer", "null"] },
                "kinds": { "type": "array", "items": { "enum": ["A", "B"] } },
                "within": { "oneOf": [{ "$ref": "#/components/schemas/Thing" }, { "type": "null" }] },
                "x-more": { "type": "object", "additionalProperties": { "type": "boolean" } },
            } } },
        },
    })
}

const VERSIONS: Versions<'static> = Versions { contract: "1.0.0", service: "1.2.3" };

#[test]
fn generated_resources_match_contract_and_state_version() {
    let contract = Contract::embedded().unwrap().at_base_url(BASE);
    let yaml = made(GeneratedResource::OpenapiYaml);
    assert_eq!(yaml.content, contract.text());
    assert_eq!(yaml.version, format!("{} (release {})", contract.version(), env!("CARGO_PKG_VERSION")));
    assert_eq!(read(GeneratedResource::OpenapiJson), yaml::read(contract.text()).unwrap());
    for resource in ALL {
        let file = made(resource);
        assert!(file.content == made(resource).content, "{resource:?} is the same each time");
        assert!(String::from_utf8_lossy(&file.content).contains(contract.version()), "{resource:?}");
    }
}

#[test]
fn postman_collection_lists_each_operation_once_with_stable_id() {
    let contract = Contract::embedded().unwrap();
    let expected: BTreeSet<String> =
        contract.operations().iter().map(|operation| id_of(&operation.id).to_string()).collect();
    let collection = read(GeneratedResource::PostmanCollection);
    let folders = collection["item"].as_array().unwrap();
    let items = folders.iter().flat_map(|folder| folder["item"].as_array().unwrap());
    let ids: Vec<String> = items.map(|item| item["id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(ids.len(), expected.len());
    assert_eq!(ids.into_iter().collect::<BTreeSet<_>>(), expected);
    assert_eq!(id_of("shelf_things_open").to_string(), "d27dcdea-eb36-5499-8450-f8c8cb099119", "it never changes");

    let export = read(GeneratedResource::InsomniaExport);
    let resources = export["resources"].as_array().unwrap();
    let ids: BTreeSet<&str> = resources.iter().map(|resource| resource["_id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), resources.len());
    let requests = resources.iter().filter(|resource| resource["_type"] == "request");
    assert_eq!(requests.count(), expected.len());
    assert!(resources.iter().skip(1).all(|resource| ids.contains(resource["parentId"].as_str().unwrap())));
}

#[test]
fn postman_request_can_be_sent_unchanged() {
    let collection = postman::collection(&small(), BASE, &VERSIONS);
    let request = &collection["item"][0]["item"][0]["request"];
    let url = &request["url"];
    assert_eq!(url["raw"], "{{base_url}}/v1/things/:kind/{{thing_uuid}}:open?q=a b");
    assert_eq!(url["variable"][0]["value"], "BOX");
    let shared = collection["variable"].as_array().unwrap();
    assert_eq!((&shared[4]["key"], &shared[4]["value"], shared.len()), (&json!("thing_uuid"), &json!("0198"), 5));
    let picture = &collection["item"][0]["item"][1]["request"]["url"];
    assert_eq!(picture["raw"], "{{base_url}}/v1/things/:thing_uuid/picture");
    assert_eq!(picture["variable"][0]["value"], "{{thing_uuid}}", "the value is set once, in the collection");
    let switched: Vec<_> =
        url["query"].as_array().unwrap().iter().map(|pair| (&pair["key"], &pair["disabled"])).collect();
    let (off, on) = (json!(true), Value::Null);
    assert_eq!(switched, [(&json!("q"), &on), (&json!("tag"), &off), (&json!("tag"), &off)]);
    assert_eq!(request["header"][0], json!({ "key": "Content-Type", "value": "application/json" }));
    assert_eq!(request["header"][1]["disabled"], off);
    let body: Value = serde_json::from_str(request["body"]["raw"].as_str().unwrap()).unwrap();
    assert_eq!(body, json!({ "name": "A", "size": null }));
    assert_eq!(request["auth"], Value::Null);
    let form = &collection["item"][1]["item"][0]["request"];
    assert_eq!(form["auth"]["type"], "noauth");
    assert_eq!(form["header"], json!([]));
    assert_eq!(form["body"]["formdata"][0], json!({ "key": "file", "type": "file", "src": null }));
    assert_eq!(form["body"]["formdata"][1]["value"], "{{client_id}}");
    assert_eq!(collection["item"][1]["item"][1]["request"]["body"]["mode"], "file");
}

#[test]
fn postman_scripts_belong_to_operations_of_the_contract() {
    let collection = read(GeneratedResource::PostmanCollection);
    let folders = collection["item"].as_array().unwrap();
    let items = folders.iter().flat_map(|folder| folder["item"].as_array().unwrap());
    let with_script = items.filter(|item| item["event"][0]["listen"] == "test");
    let ids: BTreeSet<&str> = with_script.map(|item| item["id"].as_str().unwrap()).collect();
    let expected: BTreeSet<String> = postman::SCRIPTS.iter().map(|(id, _)| id_of(id).to_string()).collect();
    assert_eq!(ids, expected.iter().map(String::as_str).collect());
}

#[test]
fn insomnia_request_can_be_sent_unchanged() {
    let export = insomnia::export(&small(), BASE, &VERSIONS);
    let request = &export["resources"][3];
    assert_eq!(request["url"], "{{ _.base_url }}/v1/things/:kind/:thing_uuid:open");
    assert_eq!(request["pathParameters"][0]["value"], "BOX");
    assert_eq!(request["pathParameters"][1]["value"], "{{ _.thing_uuid }}");
    assert_eq!(export["resources"][1]["data"]["thing_uuid"], "0198");
    assert_eq!(
        (&request["parameters"][0]["disabled"], &request["parameters"][1]["disabled"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(request["authentication"]["grantType"], "client_credentials");
    assert_eq!(export["resources"][6]["authentication"]["type"], "none");
    assert_eq!(export["resources"][6]["body"]["params"][1]["value"], "{{ _.client_id }}");
}

#[test]
fn typescript_types_have_expected_shape() {
    let types = typescript::types(&small(), &VERSIONS);
    for part in [
        "Generated by release 1.2.3 of the service from version 1.0.0 of its contract.",
        "        get?: never;\n",
        "         * Opens *\\/ it.\n",
        "        post: operations[\"shelf_things_open\"];\n",
        "            /** @deprecated */\n            name: string;\n",
        "            size?: number | null;\n",
        "            kinds?: (\"A\" | \"B\")[];\n",
        "            within?: (components[\"schemas\"][\"Thing\"] | null);\n",
        "            \"x-more\"?: { [key: string]: boolean };\n",
        "                thing_uuid: components[\"parameters\"][\"ThingUuid\"];\n",
        "            query: {\n                q: string;\n                tag?: (string)[];\n",
        "            header?: {\n                \"If-Match\"?: string;\n",
        "        requestBody?: { content: { \"application/json\": components[\"schemas\"][\"Thing\"] } };\n",
        "204: { headers: { [name: string]: unknown }; content?: never };\n",
    ] {
        assert!(types.contains(part), "{part}\nis not in\n{types}");
    }
}
