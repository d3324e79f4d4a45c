//! Tests of deprecations: every affected response announces the deprecation, the service records which clients still
//! use the element, and staff can cancel it.

use serde_json::{Value, json};

use crate::harness::people::{Person, Program};
use crate::harness::{Answer, Call, Harness};

struct Plan {
    harness: Harness,
    planner: Person,
    partner: Person,
    program: Program,
}

impl Plan {
    async fn new() -> Self {
        let harness = Harness::new().await;
        harness.sql("update tier set burst_per_second = 100000").await;
        let scopes = ["labs.admin.operations:write", "labs.admin.publication:write", "labs.admin.security:write"];
        let planner = harness.staff("Petra Planner", &scopes).await;
        let partner = harness.partner("Nordsee Kassen").await;
        let program = harness.program("Nightly sync", &["marketplace.apps:write"], partner.partner_uuid).await;
        Self { harness, planner, partner, program }
    }

    fn call(&self, operation: &str) -> Call<'_> {
        self.harness.call(operation).token(&self.planner.token)
    }

    /// Deprecates an element with a sunset in `days` days.
    async fn deprecate(&self, target: Value, days: i64) -> Answer {
        let mut body = target;
        body["reason"] = json!("Hardly anybody needs it.");
        body["replacement"] = json!("Use the search.");
        body["sunset_at"] = json!(self.harness.clock.now().plus_seconds(days * 86_400).to_string());
        self.call("admin_deprecations_create").json(&body).send().await
    }

    fn about(&self, operation: &str, deprecation: &str) -> Call<'_> {
        self.call(operation).path("deprecation_uuid", deprecation)
    }

    /// Lists the partner's apps as the machine client.
    fn list_apps(&self) -> Call<'_> {
        self.harness.call("marketplace_apps_list").token(&self.program.token)
    }

    async fn callers(&self, deprecation: &str) -> Vec<Value> {
        let answer = self.about("admin_deprecations_list_callers", deprecation).expect(200).await;
        answer.json["data"].as_array().unwrap().clone()
    }

    async fn count(&self, deprecation: &str, expected: &[(&str, i64)]) {
        let told = || async {
            let callers = self.callers(deprecation).await;
            let told = callers.iter().map(|one| (one["kind"].as_str().unwrap(), one["requests"].as_i64().unwrap()));
            told.eq(expected.iter().copied())
        };
        self.harness.soon("the calls are counted", told).await;
    }
}

fn has_deprecation(answer: &Answer) -> bool {
    !answer.header("x-labs-deprecation").is_empty()
}

fn errors(answer: &Answer) -> Vec<String> {
    let errors = answer.json["errors"].as_array().into_iter().flatten();
    errors.map(|error| format!("{} {}", error["pointer"].as_str().unwrap(), error["code"].as_str().unwrap())).collect()
}

#[tokio::test]
async fn deprecation_is_announced_on_every_replica_and_in_contract() {
    let plan = Plan::new().await;
    let twin = plan.harness.twin(&[]).await;
    plan.list_apps().expect(200).await;
    plan.harness.until("select count(*) from request_usage where operation = 'marketplace_apps_list'", 1).await;
    let made = plan.deprecate(json!({ "operation_id": "marketplace_apps_list" }), 200).await;
    assert_eq!(
        (made.status, made.str("kind"), &made.json["callers"]),
        (201, "OPERATION", &json!(1)),
        "{}",
        made.text()
    );
    let deprecation = made.str("uuid");
    let sunset = &made.str("sunset_at")[..10];
    for replica in [&plan.harness, &twin] {
        let call = || replica.call("marketplace_apps_list").token(&plan.program.token);
        replica.soon("the answer says so", async || has_deprecation(&call().send().await)).await;
        let answer = call().expect(200).await;
        assert_eq!(answer.header("x-labs-deprecation"), sunset);
        assert!(answer.header("deprecation").starts_with('@') && answer.header("sunset").ends_with("GMT"));
        let page = "/reference/operations/marketplace_apps_list>; rel=\"deprecation\"";
        assert!(answer.header("link").contains(page), "{}", answer.header("link"));
        assert!(has_deprecation(&replica.call("marketplace_apps_list").send().await), "a refusal says so too");
        assert!(!has_deprecation(&replica.call("marketplace_apps_create").send().await));
        let contract = replica.call("publication_api_reference_get").expect(200).await;
        let marked = contract.text().split("operationId: marketplace_apps_list\n").nth(1).unwrap().to_owned();
        assert!(marked[..5000].contains("deprecated: true"), "{}", &marked[..5000]);
        let entry = made.json["changelog_entry"]["slug"].as_str().unwrap();
        for unreleased in [entry, "Use the search."] {
            assert!(!contract.text().contains(unreleased), "an editor has not released {unreleased}");
        }
    }
    let refused = plan.deprecate(json!({ "operation_id": "marketplace_apps_list" }), 300).await;
    assert_eq!((refused.status, refused.code()), (409, "CONFLICT"));
    released_entry_is_linked(&plan, &made).await;

    plan.about("admin_deprecations_delete", deprecation).expect(204).await;
    for replica in [&plan.harness, &twin] {
        let call = || replica.call("marketplace_apps_list").token(&plan.program.token);
        replica.soon("nothing says so any more", async || !has_deprecation(&call().send().await)).await;
        let contract = replica.call("publication_api_reference_get").expect(200).await;
        assert!(!contract.text().contains("x-deprecation:"));
    }
    plan.about("admin_deprecations_delete", deprecation).expect(404).await;
}

