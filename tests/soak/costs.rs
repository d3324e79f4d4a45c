//! Tests of fairness: the effect of one account and one machine client on all others, at their maximum rate and with
//! the most expensive known parameters of every storefront and board read.

use std::time::{Duration, Instant};

use futures_util::future::{join, join_all};
use serde_json::json;
use tokio::sync::Semaphore;

use super::{count, figure, is_whole, quantile};
use crate::harness::people::{Person, Program};
use crate::harness::{Answer, Call, Harness};

/// Requests per second of a machine client without a partner, and of an account on the smallest tier.
const PROGRAM: u32 = 200;
const ACCOUNT: u32 = 5;
/// Connections of each of them.
const CONNECTIONS: usize = 100;
/// Number of feature requests on the board.
const REQUESTS: usize = 20;

/// Publishes apps, each with texts in three locales.
fn listings(number: usize) -> String {
    format!(
        "create temporary table made as
         select n, ('0198aaaa-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as app_uuid,
                ('0198dddd-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as version_uuid,
                (select partner_uuid from partner limit 1) as partner_uuid,
                timestamptz '2026-01-01' + n * interval '1 minute' as at
           from generate_series(1, {number}) as n;
         insert into app (app_uuid, partner_uuid, slug, default_locale, state, support_email, privacy_url, created_at,
                          updated_at)
         select app_uuid, partner_uuid, 'app-' || n, 'en', 'LISTED', 'help@partner.example', 'https://partner.example', at, at
           from made;
         insert into app_version (version_uuid, app_uuid, number, major, minor, patch, state, published_at, created_at)
         select version_uuid, app_uuid, '1.0.0', 1, 0, 0, 'PUBLISHED', at, at from made;
         insert into listing (app_uuid, partner_uuid, slug, version_uuid, version_number, default_locale, support_email,
                              privacy_url, published_at, first_published_at, rating_count, rating_sum)
         select app_uuid, partner_uuid, 'app-' || n, version_uuid, '1.0.0', 'en', 'help@partner.example',
                'https://partner.example', at, at, 10, 10 + n % 40
           from made;
         insert into listing_translation (app_uuid, locale, name, tagline, description)
         select app_uuid, locale, 'Number ' || n, 'For the kitchen', 'Prints orders and keeps the inventory.'
           from made cross join unnest(array['en', 'de', 'fr']) as locale;
         analyze"
    )
}

/// Returns a locale that no text has, different for each number.
fn invented(number: usize) -> String {
    let letter = |place: u32, first: u8| char::from(first + u8::try_from(number / 26_usize.pow(place) % 26).unwrap());
    [letter(0, b'a'), letter(1, b'a'), '-', letter(2, b'A'), letter(3, b'A')].iter().collect()
}

/// The most expensive storefront reads, each with new parameters.
fn of_storefront<'h>(harness: &'h Harness, token: &str, number: usize) -> Call<'h> {
    let search = || harness.call("marketplace_listings_search").token(token);
    match number % 9 {
        0 => harness
            .call("marketplace_listings_suggest")
            .token(token)
            .query("q", "kit")
            .query("locale", invented(number)),
        1 => search().query("rating_from", 1.0 + (number % 40_000) as f64 / 10_000.0),
        2 => search().query("q", "ab ".repeat(66).trim()),
        3 => search().query("sort", "name").query("limit", 100).query("locale", invented(number)),
        4 => search().query("category", format!("invented-{number}")),
        5 => search().query("partner", format!("invented-{number}")),
        6 => search().query("language", invented(number)).query("locale", invented(number)),
        7 => harness.call("marketplace_public_categories_list").token(token).query("locale", invented(number)),
        _ => search().query("sort", "-rating").query("limit", 100).query("q", "kitchen"),
    }
}

/// The most expensive board reads.
fn of_board<'h>(harness: &'h Harness, token: &str, number: usize) -> Call<'h> {
    let list = || harness.call("engagement_feature_requests_list").token(token).query("limit", 100);
    match number % 5 {
        0 => list().query("q", "ab ".repeat(33).trim()).query("sort", "-trend"),
        1 => list().query("sort", "-trend"),
        2 => list().query("voted", "false").query("followed", "false").query("sort", "-active_at"),
        3 => harness.call("engagement_roadmap_get").token(token),
        _ => harness.call("engagement_notifications_list").token(token).query("limit", 100),
    }
}

