//! Tests of the return to a version that another one replaced.

use serde_json::{Value, json};

use super::super::market::{Market, png, upload};

/// Returns the numbers of a listing's versions as readers see them, the current one first.
async fn numbers(market: &Market, slug: &str) -> Vec<(String, bool)> {
    let call = market.harness.call("marketplace_listings_list_versions").path("listing_slug", slug);
    let found = call.token(&market.owner.token).expect(200).await;
    let entry =
        |version: &Value| (version["number"].as_str().unwrap().to_owned(), version["is_current"].as_bool().unwrap());
    found.json["data"].as_array().unwrap().iter().map(entry).collect()
}

#[tokio::test]
async fn replaced_version_is_published_again_without_review() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let first = market.draft(&app, "1.0.0").await;
    market.published(&app, &first).await;
    let second = market.draft(&app, "1.1.0").await;
    market.published(&app, &second).await;
    assert_eq!(market.see(&app, &first).await.json["allowed_actions"], json!(["publish"]));
    let later = json!({ "publish_at": market.harness.clock.now().plus_seconds(86_400) });
    let refused = market.version("marketplace_versions_publish", &app, &first).json(&later).send().await;
    assert_eq!((refused.status, refused.code()), (409, "ILLEGAL_TRANSITION"), "{}", refused.text());

    let back = market.version("marketplace_versions_publish", &app, &first).json(&json!({})).expect(200).await;
    assert_eq!(back.str("state"), "PUBLISHED");
    assert_eq!(market.see(&app, &second).await.str("state"), "SUPERSEDED");
    let seen = market.harness.call("marketplace_apps_get").path("app_uuid", &app).token(&market.owner.token);
    let slug = seen.expect(200).await.str("slug").to_owned();
    assert_eq!(numbers(&market, &slug).await, [("1.0.0".to_owned(), true), ("1.1.0".to_owned(), false)]);
    let events = market.harness.call("marketplace_apps_list_events").path("app_uuid", &app).token(&market.owner.token);
    let events = events.query("kind", "VERSION_PUBLISHED").expect(200).await;
    let told: Vec<&Value> =
        events.json["data"].as_array().unwrap().iter().map(|event| &event["version_number"]).collect();
    assert_eq!(told, ["1.0.0", "1.1.0", "1.0.0"]);
    let listing = market.harness.call("marketplace_listings_get").path("listing_slug", &slug);
    let listing = listing.token(&market.owner.token).expect(200).await;
    assert_eq!(listing.json["version"]["number"], "1.0.0", "{}", listing.text());
    market.version("marketplace_versions_publish", &app, &second).json(&json!({})).expect(200).await;
}

#[tokio::test]
async fn version_whose_images_were_deleted_stays_replaced() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let icon = async || {
        let call = market.harness.call("marketplace_media_upload").path("app_uuid", &app).token(&market.owner.token);
        call.multipart(upload("ICON", png(256, 256))).expect(201).await
    };
    icon().await;
    let first = market.draft(&app, "1.0.0").await;
    market.published(&app, &first).await;
    icon().await;
    let second = market.draft(&app, "1.1.0").await;
    market.published(&app, &second).await;
    let tidy = async |days: u32| {
        let past = format!("- interval '{days} days'");
        let columns = ["submitted_at", "decided_at", "updated_at"].map(|column| format!("{column} = {column} {past}"));
        market.harness.sql(&format!("update submission set {}", columns.join(", "))).await;
        market.harness.sql(&format!("update app_version set state_changed_at = state_changed_at {past}")).await;
        market.harness.sql("update media set removed_at = removed_at - interval '11 minutes'").await;
        market.harness.run_job("TIDYING").await;
    };
    tidy(29).await;
    market.version("marketplace_versions_publish", &app, &first).json(&json!({})).expect(200).await;
    market.version("marketplace_versions_publish", &app, &second).json(&json!({})).expect(200).await;
    tidy(31).await;
    market.harness.until("select count(*) from media", 1).await;
    let refused = market.version("marketplace_versions_publish", &app, &first).json(&json!({})).send().await;
    assert_eq!((refused.status, refused.code()), (409, "CONFLICT"), "{}", refused.text());
    assert_eq!(market.see(&app, &second).await.str("state"), "PUBLISHED", "nothing changed");
}
