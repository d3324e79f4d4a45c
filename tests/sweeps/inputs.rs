//! Input sweep: values defined by open standards. The fields are derived from their `format` in the contract, so a new
//! field is tested without a change here.

use labs_rest::contract::{BodyKind, Operation, Parameter, ParameterIn};
use serde_json::{Value, json};

use super::{Cast, operations};
use crate::harness::{Answer, contract};

/// A field of a JSON body: its JSON pointer, with 0 for an array element.
struct Field {
    operation: &'static Operation,
    pointer: String,
}

/// Returns the fields of all JSON bodies that declare one of these formats.
fn fields_of(formats: &[&str]) -> Vec<Field> {
    let mut fields = Vec::new();
    for operation in operations() {
        let forms = operation.body.iter().flat_map(|body| &body.forms);
        let is_json = |kind| matches!(kind, BodyKind::Json | BodyKind::MergePatch);
        let Some(form) = forms.into_iter().find(|form| is_json(form.kind)) else { continue };
        let mut pointers = Vec::new();
        walk(contract().schema(form.schema), "", formats, &mut pointers);
        pointers.dedup();
        fields.extend(pointers.into_iter().map(|pointer| Field { operation, pointer }));
    }
    fields
}

fn walk(schema: &Value, pointer: &str, formats: &[&str], found: &mut Vec<String>) {
    let schema = contract().resolve(schema);
    if schema["format"].as_str().is_some_and(|format| formats.contains(&format)) {
        found.push(pointer.to_owned());
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        walk(property, &format!("{pointer}/{name}"), formats, found);
    }
    if schema["items"].is_object() {
        walk(&schema["items"], &format!("{pointer}/0"), formats, found);
    }
    for keyword in ["allOf", "anyOf", "oneOf"] {
        schema[keyword].as_array().into_iter().flatten().for_each(|way| walk(way, pointer, formats, found));
    }
}

impl Field {
    /// Returns a body that contains only this field.
    fn body(&self, value: &str) -> Value {
        self.pointer.rsplit('/').filter(|name| !name.is_empty()).fold(json!(value), |inner, name| match name {
            "0" => json!([inner]),
            name => json!({ name: inner }),
        })
    }

    async fn send(&self, cast: &Cast, value: &str) -> Answer {
        let call = cast.addressed(self.operation);
        let call = match self.operation.access.name() {
            "public" | "cookie" | "client" => call,
            _ => call.token(cast.token_for(self.operation)),
        };
        let form = self.operation.body.as_ref().unwrap().forms.iter();
        let merges = form.clone().all(|form| form.kind == BodyKind::MergePatch);
        let media_type = if merges { "application/merge-patch+json" } else { "application/json" };
        call.raw(media_type, &self.body(value).to_string()).send().await
    }

    /// Returns the codes of the errors that point to this field.
    fn codes<'a>(&self, answer: &'a Answer) -> Vec<&'a str> {
        codes(answer, "pointer", &self.pointer)
    }

    /// Whether an error points to this field.
    fn is_named(&self, answer: &Answer) -> bool {
        !self.codes(answer).is_empty()
    }
}

/// Returns the codes of the errors at a location.
fn codes<'a>(answer: &'a Answer, place: &str, name: &str) -> Vec<&'a str> {
    let errors = answer.json["errors"].as_array().into_iter().flatten();
    errors.filter(|error| error[place] == name).filter_map(|error| error["code"].as_str()).collect()
}

/// Returns the query parameters that declare this format, each with its operation.
fn parameters_of(format: &str) -> Vec<(&'static Operation, &'static Parameter)> {
    let all = operations()
        .flat_map(|operation| operation.parameters_in(ParameterIn::Query).map(move |parameter| (operation, parameter)));
    let declares = |parameter: &Parameter| {
        let schema = contract().resolve(&parameter.schema);
        let entry = contract().resolve(&schema["items"]);
        [schema, entry].iter().any(|schema| schema["format"] == format)
    };
    all.filter(|(_, parameter)| declares(parameter)).collect()
}

