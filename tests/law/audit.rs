//! No answer without a record: every operation under a scope of the operator's domain.

use std::time::Duration;

use futures_util::future::join_all;
use futures_util::{StreamExt as _, stream};
use labs_rest::contract::Operation;
use sqlx::Connection as _;

use super::{Cast, contents, empty_body, filled, operations};

/// Replicas among which the calls are shared out that wait for a lock, each of them the three seconds that a statement
/// waits, some twice: one after the other they would take minutes.
const REPLICAS: usize = 6;
/// Calls that a replica has under way, so that none waits for a connection instead: of its six, one listens, the seal
/// may hold one that waits as well, and one is left to the other jobs.
const AT_ONCE: usize = 3;

fn audited() -> impl Iterator<Item = &'static Operation> {
    operations().filter(|operation| operation.audited)
}

#[tokio::test]
async fn every_audited_call_leaves_one_record_whatever_came_of_it() {
    let cast = Cast::new().await;
    let outsider = cast.house.staff("Outsider", &["labs.admin.engagement"]).await;
    for operation in audited() {
        let answer = cast.admitted(operation).send().await;
        let expected = if answer.status < 400 { "SUCCEEDED" } else { "REFUSED" };
        assert_eq!(
            records(&cast, operation, answer.header("x-request-id"), expected).await,
            1,
            "{} answered {}",
            operation.id,
            answer.status
        );
        let refused = empty_body(operation, filled(&cast.house, operation)).token(&outsider.token).send().await;
        assert_eq!(refused.status, 403, "{}", operation.id);
        assert_eq!(
            records(&cast, operation, refused.header("x-request-id"), "REFUSED").await,
            1,
            "{} refused",
            operation.id
        );
        let anonymous = empty_body(operation, filled(&cast.house, operation)).send().await;
        assert_eq!(anonymous.status, 401, "{}", operation.id);
        assert_eq!(count(&cast, anonymous.header("x-request-id")).await, 0, "{} without a token", operation.id);
    }
}

#[tokio::test]
async fn nothing_is_answered_when_a_trigger_raises() {
    unanswered(
        "create function broken() returns trigger language plpgsql as 'begin raise exception ''no''; end';
         create trigger broken before insert on audit_log for each row execute function broken()",
    )
    .await;
}

#[tokio::test]
async fn nothing_is_answered_when_a_deferred_trigger_fails_at_commit() {
    unanswered(
        "create function broken() returns trigger language plpgsql as 'begin raise exception ''no''; end';
         create constraint trigger broken after insert on audit_log deferrable initially deferred for each row execute function broken()",
    )
    .await;
}

#[tokio::test]
async fn nothing_is_answered_when_the_right_to_insert_is_gone() {
    unanswered("revoke insert on audit_log from labs_service").await;
}

#[tokio::test]
async fn nothing_is_answered_when_the_table_is_gone() {
    unanswered("alter table audit_log rename to audit_lost").await;
}

#[tokio::test]
async fn nothing_is_answered_while_the_table_is_locked() {
    let mut casts = vec![Cast::new().await];
    while casts.len() < REPLICAS {
        let twin = casts[0].twin().await;
        casts.push(twin);
    }
    let before = contents(&casts[0].house).await;
    let mut owner = casts[0].house.owner().await;
    let mut holding = owner.begin().await.unwrap();
    sqlx::raw_sql("lock table audit_log in access exclusive mode").execute(&mut *holding).await.unwrap();
    let shares = casts.iter().enumerate().map(|(number, cast)| {
        let share = stream::iter(audited().skip(number).step_by(REPLICAS));
        share.for_each_concurrent(AT_ONCE, move |operation| unanswered_by(cast, operation))
    });
    tokio::time::timeout(Duration::from_secs(90), join_all(shares)).await.unwrap();
    holding.rollback().await.unwrap();
    assert_eq!(contents(&casts[0].house).await, before, "a call without a record changed something");
    let first = audited().next().unwrap();
    assert_ne!(casts[0].admitted(first).send().await.status, 503, "and again when the lock is gone");
}

/// Breaks the audit log in one way: no audited call is answered, and nothing it asked for is done.
async fn unanswered(breakage: &str) {
    let cast = Cast::new().await;
    let before = contents(&cast.house).await;
    cast.house.sql(breakage).await;
    nothing_is_done(&cast).await;
    assert_eq!(contents(&cast.house).await, before, "a call without a record changed something");
}

/// Every audited call is refused, and says when to come again.
pub(super) async fn nothing_is_done(cast: &Cast) {
    for operation in audited() {
        unanswered_by(cast, operation).await;
    }
    let body = serde_json::json!({ "names": { "en": "Loyalty" } });
    let create = cast.house.call("marketplace_categories_create").token(&cast.staff.token).json(&body).send().await;
    assert_eq!((create.status, create.code()), (503, "AUDIT_UNAVAILABLE"));
    let list = cast.house.call("marketplace_categories_list").token(&cast.staff.token).send().await;
    assert_eq!((list.status, list.code()), (503, "AUDIT_UNAVAILABLE"));
}

async fn unanswered_by(cast: &Cast, operation: &'static Operation) {
    let answer = cast.admitted(operation).send().await;
    assert_eq!((answer.status, answer.code()), (503, "AUDIT_UNAVAILABLE"), "{}: {}", operation.id, answer.text());
    assert!(answer.json.get("data").is_none(), "{}", answer.text());
    assert!(!answer.header("retry-after").is_empty(), "{}", operation.id);
}

async fn records(cast: &Cast, operation: &Operation, request_id: &str, outcome: &str) -> i64 {
    let query = format!(
        "select count(*) from audit_log where request_id = '{request_id}' and operation = '{}' and outcome = '{outcome}' and channel = 'REST'",
        operation.id
    );
    cast.house.number(&query).await
}

async fn count(cast: &Cast, request_id: &str) -> i64 {
    cast.house.number(&format!("select count(*) from audit_log where request_id = '{request_id}'")).await
}
