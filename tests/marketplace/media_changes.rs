//! Tests of changes to a draft's media items: texts, removal and order.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::market::{Market, column, errors, png, upload};
use crate::harness::{Answer, Call};

/// Starts an owner's call about an app.
fn about<'h>(market: &'h Market, operation: &str, app: &str) -> Call<'h> {
    market.harness.call(operation).path("app_uuid", app).token(&market.owner.token)
}

async fn screenshots(market: &Market, app: &str, count: u32) -> Vec<String> {
    let mut made = Vec::new();
    for number in 0..count {
        let call = about(market, "marketplace_media_upload", app);
        let picture = call.multipart(upload("SCREENSHOT", png(640 + number, 400))).expect(201).await;
        made.push(picture.str("uuid").to_owned());
    }
    made
}

async fn list(market: &Market, app: &str) -> Answer {
    about(market, "marketplace_media_list", app).query("kind", "SCREENSHOT").expect(200).await
}

async fn reorder<T: serde::Serialize>(market: &Market, app: &str, media_uuids: &[T]) -> Answer {
    let body = json!({ "kind": "SCREENSHOT", "media_uuids": media_uuids });
    about(market, "marketplace_media_reorder", app).json(&body).send().await
}

async fn media_events(market: &Market, app: &str, kind: &str) -> Vec<Value> {
    let events = about(market, "marketplace_apps_list_events", app).query("kind", kind).expect(200).await.json;
    events["data"].as_array().unwrap().iter().map(|event| event["fields"].clone()).collect()
}

#[tokio::test]
async fn media_texts_are_patched_by_field() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let picture = screenshots(&market, &app, 1).await.remove(0);
    let update = |patch: Value| {
        let call = about(&market, "marketplace_media_update", &app).path("media_uuid", &picture).json(&patch);
        async move { call.send().await }
    };
    let seen = update(json!({ "caption": "  Tonight  " })).await;
    assert_eq!((seen.str("alt_text"), seen.str("caption")), ("The order screen", "Tonight"));
    let seen = update(json!({ "alt_text": null })).await;
    assert_eq!((&seen.json["alt_text"], seen.str("caption")), (&Value::Null, "Tonight"));
    assert_eq!(update(json!({ "alt_text": null, "caption": "Tonight" })).await.bytes, seen.bytes);
    assert_eq!(media_events(&market, &app, "MEDIA_UPDATED").await, [json!(["alt_text"]), json!(["caption"])]);
    let refused = update(json!({ "alt_text": "a\nb", "caption": "x".repeat(251) })).await;
    let mut places: Vec<&str> = errors(&refused).into_iter().map(|error| error.1).collect();
    places.sort_unstable();
    assert_eq!((refused.status, places), (422, vec!["/alt_text", "/caption"]));
}

#[tokio::test]
async fn alt_text_is_returned_in_language_of_reader() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let picture = screenshots(&market, &app, 1).await.remove(0);
    let update =
        |patch: Value| about(&market, "marketplace_media_update", &app).path("media_uuid", &picture).json(&patch);
    let said = json!({ "alt_texts": { "de": " Bestellungen ", "fr": "Commandes" }, "captions": { "de-AT": "Servus" } });
    update(said).expect(200).await;
    let seen = update(json!({ "alt_texts": { "fr": null } })).expect(200).await.json;
    assert_eq!(
        (&seen["alt_texts"], &seen["captions"]),
        (&json!({ "de": "Bestellungen" }), &json!({ "de-AT": "Servus" }))
    );
    let version = market.draft(&app, "1.0.0").await;
    market.published(&app, &version).await;
    update(json!({ "alt_texts": null, "captions": null })).expect(200).await;
    let shop = market.harness.program("storefront", &["storefront"], None).await;
    for (locale, alt_text, caption) in [
        ("de-AT", json!("Bestellungen"), json!("Servus")),
        // An Austrian German caption also serves German.
        ("de", json!("Bestellungen"), json!("Servus")),
        ("fr", json!("The order screen"), Value::Null),
    ] {
        let call = market.harness.call("marketplace_listings_get").path("listing_slug", "table-pilot");
        let shown = call.query("locale", locale).token(&shop.token).expect(200).await;
        let media = &shown.json["media"][0];
        assert_eq!((&media["alt_text"], &media["caption"]), (&alt_text, &caption), "{locale}");
    }
}

