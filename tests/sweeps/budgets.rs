//! Budget sweep: requests per second, requests per day and attempts per minute. A caller that exceeds a budget gets a
//! `Retry-After` header, and is admitted again later. Seconds and minutes use the machine's clock, days the service's
//! clock.

use std::ops::RangeInclusive;
use std::time::Instant;

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

use super::headers::lacking;
use super::{empty_body, filled, operations};
use crate::harness::{Answer, Harness, contract};
use crate::partner::team::colleague;

/// Operations with a separate budget for each network (docs/decisions/edge.md#attempts).
const DOORS: &[&str] = &[
    "auth_account_confirm_email",
    "auth_invitations_accept",
    "auth_invitations_decline",
    "auth_invitations_inspect",
    "auth_passwords_confirm_reset",
    "auth_passwords_request_reset",
    "auth_registrations_create",
    "auth_registrations_resend_verification",
    "auth_registrations_verify_email",
    "auth_sessions_create",
    "auth_sessions_refresh",
    "auth_sessions_verify_mfa",
    "auth_tokens_issue",
];

/// A service behind a local proxy that sends the clients' addresses, with these network budgets.
async fn behind_a_proxy(per_second: &str, per_day: &str, attempts_per_minute: &str) -> Harness {
    let budgets = ["--anonymous-per-second", per_second, "--anonymous-per-day", per_day];
    let doors = ["--attempts-per-minute", attempts_per_minute, "--trusted-proxies", "127.0.0.0/8"];
    Harness::with(&[budgets, doors].concat()).await
}

/// An unused budget: its capacity and its refill rate per second.
struct Bucket {
    holds: usize,
    each_second: usize,
}

impl Bucket {
    fn full(holds: usize, each_second: usize) -> Self {
        Self { holds, each_second }
    }

    /// Sends all calls at once. Asserts that as many succeed as the capacity and the refill allow, and returns the
    /// rejected ones.
    async fn emptied<T>(
        &self,
        calls: impl Iterator<Item = impl Future<Output = T>>,
        status: impl Fn(&T) -> u16,
    ) -> Vec<T> {
        let begun = Instant::now();
        let answers = join_all(calls).await;
        let most = self.holds + (begun.elapsed().as_secs_f64() * self.each_second as f64) as usize;
        let (refused, let_in): (Vec<T>, Vec<T>) = answers.into_iter().partition(|answer| status(answer) == 429);
        assert!((self.holds..=most).contains(&let_in.len()), "{}, not {} to {most}", let_in.len(), self.holds);
        assert!(!refused.is_empty(), "all were let in");
        refused
    }
}

/// Asserts that a rejected response names the exceeded budget and the time until a retry.
fn assert_limited(refused: &Answer, budget: &str, seconds: RangeInclusive<u64>) {
    assert_eq!((refused.status, refused.code()), (429, "RATE_LIMITED"), "{}", refused.text());
    let wait: u64 = refused.header("retry-after").parse().unwrap();
    assert!(seconds.contains(&wait), "{wait} s, not {seconds:?}");
    assert_eq!((&refused.json["budget"], &refused.json["retry_after"]), (&json!(budget), &json!(wait)));
}

#[tokio::test]
async fn users_and_clients_of_partner_share_burst_budget() {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 3").await;
    let owner = harness.partner("Nordsee Kassen").await;
    let other = harness.partner("Elbkontor").await;
    let till = harness.program("till", &["partner"], owner.partner_uuid).await;
    let storefront = harness.program("storefront", &["storefront"], None).await;
    let chief = harness.staff("Chief", &["labs.admin"]).await;
    // A new replica has not admitted any caller yet.
    let fresh = harness.twin(&[]).await;
    let me = |token: &str| fresh.call("system_me_get").token(token);
    let calls = [&owner.token, &till.token].into_iter().cycle().take(24).map(|token| me(token).send());
    for refused in Bucket::full(3, 3).emptied(calls, |answer| answer.status).await {
        assert_limited(&refused, "burst", 1..=1);
        assert_eq!((refused.header("x-ratelimit-limit"), refused.header("x-ratelimit-remaining")), ("3", "0"));
        assert_eq!(refused.header("x-ratelimit-reset"), "1");
    }
    for token in [&other.token, &storefront.token, &chief.token] {
        me(token).expect(200).await;
    }
    for token in [&owner.token, &till.token] {
        fresh.soon("they are let in again", async || me(token).send().await.status == 200).await;
    }
}

