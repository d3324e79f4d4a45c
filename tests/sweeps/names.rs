//! Name sweep over every text field of the contract: every field rejects invisible, misleading or unassigned
//! characters, and a search finds a text in either Unicode form.

use std::collections::{BTreeMap, BTreeSet};

use labs_rest::contract::{BodyForm, BodyKind, Operation};
use serde_json::{Map, Value, json};

use super::questions::problem;
use super::stock::Stock;
use super::{Cast, operations};
use crate::harness::people::Person;
use crate::harness::{Harness, contract};
use crate::marketplace::{publish, submittable};

/// Names that every field rejects, with the error code.
const BAD: [(&str, &str); 16] = [
    ("   ", "BLANK"),
    ("\u{2800}\u{2800}", "BLANK"),
    ("\u{3164}\u{3164}", "CHARACTER"),
    ("\u{200B}\u{200B}", "CHARACTER"),
    ("\u{2060}\u{2060}", "CHARACTER"),
    ("\u{AD}\u{AD}", "CHARACTER"),
    ("\u{115F}\u{115F}", "CHARACTER"),
    ("\u{E0041}\u{E0042}", "CHARACTER"),
    ("Kasse\u{200B}", "CHARACTER"),
    ("Kasse\u{202E}nettes", "CHARACTER"),
    ("Kasse\u{2066}n\u{2069}", "CHARACTER"),
    ("Kas\nse", "CHARACTER"),
    ("Kasse\u{E000}", "CHARACTER"),
    ("Kasse\u{FFFF}", "CHARACTER"),
    ("Kass\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}", "CHARACTER"),
    ("\u{301}\u{302}", "CHARACTER"),
];

/// A word in composed and decomposed form.
const COMPOSED: &str = "K\u{e4}sefondue";
const DECOMPOSED: &str = "Ka\u{308}sefondue";

/// String locations in a schema by their declaration: steps from the root, `*` for any key.
#[derive(Default)]
struct Texts {
    lines: Vec<Vec<String>>,
    undeclared: Vec<String>,
}

impl Texts {
    fn of(form: &BodyForm) -> Self {
        let mut texts = Self::default();
        texts.walk(contract().schema(form.schema), &mut Vec::new());
        texts
    }

    fn walk(&mut self, schema: &Value, place: &mut Vec<String>) {
        let schema = contract().resolve(schema);
        let is_text =
            |kind: &Value| kind == "string" || kind.as_array().is_some_and(|all| all.contains(&json!("string")));
        if schema.get("type").is_some_and(is_text) {
            let has = |keyword: &&str| schema.get(*keyword).is_some();
            match schema.get("x-text").and_then(Value::as_str) {
                Some("line") => self.lines.push(place.clone()),
                None if !["format", "enum", "const", "pattern", "contentMediaType"].iter().any(has) => {
                    self.undeclared.push(place.join("/"));
                }
                _ => {}
            }
        }
        let mut within = |step: &str, schema: &Value| {
            place.push(step.to_owned());
            self.walk(schema, place);
            place.pop();
        };
        for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            within(name, property);
        }
        for (keyword, step) in [("items", "0"), ("additionalProperties", "de")] {
            schema.get(keyword).filter(|inner| inner.is_object()).into_iter().for_each(|inner| within(step, inner));
        }
        for keyword in ["oneOf", "anyOf", "allOf"] {
            for form in schema.get(keyword).and_then(Value::as_array).into_iter().flatten() {
                self.walk(form, place);
            }
        }
    }
}

/// Sets a text at a location of a body and creates its parents.
fn put(body: &mut Value, place: &[String], text: &str) {
    let Some((step, rest)) = place.split_first() else {
        *body = json!(text);
        return;
    };
    if step == "0" {
        if !body.is_array() {
            *body = json!([null]);
        }
        put(&mut body[0], rest, text);
    } else {
        if !body.is_object() {
            *body = Value::Object(Map::new());
        }
        put(&mut body[step], rest, text);
    }
}

fn forms() -> impl Iterator<Item = (&'static Operation, &'static BodyForm)> {
    let forms = |operation: &'static Operation| operation.body.iter().flat_map(|body| &body.forms);
    operations().flat_map(move |operation| forms(operation).map(move |form| (operation, form)))
}

