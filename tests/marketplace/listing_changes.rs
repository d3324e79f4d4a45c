//! Tests of the change feed from which a storefront keeps a copy of the published listings.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::market::Market;
use crate::harness::people::Person;
use crate::harness::random::{Random, seed};
use crate::harness::{Answer, Call, Harness};

/// A follower's copy: the listing of each slug, and the cursor.
#[derive(Clone, Default)]
struct Copy {
    listings: BTreeMap<String, Value>,
    cursor: Option<String>,
}

/// Starts a call for the page after the copy's cursor.
fn page<'h>(harness: &'h Harness, token: &str, cursor: Option<&str>, limit: u64) -> Call<'h> {
    let call = harness.call("marketplace_listings_list_changes").token(token).query("limit", limit);
    match cursor {
        Some(cursor) => call.query("cursor", cursor),
        None => call,
    }
}

impl Copy {
    /// Applies a page to the copy; returns whether there are more pages.
    fn take(&mut self, page: &Answer) -> bool {
        for change in page.json["data"].as_array().unwrap() {
            let slug = change["slug"].as_str().unwrap().to_owned();
            assert_eq!(change["change"] == "GONE", change["listing"].is_null(), "{change}");
            if change["listing"].is_null() {
                self.listings.remove(&slug);
            } else {
                self.listings.insert(slug, change["listing"].clone());
            }
        }
        self.cursor = Some(page.json["page"]["next_cursor"].as_str().unwrap().to_owned());
        page.json["page"]["has_more"].as_bool().unwrap()
    }

    /// Reads all pages, after a wait until every earlier change has a position.
    async fn catch_up(&mut self, harness: &Harness, token: &str, limit: u64) {
        harness.until("select count(*) from listing_change where place is null", 0).await;
        while self.take(&page(harness, token, self.cursor.as_deref(), limit).expect(200).await) {}
    }
}

/// Reads every listing individually, as a storefront gets it.
async fn everything(harness: &Harness, token: &str) -> BTreeMap<String, Value> {
    let found = harness.call("marketplace_listings_search").token(token).query("limit", 100).expect(200).await;
    let mut all = BTreeMap::new();
    for summary in found.json["data"].as_array().unwrap() {
        let slug = summary["slug"].as_str().unwrap();
        let one = harness.call("marketplace_listings_get").path("listing_slug", slug).token(token).expect(200).await;
        all.insert(slug.to_owned(), one.json.clone());
    }
    all
}

#[tokio::test]
async fn change_feed_starts_with_all_listings_and_follows_changes() {
    let market = Market::new().await;
    let (harness, token) = (&market.harness, market.harness.program("Shop", &["storefront"], None).await.token);
    let mut copy = Copy::default();
    copy.catch_up(harness, &token, 100).await;
    assert!(copy.listings.is_empty());
    let (app, slug) = market.listed("Table Pilot").await;
    let (other, gone) = market.listed("Till Pilot").await;
    copy.catch_up(harness, &token, 1).await;
    assert_eq!(copy.listings, everything(harness, &token).await);

    harness.sql(&format!("update listing set rating_count = 2, rating_sum = 9 where app_uuid = '{app}'")).await;
    let unlist = harness.call("marketplace_apps_unlist").path("app_uuid", &other).token(&market.owner.token);
    unlist.expect(200).await;
    copy.catch_up(harness, &token, 100).await;
    assert_eq!((copy.listings.get(&gone), copy.listings[&slug]["rating"]["count"].as_i64()), (None, Some(2)));

    let renamed = harness.call("marketplace_categories_update").path("category_uuid", &market.category);
    renamed.token(&market.staff.token).json(&json!({ "names": { "en": "Taking orders" } })).expect(200).await;
    harness.sql("update partner set company_name = 'Nordsee Kassen AG' where company_name = 'Nordsee Kassen'").await;
    copy.catch_up(harness, &token, 100).await;
    let shown = &copy.listings[&slug];
    assert_eq!(
        (&shown["categories"][0]["name"], &shown["vendor"]["name"]),
        (&json!("Taking orders"), &json!("Nordsee Kassen AG"))
    );
    let quiet = page(harness, &token, copy.cursor.as_deref(), 100).expect(200).await;
    assert_eq!((&quiet.json["data"], &quiet.json["page"]["next_cursor"]), (&json!([]), &json!(copy.cursor)));
}