#[tokio::test]
async fn unattributed_operations_use_separate_limit_of_user() {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 4").await;
    let owner = harness.partner("Nordsee Kassen").await;
    let cleo = colleague(&harness, &owner, "Cleo", "DEVELOPER").await;
    let till = harness.program("till", &["partner"], owner.partner_uuid).await;
    // A new replica has not admitted any caller yet.
    let fresh = harness.twin(&[]).await;
    let unattributed: Vec<_> = operations().filter(|operation| operation.unattributed).collect();
    assert!(unattributed.len() >= 5, "votes, withdrawals, follows, their ends, and what was read");
    let call = |by: &str, operation| empty_body(operation, filled(&fresh, operation)).token(by);
    let calls = unattributed.iter().copied().cycle().take(20).map(|operation| call(&owner.token, operation).send());
    let refused = Bucket::full(4, 4).emptied(calls, |answer| answer.status).await;
    for refused in &refused {
        assert_limited(refused, "burst", 1..=1);
        let told = (refused.header("x-ratelimit-limit"), refused.header("x-ratelimit-remaining"));
        assert_eq!(told, ("4", "4"), "what the partner shares is whole");
    }
    // The service rejects the machine client's calls and does not count them against a budget that other callers see.
    for operation in unattributed.iter().copied() {
        assert_ne!(call(&till.token, operation).send().await.status, 200);
    }
    assert_ne!(call(&cleo.token, unattributed[0]).send().await.status, 429, "a limit of each person");
    let tokens = [&cleo.token, &till.token, &owner.token, &cleo.token];
    let mut left: Vec<u64> = Vec::new();
    for answer in join_all(tokens.map(|token| fresh.call("system_me_get").token(token).send())).await {
        assert_eq!(answer.status, 200, "the second's budget is whole: {}", answer.text());
        left.push(answer.header("x-ratelimit-daily-remaining").parse().unwrap());
    }
    left.sort_unstable();
    let most = left[3];
    assert_eq!(left, [most - 3, most - 2, most - 1, most]);
    let spent = "select coalesce(sum(refusals), 0)::bigint from rate_limit_refusal";
    fresh.engine.services().usage.flush(fresh.engine.pool()).await.unwrap();
    assert_eq!(harness.number(spent).await, 0, "nor does a ledger tell of the refusals");
}

#[tokio::test]
async fn rejected_token_at_unattributed_operation_costs_network_nothing() {
    let harness = behind_a_proxy("100000", "1000", "100000").await;
    let tiers = || harness.call("subscription_public_tiers_list").header("x-forwarded-for", "203.0.113.7");
    let left = async || tiers().expect(200).await.header("x-ratelimit-daily-remaining").parse::<u64>().unwrap();
    let before = left().await;
    for operation in operations().filter(|operation| operation.unattributed) {
        let call = empty_body(operation, filled(&harness, operation)).header("x-forwarded-for", "203.0.113.7");
        let refused = call.token("no-token").send().await;
        assert_eq!((refused.status, refused.header("x-ratelimit-remaining")), (401, "100000"), "{}", operation.id);
    }
    assert_eq!(left().await, before - 1, "its own request alone");
}

#[tokio::test]
async fn network_without_token_has_burst_limit() {
    let harness = behind_a_proxy("3", "10000000", "100000").await;
    let tiers = |from: &str| harness.call("subscription_public_tiers_list").header("x-forwarded-for", from);
    let calls = (0..24).map(|_| tiers("203.0.113.7").send());
    for refused in Bucket::full(3, 3).emptied(calls, |answer| answer.status).await {
        assert_limited(&refused, "burst", 1..=1);
        assert_eq!((refused.header("x-ratelimit-limit"), refused.header("x-ratelimit-remaining")), ("3", "0"));
    }
    tiers("203.0.113.8").expect(200).await;
    let is_let_in = async || tiers("203.0.113.7").send().await.status == 200;
    harness.soon("the network is let in again", is_let_in).await;
}

