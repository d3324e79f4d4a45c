//! Tests of a version that is changed or discarded before its submission.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::super::market::{Market, errors};
use crate::harness::Answer;

async fn update(market: &Market, app: &str, version: &str, patch: Value) -> Answer {
    market.version("marketplace_versions_update", app, version).json(&patch).send().await
}

#[tokio::test]
async fn merge_patch_changes_sent_fields_and_null_removes() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let version = market.draft(&app, "1.0.0").await;
    let reasons = json!({ "de": "Zeigt die Bestellung." });
    let permission = json!({ "code": "orders", "reason": "Shows what a table ordered.", "reasons": reasons });
    let manifest = json!({ "permissions": [permission], "redirect_uris": ["https://nordsee.example/back"] });
    let first = json!({ "release_notes": { "de": " Was neu ist. ", "fr": "Nouveau." }, "manifest": manifest });
    let seen = update(&market, &app, &version, first).await;
    let notes = json!({ "en": "What is new.", "de": "Was neu ist.", "fr": "Nouveau." });
    assert_eq!((seen.status, &seen.json["release_notes"], &seen.json["manifest"]), (200, &notes, &manifest));
    let patch = json!({ "number": "1.0.1", "release_notes": { "fr": null }, "manifest": { "redirect_uris": null } });
    let call = market.version("marketplace_versions_update", &app, &version);
    let seen = call.raw("application/merge-patch+json", &patch.to_string()).expect(200).await;
    assert_eq!((seen.str("number"), &seen.json["release_notes"]["fr"]), ("1.0.1", &Value::Null));
    assert_eq!(seen.json["manifest"], json!({ "permissions": [permission], "redirect_uris": [] }));
    let again = update(&market, &app, &version, json!({ "number": "1.0.1" })).await;
    assert_eq!(again.bytes, seen.bytes, "what changes nothing is no change");
    let list = market.harness.call("marketplace_apps_list_events").path("app_uuid", &app).token(&market.owner.token);
    let events = list.query("kind", "VERSION_UPDATED").expect(200).await.json;
    let fields: Vec<&Value> = events["data"].as_array().unwrap().iter().map(|event| &event["fields"]).collect();
    assert_eq!(fields, [&json!(["number", "release_notes", "manifest"]), &json!(["release_notes", "manifest"])]);
    let bad = json!({ "manifest": { "permissions": [permission, permission] } });
    let refused = update(&market, &app, &version, bad).await;
    assert_eq!((refused.status, errors(&refused)), (422, vec![("DUPLICATE", "/manifest/permissions/1/code")]));
    let cleared = update(&market, &app, &version, json!({ "release_notes": null, "manifest": null })).await;
    assert_eq!(cleared.json["release_notes"], json!({}));
    assert_eq!(cleared.json["manifest"], json!({ "permissions": [], "redirect_uris": [] }));
}

#[tokio::test]
async fn changed_number_follows_rules_of_a_new_number() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let live = market.draft(&app, "1.1.0").await;
    let other = market.draft(&app, "1.0.0").await;
    let version = market.draft(&app, "1.2.0").await;
    market.published(&app, &live).await;
    for (number, code) in [("1.1.0", "NOT_HIGHER"), ("1.0.9", "NOT_HIGHER")] {
        let refused = update(&market, &app, &version, json!({ "number": number })).await;
        assert_eq!((refused.status, errors(&refused)), (409, vec![(code, "/number")]), "{number}");
    }
    let third = market.draft(&app, "1.3.0").await;
    let used = update(&market, &app, &version, json!({ "number": "1.3.0" })).await;
    assert_eq!((used.status, errors(&used)), (409, vec![("ALREADY_USED", "/number")]));
    assert_eq!(update(&market, &app, &other, json!({ "release_notes": { "en": "Old." } })).await.status, 200);
    market.version("marketplace_versions_delete", &app, &third).expect(204).await;
    let free = update(&market, &app, &version, json!({ "number": "1.3.0" })).await;
    assert_eq!((free.status, free.str("number")), (200, "1.3.0"), "a deleted version's number is free");
}

#[tokio::test]
async fn concurrent_update_with_stale_etag_is_rejected() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let version = market.draft(&app, "1.0.0").await;
    let tag = market.see(&app, &version).await.header("etag").to_owned();
    let write = |text: &str| {
        let call = market.version("marketplace_versions_update", &app, &version).header("if-match", &tag);
        let call = call.json(&json!({ "release_notes": { "en": text } }));
        async move { call.send().await.status }
    };
    let mut both = join_all([write("One."), write("Two.")]).await;
    both.sort_unstable();
    assert_eq!(both, [200, 412]);
    let delete = market.version("marketplace_versions_delete", &app, &version).header("if-match", &tag).send().await;
    assert_eq!((delete.status, delete.code()), (412, "PRECONDITION_FAILED"));
}

#[tokio::test]
async fn concurrent_submit_and_delete_succeed_once() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    for number in ["1.0.0", "1.1.0", "1.2.0", "1.3.0"] {
        let version = market.draft(&app, number).await;
        let submit = market.version("marketplace_versions_submit", &app, &version).json(&json!({})).send();
        let delete = market.version("marketplace_versions_delete", &app, &version).send();
        let (submitted, deleted) = tokio::join!(submit, delete);
        match (submitted.status, deleted.status) {
            (200, 409) => market.withdraw(&app, &version).await,
            (404, 204) => {}
            other => panic!("{other:?}: {} {}", submitted.text(), deleted.text()),
        }
    }
    let told = "select count(*) from app_event where kind in ('VERSION_DELETED', 'VERSION_SUBMITTED')";
    assert_eq!(market.harness.number(told).await, 4);
}