#[tokio::test]
async fn deleted_media_item_leaves_draft_but_stays_on_storefront() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let [first, second, third]: [String; 3] = screenshots(&market, &app, 3).await.try_into().unwrap();
    let version = market.draft(&app, "1.0.0").await;
    market.published(&app, &version).await;
    let delete = |media: &str| about(&market, "marketplace_media_delete", &app).path("media_uuid", media);
    delete(&first).expect(204).await;
    delete(&first).expect(404).await;
    about(&market, "marketplace_media_get_content", &app).path("media_uuid", &first).expect(404).await;
    let left = list(&market, &app).await;
    assert_eq!(column(&left, "uuid"), [second.as_str(), third.as_str()]);
    let positions: Vec<&Value> = left.json["data"].as_array().unwrap().iter().map(|row| &row["position"]).collect();
    assert_eq!(positions, [1, 2], "those behind it move up");
    assert_eq!(media_events(&market, &app, "MEDIA_DELETED").await.len(), 1);
    let shop = market.harness.program("storefront", &["storefront"], None).await;
    let shown = async || {
        let call = market.harness.call("marketplace_listings_get").path("listing_slug", "table-pilot");
        let listing = call.token(&shop.token).expect(200).await.json;
        listing["media"].as_array().unwrap().iter().map(|row| row["uuid"].clone()).collect::<Vec<_>>()
    };
    let bytes = async || {
        let call = market.harness.call("marketplace_listings_get_media_content").path("listing_slug", "table-pilot");
        call.path("media_uuid", &first).token(&shop.token).send().await.status
    };
    market.harness.sql("update media set removed_at = removed_at - interval '11 minutes'").await;
    market.harness.run_job("TIDYING").await;
    assert_eq!(shown().await, [json!(first), json!(second), json!(third)]);
    assert_eq!(bytes().await, 200);
    let next = market.draft(&app, "1.1.0").await;
    market.published(&app, &next).await;
    assert_eq!((shown().await, bytes().await), (vec![json!(second), json!(third)], 404));
}

#[tokio::test]
async fn incomplete_media_order_is_rejected() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let made = screenshots(&market, &app, 3).await;
    let [one, two, three] = [&made[0], &made[1], &made[2]];
    let turned = reorder(&market, &app, &[three, one, two]).await;
    assert_eq!(turned.status, 200, "{}", turned.text());
    let order: Vec<&Value> = turned.json["media"].as_array().unwrap().iter().map(|row| &row["uuid"]).collect();
    assert_eq!(order, [three.as_str(), one.as_str(), two.as_str()]);
    assert_eq!(column(&list(&market, &app).await, "uuid"), [three.as_str(), one.as_str(), two.as_str()]);
    assert_eq!(reorder(&market, &app, &[three, one, two]).await.bytes, turned.bytes);
    assert_eq!(media_events(&market, &app, "MEDIA_REORDERED").await.len(), 1, "the same order is no change");
    let icon = about(&market, "marketplace_media_list", &app).query("kind", "ICON").expect(200).await;
    let icon = icon.json["data"][0]["uuid"].as_str().unwrap().to_owned();
    for (named, expected) in [
        (vec![one, two], vec![("MISSING", "/media_uuids")]),
        (vec![one, two, three, &icon], vec![("UNKNOWN", "/media_uuids/3")]),
        (vec![one, two, two], vec![("DUPLICATE", "/media_uuids/2"), ("MISSING", "/media_uuids")]),
    ] {
        let refused = reorder(&market, &app, &named).await;
        assert_eq!((refused.status, refused.code(), errors(&refused)), (409, "CONFLICT", expected));
    }
    assert_eq!(column(&list(&market, &app).await, "uuid"), [three.as_str(), one.as_str(), two.as_str()]);
}

#[tokio::test]
async fn concurrent_media_changes_leave_positions_without_gaps() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let made = screenshots(&market, &app, 5).await;
    let turned: Vec<&String> = made.iter().rev().collect();
    let deletes =
        made[..2].iter().map(|media| about(&market, "marketplace_media_delete", &app).path("media_uuid", media).send());
    let (moved, gone, new) =
        tokio::join!(reorder(&market, &app, &turned), join_all(deletes), screenshots(&market, &app, 1));
    assert!([200, 409].contains(&moved.status), "{}", moved.text());
    assert!(gone.iter().all(|answer| answer.status == 204));
    let list = list(&market, &app).await;
    let positions: Vec<&Value> = list.json["data"].as_array().unwrap().iter().map(|row| &row["position"]).collect();
    assert_eq!(positions, [1, 2, 3, 4]);
    assert!(column(&list, "uuid").contains(&new[0].as_str()));
}
