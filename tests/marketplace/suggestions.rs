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

#[tokio::test]
async fn names_of_all_locales_synonyms_and_collections_are_suggested() {
    let market = Market::new().await;
    let token = market.harness.program("Shop", &["storefront"], None).await.token;
    let suggest = async |typed: &str, locale: Option<&str>| -> Vec<Value> {
        let call = market.harness.call("marketplace_listings_suggest").token(&token).query("q", typed);
        let call = locale.iter().fold(call, |call, locale| call.query("locale", locale));
        let found = call.expect(200).await.json["data"].as_array().unwrap().clone();
        found.into_iter().filter(|one| one["kind"] != "WORD").collect()
    };
    market.listed("Table Pilot").await;
    let names =
        json!({ "names": { "de": "Bestellwesen" }, "also_called": { "es": ["comandas"], "en": ["waiter pad"] } });
    let update = market.harness.call("marketplace_categories_update").path("category_uuid", &market.category);
    update.token(&market.staff.token).json(&names).expect(200).await;
    let category = |text: &str| json!({ "kind": "CATEGORY", "text": text, "slug": "ordering" });
    assert_eq!(suggest("order", None).await, [category("Ordering")]);
    assert_eq!(suggest("bestellw", None).await, [category("Bestellwesen")], "a name in another locale");
    assert_eq!(suggest("bestellw", Some("en")).await, [""; 0].map(Value::from), "the reader chose one");
    assert_eq!(suggest("comand", Some("de")).await, [category("Bestellwesen")], "a synonym in another locale");
    assert_eq!(suggest("waiter pa", None).await, [category("Ordering")]);

    let curator = market.harness.staff("Cora Kuratorin", &["labs.admin.storefront:write"]).await;
    let collection = async |title: &str, shown_from: Option<&str>| {
        let body = json!({ "titles": { "en": title }, "listings": ["table-pilot"], "shown_from": shown_from });
        market.harness.call("marketplace_collections_create").token(&curator.token).json(&body).expect(201).await;
    };
    collection("Summer terraces", Some("2020-01-01T00:00:00Z")).await;
    collection("Summer secrets", None).await;
    // A change of a listing, because the cached names of the storefront are valid for half a minute.
    market.listed("Menu Board").await;
    let shown = json!({ "kind": "COLLECTION", "text": "Summer terraces", "slug": "summer-terraces" });
    assert_eq!(suggest("summ", None).await, [shown]);
}
