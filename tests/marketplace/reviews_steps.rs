//! Tests that a listing's rating is correct after every step: random steps of customers and moderators, each executed
//! twice at once, compared with a simple count.

use std::collections::BTreeMap;

use serde_json::json;

use super::market::column;
use super::reviews::{Desk, text};
use crate::harness::random::{Random, seed};
use crate::soak;

/// Steps in a normal test run.
const CUSTOMERS: u64 = 6;

/// The expected texts of a customer review with their stars.
#[derive(Clone, Debug, Default)]
struct Expected {
    uuid: String,
    shown: Option<(String, i64)>,
    waiting: Option<(String, i64)>,
    rejected: Option<(String, i64)>,
}

impl Expected {
    fn approve(&mut self, text: &str) {
        for place in [&mut self.waiting, &mut self.rejected] {
            if let Some(found) = place.take_if(|(uuid, _)| uuid == text) {
                self.shown = Some(found);
            }
        }
    }

    fn reject(&mut self, text: &str) {
        let mut gone = None;
        for place in [&mut self.waiting, &mut self.shown] {
            gone = place.take_if(|(uuid, _)| uuid == text).or(gone);
        }
        if self.shown.is_none() && self.waiting.is_none() && gone.is_some() {
            self.rejected = gone;
        }
    }
}

/// Returns the expected count and sum of a listing's stars.
fn counted(reviews: &BTreeMap<(usize, u64), Expected>, app: usize) -> (i64, i64) {
    let shown = reviews.iter().filter(|((of, _), _)| *of == app).filter_map(|(_, review)| review.shown.as_ref());
    shown.fold((0, 0), |(count, sum), (_, stars)| (count + 1, sum + stars))
}

/// Number of stored counts of stars, by version and by day, that differ from the customer reviews.
const MISCOUNTED: &str = "
    with by_version as (
        select app_uuid, version_number, rating, count(*) as number, max(written_at) as last_written_at
        from customer_review where state = 'PUBLISHED' group by app_uuid, version_number, rating
    ), by_day as (
        select app_uuid, (written_at at time zone 'UTC')::date as day, rating, count(*) as number
        from customer_review where state = 'PUBLISHED' group by 1, 2, 3
    ), version_kept as (
        select app_uuid, version_number, rating, number, last_written_at from customer_rating where number > 0
    ), day_kept as (
        select app_uuid, day, rating, number from customer_rating_day where number > 0
    )
    select (select count(*) from (table by_version except table version_kept) as missing)
        + (select count(*) from (table version_kept except table by_version) as wrong)
        + (select count(*) from (table by_day except table day_kept) as missing)
        + (select count(*) from (table day_kept except table by_day) as wrong)";

#[tokio::test]
async fn rating_is_exact_after_every_random_step() {
    let seed = seed();
    let mut random = Random(seed);
    let desk = Desk::new().await;
    let slugs = [desk.slug.clone(), desk.market.listed("Till Pilot").await.1];
    let mut reviews: BTreeMap<(usize, u64), Expected> = BTreeMap::new();
    for step in 0..soak::count(150, 500) {
        let app = usize::try_from(random.below(2)).unwrap();
        let customer = random.below(CUSTOMERS);
        let told = format!("LABS_SEED={seed}, step {step}, app {app}, customer {customer}");
        let review = reviews.entry((app, customer)).or_default();
        let choice = random.below(10);
        let texts: Vec<String> = [&review.shown, &review.waiting, &review.rejected]
            .into_iter()
            .filter_map(|place| place.as_ref().map(|(uuid, _)| uuid.clone()))
            .collect();
        if choice < 4 || texts.is_empty() {
            let stars = i64::try_from(random.below(5)).unwrap() + 1;
            let (name, words) = (format!("venue-{customer}"), format!("Step {step}."));
            let submit = || desk.submit_to(&slugs[app], &name, stars, &words);
            let (one, _) = tokio::join!(submit(), submit());
            assert!(matches!(one.status, 200 | 201), "{told}: {}", one.text());
            review.uuid = one.str("uuid").to_owned();
            (review.waiting, review.rejected) = (Some((text(&one, "waiting"), stars)), None);
        } else {
            let named = &texts[usize::try_from(random.below(texts.len() as u64)).unwrap()];
            match choice {
                4..7 => {
                    let (one, other) =
                        tokio::join!(desk.approve(&review.uuid, named), desk.approve(&review.uuid, named));
                    assert!(one.status == 200 && other.status == 200, "{told}: {} {}", one.text(), other.text());
                    review.approve(named);
                }
                7..9 => {
                    let reject = || desk.reject(&review.uuid, named, "SPAM");
                    let (one, other) = tokio::join!(reject(), reject());
                    assert!([one.status, other.status].contains(&200), "{told}: {} {}", one.text(), other.text());
                    review.reject(named);
                }
                _ => {
                    assert_eq!(desk.reject(&review.uuid, named, "CUSTOMER_REQUEST").await.status, 200, "{told}");
                    *review = Expected::default();
                }
            }
        }
        let expected = counted(&reviews, app);
        let listing = format!("from listing where slug = '{}'", slugs[app]);
        let count = desk.market.harness.number(&format!("select rating_count::bigint {listing}")).await;
        let sum = desk.market.harness.number(&format!("select rating_sum {listing}")).await;
        assert_eq!((count, sum), expected, "{told}");
        assert_eq!(desk.market.harness.number(MISCOUNTED).await, 0, "{told}");
    }
}

#[tokio::test]
async fn single_five_star_customer_review_does_not_rank_first() {
    let desk = Desk::new().await;
    desk.shown("venue-1", 5, "Good.").await;
    let (_, many) = desk.market.listed("Till Pilot").await;
    let (_, none) = desk.market.listed("Shift Pilot").await;
    for (place, rating) in [5, 5, 5, 4].into_iter().enumerate() {
        let handed = desk.submit_to(&many, &format!("venue-{place}"), rating, "Good.").await;
        desk.approve(handed.str("uuid"), &text(&handed, "waiting")).await;
    }
    let search = desk.market.harness.call("marketplace_listings_search").token(&desk.storefront);
    let found = search.query("sort", "-rating").expect(200).await;
    assert_eq!(column(&found, "slug"), [many.as_str(), desk.slug.as_str(), none.as_str()]);
    assert_eq!(found.json["data"][0]["rating"], json!({ "average": 4.75, "count": 4 }), "the plain mean is shown");
}