#[test]
fn every_text_of_a_body_declares_its_kind() {
    let undeclared: BTreeMap<&str, Vec<String>> =
        forms().map(|(operation, form)| (operation.id.as_str(), Texts::of(form).undeclared)).collect();
    let undeclared: BTreeMap<_, _> = undeclared.into_iter().filter(|(_, places)| !places.is_empty()).collect();
    assert!(undeclared.is_empty(), "give these `x-text`: line, lines or opaque: {undeclared:?}");
}

#[tokio::test]
async fn every_single_line_field_rejects_bad_names() {
    let cast = Cast::new().await;
    let mut swept = 0;
    for (operation, form) in forms().filter(|(_, form)| form.kind == BodyKind::Json) {
        let lines = Texts::of(form).lines;
        swept += lines.len();
        for (name, code) in BAD.iter().filter(|_| !lines.is_empty()) {
            let mut body = json!({});
            lines.iter().for_each(|place| put(&mut body, place, name));
            let call = cast.addressed(operation);
            let call = if operation.access.name() == "public" { call } else { call.token(cast.token_for(operation)) };
            let answer = call.json(&body).expect(422).await;
            let errors = answer.json["errors"].as_array().unwrap();
            for place in &lines {
                let pointer = format!("/{}", place.join("/"));
                let told = errors.iter().find(|error| error["pointer"] == pointer.as_str());
                let told =
                    told.unwrap_or_else(|| panic!("{} {pointer} takes {name:?}: {}", operation.id, answer.text()));
                assert_eq!(told["code"], *code, "{} {pointer} with {name:?}", operation.id);
                let names_itself = *code == "BLANK" || told["message"].as_str().unwrap().contains("U+");
                assert!(names_itself, "{} {pointer} with {name:?}: {told}", operation.id);
            }
        }
    }
    assert!(swept > 50, "names, titles, addresses: {swept}");
}

#[tokio::test]
async fn playground_validates_and_normalizes_names() {
    let cast = Cast::new().await;
    let create = |name: &str| {
        let name = name.chars().map(|letter| format!("\\u{:04x}", u32::from(letter))).collect::<String>();
        format!("mutation {{ marketplace_categories_create(body: {{ names: {{ en: \"{name}\" }} }}) {{ names }} }}")
    };
    let refused = cast.at_the_door(&cast.staff.token, &create("Kasse\u{200B}"), &json!({})).await;
    assert_eq!(refused.status(), 400);
    let refused: Value = refused.json().await.unwrap();
    assert_eq!(problem(&refused)["errors"][0]["code"], "CHARACTER", "{refused}");
    let made = cast.at_the_door(&cast.staff.token, &create(DECOMPOSED), &json!({})).await;
    let made: Value = made.json().await.unwrap();
    assert_eq!(made["data"]["marketplace_categories_create"]["names"]["en"], COMPOSED, "{made}");
}

/// Lists without a name that could have two forms, and the reason.
const APART: &[(&str, &str)] = &[
    ("admin_invitations_list", "an invitation is found by its address, which has one form"),
    ("admin_scopes_list", "scopes are ASCII"),
    ("admin_sign_in_blocks_list", "nobody guesses here"),
    ("partner_invitations_list", "an invitation is found by its address, which has one form"),
    ("publication_public_changelog_list", "its search is that of the other public lists"),
];

