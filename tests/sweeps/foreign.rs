//! Tenant isolation sweep: a partner cannot access another partner's data. Every partner operation that names a
//! resource by id is called with another partner's tokens and with existing ids.

use std::collections::BTreeMap;

use http::Method;
use labs_rest::contract::{BodyKind, Operation, ParameterIn};
use reqwest::multipart::{Form, Part};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{contents, operations};
use crate::harness::people::Person;
use crate::harness::{Call, Harness, contract};
use crate::marketplace::submittable;
use crate::partner::profile::written;

/// A partner with one resource for every path parameter.
struct Holder {
    person: Person,
    /// Ids by path parameter name.
    things: BTreeMap<&'static str, String>,
}

impl Holder {
    async fn new(harness: &Harness, staff: &Person, company: &str) -> Self {
        let person = harness.partner(company).await;
        written(harness, &person).await;
        let (app, version) = submittable(harness, staff, &person, company).await;
        let things = BTreeMap::from([
            ("app_uuid", app),
            ("kind", "LOGO".to_owned()),
            ("locale", "en".to_owned()),
            ("partner_uuid", person.partner_uuid.unwrap().to_string()),
            ("user_uuid", person.uuid.to_string()),
            ("version_uuid", version),
        ]);
        let mut holder = Self { person, things };
        holder.review(harness).await;
        holder.make(harness, company).await;
        holder
    }

    /// Adds a customer review of the app that is published and answered.
    async fn review(&mut self, harness: &Harness) {
        let app = &self.things["app_uuid"];
        let insert = format!(
            "with said as (
                 insert into customer_review_text (text_uuid, review_uuid, rating, locale)
                 values (labs_uuid(), labs_uuid(), 4, 'en') returning *
             ), replied as (
                 insert into customer_review_reply (reply_uuid, review_uuid, text_uuid, body, author_kind)
                 select labs_uuid(), review_uuid, text_uuid, 'Thanks.', 'PARTNER_USER' from said returning reply_uuid
             )
             insert into customer_review (review_uuid, app_uuid, state, shown_text_uuid, rating, locale, written_at,
                                          has_text, reply_uuid)
             select review_uuid, '{app}', 'PUBLISHED', text_uuid, rating, locale, labs_now(), false, reply_uuid
               from said, replied
             returning review_uuid"
        );
        let mut owner = harness.owner().await;
        let review: Uuid = sqlx::query_scalar(sqlx::AssertSqlSafe(insert)).fetch_one(&mut owner).await.unwrap();
        self.things.insert("review_uuid", review.to_string());
    }

    /// Creates the resources of all operations, and looks up existing ones.
    async fn make(&mut self, harness: &Harness, company: &str) {
        let address = format!("ines.ferrer@{}.example", company.to_lowercase());
        let contact = json!({ "kind": "BILLING", "name": "Ines Ferrer", "email": &address, "phone": "+43 1 5550123" });
        let invitation = json!({ "email": &address, "role": "EDITOR" });
        let ticket = json!({ "subject": "Webhooks are refused", "body": "Since this morning.", "topic": "API" });
        for (name, operation, body) in [
            ("contact_uuid", "partner_contacts_create", contact),
            ("export_uuid", "partner_data_exports_create", Value::Null),
            ("invitation_uuid", "partner_invitations_create", invitation),
            ("request_uuid", "subscription_change_requests_create", json!({ "tier_code": "SCALE" })),
            ("ticket_uuid", "partner_support_tickets_open", ticket),
        ] {
            let operation = contract().operation(operation).unwrap();
            let call = self.named(harness.call(&operation.id), operation).token(&self.person.token);
            let call = if body.is_null() { call } else { call.json(&body) };
            let made = call.expect(operation.success).await;
            self.things.insert(name, made.str("uuid").to_owned());
        }
        for (name, operation) in [("media_uuid", "marketplace_media_list"), ("session_uuid", "auth_sessions_list")] {
            let operation = contract().operation(operation).unwrap();
            let call = self.named(harness.call(&operation.id), operation).token(&self.person.token);
            let list = call.expect(200).await;
            self.things.insert(name, list.json["data"][0]["uuid"].as_str().unwrap().to_owned());
        }
        let export = &self.things["export_uuid"];
        let made = format!("select count(*) from data_export where export_uuid = '{export}' and state = 'SUCCEEDED'");
        harness.until(&made, 1).await;
    }

    /// Returns the partner's id for a path parameter of the operation.
    fn thing(&self, operation: &Operation, name: &str) -> &str {
        let thing = self.things.get(name);
        thing.unwrap_or_else(|| panic!("{}: let a Holder have what {{{name}}} names", operation.id))
    }

    /// Sets the path parameters to this partner's ids.
    fn named<'h>(&self, call: Call<'h>, operation: &'static Operation) -> Call<'h> {
        let names = operation.parameters_in(ParameterIn::Path).map(|parameter| parameter.name.as_str());
        names.fold(call, |call, name| call.path(name, self.thing(operation, name)))
    }

    /// Returns the combinations of ids in which at least one belongs to the other partner.
    fn mixtures(&self, other: &Self, operation: &'static Operation) -> Vec<BTreeMap<&'static str, String>> {
        let names = operation.parameters_in(ParameterIn::Path).map(|parameter| parameter.name.as_str());
        let mut names: Vec<&'static str> = names.collect();
        let ids = names.iter().filter(|name| name.ends_with("_uuid")).count();
        names.sort_by_key(|name| !name.ends_with("_uuid"));
        let mixed = |mixture: usize| {
            let whose = |place: usize| if (mixture >> place) & 1 == 1 { other } else { self };
            let named = names.iter().enumerate();
            let named = named.map(|(place, name)| (*name, whose(place).thing(operation, name).to_owned()));
            named.collect::<BTreeMap<_, _>>()
        };
        (1..1_usize << ids).map(mixed).collect()
    }
}

