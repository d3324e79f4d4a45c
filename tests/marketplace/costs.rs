//! Tests that a caller cannot force expensive recomputation by inventing parameter values.

use serde_json::{Value, json};

use super::market::{Market, column};

#[tokio::test]
async fn locales_without_texts_share_one_cache_entry() {
    let market = Market::new().await;
    let token = market.harness.program("Shop", &["storefront"], None).await.token;
    market.listed("Table Pilot").await;
    let suggest = async |locale: &str| -> Value {
        let call = market.harness.call("marketplace_listings_suggest").token(&token).query("q", "pilo");
        call.query("locale", locale).expect(200).await.json
    };
    let tree = async |locale: &str| -> Value {
        let call = market.harness.call("marketplace_public_categories_list").token(&token);
        call.query("locale", locale).expect(200).await.json
    };
    let (suggested, shown) = (suggest("fr").await, tree("fr").await);
    assert_eq!(suggested["data"][1]["text"], "Table Pilot");
    // Neither is recomputed: the source tables are locked and cannot be read.
    let held = market.harness.lock("listing_translation, listing_category", "access exclusive").await;
    for locale in ["fr-CA", "nl", "qx-QX", "sr-Latn-RS"] {
        assert_eq!((suggest(locale).await, tree(locale).await), (suggested.clone(), shown.clone()), "{locale}");
    }
    held.roll_back().await;
}

#[tokio::test]
async fn search_ignores_words_after_the_sixteenth() {
    let market = Market::new().await;
    let token = market.harness.program("Shop", &["storefront"], None).await.token;
    market.listed("Table Pilot").await;
    let search = async |q: String| -> Value {
        let call = market.harness.call("marketplace_listings_search").token(&token).query("q", q);
        let found = call.expect(200).await.json;
        json!([found["data"].as_array().unwrap().len(), found["facets"]["total"], found["left_out"]])
    };
    let sixteen = ["table pilot"; 8].join(" ");
    assert_eq!(search(format!("{sixteen} submarine periscope")).await, json!([1, 1, []]));
    assert_eq!(search(format!("{} submarine", ["table-pilot"; 8].join("."))).await, json!([1, 1, []]));
    assert_eq!(search("table submarine".to_owned()).await, json!([1, 1, ["submarine"]]));
}

#[tokio::test]
async fn rating_is_rounded_to_a_tenth() {
    let market = Market::new().await;
    let token = market.harness.program("Shop", &["storefront"], None).await.token;
    let (app, _) = market.listed("Table Pilot").await;
    market.harness.sql(&format!("update listing set rating_count = 1, rating_sum = 4 where app_uuid = '{app}'")).await;
    for (rating, found) in [("4", 1), ("4.04", 1), ("4.000001", 1), ("4.06", 0)] {
        let call = market.harness.call("marketplace_listings_search").token(&token).query("rating_from", rating);
        let answer = call.expect(200).await;
        let total = &answer.json["facets"]["total"];
        assert_eq!((column(&answer, "slug").len(), total), (found, &json!(found)), "{rating}");
    }
}

#[tokio::test]
async fn names_with_accents_are_sorted_among_the_others() {
    let market = Market::new().await;
    let token = market.harness.program("Shop", &["storefront"], None).await.token;
    for name in ["Zeta", "\u{c4}pfel", "apple", "Banana"] {
        market.listed(name).await;
    }
    let sorted = market.harness.call("marketplace_listings_search").token(&token).query("sort", "name");
    assert_eq!(column(&sorted.expect(200).await, "name"), ["\u{c4}pfel", "apple", "Banana", "Zeta"]);
}
