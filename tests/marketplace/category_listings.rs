//! Tests of listings whose category is removed: no listing is left without an active category.

use serde_json::{Value, json};

use super::market::{Market, errors};
use crate::harness::Answer;

/// A market with a second category, and a storefront client.
struct Shelf {
    market: Market,
    other: String,
    reader: String,
}

impl Shelf {
    async fn new() -> Self {
        let market = Market::new().await;
        let other = category(&market, json!({ "names": { "en": "Reservations" } })).await;
        let reader = market.harness.program("storefront", &["storefront"], None).await.token;
        Self { market, other, reader }
    }

    async fn deactivate(&self, category: &str, body: Value) -> Answer {
        let call = self.market.harness.call("marketplace_categories_deactivate").path("category_uuid", category);
        call.token(&self.market.staff.token).json(&body).send().await
    }

    async fn see(&self, category: &str) -> Answer {
        let call = self.market.harness.call("marketplace_categories_get").path("category_uuid", category);
        call.token(&self.market.staff.token).expect(200).await
    }

    /// Returns the public categories of a listing, with the primary one marked.
    async fn filed(&self, slug: &str) -> Value {
        let call = self.market.harness.call("marketplace_listings_get").path("listing_slug", slug);
        let listing = call.token(&self.reader).expect(200).await;
        let categories = listing.json["categories"].as_array().unwrap().iter();
        categories.map(|category| json!([category["slug"], category["primary"]])).collect()
    }

    async fn number(&self, query: &str) -> i64 {
        self.market.harness.number(query).await
    }
}

async fn category(market: &Market, body: Value) -> String {
    let call = market.harness.call("marketplace_categories_create").token(&market.staff.token);
    call.json(&body).expect(201).await.str("uuid").to_owned()
}

#[tokio::test]
async fn used_category_shows_its_counts_and_cannot_be_deleted() {
    let shelf = Shelf::new().await;
    let Shelf { market, other, .. } = &shelf;
    let (app, _) = market.listed("Table Pilot").await;
    let count = |seen: &Answer| ["apps_count", "listings_count", "children_count"].map(|name| seen.json[name].clone());
    assert_eq!(count(&shelf.see(&market.category).await), [1, 1, 0]);
    let choose = market.harness.call("marketplace_apps_put_categories").path("app_uuid", &app);
    choose.token(&market.owner.token).json(&json!({ "primary_category_uuid": other })).expect(200).await;
    market.harness.sql("update listing set visible = false").await;
    assert_eq!(count(&shelf.see(&market.category).await), [0, 0, 0]);
    for used in [&market.category, other] {
        let call = market.harness.call("marketplace_categories_delete").path("category_uuid", used);
        let refused = call.token(&market.staff.token).expect(409).await;
        assert_eq!(refused.code(), "CONFLICT", "a listing off the storefront keeps it, and a draft");
    }
}

#[tokio::test]
async fn listings_without_other_category_are_reported_and_reassigned() {
    let shelf = Shelf::new().await;
    let Shelf { market, other, .. } = &shelf;
    let (app, slug) = market.listed("Table Pilot").await;
    let (_, second) = market.listed("Till Pilot").await;
    market.harness.sql(&format!("update listing set visible = false where slug = '{second}'")).await;
    let refused = shelf.deactivate(&market.category, json!({ "reason": "Merged." })).await;
    assert_eq!((refused.status, refused.code()), (409, "CONFLICT"), "{}", refused.text());
    assert_eq!(errors(&refused), [("LISTING_LEFT", "/move_to"); 2], "on show or not");
    assert!(refused.text().contains(&slug) && refused.text().contains(&second), "{}", refused.text());
    assert_eq!(shelf.see(&market.category).await.str("state"), "ACTIVE");

    let beneath = category(market, json!({ "names": { "en": "Beneath" }, "parent_uuid": market.category })).await;
    let nowhere = "0198d000-0000-7000-8000-000000000001";
    for (target, code) in
        [(&market.category, "DEACTIVATED"), (&beneath, "DEACTIVATED"), (&nowhere.to_owned(), "UNKNOWN_CATEGORY")]
    {
        let refused = shelf.deactivate(&market.category, json!({ "move_to": target })).await;
        assert_eq!((refused.status, errors(&refused)), (422, vec![(code, "/move_to")]), "{}", refused.text());
    }

    let changes = "select count(*) from listing_change where change = 'CHANGED'";
    let before = shelf.number(changes).await;
    let gone = shelf.deactivate(&market.category, json!({ "move_to": other })).await;
    assert_eq!((gone.status, gone.str("state")), (200, "DEACTIVATED"), "{}", gone.text());
    assert_eq!(shelf.filed(&slug).await, json!([["reservations", true]]));
    assert_eq!(shelf.number(changes).await, before + 1, "caches hear of the one that is on show");
    let in_other = format!("select count(*) from listing_category where category_uuid = '{other}'");
    assert_eq!(shelf.number(&in_other).await, 2, "one that comes back later is in sight as well");
    let told = format!(
        "select count(*) from app_event where app_uuid = '{app}' and kind = 'CATEGORIES_MOVED'
            and actor_kind = 'STAFF_USER' and actor_uuid = '{}' and detail ->> 'to_category_uuid' = '{other}'
            and detail -> 'from_category_uuids' = '[\"{}\"]'",
        market.staff.uuid, market.category
    );
    assert_eq!(shelf.number(&told).await, 1);
}

#[tokio::test]
async fn listing_with_another_active_category_does_not_block_deactivation() {
    let shelf = Shelf::new().await;
    let Shelf { market, other, .. } = &shelf;
    let app = market.app("Table Pilot").await;
    let choose = market.harness.call("marketplace_apps_put_categories").path("app_uuid", &app);
    let choice = json!({ "primary_category_uuid": market.category, "further_category_uuids": [other] });
    choose.token(&market.owner.token).json(&choice).expect(200).await;
    let version = market.draft(&app, "1.0.0").await;
    market.published(&app, &version).await;
    assert_eq!(shelf.deactivate(&market.category, json!({})).await.status, 200);
    assert_eq!(shelf.filed("table-pilot").await, json!([["reservations", false]]));
    let last = shelf.deactivate(other, json!({})).await;
    assert_eq!((last.status, errors(&last)), (409, vec![("LISTING_LEFT", "/move_to")]), "the other was hidden before");
}

#[tokio::test]
async fn deactivated_ancestor_hides_all_descendants() {
    let shelf = Shelf::new().await;
    let Shelf { market, other, .. } = &shelf;
    let root = category(market, json!({ "names": { "en": "Root" } })).await;
    let call = market.harness.call("marketplace_categories_move").path("category_uuid", &market.category);
    call.token(&market.staff.token).json(&json!({ "parent_uuid": root })).expect(200).await;
    let (_, slug) = market.listed("Table Pilot").await;
    let refused = shelf.deactivate(&root, json!({})).await;
    assert_eq!((refused.status, errors(&refused)), (409, vec![("LISTING_LEFT", "/move_to")]));
    assert_eq!(shelf.deactivate(&root, json!({ "move_to": other })).await.status, 200);
    assert_eq!(shelf.filed(&slug).await, json!([["reservations", true]]));
    let beneath = shelf.deactivate(&market.category, json!({})).await;
    assert_eq!(beneath.status, 200, "what was hidden takes nothing from anybody");
}
