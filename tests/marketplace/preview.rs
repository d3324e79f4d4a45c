//! Tests of the preview: it shows the future listing and its differences from the published one.

use serde_json::{Value, json};

use super::market::{Market, png, upload};
use crate::harness::{Answer, Call};

fn preview<'h>(market: &'h Market, app: &str) -> Call<'h> {
    market.harness.call("marketplace_apps_preview_listing").path("app_uuid", app).token(&market.owner.token)
}

async fn shown(market: &Market, slug: &str, locale: &str) -> Answer {
    let shop = market.harness.program("storefront", &["storefront"], None).await;
    let call = market.harness.call("marketplace_listings_get").path("listing_slug", slug).token(&shop.token);
    call.query("locale", locale).expect(200).await
}

/// Returns a listing without the times that publication sets.
fn timeless(listing: &Value) -> Value {
    let mut listing = listing.clone();
    for place in ["/first_published_at", "/published_at", "/version/published_at"] {
        *listing.pointer_mut(place).unwrap() = Value::Null;
    }
    listing
}

/// Fills every field of a listing in the draft of an app.
async fn furnish(market: &Market, app: &str) {
    let call = |operation: &str| market.harness.call(operation).path("app_uuid", app).token(&market.owner.token);
    let texts = json!({ "name": "Tischpilot", "tagline": "Zeile", "description": "Worte.\n\nMehr." });
    call("marketplace_translations_put").path("locale", "de").json(&texts).expect(201).await;
    for (kind, width) in [("BANNER", 1_120), ("SCREENSHOT", 640), ("SCREENSHOT", 700)] {
        call("marketplace_media_upload").multipart(upload(kind, png(width, 400))).expect(201).await;
    }
    let icon = call("marketplace_media_list").expect(200).await.json["data"][0]["uuid"].as_str().unwrap().to_owned();
    let said = json!({ "alt_texts": { "de": "Ein Tisch", "fr": "Une table" }, "captions": { "de-AT": "Servus" } });
    call("marketplace_media_update").path("media_uuid", icon).json(&said).expect(200).await;
    let names = json!({ "names": { "en": "Bookings", "de": "Reservierungen" } });
    let other = market.harness.call("marketplace_categories_create").token(&market.staff.token).json(&names);
    let other = other.expect(201).await.str("uuid").to_owned();
    let chosen = json!({ "primary_category_uuid": other, "further_category_uuids": [market.category] });
    call("marketplace_apps_put_categories").json(&chosen).expect(200).await;
    let links = json!({ "website_url": "https://nordsee.example/", "support_email": null,
        "support_url": "https://nordsee.example/help" });
    call("marketplace_apps_update").json(&links).expect(200).await;
}

#[tokio::test]
async fn preview_equals_listing_after_publication() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let none = preview(&market, &app).send().await;
    assert_eq!((none.status, none.code()), (409, "CONFLICT"), "there is no version yet");
    furnish(&market, &app).await;
    let version = market.draft(&app, "1.0.0").await;
    let patch = json!({
        "release_notes": { "de": "Was neu ist." },
        "manifest": { "permissions": [{ "code": "orders", "reason": "Shows what a table ordered." }] },
    });
    market.version("marketplace_versions_update", &app, &version).json(&patch).expect(200).await;
    let mut before = Vec::new();
    for locale in ["en", "de-AT", "fr"] {
        let seen = preview(&market, &app).query("locale", locale).expect(200).await;
        assert_eq!((&seen.json["live"], &seen.json["version"]["uuid"]), (&Value::Null, &json!(version)));
        before.push((locale, seen));
    }
    let etag = before[2].1.header("etag").to_owned();
    preview(&market, &app).query("locale", "fr").header("if-none-match", &etag).expect(304).await;
    market.published(&app, &version).await;
    for (locale, seen) in before {
        let after = shown(&market, "table-pilot", locale).await;
        assert_eq!(timeless(&seen.json["listing"]), timeless(&after.json), "{locale}");
        let now = preview(&market, &app).query("locale", locale).expect(200).await;
        assert_eq!(now.json["live"], after.json, "what is live is shown as readers see it");
        assert_eq!(now.json["differences"], json!([]));
    }
}

#[tokio::test]
async fn preview_shows_difference_between_draft_and_live_listing() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let first = market.draft(&app, "1.0.0").await;
    let asks = |code: &str| json!({ "permissions": [{ "code": code, "reason": "Needed at the table." }] });
    let write = async |version: &str, patch: Value| {
        market.version("marketplace_versions_update", &app, version).json(&patch).expect(200).await;
    };
    write(&first, json!({ "manifest": asks("customers") })).await;
    market.published(&app, &first).await;
    let second = market.draft(&app, "1.1.0").await;
    write(&second, json!({ "manifest": asks("orders:write") })).await;
    let update = market.harness.call("marketplace_apps_update").path("app_uuid", &app).token(&market.owner.token);
    update.json(&json!({ "tagline": "Another line" })).expect(200).await;
    let seen = preview(&market, &app).expect(200).await.json;
    assert_eq!((&seen["version"]["number"], &seen["version"]["state"]), (&json!("1.1.0"), &json!("DRAFT")));
    assert_eq!(
        (&seen["listing"]["tagline"], &seen["live"]["tagline"]),
        (&json!("Another line"), &json!("Takes orders at the table"))
    );
    let codes = |field: &str| seen[field].as_array().unwrap().iter().map(|one| one["code"].clone()).collect::<Vec<_>>();
    assert_eq!(
        (codes("permissions_added"), codes("permissions_removed")),
        (vec![json!("orders:write")], vec![json!("customers")])
    );
    let mut paths: Vec<&str> =
        seen["differences"].as_array().unwrap().iter().map(|one| one["path"].as_str().unwrap()).collect();
    paths.sort_unstable();
    let permission = |code: &str| format!("/version/manifest/permissions/{code}/reason");
    let (gone, new) = (permission("customers"), permission("orders:write"));
    assert_eq!(paths, ["/texts/en/tagline", gone.as_str(), new.as_str(), "/version/number"]);
}

#[tokio::test]
async fn submitted_version_is_published_from_its_snapshot() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let version = market.draft(&app, "1.0.0").await;
    market.approved(&app, &version).await;
    let update = market.harness.call("marketplace_apps_update").path("app_uuid", &app).token(&market.owner.token);
    update.json(&json!({ "name": "Renamed" })).expect(200).await;
    let look = async |version: Option<&str>| {
        let call = preview(&market, &app);
        let call = if let Some(version) = version { call.query("version_uuid", version) } else { call };
        let seen = call.expect(200).await.json;
        (seen["source"].as_str().unwrap().to_owned(), seen["listing"]["name"].as_str().unwrap().to_owned())
    };
    let expected = |source: &str, name: &str| (source.to_owned(), name.to_owned());
    assert_eq!(look(None).await, expected("DRAFT", "Renamed"), "whoever writes sees what they wrote");
    assert_eq!(look(Some(&version)).await, expected("SUBMISSION", "Table Pilot"));
    let next = market.draft(&app, "1.1.0").await;
    assert_eq!(look(Some(&next)).await, expected("DRAFT", "Renamed"));
    let stranger = market.harness.partner("Ostsee Kassen").await;
    let other = market.app_of(&stranger, "Other").await;
    let foreign = market.draft_of(&stranger, &other, "1.0.0").await;
    let refused = preview(&market, &app).query("version_uuid", &foreign).send().await;
    assert_eq!((refused.status, refused.code()), (404, "NOT_FOUND"), "another app's version");
}