/// Releases the changelog entry: responses link to it, and the contract names it together with the replacement.
async fn released_entry_is_linked(plan: &Plan, made: &Answer) {
    let (entry, slug) = (&made.json["changelog_entry"]["uuid"], &made.json["changelog_entry"]["slug"]);
    plan.call("publication_items_release").path("item_uuid", entry.as_str().unwrap()).expect(200).await;
    let page = format!("/changelog/{}", slug.as_str().unwrap());
    let link = format!("{page}>; rel=\"deprecation\"");
    let is_linked = async || plan.list_apps().send().await.header("link").contains(&link);
    plan.harness.soon("answers link to the released entry", is_linked).await;
    let contract = plan.harness.call("publication_api_reference_get").expect(200).await.text();
    assert!(contract.contains(&format!("changelog: {page}")) && contract.contains("replacement: Use the search."));
}

#[tokio::test]
async fn parameter_field_and_value_deprecations_concern_only_their_users() {
    let plan = Plan::new().await;
    let sort = json!({ "operation_id": "marketplace_apps_list", "parameter": "sort", "value": "name" });
    let sort = plan.deprecate(sort, 300).await;
    let limit = plan.deprecate(json!({ "operation_id": "marketplace_apps_list", "parameter": "limit" }), 250).await;
    let field = plan.deprecate(json!({ "schema": "NetworkDenialInput", "field": "expires_at" }), 200).await;
    let answered = plan.deprecate(json!({ "schema": "NetworkDenial", "field": "in_force" }), 400).await;
    for made in [&sort, &limit, &field, &answered] {
        assert_eq!(made.status, 201, "{}", made.text());
    }
    assert_eq!(field.json["operations"], json!(["admin_network_denials_create"]));
    assert_eq!(field.json["counted_by_operation"], json!([]));
    assert_eq!(
        answered.json["counted_by_operation"],
        json!(["admin_network_denials_create", "admin_network_denials_list"])
    );
    let both = || plan.list_apps().query("sort", "name").query("limit", "5");
    plan.harness.soon("both are told", async || has_deprecation(&both().send().await)).await;
    plan.harness
        .soon("all are known", async || has_deprecation(&plan.call("admin_network_denials_list").send().await))
        .await;
    let answer = both().expect(200).await;
    assert_eq!(answer.header("x-labs-deprecation"), &limit.str("sunset_at")[..10], "the earlier of two");
    let links = answer.headers.get_all("link").iter().filter(|link| link.to_str().unwrap().contains("deprecation"));
    assert_eq!(links.count(), 1, "both entries are drafts, so both link to the operation's page");
    assert!(!has_deprecation(&plan.list_apps().query("sort", "-created_at").expect(200).await));
    assert!(!has_deprecation(&plan.list_apps().expect(200).await), "a default is not sent");

    let deny = |network: &str, end: Value| {
        let mut body = json!({ "network": network, "reason": "Guesses." });
        if !end.is_null() {
            body["expires_at"] = end;
        }
        plan.call("admin_network_denials_create").json(&body)
    };
    let without = deny("198.51.100.0/24", Value::Null).expect(201).await;
    assert_eq!(without.header("x-labs-deprecation"), &answered.str("sunset_at")[..10]);
    let with = deny("203.0.113.0/24", json!("2037-01-01T00:00:00Z")).expect(201).await;
    assert_eq!(with.header("x-labs-deprecation"), &field.str("sunset_at")[..10]);
    plan.count(field.str("uuid"), &[("STAFF", 1)]).await;
}

#[tokio::test]
async fn invalid_deprecation_target_or_sunset_is_rejected_without_effect() {
    let plan = Plan::new().await;
    for (target, days, expected) in [
        (json!({}), 200, vec!["/operation_id AMBIGUOUS"]),
        (json!({ "operation_id": "marketplace_apps_drop" }), 200, vec!["/operation_id UNKNOWN_OPERATION"]),
        (
            json!({ "operation_id": "marketplace_apps_get", "parameter": "q" }),
            200,
            vec!["/parameter UNKNOWN_PARAMETER"],
        ),
        (json!({ "schema": "App", "field": "colour" }), 200, vec!["/field UNKNOWN_FIELD"]),
        (json!({ "operation_id": "marketplace_apps_get" }), 150, vec!["/sunset_at TOO_SOON"]),
        (
            json!({ "operation_id": "marketplace_apps_get", "replacement_operation_id": "marketplace_apps_get" }),
            150,
            vec!["/replacement_operation_id ITSELF", "/sunset_at TOO_SOON"],
        ),
    ] {
        let refused = plan.deprecate(target.clone(), days).await;
        assert_eq!(
            (refused.status, errors(&refused)),
            (422, expected.iter().map(|e| (*e).to_owned()).collect()),
            "{target}"
        );
    }
    assert_eq!(plan.harness.number("select count(*) from publication_item").await, 0);
}