/// Error codes for a parameter or field that violates its schema.
const SYNTAX: [&str; 4] = ["FORMAT", "PATTERN", "TOO_LONG", "TYPE"];

/// Rejected in every field: invalid hosts, user names, bad ports, other schemes, unencoded characters.
const BAD_ADDRESSES: [&str; 17] = [
    "https://",
    "https://.",
    "https://mise",
    "https://mise..example/",
    "https://mise.example./",
    "https://-mise.example/",
    "https://192.0.2.7/",
    "https://[2001:db8::1]/",
    "https://user@mise.example/",
    "https://user:word@mise.example/",
    "https://mise.example:99999/",
    "https://mise.example:0/",
    "https://mise.example:/",
    "http://mise.example/",
    "https:mise.example",
    "https://mise.example/a b",
    "https://mise.example\\@evil.example/",
];

#[tokio::test]
async fn invalid_host_or_port_is_rejected_in_every_url_field() {
    let cast = Cast::new().await;
    let fields = fields_of(&["web-address", "redirect-uri"]);
    assert!(fields.len() >= 15, "only {} fields are addresses", fields.len());
    for field in &fields {
        for bad in BAD_ADDRESSES {
            let answer = field.send(&cast, bad).await;
            let told = format!("{} {} {bad}: {}", field.operation.id, field.pointer, answer.text());
            assert_eq!(answer.status, 422, "{told}");
            assert!(field.is_named(&answer), "{told}");
        }
        for good in ["https://mise.example", "https://bücher.example/ä?x=1", "https://a.example:8443/?x=%20y"] {
            let answer = field.send(&cast, good).await;
            assert!(!field.is_named(&answer), "{} {} {good}: {}", field.operation.id, field.pointer, answer.text());
        }
    }
}

#[test]
fn every_url_input_uses_a_strict_format() {
    let loose = fields_of(&["uri", "iri", "uri-reference", "iri-reference", "url"]);
    let loose: Vec<_> = loose.iter().map(|field| (&field.operation.id, &field.pointer)).collect();
    assert!(loose.is_empty(), "{loose:?} declare `web-address` or `redirect-uri`");
}

/// Times as clients write them: seven and nine fractional digits (more than PostgreSQL stores), offsets, lower case, a
/// leap second.
const MOMENTS: [&str; 8] = [
    "2026-03-01T09:30:00Z",
    "2026-03-01t09:30:00z",
    "2026-03-01T09:30:00.5Z",
    "2026-03-01T09:30:00.1234567Z",
    "2026-03-01T09:30:00.123456789Z",
    "2026-03-01T09:30:00.123456789012345678Z",
    "2026-03-01T10:30:00.1234567+01:00",
    "2016-12-31T23:59:60Z",
];

const NO_MOMENTS: [&str; 6] =
    ["2026-03-01", "2026-03-01T09:30:00", "2026-02-30T09:30:00Z", "2026-03-01T09:30:00.Z", "1772357400", "now"];

#[tokio::test]
async fn every_date_time_parameter_accepts_all_formats() {
    let cast = Cast::new().await;
    let parameters = parameters_of("date-time");
    assert!(parameters.len() > 60, "only {} parameters are date-times", parameters.len());
    for (operation, parameter) in parameters {
        let send = async |text: &str| cast.admitted(operation).query(&parameter.name, text).send().await;
        for moment in MOMENTS {
            let answer = send(moment).await;
            let found = codes(&answer, "parameter", &parameter.name);
            let told = format!("{} {} {moment}: {}", operation.id, parameter.name, answer.text());
            assert!(!found.iter().any(|code| SYNTAX.contains(code)), "{told}");
        }
        for bad in NO_MOMENTS {
            let answer = send(bad).await;
            let told = format!("{} {} {bad}: {}", operation.id, parameter.name, answer.text());
            assert!(answer.status == 422 && !codes(&answer, "parameter", &parameter.name).is_empty(), "{told}");
        }
    }
}

