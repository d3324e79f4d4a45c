//! Tests with changes of a small contract, and whether each breaks a client.

use serde_json::{Value, json};

use super::{Change, Difference, compare};

/// A contract with the features that real contracts use.
fn former() -> Value {
    json!({
        "openapi": "3.1.1",
        "paths": {
            "/things": {
                "get": {
                    "operationId": "things_list",
                    "security": [{ "labs": ["things"] }],
                    "parameters": [
                        { "name": "limit", "in": "query", "schema": { "type": "integer", "minimum": 1, "maximum": 100, "default": 20 } },
                        { "name": "sort", "in": "query", "required": true, "schema": { "type": "string", "enum": ["name", "age"] } },
                        { "$ref": "#/components/parameters/Q" },
                    ],
                    "responses": {
                        "200": {
                            "headers": { "Link": {} },
                            "content": { "application/json": { "schema": { "$ref": "#/components/schemas/ThingList" } } },
                        },
                        "409": { "x-codes": ["CONFLICT", "GONE"] },
                    },
                },
                "post": {
                    "operationId": "things_create",
                    "security": [{ "labs": ["things:write"] }, { "bearer": [] }],
                    "requestBody": {
                        "required": false,
                        "content": {
                            "application/json": { "schema": { "$ref": "#/components/schemas/ThingInput" } },
                            "text/csv": { "schema": { "type": "string" } },
                        },
                    },
                    "responses": {
                        "201": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Thing" } } } },
                        "422": { "x-codes": ["VALIDATION_FAILED"] },
                    },
                },
            },
            "/things/{uuid}": {
                "parameters": [{ "name": "uuid", "in": "path", "required": true, "schema": { "type": "string" } }],
                "get": {
                    "operationId": "things_get",
                    "security": [],
                    "responses": {
                        "200": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Thing" } } } },
                    },
                },
                "delete": { "operationId": "things_delete", "security": [{ "labs": [] }], "responses": { "204": {} } },
            },
        },
        "components": components(),
    })
}

/// Parameters and schemas of the contract.
fn components() -> Value {
    json!({
            "parameters": {
                "Q": { "name": "q", "in": "query", "schema": { "type": "string", "minLength": 2, "maxLength": 100 } },
            },
            "schemas": {
                "ThingList": {
                    "type": "object",
                    "required": ["data"],
                    "properties": { "data": { "type": "array", "items": { "$ref": "#/components/schemas/Thing" } } },
                },
                "Thing": {
                    "type": "object",
                    "required": ["name", "state", "owner"],
                    "properties": {
                        "name": { "type": "string", "maxLength": 50 },
                        "state": { "$ref": "#/components/schemas/State" },
                        "size": { "type": "number" },
                        "made_at": { "type": ["string", "null"], "format": "date-time" },
                        "owner": { "oneOf": [{ "$ref": "#/components/schemas/Owner" }, { "type": "null" }] },
                        "parts": { "type": "array", "items": { "$ref": "#/components/schemas/Thing" } },
                        "shape": { "oneOf": [{ "$ref": "#/components/schemas/Round" }, { "$ref": "#/components/schemas/Square" }] },
                    },
                },
                "State": { "type": "string", "enum": ["NEW", "OLD"] },
                "Owner": { "allOf": [
                    { "type": "object", "required": ["id"], "properties": { "id": { "type": "string" } } },
                    { "type": "object", "properties": { "email": { "type": "string", "format": "email" } } },
                ] },
                "Round": { "type": "object", "properties": { "radius": { "type": "integer" } } },
                "Square": { "type": "object", "properties": { "side": { "type": "integer" } } },
                "ThingInput": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["name"],
                    "properties": {
                        "name": { "type": "string", "minLength": 1, "maxLength": 50, "pattern": "^[a-z]+$" },
                        "state": { "$ref": "#/components/schemas/State" },
                        "count": { "type": "integer" },
                        "note": { "type": ["string", "null"] },
                        "tags": { "type": "array", "maxItems": 10, "items": { "type": "string" } },
                        "texts": { "type": "object", "additionalProperties": { "type": "string", "maxLength": 10 } },
                    },
                },
            },
    })
}

const LIST: &str = "/paths/~1things/get";
const CREATE: &str = "/paths/~1things/post";
const ITEM: &str = "/paths/~1things~1{uuid}";
const THING: &str = "/components/schemas/Thing";
const INPUT: &str = "/components/schemas/ThingInput";

