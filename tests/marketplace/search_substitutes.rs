//! Tests of searches with words that no listing has, of synonyms and of titles of collections.

use serde_json::{Value, json};

use super::market::{Market, column};
use crate::harness::Answer;
use crate::harness::people::Program;

struct Shop {
    market: Market,
    program: Program,
}

impl Shop {
    /// Creates a storefront with these listings.
    async fn with(names: &[&str]) -> Self {
        let market = Market::new().await;
        let program = market.harness.program("storefront", &["storefront"], None).await;
        for name in names {
            market.listed(name).await;
        }
        Self { market, program }
    }

    async fn search(&self, parameters: &[(&str, &str)]) -> Answer {
        let call = self.market.harness.call("marketplace_listings_search").token(&self.program.token);
        let found = parameters.iter().fold(call, |call, (name, value)| call.query(name, value)).expect(200).await;
        if !parameters.iter().any(|(name, _)| *name == "limit") {
            assert_eq!(found.json["facets"]["total"], found.json["data"].as_array().unwrap().len(), "{parameters:?}");
        }
        found
    }

    /// Returns the names of the listings found.
    async fn names(&self, q: &str) -> Vec<String> {
        column(&self.search(&[("q", q)]).await, "name").into_iter().map(str::to_owned).collect()
    }

    /// Returns number of listings, words left out and correction.
    async fn outcome(&self, parameters: &[(&str, &str)]) -> Value {
        let found = self.search(parameters).await.json;
        json!([found["data"].as_array().unwrap().len(), found["left_out"], found["corrected_to"]])
    }
}

#[tokio::test]
async fn words_that_best_listing_lacks_are_left_out() {
    let shop = Shop::with(&["Table Pilot", "Table Butler"]).await;
    for (q, expected) in [
        ("table pilot", json!([1, [], null])),
        ("spaceship table", json!([2, ["spaceship"], null])),
        ("Pilot Spaceship Table", json!([1, ["Spaceship"], null])),
        ("table pilot butler", json!([1, ["butler"], null])),
        ("Tabel spaceship", json!([2, ["spaceship"], "table"])),
        ("spaceship submarine", json!([0, [], null])),
    ] {
        assert_eq!(shop.outcome(&[("q", q)]).await, expected, "{q}");
    }
    assert_eq!(shop.outcome(&[("q", "spaceship table"), ("sort", "name")]).await, json!([2, ["spaceship"], null]));
    let filtered = shop.outcome(&[("q", "spaceship table"), ("category", "nothing")]).await;
    assert_eq!(filtered, json!([0, [], null]), "a result without listings has left out no word");

    let first = shop.search(&[("q", "spaceship table"), ("limit", "1")]).await;
    let cursor = first.json["page"]["next_cursor"].as_str().unwrap();
    let next = shop.search(&[("q", "spaceship table"), ("limit", "1"), ("cursor", cursor)]).await;
    assert_ne!(column(&first, "slug"), column(&next, "slug"));
    assert_eq!((&next.json["left_out"], &next.json["page"]["has_more"]), (&json!(["spaceship"]), &json!(false)));
}

#[tokio::test]
async fn generic_words_exclude_no_listing() {
    let shop = Shop::with(&["Table Pilot", "Booking System"]).await;
    for q in ["pilot app", "software pilot", "restaurant pilot programm", "the app for pilot", "pilotsystem"] {
        assert_eq!(shop.outcome(&[("q", q)]).await, json!([1, [], null]), "{q}");
        assert_eq!(shop.names(q).await, ["Table Pilot"], "{q}");
    }
    assert_eq!(shop.names("system").await, ["Booking System"], "a generic word alone");
}

#[tokio::test]
async fn rarest_words_decide_which_listings_remain() {
    let shop = Shop::with(&["Alpha Table", "Beta Table", "Gamma Table Delta"]).await;
    assert_eq!(shop.outcome(&[("q", "phone alpha delta")]).await, json!([1, ["delta"], null]));
    assert_eq!(shop.names("alpha gamma delta").await, ["Gamma Table Delta"], "two rare words of three");
    assert_eq!(shop.outcome(&[("q", "kitchen alpha missing")]).await, json!([1, ["missing"], null]));
}

#[tokio::test]
async fn correction_is_in_language_of_reader_or_name() {
    let shop = Shop::with(&["Table Pilot"]).await;
    let of = async |q: &str, locale: &str| shop.outcome(&[("q", q), ("locale", locale)]).await;
    assert_eq!(of("waitors", "en").await, json!([1, [], "waiters"]));
    assert_eq!(of("waitors", "de").await, json!([0, [], null]), "a word of English texts");
    assert_eq!(of("tabel", "de").await, json!([1, [], "table"]), "a word of a name");
    assert_eq!(shop.outcome(&[("q", "zhone")]).await, json!([0, [], null]), "the first letter of a short word");
}

#[tokio::test]
async fn compound_is_searched_as_two_indexed_words() {
    let shop = Shop::with(&["Table Pilot"]).await;
    assert_eq!(shop.outcome(&[("q", "kitchenphones")]).await, json!([1, [], "kitchen phones"]));
    assert_eq!(shop.outcome(&[("q", "orderstable")]).await, json!([1, [], "order table"]), "a linking letter");
    assert_eq!(shop.outcome(&[("q", "kitchenmoon")]).await, json!([0, [], null]));
}