/// Sends calls at a fixed rate for this duration, and returns the responses. At most [`CONNECTIONS`] calls wait for
/// their response: the service closes further connections of a network.
async fn at_pace<'h>(per_second: u32, lasts: Duration, call: impl Fn(usize) -> Call<'h>) -> Vec<Answer> {
    let many = lasts.as_secs() * u64::from(per_second);
    let (begun, connections) = (tokio::time::Instant::now(), Semaphore::new(CONNECTIONS));
    let calls = (0..many).map(|number| {
        let at = begun + Duration::from_secs(number) / per_second;
        let call = call(usize::try_from(number).unwrap());
        let connections = &connections;
        async move {
            tokio::time::sleep_until(at).await;
            let _connection = connections.acquire().await.unwrap();
            call.send().await
        }
    });
    join_all(calls).await
}

struct Costs {
    harness: Harness,
    account: Person,
    program: Program,
    other: Person,
    shop: Program,
}

impl Costs {
    async fn new() -> Self {
        let harness = Harness::new().await;
        harness.sql("update tier set burst_per_second = 1000, daily_requests = 1000000").await;
        let account = harness.partner("Nordsee Kassen").await;
        let other = harness.partner("Elbkontor").await;
        harness.sql(&listings(count(300, 20_000))).await;
        let program = harness.program("invents", &["storefront"], None).await;
        let shop = harness.program("shop", &["storefront"], None).await;
        for number in 0..REQUESTS {
            let body = json!({ "title": format!("Wanted {number}"), "body": "We want to split a bill." });
            let call = harness.call("engagement_feature_requests_propose").token(&other.token);
            call.json(&body).expect(201).await;
        }
        Self { harness, account, program, other, shop }
    }

    /// Measures the latency of other callers, one call after the other.
    async fn others(&self, mut over: tokio::sync::oneshot::Receiver<()>) -> Vec<Duration> {
        let mut times = Vec::new();
        while over.try_recv().is_err() {
            let shop = |id| self.harness.call(id).token(&self.shop.token);
            let calls = [
                shop("marketplace_listings_get").path("listing_slug", "app-7"),
                shop("marketplace_listings_search").query("limit", 20),
                self.harness.call("system_me_get").token(&self.other.token),
                self.harness.call("engagement_feature_requests_list").token(&self.other.token),
            ];
            for call in calls {
                let begun = Instant::now();
                let answer = call.send().await;
                times.push(begun.elapsed());
                // The other callers also run at their maximum rate, so the service may reject some with 429.
                assert!(matches!(answer.status, 200 | 429), "{}: {}", answer.operation, answer.text());
            }
        }
        times
    }
}

#[tokio::test]
async fn worst_reads_at_full_allowed_rate_delay_no_other_caller() {
    let costs = Costs::new().await;
    let lasts = if is_whole() { Duration::from_secs(60) } else { Duration::from_secs(1) };
    let (over, watching) = tokio::sync::oneshot::channel();
    let spent = async {
        let harness = &costs.harness;
        let by_program = at_pace(PROGRAM, lasts, |number| of_storefront(harness, &costs.program.token, number));
        let by_account = at_pace(ACCOUNT, lasts, |number| match number % 2 {
            0 => of_board(harness, &costs.account.token, number / 2),
            _ => of_storefront(harness, &costs.account.token, number / 2),
        });
        let answers = join(by_program, by_account).await;
        let _ = over.send(());
        [answers.0, answers.1].into_iter().flatten().collect::<Vec<_>>()
    };
    let (answers, mut times) = join(spent, costs.others(watching)).await;
    for answer in &answers {
        assert!(matches!(answer.status, 200 | 429 | 503), "{}: {}", answer.operation, answer.text());
    }
    let good = answers.iter().filter(|answer| answer.status == 200).count();
    assert!(good > 0, "some are answered");
    let slowest = quantile(&mut times, 0.99);
    figure(&format!(
        "beside {} of the worst reads ({good} answered), {} other calls: p99 {slowest:?}",
        answers.len(),
        times.len()
    ));
    assert!(!is_whole() || slowest < Duration::from_millis(100), "{slowest:?}");
}