#[tokio::test]
async fn every_date_time_field_accepts_all_formats() {
    let cast = Cast::new().await;
    let fields = fields_of(&["date-time"]);
    assert!(fields.len() >= 14, "only {} fields are date-times", fields.len());
    for field in &fields {
        for moment in MOMENTS {
            let answer = field.send(&cast, moment).await;
            let told = format!("{} {} {moment}: {}", field.operation.id, field.pointer, answer.text());
            assert!(!field.codes(&answer).iter().any(|code| SYNTAX.contains(code)), "{told}");
        }
        for bad in NO_MOMENTS {
            let answer = field.send(&cast, bad).await;
            let told = format!("{} {} {bad}: {}", field.operation.id, field.pointer, answer.text());
            assert!(answer.status == 422 && field.is_named(&answer), "{told}");
        }
    }
}

#[tokio::test]
async fn timestamp_is_rounded_down_to_microseconds() {
    let cast = Cast::new().await;
    let body = json!({ "titles": { "en": "Summer" }, "shown_from": "2026-03-01T10:30:00.9999999+01:00" });
    let made = cast.harness.call("marketplace_collections_create").token(&cast.staff.token).json(&body);
    assert_eq!(made.expect(201).await.str("shown_from"), "2026-03-01T09:30:00.999999Z");
}

#[tokio::test]
async fn every_locale_parameter_accepts_any_well_formed_tag() {
    let cast = Cast::new().await;
    let parameters = parameters_of("language-tag");
    assert!(parameters.len() > 10, "only {} parameters are language tags", parameters.len());
    for (operation, parameter) in parameters {
        let send = async |text: &str| cast.admitted(operation).query(&parameter.name, text).send().await;
        for tag in ["de", "DE-at", "es-419", "zh-Hant-TW", "zh-cmn-Hans-CN", "sl-rozaj-biske", "i-klingon", "x-a"] {
            let answer = send(tag).await;
            let found = codes(&answer, "parameter", &parameter.name);
            assert!(found.is_empty(), "{} {} {tag}: {}", operation.id, parameter.name, answer.text());
        }
        for bad in ["de_AT", "d", "de-", "deutsch-land-123456789"] {
            let answer = send(bad).await;
            let told = format!("{} {} {bad}: {}", operation.id, parameter.name, answer.text());
            assert!(answer.status == 422 && !codes(&answer, "parameter", &parameter.name).is_empty(), "{told}");
        }
    }
}

#[tokio::test]
async fn accented_letters_sort_next_to_plain_letters_in_every_list() {
    let cast = Cast::new().await;
    let harness = &cast.harness;
    let names = ["Aalto", "Ärger", "Bruno"];
    for name in ["Ärger", "Bruno", "Aalto"] {
        let plain = name.replace('Ä', "A");
        harness.partner(&plain).await;
        harness.sql(&format!("update partner set company_name = '{name}' where company_name = '{plain}'")).await;
        harness.staff(name, &["labs.admin.audit"]).await;
        harness.program(name, &["storefront"], None).await;
        let post = json!({ "kind": "BLOG_POST", "title": name });
        harness.call("publication_items_create").token(&cast.staff.token).json(&post).expect(201).await;
    }
    for (operation, sort, field) in [
        ("admin_partners_list", "company_name", "company_name"),
        ("admin_users_list", "name", "name"),
        ("admin_staff_list", "name", "name"),
        ("admin_staff_roles_list", "name", "name"),
        ("admin_machine_clients_list", "name", "name"),
        ("publication_items_list", "title", "title"),
    ] {
        let list = harness.call(operation).token(&cast.staff.token).query("sort", sort).query("limit", "100");
        let list = list.expect(200).await;
        let rows = list.json["data"].as_array().unwrap().iter().filter_map(|row| row[field].as_str());
        let shown: Vec<&str> = rows.filter(|name| names.contains(name)).collect();
        assert_eq!(shown, names, "{operation}");
    }
}