#[tokio::test]
async fn synonyms_of_category_find_its_subtree_until_removed() {
    let shop = Shop::with(&["Table Pilot"]).await;
    let staff = &shop.market.staff;
    let update = async |category: &str, also_called: Value| {
        let call = shop.market.harness.call("marketplace_categories_update").path("category_uuid", category);
        call.token(&staff.token).json(&json!({ "also_called": also_called })).send().await
    };
    let own = shop.market.category.clone();
    assert_eq!(shop.names("tpv").await, [""; 0]);
    let updated = update(&own, json!({ "es": ["TPV", "caja registradora"], "nl": ["kassa"] })).await;
    assert_eq!(updated.json["also_called"], json!({ "es": ["TPV", "caja registradora"], "nl": ["kassa"] }));
    for q in ["TPV", "tpv para restaurante", "cajas registradoras", "kassa", "kass"] {
        assert_eq!(shop.names(q).await, ["Table Pilot"], "{q}");
    }
    let updated = update(&own, json!({ "nl": null })).await;
    assert_eq!(updated.json["also_called"], json!({ "es": ["TPV", "caja registradora"] }));
    assert_eq!(shop.names("kassa").await, [""; 0]);

    let parent = shop.market.harness.call("marketplace_categories_create").token(&staff.token);
    let parent = parent.json(&json!({ "names": { "en": "Tills" }, "also_called": { "fr": ["caisse"] } }));
    let parent = parent.expect(201).await.str("uuid").to_owned();
    let moved = shop.market.harness.call("marketplace_categories_move").path("category_uuid", &own);
    moved.token(&staff.token).json(&json!({ "parent_uuid": parent, "position": 1 })).expect(200).await;
    assert_eq!(shop.names("caisse").await, ["Table Pilot"], "a synonym of the category above");
    update(&parent, json!({ "fr": ["encaissement"] })).await;
    assert_eq!((shop.names("caisse").await, shop.names("encaissement").await.len()), (vec![], 1));
    assert_eq!(update(&own, json!(null)).await.json["also_called"], json!({}));

    let refused = update(&own, json!({ "es": ["TPV", "--"] })).await;
    assert_eq!((refused.status, &refused.json["errors"][0]["pointer"]), (422, &json!("/also_called/es/1")));
}

#[tokio::test]
async fn abbreviation_is_not_beginning_of_other_words() {
    let shop = Shop::with(&["Position Board"]).await;
    assert_eq!(shop.names("pos").await, ["Position Board"]);
    let update = shop.market.harness.call("marketplace_categories_update").path("category_uuid", &shop.market.category);
    let update = update.token(&shop.market.staff.token).json(&json!({ "also_called": { "en": ["POS"] } }));
    update.expect(200).await;
    shop.market.harness.sql("delete from listing_category").await;
    assert_eq!(shop.names("pos").await, [""; 0]);
    assert_eq!(shop.names("positio").await, ["Position Board"]);
}

#[tokio::test]
async fn title_of_visible_collection_finds_its_listings() {
    let shop = Shop::with(&["Table Pilot", "Menu Board"]).await;
    let curator = shop.market.harness.staff("Cora Kuratorin", &["labs.admin.storefront:write"]).await;
    let titles = json!({ "en": "Summer terraces", "de": "Biergartenzeit" });
    let body = json!({ "titles": titles, "listings": ["table-pilot"] });
    let made = shop.market.harness.call("marketplace_collections_create").token(&curator.token).json(&body);
    let collection = made.expect(201).await.str("uuid").to_owned();
    let update = async |body: Value| {
        let call = shop.market.harness.call("marketplace_collections_update").path("collection_uuid", &collection);
        call.token(&curator.token).json(&body).expect(200).await
    };
    // The facets learn of a change of a collection some seconds later, so this test does not look at them.
    let names = async |q: &str| {
        let found = shop.search(&[("q", q), ("limit", "100")]).await;
        column(&found, "name").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(names("summer terrace").await, [""; 0], "in preparation");
    update(json!({ "shown_from": "2020-01-01T00:00:00Z" })).await;
    for q in ["summer terrace", "terraces", "biergartenzeit", "summer terr"] {
        assert_eq!(names(q).await, ["Table Pilot"], "{q}");
    }
    update(json!({ "titles": { "en": "Winter garden", "de": null }, "listings": ["table-pilot", "menu-board"] })).await;
    assert_eq!((names("terraces").await, names("winter garden").await.len()), (vec![], 2));
    update(json!({ "shown_until": "2020-02-01T00:00:00Z" })).await;
    assert_eq!(names("winter garden").await, [""; 0], "its time has ended");
}

#[tokio::test]
async fn equally_relevant_listings_are_ordered_by_rating() {
    let shop = Shop::with(&["Phone Alpha", "Phone Beta", "Phone Gamma", "Table Delta"]).await;
    let rate = "update listing set rating_count = 9, rating_sum = case slug when 'phone-beta' then 45 else 27 end
                 where slug in ('phone-beta', 'phone-alpha', 'table-delta')";
    shop.market.harness.sql(rate).await;
    let expected = ["Phone Beta", "Phone Alpha", "Phone Gamma", "Table Delta"];
    assert_eq!(shop.names("phone").await, expected, "a name precedes a text, though all texts have the word");
    let (mut names, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let page: Vec<(&str, &str)> = cursor.iter().map(|cursor| ("cursor", cursor.as_str())).collect();
        let found = shop.search(&[&[("q", "phone"), ("limit", "1")][..], &page].concat()).await;
        names.extend(column(&found, "name").into_iter().map(str::to_owned));
        cursor = found.json["page"]["next_cursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(names, expected);
}