/// A change: the place, the new value (none removes it), and whether it breaks a client.
type Planted = (&'static str, &'static str, Option<Value>, bool);

fn plant(document: &mut Value, root: &str, member: &str, value: Option<Value>) {
    let (parent, name) = member.rsplit_once('/').unwrap();
    let parent = document.pointer_mut(&format!("{root}{parent}")).unwrap_or_else(|| panic!("{root}{member}"));
    match (parent, value) {
        (Value::Object(members), Some(value)) => drop(members.insert(name.replace("~1", "/"), value)),
        (Value::Object(members), None) => assert!(members.shift_remove(&name.replace("~1", "/")).is_some(), "{member}"),
        (Value::Array(entries), Some(value)) => match name {
            "-" => entries.push(value),
            place => entries[place.parse::<usize>().unwrap()] = value,
        },
        (Value::Array(entries), None) => drop(entries.remove(name.parse().unwrap())),
        (other, _) => panic!("{member} is in {other}"),
    }
}

#[rustfmt::skip]
fn breaking() -> Vec<Planted> {
    vec![
        // Operations.
        (LIST, "/operationId", Some(json!("things_all")), true),
        (ITEM, "/delete", None, true),
        (ITEM, "/get/security", Some(json!([{ "labs": ["things"] }])), true),
        (LIST, "/security/0/labs/0", Some(json!("others")), true),
        (LIST, "/security/0/labs/0", Some(json!("things:write")), true),
        (ITEM, "/delete/security/0/labs", Some(json!(["things"])), true),
        (CREATE, "/responses/201", None, true),
        (LIST, "/responses/200/headers/Link", None, true),
        (LIST, "/responses/200/content/application~1json", None, true),
        // Parameters.
        (LIST, "/parameters/0", None, true),
        (LIST, "/parameters/0/name", Some(json!("size")), true),
        (LIST, "/parameters/0/in", Some(json!("header")), true),
        (LIST, "/parameters/0/required", Some(json!(true)), true),
        (LIST, "/parameters/-", Some(json!({ "name": "new", "in": "query", "required": true, "schema": {} })), true),
        (LIST, "/parameters/0/schema/type", Some(json!("string")), true),
        (LIST, "/parameters/0/schema/maximum", Some(json!(50)), true),
        (LIST, "/parameters/0/schema/minimum", Some(json!(2)), true),
        (LIST, "/parameters/1/schema/enum/1", None, true),
        ("/components/parameters", "/Q/schema/minLength", Some(json!(3)), true),
        ("/components/parameters", "/Q/schema/pattern", Some(json!("^a")), true),
        // Bodies.
        (CREATE, "/requestBody", None, true),
        (CREATE, "/requestBody/required", Some(json!(true)), true),
        (CREATE, "/requestBody/content/text~1csv", None, true),
        (INPUT, "/required/-", Some(json!("count")), true),
        (INPUT, "/properties/count", None, true),
        (INPUT, "/properties/count/type", Some(json!("string")), true),
        (INPUT, "/properties/note/type", Some(json!("string")), true),
        (INPUT, "/properties/name/maxLength", Some(json!(40)), true),
        (INPUT, "/properties/name/minLength", Some(json!(2)), true),
        (INPUT, "/properties/name/pattern", Some(json!("^[a-y]+$")), true),
        (INPUT, "/properties/tags/maxItems", Some(json!(5)), true),
        (INPUT, "/properties/tags/uniqueItems", Some(json!(true)), true),
        (INPUT, "/properties/tags/items/type", Some(json!("integer")), true),
        (INPUT, "/properties/texts/additionalProperties/maxLength", Some(json!(9)), true),
        (INPUT, "/properties/count/enum", Some(json!([1, 2])), true),
        // Answers.
        (THING, "/properties/size", None, true),
        (THING, "/properties/size/type", Some(json!("string")), true),
        (THING, "/properties/name/type", Some(json!(["string", "null"])), true),
        (THING, "/properties/made_at/format", Some(json!("date")), true),
        (THING, "/required/0", None, true),
        (THING, "/properties/shape/oneOf/1", None, true),
        (THING, "/properties/size/oneOf", Some(json!([{ "$ref": "#/components/schemas/Round" }])), true),
        ("/components/schemas", "/State/enum/0", None, true),
        ("/components/schemas", "/Owner/allOf/0/required/0", None, true),
        ("/components/schemas", "/Owner/allOf/1/properties/email", None, true),
        ("/components/schemas", "/Round/properties/radius/type", Some(json!("boolean")), true),
    ]
}

