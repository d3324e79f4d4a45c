//! Tests of the checklist: the unmet requirements before a submission, one by one.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::market::{Market, errors, png, upload};
use crate::harness::Answer;

async fn checklist(market: &Market, app: &str) -> Answer {
    let call = market.harness.call("marketplace_apps_get_checklist").path("app_uuid", app);
    call.token(&market.owner.token).expect(200).await
}

/// Returns the numbers of the items for which the predicate is true.
fn codes(checklist: &Answer, holds: impl Fn(&Value) -> bool) -> Vec<&str> {
    let items = checklist.json["items"].as_array().unwrap().iter();
    items.filter(|item| holds(item)).map(|item| item["code"].as_str().unwrap()).collect()
}

fn missing(checklist: &Answer) -> Vec<&str> {
    codes(checklist, |item| item["blocker"] == true && item["met"] == false)
}

#[tokio::test]
async fn each_requirement_is_met_by_its_data() {
    let market = Market::new().await;
    let (harness, token) = (&market.harness, &market.owner.token);
    let made = harness.call("marketplace_apps_create").token(token).json(&json!({ "name": "Bare" })).expect(201).await;
    let app = made.str("uuid").to_owned();
    let bare = checklist(&market, &app).await;
    let numbers: Vec<String> = (1..=17).map(|number| format!("REQ-{number:02}")).collect();
    assert_eq!(codes(&bare, |_| true), numbers, "all of them, in their order");
    assert_eq!(
        missing(&bare),
        ["REQ-01", "REQ-03", "REQ-04", "REQ-05", "REQ-07", "REQ-08", "REQ-09"],
        "{}",
        bare.text()
    );
    assert_eq!((&bare.json["ready"], &bare.json["version_uuid"]), (&json!(false), &Value::Null));
    assert_eq!(codes(&bare, |item| item["automatic"] == false), ["REQ-14", "REQ-15", "REQ-16", "REQ-17"]);
    assert_eq!(codes(&bare, |item| item["met"] == Value::Null), ["REQ-14", "REQ-15", "REQ-16", "REQ-17"]);
    let undetailed = codes(&bare, |item| item["met"] == false && !item["detail"].is_string());
    assert!(undetailed.is_empty(), "each says what to do: {undetailed:?}");

    let patches = BTreeMap::from([
        ("REQ-03", json!({ "tagline": "A line" })),
        ("REQ-04", json!({ "description": "Some words." })),
        ("REQ-07", json!({ "support_url": "https://nordsee.example/help" })),
        ("REQ-08", json!({ "privacy_url": "https://nordsee.example/privacy" })),
    ]);
    for (code, patch) in patches {
        assert!(missing(&checklist(&market, &app).await).contains(&code));
        let call = harness.call("marketplace_apps_update").path("app_uuid", &app).token(token);
        call.json(&patch).expect(200).await;
        assert!(!missing(&checklist(&market, &app).await).contains(&code), "{code} after {patch}");
    }
    let icon = harness.call("marketplace_media_upload").path("app_uuid", &app).token(token);
    icon.multipart(upload("ICON", png(256, 256))).expect(201).await;
    let version = market.draft(&app, "1.0.0").await;
    let categories = harness.call("marketplace_categories_list").token(&market.staff.token).expect(200).await;
    let chosen = json!({ "primary_category_uuid": categories.json["data"][0]["uuid"] });
    let put = harness.call("marketplace_apps_put_categories").path("app_uuid", &app).token(token);
    put.json(&chosen).expect(200).await;
    let whole = checklist(&market, &app).await;
    assert!(missing(&whole).is_empty(), "{:?}", missing(&whole));
    assert_eq!((&whole.json["ready"], &whole.json["version_uuid"]), (&json!(true), &json!(version)));
    let recommended = codes(&whole, |item| item["met"] == false);
    assert_eq!(recommended, ["REQ-06"], "screenshots are recommended and keep nobody back");
}

#[tokio::test]
async fn missing_alt_texts_are_reported_without_blocking_submission() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    market.draft(&app, "1.0.0").await;
    let file = reqwest::multipart::Part::bytes(png(640, 400)).file_name("a.png").mime_str("image/png").unwrap();
    let form = reqwest::multipart::Form::new().text("kind", "SCREENSHOT").part("file", file);
    let call = market.harness.call("marketplace_media_upload").path("app_uuid", &app).token(&market.owner.token);
    let mute = call.multipart(form).expect(201).await;
    assert_eq!(mute.json["alt_text"], Value::Null);
    let seen = checklist(&market, &app).await;
    assert_eq!(codes(&seen, |item| item["met"] == false), ["REQ-06", "REQ-11"]);
    assert_eq!(seen.json["ready"], true);
}

#[tokio::test]
async fn deactivated_primary_category_blocks_submission() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let version = market.draft(&app, "1.0.0").await;
    let categories = market.harness.call("marketplace_categories_list").token(&market.staff.token).expect(200).await;
    let category = categories.json["data"][0]["uuid"].as_str().unwrap();
    let call = market.harness.call("marketplace_categories_deactivate").path("category_uuid", category);
    call.token(&market.staff.token).expect(200).await;
    assert_eq!(missing(&checklist(&market, &app).await), ["REQ-05"]);
    let refused = market.version("marketplace_versions_submit", &app, &version).json(&json!({})).send().await;
    assert_eq!((refused.status, errors(&refused)), (409, vec![("REQ-05", "/categories")]));
}

#[tokio::test]
async fn account_blockers_are_reported_separately() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let version = market.draft(&app, "1.0.0").await;
    assert_eq!(checklist(&market, &app).await.json["ready"], true);
    // The test sets the state directly in the database.
    market.harness.sql("update partner set state = 'CLOSING', closes_at = labs_now() + interval '30 days'").await;
    let owner = market.harness.sign_in(&market.owner.email).await;
    let market = Market { owner, ..market };
    let seen = checklist(&market, &app).await;
    assert_eq!(seen.json["ready"], false);
    assert_eq!(seen.json["blockers_of_account"][0]["code"], "PARTNER_NOT_ACTIVE");
    assert_eq!(missing(&seen), ["REQ-12"]);
    let refused = market.version("marketplace_versions_submit", &app, &version).json(&json!({})).send().await;
    assert_eq!((refused.status, errors(&refused)), (409, vec![("PARTNER_NOT_ACTIVE", "")]));
}

#[tokio::test]
async fn every_started_locale_must_be_complete() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let version = market.draft(&app, "1.0.0").await;
    // The test writes texts in another locale directly to the database.
    market
        .harness
        .sql("insert into app_translation (app_uuid, locale, name) select app_uuid, 'fr', 'Pilote' from app")
        .await;
    assert_eq!(missing(&checklist(&market, &app).await), ["REQ-13"]);
    let refused = market.version("marketplace_versions_submit", &app, &version).json(&json!({})).send().await;
    assert_eq!((refused.status, errors(&refused)), (409, vec![("REQ-13", "/translations")]));
}

#[tokio::test]
async fn reading_the_checklist_changes_nothing() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let seen = || market.harness.call("marketplace_apps_get").path("app_uuid", &app).token(&market.owner.token);
    let before = seen().expect(200).await.bytes;
    checklist(&market, &app).await;
    assert_eq!(seen().expect(200).await.bytes, before);
}