#[tokio::test]
async fn anonymous_requests_of_one_network_share_one_budget() {
    let harness = behind_a_proxy("3", "10000000", "100000").await;
    let asked = [
        (Method::GET, "/v1/subscription/public/tiers"),
        (Method::GET, "/v1/system/me"),
        (Method::GET, "/v1/nothing"),
        (Method::DELETE, "/v1/system/health"),
        (Method::OPTIONS, "/v1/system/health"),
        (Method::POST, "/v1/auth/sessions"),
        (Method::GET, "/reference/nothing.js"),
        (Method::PUT, "/reference"),
        (Method::POST, "/playground/graphql"),
    ];
    let calls = asked.iter().cycle().take(36).enumerate().map(|(number, (method, path))| {
        let request = harness.http().request(method.clone(), format!("{}{path}", harness.base_url));
        request.header("x-forwarded-for", format!("2001:db8:1:2::{number:x}")).send()
    });
    for refused in Bucket::full(3, 3).emptied(calls, |answer| answer.as_ref().unwrap().status().as_u16()).await {
        let refused = refused.unwrap();
        let (place, lacking) = (refused.url().path().to_owned(), lacking(refused.headers()));
        assert!(lacking.is_empty(), "{place} lacks {lacking:?}");
        assert_eq!(refused.headers()["retry-after"], "1", "{place}");
        let told: Value = refused.json().await.unwrap();
        let problem = told.pointer("/errors/0/extensions").unwrap_or(&told);
        assert_eq!((&problem["code"], &problem["budget"]), (&json!("RATE_LIMITED"), &json!("burst")), "{place}");
    }
    let neighbour = harness.call("subscription_public_tiers_list").header("x-forwarded-for", "2001:db8:1:3::1");
    neighbour.expect(200).await;
}

#[tokio::test]
async fn network_daily_budget_excludes_sign_in_and_probes() {
    let harness = behind_a_proxy("100000", "3", "100000").await;
    // Sets the clock to noon, so that the day does not change during the test.
    harness.advance(86_400 + 43_200 - harness.clock.now().unix().rem_euclid(86_400)).await;
    let tiers = |from: &str| harness.call("subscription_public_tiers_list").header("x-forwarded-for", from);
    for left in ["2", "1", "0"] {
        let answer = tiers("203.0.113.7").expect(200).await;
        let told = (answer.header("x-ratelimit-daily-limit"), answer.header("x-ratelimit-daily-remaining"));
        assert_eq!(told, ("3", left));
    }
    let spent = tiers("203.0.113.7").expect(429).await;
    assert_limited(&spent, "daily", 43_000..=43_200);
    assert_eq!(spent.header("x-ratelimit-daily-reset"), spent.header("retry-after"));
    assert_eq!(spent.header("x-ratelimit-daily-remaining"), "0");
    tiers("203.0.113.8").expect(200).await;
    for door in DOORS {
        let operation = contract().operation(door).unwrap();
        let tried = empty_body(operation, filled(&harness, operation)).header("x-forwarded-for", "203.0.113.7");
        assert_ne!(tried.send().await.status, 429, "{door}");
    }
    for probe in ["system_health_get", "system_readiness_get"] {
        harness.call(probe).header("x-forwarded-for", "203.0.113.7").expect(200).await;
    }
    harness.advance(43_200).await;
    tiers("203.0.113.7").expect(200).await;
}

#[tokio::test]
async fn sign_in_operations_limit_attempts_per_network_and_minute() {
    let harness = behind_a_proxy("100000", "10000000", "2").await;
    for door in DOORS {
        let operation = contract().operation(door).unwrap();
        let call = || empty_body(operation, filled(&harness, operation));
        let tried = |from: &str| call().header("x-forwarded-for", from).send();
        for from in ["2001:db8:1:2::1", "2001:db8:1:2::2"] {
            assert_ne!(tried(from).await.status, 429, "{door}");
        }
        assert_limited(&tried("2001:db8:1:2::3").await, "burst", 1..=30);
        assert_ne!(tried("2001:db8:1:3::1").await.status, 429, "another household at {door}");
    }
}

#[tokio::test]
async fn sign_in_works_again_after_rate_limit_wait() {
    let harness = behind_a_proxy("100000", "10000000", "60").await;
    let tried = || harness.call("auth_sessions_create").json(&json!({})).send();
    let calls = (0..90).map(|_| tried());
    for refused in Bucket::full(60, 1).emptied(calls, |answer| answer.status).await {
        assert_limited(&refused, "burst", 1..=1);
    }
    harness.soon("the door opens again", async || tried().await.status == 422).await;
}
