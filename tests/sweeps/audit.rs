//! No answer without a record: every operation under a scope of the operator's domain.

use std::time::Duration;

use futures_util::future::join_all;
use futures_util::{StreamExt as _, stream};
use labs_rest::contract::Operation;
use serde_json::json;

use super::{Cast, contents, empty_body, filled, operations};
use crate::harness::{Answer, Call, contract};

/// Replicas among which the calls are shared out that wait for a lock, each of them the three seconds that a statement
/// waits, some twice: one after the other they would take minutes.
const REPLICAS: usize = 6;
/// Calls that a replica has under way, so that none waits for a connection instead: of its six, one listens, the seal
/// may hold one that waits as well, and one is left to the other jobs.
const AT_ONCE: usize = 3;

/// The log refuses every record,
pub(super) const RAISING: &str = "
    create function broken() returns trigger language plpgsql as 'begin raise exception ''no''; end';
    create trigger broken before insert on audit_log for each row execute function broken()";
/// or takes it and refuses it at COMMIT,
pub(super) const FAILING_AT_COMMIT: &str = "
    create function broken() returns trigger language plpgsql as 'begin raise exception ''no''; end';
    create constraint trigger broken after insert on audit_log deferrable initially deferred
        for each row execute function broken()";
/// or loses every record without a word,
pub(super) const SWALLOWING: &str = "
    create function broken() returns trigger language plpgsql as 'begin return null; end';
    create trigger broken before insert on audit_log for each row execute function broken()";
/// or may not be written by the service,
pub(super) const REVOKED: &str = "revoke insert on audit_log from labs_service";
/// or is not there.
pub(super) const GONE: &str = "alter table audit_log rename to audit_lost";

fn audited() -> impl Iterator<Item = &'static Operation> {
    operations().filter(|operation| operation.audited)
}

#[tokio::test]
async fn every_audited_call_leaves_one_record_whatever_came_of_it() {
    let cast = Cast::new().await;
    let outsider = cast.harness.staff("Outsider", &[]).await;
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
        let refused = empty_body(operation, filled(&cast.harness, operation)).token(&outsider.token).send().await;
        assert_eq!(refused.status, 403, "{}", operation.id);
        assert_eq!(
            records(&cast, operation, refused.header("x-request-id"), "REFUSED").await,
            1,
            "{} refused",
            operation.id
        );
        let anonymous = empty_body(operation, filled(&cast.harness, operation)).send().await;
        assert_eq!(anonymous.status, 401, "{}", operation.id);
        assert_eq!(count(&cast, anonymous.header("x-request-id")).await, 0, "{} without a token", operation.id);
    }
}

#[tokio::test]
async fn nothing_is_answered_when_a_trigger_raises() {
    unanswered(RAISING).await;
}

#[tokio::test]
async fn nothing_is_answered_when_a_deferred_trigger_fails_at_commit() {
    unanswered(FAILING_AT_COMMIT).await;
}

#[tokio::test]
async fn nothing_is_answered_when_a_trigger_swallows_the_record() {
    unanswered(SWALLOWING).await;
}

#[tokio::test]
async fn nothing_is_done_when_a_trigger_swallows_the_difference() {
    let cast = Cast::new().await;
    let before = contents(&cast.harness).await;
    cast.harness.sql(&SWALLOWING.replace("audit_log", "audit_change")).await;
    for write in writes(&cast) {
        is_unrecorded(&write.send().await);
    }
    assert_eq!(contents(&cast.harness).await, before, "a write without its difference changed something");
}

#[tokio::test]
async fn nothing_is_answered_when_the_right_to_insert_is_gone() {
    unanswered(REVOKED).await;
}

#[tokio::test]
async fn nothing_is_answered_when_the_table_is_gone() {
    unanswered(GONE).await;
}

