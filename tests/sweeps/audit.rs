//! Audit sweep: no response without an audit record, for every operation with a scope below `labs.admin`.

use std::time::Duration;

use futures_util::future::join_all;
use futures_util::{StreamExt as _, stream};
use labs_rest::contract::Operation;
use serde_json::json;

use super::{Cast, contents, empty_body, filled, operations};
use crate::harness::{Answer, Call, contract};

/// Number of replicas that share the calls that wait for a lock. Each call waits for the statement timeout of three
/// seconds, some twice; in sequence they would take minutes.
const REPLICAS: usize = 6;
/// Number of concurrent calls per replica, so that no call waits for a connection instead of the lock. Of its six
/// connections, one listens for notifications, the sealing job may hold another while it waits, and one is reserved for
/// the other jobs.
const AT_ONCE: usize = 3;

/// The audit log rejects every record,
pub(super) const RAISING: &str = "
    create function broken() returns trigger language plpgsql as 'begin raise exception ''no''; end';
    create trigger broken before insert on audit_log for each row execute function broken()";
/// or accepts it and rejects it at COMMIT,
pub(super) const FAILING_AT_COMMIT: &str = "
    create function broken() returns trigger language plpgsql as 'begin raise exception ''no''; end';
    create constraint trigger broken after insert on audit_log deferrable initially deferred
        for each row execute function broken()";
/// or silently loses every record,
pub(super) const SWALLOWING: &str = "
    create function broken() returns trigger language plpgsql as 'begin return null; end';
    create trigger broken before insert on audit_log for each row execute function broken()";
/// or the service has no right to write to it,
pub(super) const REVOKED: &str = "revoke insert on audit_log from labs_service";
/// or the table is missing.
pub(super) const GONE: &str = "alter table audit_log rename to audit_lost";

fn audited() -> impl Iterator<Item = &'static Operation> {
    operations().filter(|operation| operation.audited)
}

#[tokio::test]
async fn every_audited_request_creates_one_record() {
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
async fn no_response_if_audit_trigger_raises() {
    unanswered(RAISING).await;
}

#[tokio::test]
async fn no_response_if_deferred_audit_trigger_fails_at_commit() {
    unanswered(FAILING_AT_COMMIT).await;
}

#[tokio::test]
async fn no_response_if_audit_trigger_swallows_record() {
    unanswered(SWALLOWING).await;
}

#[tokio::test]
async fn no_write_if_audit_trigger_swallows_difference() {
    let cast = Cast::new().await;
    let before = contents(&cast.harness).await;
    cast.harness.sql(&SWALLOWING.replace("audit_log", "audit_change")).await;
    for write in writes(&cast) {
        is_unrecorded(&write.send().await);
    }
    assert_eq!(contents(&cast.harness).await, before, "a write without its difference changed something");
}

#[tokio::test]
async fn no_response_without_insert_privilege_on_audit_log() {
    unanswered(REVOKED).await;
}

#[tokio::test]
async fn no_response_without_audit_table() {
    unanswered(GONE).await;
}

#[tokio::test]
async fn no_response_while_audit_table_is_locked() {
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

/// Breaks the audit log in one way: no audited call succeeds, and none has an effect.
async fn unanswered(breakage: &str) {
    let cast = Cast::new().await;
    let before = contents(&cast.harness).await;
    cast.harness.sql(breakage).await;
    nothing_is_done(&cast).await;
    assert_eq!(contents(&cast.harness).await, before, "a call without a record changed something");
}

/// Asserts that every audited call is rejected with a `Retry-After` header.
pub(super) async fn nothing_is_done(cast: &Cast) {
    for operation in audited() {
        unanswered_by(cast, operation).await;
    }
    for write in writes(cast) {
        is_unrecorded(&write.send().await);
    }
}

/// Asserts that the rejected writes succeed once records can be written.
pub(super) async fn all_is_done(cast: &Cast) {
    for write in writes(cast) {
        let answer = write.send().await;
        let success = contract().operation(answer.operation).unwrap().success;
        assert_eq!(answer.status, success, "{}: {}", answer.operation, answer.text());
    }
}

/// Returns write calls that are valid apart from the missing record: no earlier check rejects them.
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
        // This write also queues mails.
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
