//! Confidentiality sweep: internal texts of staff never reach a partner. The root field of each operation declares the
//! texts that a partner may read. The sweep compares contract, events, data exports, mails and all other reads of a
//! partner with these declarations.

use std::collections::BTreeMap;

use http::Method;
use labs_rest::contract::Operation;
use serde_json::{Value, json};

use super::stock::Stock;
use super::{Cast, operations};
use crate::harness::people::Person;
use crate::harness::{Harness, contract};
use crate::partner::data_exports::{lines, new_archive};

/// Inputs in which staff give a reason or write a note.
const INPUTS: [&str; 3] = ["reason", "note", "internal_note"];
/// Phrase in the description of an input that is for staff only.
const FOR_STAFF: &str = "Only staff can read it.";
/// The description of any other input contains one of these names of its readers.
const READERS: [&str; 5] = ["author", "everybody", "partner", "partners", "readers"];

/// A root field's declaration about the affected partner.
#[derive(Debug, Default)]
struct Declared {
    is_hidden: bool,
    shown: Option<String>,
}

/// Returns the declarations of every root field.
fn declarations() -> BTreeMap<String, Declared> {
    let schema = labs_schema::prepare_schema(labs_schema::engine::Descriptions::default()).unwrap();
    let (mut declared, mut name) = (BTreeMap::new(), String::new());
    for line in schema.sdl().lines().filter_map(|line| line.strip_prefix('\t')) {
        let word: String = line.chars().take_while(|letter| letter.is_ascii_alphanumeric() || *letter == '_').collect();
        if !word.is_empty() {
            name = word;
        }
        if !line.starts_with('\t') && line.contains("@access(") {
            let shown = line.split_once("@partner_reads(argument: \"").map(|(_, rest)| rest);
            let shown = shown.and_then(|rest| rest.split('"').next()).map(str::to_owned);
            declared.insert(name.clone(), Declared { is_hidden: line.contains("@hidden_from_partner"), shown });
        }
    }
    declared
}

fn audited() -> impl Iterator<Item = &'static Operation> {
    operations().filter(|operation| operation.audited)
}

/// Resolves a reference in the document.
fn followed<'d>(document: &'d Value, value: &'d Value) -> &'d Value {
    let pointer = value["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    pointer.map_or(value, |pointer| document.pointer(pointer).unwrap())
}

/// Returns the inputs in which staff give a reason or write a note for an operation, each with its description.
fn inputs(document: &Value, operation: &Operation) -> Vec<(&'static str, String)> {
    let promised = &document["paths"][&operation.path][operation.method.as_str().to_lowercase()];
    let mut inputs = BTreeMap::new();
    for parameter in promised["parameters"].as_array().into_iter().flatten() {
        let parameter = followed(document, parameter);
        inputs.insert(parameter["name"].as_str().unwrap().to_owned(), parameter["description"].clone());
    }
    let body = followed(document, &promised["requestBody"]);
    for form in body["content"].as_object().into_iter().flat_map(|content| content.values()) {
        let schema = followed(document, &form["schema"]);
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let own = Some(&property["description"]).filter(|own| own.is_string());
            let description = own.unwrap_or_else(|| &followed(document, property)["description"]);
            inputs.insert(name.clone(), description.clone());
        }
    }
    let described = |input: &'static str| Some((input, inputs.get(input)?.as_str().unwrap_or_default().to_owned()));
    INPUTS.into_iter().filter_map(described).collect()
}

#[test]
fn every_staff_reason_declares_its_readers() {
    let (declared, document) = (declarations(), yaml_serde::from_str::<Value>(contract().text()).unwrap());
    let (mut for_staff, mut for_partners) = (0, 0);
    for operation in audited().filter(|operation| operation.method != Method::GET) {
        let shown = declared[&operation.id].shown.as_deref();
        for (input, description) in inputs(&document, operation) {
            let (id, is_shown) = (&operation.id, shown == Some(input));
            assert_eq!(
                !is_shown,
                description.contains(FOR_STAFF),
                "{id} is declared otherwise: {input}: {description}"
            );
            let words = description.to_lowercase();
            let names_readers = words.split(|letter: char| !letter.is_alphabetic()).any(|word| READERS.contains(&word));
            assert!(!is_shown || names_readers, "{id}: who reads {input}? {description}");
            *(if is_shown { &mut for_partners } else { &mut for_staff }) += 1;
        }
    }
    assert!(for_staff > 30 && for_partners > 20, "{for_staff} for staff, {for_partners} for partners");
}