#[tokio::test]
async fn late_commit_is_not_skipped() {
    let market = Market::new().await;
    let (harness, token) = (&market.harness, market.harness.program("Shop", &["storefront"], None).await.token);
    let (slow, slug) = market.listed("Table Pilot").await;
    let mut copy = Copy::default();
    copy.catch_up(harness, &token, 100).await;
    let mut late = harness.owner().await;
    let begin = format!(
        "begin; update listing set visible = false where app_uuid = '{slow}';
         insert into listing_change (app_uuid, slug, change) values ('{slow}', '{slug}', 'GONE')"
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(begin)).execute(&mut late).await.unwrap();
    market.listed("Till Pilot").await;
    copy.catch_up(harness, &token, 100).await;
    assert_eq!(copy.listings.len(), 2, "the later one is there already");
    sqlx::raw_sql("commit").execute(&mut late).await.unwrap();
    copy.catch_up(harness, &token, 100).await;
    assert!(!copy.listings.contains_key(&slug), "and the earlier one is not missed");
}

#[tokio::test]
async fn cursor_of_another_database_restarts_the_feed() {
    let market = Market::new().await;
    let (harness, token) = (&market.harness, market.harness.program("Shop", &["storefront"], None).await.token);
    market.listed("Table Pilot").await;
    let mut copy = Copy::default();
    copy.catch_up(harness, &token, 100).await;
    let begun = page(harness, &token, None, 1).expect(200).await;
    let filling = begun.json["page"]["next_cursor"].as_str().unwrap().to_owned();
    let other = page(harness, &token, copy.cursor.as_deref(), 1).query("locale", "de").expect(400).await;
    assert_eq!(other.code(), "INVALID_CURSOR");
    // Simulates a database that was restored to an earlier time and has diverged since.
    harness.sql("update listing_change set entry_uuid = gen_random_uuid()").await;
    for cursor in [copy.cursor.as_deref(), Some(&filling)] {
        let expired = page(harness, &token, cursor, 100).expect(410).await;
        assert_eq!(expired.code(), "CURSOR_EXPIRED");
    }
    let mut anew = Copy::default();
    anew.catch_up(harness, &token, 100).await;
    assert_eq!(anew.listings, everything(harness, &token).await);
}

/// Performs random actions of owners and staff on a listed app, repeatedly.
async fn write(market: &Market, (app, slug): (&str, &str), partners: [&Person; 2], seller: &str, seed: u64) {
    let harness = &market.harness;
    let mut random = Random(seed);
    let mut owner = 0;
    for _ in 0..12 {
        let own = |operation: &str| harness.call(operation).path("app_uuid", app).token(&partners[owner].token);
        let desk = |operation: &str| harness.call(operation).path("listing_slug", slug).token(&market.staff.token);
        let answer = match random.below(7) {
            0 => own("marketplace_apps_unlist").send().await,
            1 => own("marketplace_apps_relist").send().await,
            2 => own("marketplace_apps_archive").send().await,
            3 => own("marketplace_apps_restore").send().await,
            4 => {
                let body = json!({ "reason": "Orders arrive twice." });
                desk("marketplace_submissions_suspend_listing").json(&body).send().await
            }
            5 => desk("marketplace_submissions_reinstate_listing").json(&json!({})).send().await,
            _ => {
                owner = 1 - owner;
                let body = json!({ "partner_uuid": partners[owner].partner_uuid, "reason": "It was sold." });
                let give = harness.call("admin_apps_transfer").path("app_uuid", app).token(seller);
                give.json(&body).send().await
            }
        };
        assert!([200, 409].contains(&answer.status), "{}", answer.text());
    }
}

#[tokio::test]
async fn restarted_follower_matches_storefront_despite_concurrent_writers() {
    let seed = seed();
    let market = Market::new().await;
    let harness = &market.harness;
    let token = harness.program("Shop", &["storefront"], None).await.token;
    let heir = harness.partner("Ostsee Kassen").await;
    let seller = harness.staff("Sina Support", &["labs.admin.apps:write"]).await;
    let mut apps = Vec::new();
    for number in 0..8 {
        apps.push(market.listed(&format!("Pilot {number}")).await);
    }
    let is_over = AtomicBool::new(false);
    let write = async {
        let each = apps.iter().zip(0_u64..).map(|((app, slug), number)| {
            write(&market, (app, slug), [&market.owner, &heir], &seller.token, seed ^ number)
        });
        futures_util::future::join_all(each).await;
        is_over.store(true, Ordering::Relaxed);
    };
    let follow = async {
        let mut random = Random(seed);
        let (mut kept, mut live) = (Copy::default(), Copy::default());
        while !is_over.load(Ordering::Relaxed) {
            let limit = random.below(3) + 1;
            live.take(&page(harness, &token, live.cursor.as_deref(), limit).expect(200).await);
            match random.below(20) {
                0 => live = kept.clone(),
                1..=6 => kept = live.clone(),
                7 => live = Copy::default(),
                _ => {}
            }
        }
        live
    };
    let ((), mut copy) = tokio::join!(write, follow);
    copy.catch_up(harness, &token, 3).await;
    assert_eq!(copy.listings, everything(harness, &token).await, "LABS_SEED={seed}");
}
