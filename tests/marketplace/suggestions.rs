//! Tests of search suggestions during typing.

use serde_json::{Value, json};

use super::market::Market;

#[tokio::test]
async fn suggestions_contain_only_visible_listings_and_names() {
    let market = Market::new().await;
    let token = market.harness.program("Shop", &["storefront"], None).await.token;
    let suggest = async |typed: &str| -> Vec<Value> {
        let call = market.harness.call("marketplace_listings_suggest").token(&token).query("q", typed);
        call.expect(200).await.json["data"].as_array().unwrap().clone()
    };
    assert_eq!(suggest("pilo").await, Vec::<Value>::new());
    let (app, slug) = market.listed("Table Pilot").await;
    market.app("Pilot that is a draft").await;
    let pilot = json!({ "kind": "LISTING", "text": "Table Pilot", "slug": slug });
    assert_eq!(suggest("pilo").await, [json!({ "kind": "WORD", "text": "pilot", "slug": null }), pilot.clone()]);
    assert!(suggest("TABEL").await.contains(&pilot), "two letters are swapped");
    assert_eq!(suggest("table pi").await, [pilot]);
    let vendor = suggest("nord").await;
    assert!(vendor.iter().any(|named| named["kind"] == "VENDOR" && named["text"] == "Nordsee Kassen"), "{vendor:?}");
    let category = suggest("orderi").await;
    assert!(category.iter().any(|named| named["kind"] == "CATEGORY" && named["text"] == "Ordering"), "{category:?}");
    let unlist = market.harness.call("marketplace_apps_unlist").path("app_uuid", &app).token(&market.owner.token);
    unlist.expect(200).await;
    assert_eq!(suggest("pilo").await, Vec::<Value>::new(), "gone at once");
    assert_eq!(suggest("nordsee").await, Vec::<Value>::new(), "a vendor without listings");
}