/// Returns the reasons in all pages of the partner's events, by operation.
async fn read_records(harness: &Harness, partner: &Person, token: &str) -> BTreeMap<String, Value> {
    let (mut found, mut cursor) = (BTreeMap::new(), None::<String>);
    loop {
        let call = harness.call("partner_account_list_events").path("partner_uuid", partner.partner_uuid.unwrap());
        let call = call.token(token).query("group", "STAFF").query("limit", 100);
        let page = cursor.iter().fold(call, |call, cursor| call.query("cursor", cursor)).expect(200).await.json;
        for event in page["data"].as_array().unwrap() {
            found.insert(event["operation"].as_str().unwrap().to_owned(), event["reason"].clone());
        }
        let Some(next) = page["page"]["next_cursor"].as_str() else { return found };
        cursor = Some(next.to_owned());
    }
}

#[tokio::test]
async fn partner_sees_audit_records_and_reasons_as_declared() {
    let cast = Cast::new().await;
    let (harness, partner) = (&cast.harness, &cast.administrator);
    let ids: Vec<&str> = audited().map(|operation| operation.id.as_str()).collect();
    let insert = format!(
        "insert into audit_log (record_uuid, operation, channel, outcome, actor_kind, actor_uuid, actor_label, target_kind,
                                target_uuid, partner_uuid, reason)
         select labs_uuid(), operation, 'REST', 'SUCCEEDED', 'STAFF_USER', labs_uuid(), 'Petra Partners', 'PARTNER',
                '{uuid}', '{uuid}', 'Said by ' || operation
           from unnest('{{{}, an_operation_of_another_version}}'::text[]) as operation",
        ids.join(", "),
        uuid = partner.partner_uuid.unwrap(),
    );
    harness.sql(&insert).await;
    let declared = declarations();
    let expected: BTreeMap<String, Value> = audited()
        .filter(|operation| !declared[&operation.id].is_hidden)
        .map(|operation| {
            let shown = declared[&operation.id].shown.as_ref().map(|_| format!("Said by {}", operation.id));
            (operation.id.clone(), json!(shown))
        })
        .collect();
    let program = harness.program("Menu sync", &["partner"], partner.partner_uuid).await;
    for token in [&partner.token, &program.token] {
        assert_eq!(read_records(harness, partner, token).await, expected);
    }
    let archived = lines(&new_archive(harness, partner).await, "staff_access");
    let archived = archived.iter().map(|line| (line["operation"].as_str().unwrap().to_owned(), line["reason"].clone()));
    assert_eq!(archived.collect::<BTreeMap<_, _>>(), expected);
}

/// The texts that staff wrote, and whether the partner may read each.
#[derive(Default)]
struct Written(Vec<(String, bool)>);

impl Written {
    fn write(&mut self, about: &str, is_shown: bool) -> String {
        let text = format!("said{}", about.replace('_', ""));
        self.0.push((text.clone(), is_shown));
        text
    }

    /// Returns a new text that the partner may read.
    fn for_partner(&mut self, about: &str) -> String {
        self.write(about, true)
    }

    /// Returns a new text that only staff can read.
    fn for_staff(&mut self, about: &str) -> String {
        self.write(about, false)
    }
}

/// Reviews a new version: claim, unclaim, messages, and a request for changes with findings.
async fn review(stock: &mut Stock, written: &mut Written) {
    stock.call("marketplace_translations_delete").expect(204).await;
    let versions = stock.call("marketplace_versions_list").query("state", "DRAFT").expect(200).await;
    stock.name("version_uuid", versions.json["data"][0]["uuid"].as_str().unwrap());
    let submitted = stock.call("marketplace_versions_submit").json(&json!({})).expect(200).await;
    stock.name("submission_uuid", submitted.json["review"]["submission_uuid"].as_str().unwrap());
    stock.call("marketplace_submissions_claim").expect(200).await;
    let body = json!({ "reason": written.for_staff("unclaim") });
    stock.call("marketplace_submissions_unclaim").json(&body).expect(200).await;
    stock.call("marketplace_submissions_claim").expect(200).await;
    for body in [
        json!({ "body": written.for_staff("internal_message"), "internal": true }),
        json!({ "body": written.for_partner("message") }),
    ] {
        stock.call("marketplace_submissions_post_message").json(&body).expect(201).await;
    }
    let finding = json!({
        "requirement_code": "REQ-15",
        "text": "Say what the app does.",
        "where": "/texts/en/tagline",
        "observed": "The line describes another app.",
        "why_now": "The rule is new.",
    });
    let body = json!({
        "findings": [finding],
        "note": written.for_partner("decision"),
        "internal_note": written.for_staff("internal_note"),
    });
    stock.call("marketplace_submissions_request_changes").json(&body).expect(200).await;
}

