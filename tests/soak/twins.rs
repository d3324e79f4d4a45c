//! Tests of two replicas behind a proxy: a session never splits, and a revoked right is revoked on both.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::json;

use super::{count, figure, is_whole};
use crate::harness::{Harness, proxy};

/// Two replicas. Calls go through a proxy that alternates between them, with one connection per call.
struct Twins {
    front: Harness,
    /// Base URLs of the replicas.
    each: [String; 2],
    _other: Harness,
}

impl Twins {
    async fn new() -> Self {
        let mut front = Harness::new().await;
        let other = front.twin(&[]).await;
        let each = [front.base_url.clone(), other.base_url.clone()];
        let addresses = each.iter().map(|url| url.trim_start_matches("http://").parse().unwrap()).collect();
        front.use_address(proxy::before(addresses).await);
        front.sql("update tier set burst_per_second = 100000").await;
        Self { front, each, _other: other }
    }

    /// Returns the status of each replica for this token.
    async fn statuses(&self, token: &str) -> [u16; 2] {
        let status = |base: &String| {
            let call = self.front.http().get(format!("{base}/v1/system/me")).bearer_auth(token);
            async move { call.send().await.unwrap().status().as_u16() }
        };
        [status(&self.each[0]).await, status(&self.each[1]).await]
    }
}

#[tokio::test]
async fn concurrent_refreshes_over_two_replicas_never_fork_a_session() {
    let twins = Twins::new().await;
    let people = count(4, 67);
    for number in 0..people {
        let person = twins.front.partner(&format!("Nordsee Kassen {number}")).await;
        let mut present = person.refresh;
        // No more rounds than a user may refresh in a minute.
        for round in 0..3 {
            let calls = (0..20).map(|_| twins.front.call("auth_sessions_refresh").cookie(&present).json(&json!({})));
            let answers = join_all(calls.map(|call| call.expect(200))).await;
            let next = answers[0].cookie();
            assert_ne!(next, present);
            let is_one = answers.iter().all(|answer| answer.cookie() == next);
            assert!(is_one, "person {number}, round {round}: a second line of tokens began");
            present = next;
        }
    }
    let open = twins.front.number("select count(*) from session where ended_at is null").await;
    assert_eq!(usize::try_from(open).unwrap(), people);
    let rounds = people * 3;
    figure(&format!("{rounds} rounds of 20 refreshes at once over two replicas: no fork"));
}

#[tokio::test]
async fn suspended_partner_is_rejected_by_both_replicas_within_a_second() {
    let twins = Twins::new().await;
    let rounds = count(2, 20);
    let mut longest = Duration::ZERO;
    let person = twins.front.partner("Nordsee Kassen").await;
    for _ in 0..rounds {
        let person = twins.front.sign_in(&person.email).await;
        assert_eq!(twins.statuses(&person.token).await, [200, 200]);
        twins.front.sql("update partner set state = 'SUSPENDED'").await;
        let begun = Instant::now();
        twins
            .front
            .soon("both refuse", || async { twins.statuses(&person.token).await.iter().all(|status| *status >= 400) })
            .await;
        longest = longest.max(begun.elapsed());
        twins.front.sql("update partner set state = 'ACTIVE'").await;
        twins.front.soon("both serve again", || async { twins.statuses(&person.token).await == [200, 200] }).await;
    }
    figure(&format!("a suspended partner was refused by both replicas after {longest:?} at most, of {rounds}"));
    assert!(!is_whole() || longest <= Duration::from_secs(1), "{longest:?}");
}