#[tokio::test]
async fn remaining_callers_are_listed_and_their_partner_is_notified() {
    let plan = Plan::new().await;
    let made = plan.deprecate(json!({ "operation_id": "marketplace_apps_list" }), 200).await;
    let deprecation = made.str("uuid").to_owned();
    plan.harness
        .soon("the answer says so", async || has_deprecation(&plan.harness.call("marketplace_apps_list").send().await))
        .await;
    for _ in 0..3 {
        plan.list_apps().expect(200).await;
    }
    plan.harness.call("marketplace_apps_list").token(&plan.partner.token).expect(200).await;
    plan.count(&deprecation, &[("PROGRAM", 3), ("PARTNER", 1)]).await;
    let callers = plan.callers(&deprecation).await;
    assert_eq!((&callers[0]["name"], &callers[0]["program"]), (&json!("Nordsee Kassen"), &json!("Nightly sync")));
    let listed = plan.call("admin_deprecations_list").query("called", "true").expect(200).await;
    assert_eq!((&listed.json["data"][0]["callers"], &listed.json["data"][0]["requests"]), (&json!(2), &json!(4)));
    let other = plan.harness.partner("Elbkontor").await;
    let usage = async |token: &str| plan.harness.call("subscription_usage_get").token(token).expect(200).await;
    assert_eq!(usage(&other.token).await.json["deprecated_calls"], json!([]));
    let own = usage(&plan.partner.token).await;
    let told: Vec<(&Value, &Value)> = own.json["deprecated_calls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| (&call["program"], &call["requests"]))
        .collect();
    assert_eq!(told.len(), 2);
    assert!(told.contains(&(&json!("Nightly sync"), &json!(3))) && told.contains(&(&Value::Null, &json!(1))));
    assert_eq!(own.json["deprecated_calls"][0]["changelog_slug"], Value::Null, "its entry is a draft still");

    // The service sends a reminder at each step, only to partners that still call. Here the calls continue for the
    // whole test, because their day is in the future.
    plan.harness.sql("update deprecation_use set day = '2040-01-01'").await;
    plan.harness.advance(130 * 86_400).await;
    let ran = "select count(*) from job
                where code = 'DEPRECATION_REMINDERS' and last_started_at > labs_now() - interval '1 hour'";
    plan.harness.until(ran, 1).await;
    let reminders = "select count(*) from deprecation_reminder";
    assert_eq!(plan.harness.number(reminders).await, 0, "70 days before");
    for (days, sent) in [(12, 1), (29, 2), (24, 3)] {
        plan.harness.advance(days * 86_400).await;
        plan.harness.until(reminders, sent).await;
    }
    plan.harness.until("select count(*) from mail_message where state = 'QUEUED'", 0).await;
    let mails = plan.harness.mails_to(&plan.partner.email).await;
    let told: Vec<&String> = mails.iter().filter(|mail| mail.contains("deprecated")).collect();
    assert_eq!(told.len(), 3);
    assert!(told.iter().all(|mail| mail.contains("operation marketplace_apps_list") && mail.contains("Nightly sync")));
    assert!(plan.harness.mails_to(&other.email).await.iter().all(|mail| !mail.contains("deprecated")));
}

#[tokio::test]
async fn deleted_deprecation_keeps_released_entry_and_drafts_correction() {
    let plan = Plan::new().await;
    let made = plan.deprecate(json!({ "schema": "App", "field": "slug" }), 200).await;
    let entry = made.json["changelog_entry"]["uuid"].as_str().unwrap();
    let draft = plan.call("publication_items_get").path("item_uuid", entry).expect(200).await;
    assert_eq!(
        (draft.str("state"), draft.str("change"), &draft.json["action_required"]),
        ("DRAFT", "DEPRECATED", &json!(true))
    );
    assert!(draft.json["sunset_at"] == made.json["sunset_at"] && draft.str("body_html").contains("<code>slug</code>"));
    plan.call("publication_items_release").path("item_uuid", entry).expect(200).await;
    plan.about("admin_deprecations_delete", made.str("uuid")).expect(204).await;
    let items = plan.call("publication_items_list").query("sort", "-created_at").expect(200).await;
    let told: Vec<(&str, &str)> = items.json["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (item["state"].as_str().unwrap(), item["change"].as_str().unwrap()))
        .collect();
    assert_eq!(told, [("DRAFT", "CHANGED"), ("RELEASED", "DEPRECATED")]);

    // Deleting the deprecation also deletes its unreleased changelog entry, and the same element can be deprecated
    // again.
    let again = plan.deprecate(json!({ "schema": "App", "field": "slug" }), 200).await;
    assert_eq!(again.status, 201, "{}", again.text());
    plan.about("admin_deprecations_delete", again.str("uuid")).expect(204).await;
    assert_eq!(plan.harness.number("select count(*) from publication_item").await, 2);
}