/// Moderates customer reviews, reports on the board and a support ticket.
async fn moderate(stock: &Stock, written: &mut Written) {
    for (customer, operation) in [("venue-3", "approve"), ("venue-4", "reject")] {
        let body = json!({ "customer_reference": customer, "rating": 2, "locale": "en" });
        let review = stock.call("marketplace_listings_submit_review").json(&body).expect(201).await;
        let mut body = json!({
            "text_uuid": review.json["waiting"]["text_uuid"],
            "note": written.for_staff(&format!("{operation}_review")),
        });
        if operation == "reject" {
            body["reason"] = json!("SPAM");
        }
        let call = stock.cast.harness.call(&format!("marketplace_moderation_{operation}_review"));
        call.path("review_uuid", review.str("uuid")).token(&stock.cast.staff.token).json(&body).expect(200).await;
    }
    let body = json!({ "outcome": "DISMISSED", "note": written.for_staff("resolve") });
    stock.call("engagement_reports_resolve").json(&body).expect(200).await;
    let body = json!({ "kind": "NOTE", "body": written.for_staff("desk_note") });
    stock.call("partner_support_desk_post_message").json(&body).expect(201).await;
    stock.call("partner_support_desk_update").json(&json!({ "priority": "HIGH" })).expect(200).await;
}

/// Performs staff actions on the account, one after the other.
async fn administer(stock: &Stock, written: &mut Written) {
    let reason = |text: String| json!({ "reason": text });
    let expires_at = stock.cast.harness.clock.now().plus_seconds(86_400).to_string();
    let reason_of_limits = written.for_staff("rate_limit");
    let limits = json!({ "daily_requests": 250_000, "expires_at": &expires_at, "reason": reason_of_limits });
    let value = json!({ "limit": 8, "expires_at": expires_at, "reason": written.for_partner("entitlement") });
    for (operation, body, status) in [
        ("admin_notes_create", json!({ "body": written.for_staff("partner_note") }), 201),
        ("admin_partners_suspend", reason(written.for_partner("suspend")), 200),
        ("admin_partners_reinstate", reason(written.for_staff("reinstate")), 200),
        ("marketplace_submissions_suspend_listing", reason(written.for_partner("listing_suspend")), 200),
        ("marketplace_submissions_reinstate_listing", reason(written.for_partner("listing_reinstate")), 200),
        ("admin_rate_limits_put_override", limits, 200),
    ] {
        let answer = stock.call(operation).json(&body).send().await;
        assert!(answer.status == status || answer.status == 201, "{operation}: {}", answer.text());
    }
    let set = stock.call("admin_entitlements_put_override").json(&value).send().await;
    assert!(set.status < 300, "{}", set.text());
    let team = stock.call("admin_users_list").query("q", "Tomas").expect(200).await;
    for (operation, about) in [("admin_users_lock", "lock"), ("admin_users_unlock", "unlock")] {
        let call = stock.cast.harness.call(operation).path("user_uuid", team.json["data"][0]["uuid"].as_str().unwrap());
        call.token(&stock.cast.staff.token).json(&reason(written.for_staff(about))).expect(200).await;
    }
}

/// Returns everything that the partner can read: each read of its operations, a data export, and its administrator's
/// mails.
async fn readable(stock: &Stock) -> String {
    let Cast { harness, administrator, .. } = &stock.cast;
    let mut texts = Vec::new();
    for operation in operations().filter(|operation| operation.method == Method::GET && !operation.audited) {
        let call = stock.call(&operation.id);
        let call = if operation.is_list { call.query("limit", 100) } else { call };
        texts.push(call.send().await.text());
    }
    texts.extend(new_archive(harness, administrator).await.values().map(|file| String::from_utf8_lossy(file).into()));
    harness.until("select count(*) from mail_message where state = 'QUEUED'", 0).await;
    texts.extend(harness.mails_now(&administrator.email).iter().map(|mail| mail.replace("=\r\n", "")));
    texts.concat()
}

#[tokio::test]
async fn staff_only_texts_never_appear_in_partner_responses() {
    let (mut stock, mut written) = (Stock::new().await, Written::default());
    stock.name("feature_code", "apps");
    review(&mut stock, &mut written).await;
    moderate(&stock, &mut written).await;
    administer(&stock, &mut written).await;
    let may_again = async || stock.call("partner_account_get").send().await.status == 200;
    stock.cast.harness.soon("the partner may sign in again", may_again).await;
    let text = readable(&stock).await;
    for (said, is_shown) in &written.0 {
        assert_eq!(text.contains(said.as_str()), *is_shown, "{said}");
    }
    let hidden = written.0.iter().filter(|(_, is_shown)| !is_shown).count();
    assert!(hidden >= 10 && written.0.len() - hidden >= 6, "{:?}", written.0);
}