/// Returns the operations with an id that a partner's users or machine clients can call.
fn of_partners() -> impl Iterator<Item = &'static Operation> {
    operations().filter(|operation| {
        let access = operation.access.name();
        let domain = access.split(['.', ':']).next().unwrap_or_default();
        // No partner token has the scopes of the changelog, which the release tool uses; the board belongs to all
        // partners.
        let is_of_partners = !matches!(domain, "public" | "cookie" | "client" | "engagement" | "labs" | "storefront")
            && !access.starts_with("publication.changelog");
        is_of_partners && operation.parameters_in(ParameterIn::Path).any(|parameter| parameter.name.ends_with("_uuid"))
    })
}

/// Adds the example from the contract as the body, so that no call fails because of its body.
fn with_example<'h>(document: &Value, operation: &'static Operation, call: Call<'h>) -> Call<'h> {
    let Some(form) = operation.body.as_ref().and_then(|body| body.forms.first()) else { return call };
    let method = operation.method.as_str().to_lowercase();
    let media = &document["paths"][&operation.path][&method]["requestBody"]["content"][&form.media_type];
    let first = || media["examples"].as_object().and_then(|examples| examples.values().next()?.get("value"));
    let example = media.get("example").or_else(first);
    let example = example.unwrap_or_else(|| panic!("{}: its body has no example", operation.id));
    match form.kind {
        BodyKind::Json | BodyKind::MergePatch => call.raw(&form.media_type, &example.to_string()),
        BodyKind::Multipart => {
            let fields = &contract().resolve(contract().schema(form.schema))["properties"];
            call.multipart(parts(fields, example.as_object().unwrap()))
        }
        BodyKind::Form | BodyKind::Binary => panic!("{}: no partner sends {}", operation.id, form.media_type),
    }
}

fn parts(fields: &Value, example: &Map<String, Value>) -> Form {
    example.iter().fold(Form::new(), |parts, (name, value)| {
        let text = value.as_str().unwrap().to_owned();
        if contract().is_file(&fields[name]) {
            let file = Part::bytes(text.into_bytes()).file_name("picture.png").mime_str("image/png").unwrap();
            parts.part(name.clone(), file)
        } else {
            parts.text(name.clone(), text)
        }
    })
}

#[tokio::test]
async fn data_of_another_partner_cannot_be_read_or_changed() {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 100000, daily_requests = 100000000").await;
    harness.sql("update tier_feature set value = 'true' where feature_code = 'statistics_access'").await;
    let staff = harness.staff("Chief", &["labs.admin:write"]).await;
    let own = Holder::new(&harness, &staff, "Alpenkassen").await;
    let other = Holder::new(&harness, &staff, "Dorfkrug").await;
    let scopes = ["partner:write", "subscription:write", "marketplace:write", "statistics"];
    let program = harness.program("till", &scopes, own.person.partner_uuid).await;
    let document: Value = yaml_serde::from_str(contract().text()).unwrap();
    for operation in of_partners().filter(|operation| operation.method == Method::GET) {
        let call = other.named(harness.call(&operation.id), operation).token(&other.person.token);
        let answer = call.send().await;
        assert_eq!(answer.status, 200, "{} of one's own: {}", operation.id, answer.text());
    }
    let before = contents(&harness).await;
    let mut asked = 0;
    for operation in of_partners() {
        // Machine clients cannot access a user's account.
        let is_of_people = operation.access.name().starts_with("auth.");
        let askers = [("administrator", &own.person.token), ("program", &program.token)];
        for (who, token) in askers.into_iter().filter(|(who, _)| !is_of_people || *who == "administrator") {
            for named in own.mixtures(&other, operation) {
                let call = named.iter().fold(harness.call(&operation.id), |call, (name, value)| call.path(name, value));
                let answer = with_example(&document, operation, call).token(token).send().await;
                let is_kept = matches!((answer.status, answer.code()), (403, "PARTNER_MISMATCH") | (404, "NOT_FOUND"));
                assert!(is_kept, "{who} at {} of {named:?}: {} {}", operation.id, answer.status, answer.text());
                asked += 1;
            }
        }
        assert_eq!(contents(&harness).await, before, "{} changed something", operation.id);
    }
    assert!(asked > 150, "only {asked} calls were made");
}