#[rustfmt::skip]
fn harmless() -> Vec<Planted> {
    vec![
        (ITEM, "/put", Some(json!({ "operationId": "things_put", "responses": {} })), false),
        (LIST, "/security", Some(json!([])), false),
        (CREATE, "/security/0/labs/0", Some(json!("things")), false),
        (LIST, "/security/0/labs/0", Some(json!("things.small")), false),
        (LIST, "/responses/429", Some(json!({})), false),
        (LIST, "/responses/409", None, false),
        (LIST, "/responses/409/x-codes/-", Some(json!("MOVED")), false),
        (LIST, "/responses/409/x-codes/1", None, false),
        (LIST, "/responses/200/headers/ETag", Some(json!({})), false),
        (LIST, "/responses/200/content/text~1csv", Some(json!({})), false),
        (LIST, "/deprecated", Some(json!(true)), false),
        (LIST, "/parameters/-", Some(json!({ "name": "new", "in": "query", "schema": {} })), false),
        (LIST, "/parameters/1/required", Some(json!(false)), false),
        (LIST, "/parameters/0/schema/maximum", Some(json!(200)), false),
        (LIST, "/parameters/0/schema/default", Some(json!(50)), false),
        (LIST, "/parameters/1/schema/enum/-", Some(json!("size")), false),
        (INPUT, "/required/0", None, false),
        (INPUT, "/properties/new", Some(json!({ "type": "string" })), false),
        (INPUT, "/properties/count/type", Some(json!("number")), false),
        (INPUT, "/properties/count/type", Some(json!(["integer", "null"])), false),
        (INPUT, "/properties/name/pattern", None, false),
        (INPUT, "/properties/name/maxLength", None, false),
        (INPUT, "/additionalProperties", None, false),
        (THING, "/properties/new", Some(json!({ "type": "string" })), false),
        (THING, "/required/-", Some(json!("size")), false),
        (THING, "/properties/size/type", Some(json!("integer")), false),
        (THING, "/properties/made_at/type", Some(json!("string")), false),
        (THING, "/properties/name/maxLength", Some(json!(80)), false),
        (THING, "/properties/shape/oneOf/-", Some(json!({ "type": "object", "title": "Odd" })), false),
        ("/components/schemas", "/State/enum/-", Some(json!("ODD")), false),
    ]
}

#[test]
fn each_planted_change_is_detected_and_classified() {
    let former = former();
    let planted: Vec<Planted> = breaking().into_iter().chain(harmless()).collect();
    assert!(planted.len() >= 60, "{} changes", planted.len());
    for (root, member, value, breaks) in planted {
        let mut present = former.clone();
        plant(&mut present, root, member, value.clone());
        let found = compare(&former, &present);
        assert!(!found.is_empty(), "{root}{member} = {value:?} is not found");
        let is_breaking = found.iter().any(|difference| difference.breaking);
        assert_eq!(is_breaking, breaks, "{root}{member} = {value:?}: {found:#?}");
        assert!(found.iter().all(|difference| !difference.operations.is_empty()), "{found:#?}");
    }
}

#[test]
fn texts_and_member_order_are_ignored() {
    let former = former();
    let mut present = former.clone();
    plant(&mut present, LIST, "/summary", Some(json!("Things")));
    plant(&mut present, THING, "/properties/name/description", Some(json!("What it is called.")));
    plant(&mut present, THING, "/properties/name/examples", Some(json!(["Table"])));
    let name = present.pointer(&format!("{THING}/properties/name")).cloned();
    plant(&mut present, THING, "/properties/name", None);
    plant(&mut present, THING, "/properties/name", name);
    assert_eq!(compare(&former, &present), []);
}

#[test]
fn shared_field_change_is_reported_once_with_its_operations() {
    let former = former();
    let mut present = former.clone();
    plant(&mut present, THING, "/properties/size", None);
    let gone = Difference {
        place: "Thing:/size".to_owned(),
        change: Change::Removed,
        breaking: true,
        text: "`size` was removed.".to_owned(),
        operations: ["things_create", "things_get", "things_list"].map(str::to_owned).to_vec(),
    };
    assert_eq!(compare(&former, &present), [gone]);
}