#[tokio::test]
async fn nothing_is_answered_while_the_table_is_locked() {
    let mut casts = vec![Cast::new().await];
    while casts.len() < REPLICAS {
        let twin = casts[0].twin().await;
        casts.push(twin);
    }
    let before = contents(&casts[0].harness).await;
    let held = casts[0].harness.lock("audit_log", "access exclusive").await;
    let shares = casts.iter().enumerate().map(|(number, cast)| {
        let share = stream::iter(audited().skip(number).step_by(REPLICAS));
        share.for_each_concurrent(AT_ONCE, move |operation| unanswered_by(cast, operation))
    });
    let all = async {
        join_all(shares).await;
        let calls = stream::iter(writes(&casts[0]));
        calls.for_each_concurrent(AT_ONCE, |call| async move { is_unrecorded(&call.send().await) }).await;
    };
    tokio::time::timeout(Duration::from_secs(120), all).await.unwrap();
    held.roll_back().await;
    assert_eq!(contents(&casts[0].harness).await, before, "a call without a record changed something");
    all_is_done(&casts[0]).await;
}

/// Breaks the audit log in one way: no audited call is answered, and nothing it asked for is done.
async fn unanswered(breakage: &str) {
    let cast = Cast::new().await;
    let before = contents(&cast.harness).await;
    cast.harness.sql(breakage).await;
    nothing_is_done(&cast).await;
    assert_eq!(contents(&cast.harness).await, before, "a call without a record changed something");
}

/// Every audited call is refused, and says when to come again.
pub(super) async fn nothing_is_done(cast: &Cast) {
    for operation in audited() {
        unanswered_by(cast, operation).await;
    }
    for write in writes(cast) {
        is_unrecorded(&write.send().await);
    }
}

/// What was refused without a record is done once there is one.
pub(super) async fn all_is_done(cast: &Cast) {
    for write in writes(cast) {
        let answer = write.send().await;
        let success = contract().operation(answer.operation).unwrap().success;
        assert_eq!(answer.status, success, "{}: {}", answer.operation, answer.text());
    }
}

/// Writes that nothing but a record stands in the way of: no refusal comes before it.
fn writes(cast: &Cast) -> Vec<Call<'_>> {
    let by_staff = |operation: &str| cast.harness.call(operation).token(&cast.staff.token);
    let about = |operation: &str| by_staff(operation).path("partner_uuid", cast.administrator.partner_uuid.unwrap());
    let program = json!({ "name": "Kiosk", "allowed_scopes": ["storefront"] });
    let role = json!({ "code": "AUDITORS", "name": "Auditors", "scopes": ["labs.admin.audit"] });
    let tier = json!({
        "code": "STARTER", "name": "Starter", "price": { "amount_minor": 1900, "currency": "EUR" },
        "billing_period": "MONTH", "burst_per_second": 10, "daily_requests": 20_000,
    });
    vec![
        by_staff("marketplace_categories_create").json(&json!({ "names": { "en": "Loyalty" } })),
        by_staff("admin_machine_clients_create").json(&program),
        by_staff("admin_staff_roles_create").json(&role),
        by_staff("subscription_tiers_create").json(&tier),
        about("admin_notes_create").json(&json!({ "body": "Pays late." })),
        // Mails are queued by it.
        about("admin_partners_suspend").json(&json!({ "reason": "Unpaid." })),
    ]
}

async fn unanswered_by(cast: &Cast, operation: &'static Operation) {
    is_unrecorded(&cast.admitted(operation).send().await);
}

fn is_unrecorded(answer: &Answer) {
    let who = answer.operation;
    assert_eq!((answer.status, answer.code()), (503, "AUDIT_UNAVAILABLE"), "{who}: {}", answer.text());
    assert!(answer.json.get("data").is_none(), "{who}: {}", answer.text());
    assert!(!answer.header("retry-after").is_empty(), "{who}");
}

async fn records(cast: &Cast, operation: &Operation, request_id: &str, outcome: &str) -> i64 {
    let query = format!(
        "select count(*) from audit_log where request_id = '{request_id}' and operation = '{}' and outcome = '{outcome}' and channel = 'REST'",
        operation.id
    );
    cast.harness.number(&query).await
}

async fn count(cast: &Cast, request_id: &str) -> i64 {
    cast.harness.number(&format!("select count(*) from audit_log where request_id = '{request_id}'")).await
}