/// Creates a resource with this name in every list that takes `q`.
async fn named(stock: &Stock, name: &str) {
    let Cast { harness, administrator, staff, .. } = &stock.cast;
    let text = |field: &str| json!({ field: name });
    for (operation, body) in [
        ("admin_machine_clients_create", json!({ "name": name, "allowed_scopes": ["storefront"] })),
        ("admin_notes_create", text("body")),
        ("admin_staff_create", json!({ "name": name, "email": "jonas@labs.example", "roles": ["REVIEWER"] })),
        ("admin_staff_roles_create", json!({ "code": "CHEESE", "name": name, "scopes": ["labs.admin.audit"] })),
        ("marketplace_categories_create", json!({ "names": { "en": name } })),
        ("marketplace_collections_create", json!({ "titles": { "en": name } })),
        ("partner_support_tickets_open", json!({ "subject": name, "body": "Since today.", "topic": "API" })),
        (
            "subscription_features_create",
            json!({ "code": "cheese", "kind": "LIMIT", "name": name, "default_limit": 7 }),
        ),
        (
            "subscription_tiers_create",
            json!({ "code": "CHEESE", "name": name, "price": { "amount_minor": 1900,
            "currency": "EUR" }, "billing_period": "MONTH", "burst_per_second": 10, "daily_requests": 20_000 }),
        ),
        ("engagement_feature_requests_propose", json!({ "title": name, "body": "Please." })),
        ("engagement_comments_add", text("body")),
    ] {
        stock.call(operation).json(&body).expect(201).await;
    }
    for kind in ["BLOG_POST", "DEVELOPER_RESOURCE"] {
        let body = json!({ "kind": kind, "title": name, "slug": "cheese", "body": "Something to read." });
        let made = stock.call("publication_items_create").json(&body).expect(201).await;
        let item = |operation: &str| harness.call(operation).path("item_uuid", made.str("uuid")).token(&staff.token);
        item("publication_items_put_artefact")
            .query("file_name", "a.txt")
            .raw("application/octet-stream", "Something to keep.")
            .send()
            .await;
        item("publication_items_release").expect(200).await;
    }
    stock.call("admin_partners_update").json(&text("company_name")).expect(200).await;
    harness.call("auth_account_update").token(&administrator.token).json(&text("name")).expect(200).await;
    reviewed_app(harness, staff, administrator, &stock.cast.storefront.token, name).await;
}

/// Publishes an app with this name and a customer review with the same title.
async fn reviewed_app(harness: &Harness, staff: &Person, owner: &Person, storefront: &str, name: &str) {
    let (app, version) = submittable(harness, staff, owner, name).await;
    publish(harness, staff, owner, &app, &version).await;
    let slug = harness.call("marketplace_apps_get").path("app_uuid", &app).token(&owner.token).expect(200).await;
    let review = harness.call("marketplace_listings_submit_review").path("listing_slug", slug.str("slug"));
    let body = json!({ "customer_reference": "venue-9", "rating": 4, "title": name, "locale": "en" });
    let handed = review.token(storefront).json(&body).expect(201).await;
    let approve = harness.call("marketplace_moderation_approve_review").path("review_uuid", handed.str("uuid"));
    let text = json!({ "text_uuid": handed.json["waiting"]["text_uuid"] });
    approve.token(&staff.token).json(&text).expect(200).await;
    let own = harness.call("marketplace_reviews_list").path("app_uuid", &app).token(&owner.token);
    let (composed, decomposed) = (own.query("q", COMPOSED).expect(200).await, DECOMPOSED);
    let own = harness.call("marketplace_reviews_list").path("app_uuid", &app).token(&owner.token);
    assert_eq!(own.query("q", decomposed).expect(200).await.json["data"], composed.json["data"]);
    assert_eq!(composed.json["data"].as_array().unwrap().len(), 1, "{}", composed.text());
}

#[tokio::test]
async fn every_list_finds_a_name_in_both_unicode_forms() {
    let stock = Stock::new().await;
    named(&stock, DECOMPOSED).await;
    let apart: BTreeSet<&str> = APART.iter().map(|(id, _)| *id).collect();
    let mut missed = Vec::new();
    let takes_q = |operation: &&Operation| operation.parameters.iter().any(|parameter| parameter.name == "q");
    // The export streams a file, the reviews of one app are read above, and statistics are imported.
    let others = ["admin_partners_export", "marketplace_reviews_list", "statistics_apps_list"];
    for operation in operations().filter(takes_q).filter(|operation| !others.contains(&operation.id.as_str())) {
        let mut found = Vec::new();
        for form in [COMPOSED, DECOMPOSED] {
            let answer = stock.call(&operation.id).query("q", form).expect(200).await;
            assert!(!answer.text().contains(DECOMPOSED), "{} answers another form", operation.id);
            let rows = answer.json.get("data").unwrap_or(&answer.json);
            found.push(rows.to_string().matches(COMPOSED).count());
        }
        if found[0] != found[1] || (found[0] == 0) != apart.contains(operation.id.as_str()) {
            missed.push(format!("{}: {found:?}", operation.id));
        }
    }
    assert!(missed.is_empty(), "found by the composed and the decomposed form: {missed:#?}");
}
