//! Tests of database connections: the number that requests may hold, and recovery from connections that the server
//! closes.

use futures_util::future::join_all;
use futures_util::{StreamExt as _, stream};

use serde_json::json;

use super::{Cast, start_replica};
use crate::harness::{Answer, Harness};

/// Number of connections of a service.
const CONNECTIONS: usize = 7;
/// Number of connections that read requests may use.
const FOR_READS: i64 = 3;

/// Returns tokens of three partners. The reads of one account use only half of the connections for reads.
async fn readers(cast: &Cast) -> [String; 3] {
    let [second, third] = [cast.harness.partner("Tischwerk").await, cast.harness.partner("Kassenwart").await];
    [cast.administrator.token.clone(), second.token, third.token]
}

/// SQL that counts the statements of requests that wait for a lock.
const WAITING: &str = "select count(*) from pg_stat_activity
    where datname = current_database() and application_name = 'labs' and wait_event_type = 'Lock'";

/// SQL that terminates the service's connections.
const END_ALL: &str = "select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'labs'";

/// SQL that counts connections left inside a transaction.
const LEFT_OPEN: &str = "select count(*) from pg_stat_activity where datname = current_database()
    and pid <> pg_backend_pid() and state like 'idle in transaction%'";

#[tokio::test]
async fn requests_leave_connections_for_background_work() {
    let cast = Cast::new().await;
    let tokens = readers(&cast).await;
    let held = cast.harness.lock("category", "access exclusive").await;
    let ask = |number: usize| cast.harness.call("marketplace_apps_list").token(&tokens[number % 3]).expect(200);
    let asked = join_all((0..10).map(ask));
    let meanwhile = async {
        cast.harness.until(WAITING, FOR_READS).await;
        cast.harness.call("system_readiness_get").expect(200).await;
        assert_eq!(cast.harness.number(WAITING).await, FOR_READS, "more requests hold a connection");
        held.roll_back().await;
    };
    tokio::join!(asked, meanwhile);
}

#[tokio::test]
async fn cancelled_read_keeps_its_slot_until_statement_ends() {
    let cast = Cast::new().await;
    let tokens = readers(&cast).await;
    let held = cast.harness.lock("category", "access exclusive").await;
    let reads = || join_all(tokens.iter().map(|token| cast.harness.call("marketplace_apps_list").token(token).send()));
    tokio::select! {
        answers = reads() => panic!("answered {:?}", answers.first().map(Answer::text)),
        () = cast.harness.until(WAITING, FOR_READS) => {}
    }
    let (mut later, mut most) = (std::pin::pin!(reads()), 0);
    loop {
        tokio::select! {
            _ = &mut later => break,
            waiting = cast.harness.number(WAITING) => most = most.max(waiting),
        }
    }
    assert_eq!(most, FOR_READS, "statements of reads at once");
    held.roll_back().await;
}

#[tokio::test]
async fn interrupted_commit_is_reported_as_unknown_and_can_be_retried() {
    let cast = Cast::new().await;
    cast.harness
        .sql(
            "create function wait_for_categories() returns trigger language plpgsql
                 as 'begin lock table category in access share mode; return null; end';
             create constraint trigger waits after insert on app deferrable initially deferred
                 for each row execute function wait_for_categories()",
        )
        .await;
    let held = cast.harness.lock("category", "access exclusive").await;
    let create = || {
        let call = cast.harness.call("marketplace_apps_create").token(&cast.administrator.token);
        call.header("idempotency-key", "create-1").json(&json!({ "name": "Table Pilot" })).send()
    };
    let committing = "from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query = 'commit'";
    let end = async {
        cast.harness.until(&format!("select count(*) {committing}"), 1).await;
        cast.harness.sql(&format!("select pg_terminate_backend(pid) {committing}")).await;
        held.roll_back().await;
    };
    let (unknown, ()) = tokio::join!(create(), end);
    assert_eq!((unknown.status, unknown.code()), (500, "INTERNAL"), "{}", unknown.text());
    assert!(unknown.str("detail").contains("may or may not have been made"), "{}", unknown.text());
    assert_eq!(create().await.status, 201, "it had not been done");
}

#[tokio::test]
async fn connection_closed_by_server_fails_one_request_and_is_discarded() {
    let cast = Cast::new().await;
    let tokens = readers(&cast).await;
    let ask = async |number: usize| {
        let (operation, token) = match number % 2 {
            0 => ("marketplace_apps_list", &tokens[number / 2 % 3]),
            _ => ("admin_audit_records_list", &cast.staff.token),
        };
        cast.harness.call(operation).token(token).send().await
    };
    let load = async || join_all((0..2 * CONNECTIONS).map(&ask)).await;
    let held = cast.harness.lock("category", "access exclusive").await;
    let end = async {
        cast.harness.until(WAITING, FOR_READS).await;
        cast.harness.sql(END_ALL).await;
        held.roll_back().await;
    };
    // None of them commits: if a commit is interrupted, its outcome is unknown.
    let (first, ()) = tokio::join!(join_all((0..CONNECTIONS).map(|number| ask(2 * number))), end);
    // The service detects closed idle connections when it uses them.
    let second = load().await;
    let refused: Vec<_> = first.iter().chain(&second).filter(|answer| answer.status != 200).collect();
    assert!(refused.iter().all(|answer| answer.status == 503), "{:?}", refused.first().map(|answer| answer.text()));
    assert!(refused.len() >= FOR_READS as usize, "{} statements were ended", refused.len());
    assert!(refused.len() <= CONNECTIONS, "{} answers for {CONNECTIONS} connections", refused.len());
    assert!(load().await.iter().all(|answer| answer.status == 200), "what was ended is asked again");
}

#[tokio::test]
async fn idle_connections_closed_by_server_fail_no_request() {
    let (harness, folder) = (Harness::new().await, tempfile::tempdir().unwrap());
    let replica = start_replica(&harness, "http://labs.example", folder.path()).await;
    let pool = replica.engine().pool();
    let mut held = join_all((0..4).map(|_| async { pool.acquire().await.unwrap() })).await;
    let mut numbers = Vec::new();
    for connection in &mut held {
        let number: i32 = sqlx::query_scalar("select pg_backend_pid()").fetch_one(&mut **connection).await.unwrap();
        numbers.push(number.to_string());
    }
    drop(held);
    let ours = format!("from pg_stat_activity where pid in ({})", numbers.join(", "));
    // Twice the time for which the service uses an idle connection without testing it.
    let idle = format!("select count(*) {ours} and state_change < clock_timestamp() - interval '1 second'");
    harness.until(&idle, 4).await;
    harness.sql(&format!("select pg_terminate_backend(pid) {ours}")).await;
    harness.until(&format!("select count(*) {ours}"), 0).await;
    for asked in join_all((0..8).map(|_| sqlx::query("select 1").execute(pool))).await {
        assert!(asked.is_ok(), "{asked:?}");
    }
}

#[tokio::test]
async fn consecutive_transactions_on_one_connection_are_isolated() {
    let cast = Cast::new().await;
    cast.harness.sql("update tier_feature set value = '\"unlimited\"' where feature_code = 'apps'").await;
    let app = cast.harness.call("marketplace_apps_create").token(&cast.administrator.token);
    let app = app.json(&json!({ "name": "Table Pilot" })).expect(201).await;
    let ask = async |number: usize| {
        let name = json!({ "names": { "en": format!("Category {number}") } });
        let by_staff = |operation| cast.harness.call(operation).token(&cast.staff.token);
        let by_partner = |operation| cast.harness.call(operation).token(&cast.administrator.token);
        match number % 4 {
            // The change is recorded with the audit record of the same transaction only.
            0 => by_staff("marketplace_categories_create").json(&name).expect(201).await,
            1 => {
                by_partner("marketplace_apps_create")
                    .json(&json!({ "name": format!("Guide {number}") }))
                    .expect(201)
                    .await
            }
            // A different transaction mode; all but one fail.
            2 => {
                let call = by_partner("marketplace_apps_update").path("app_uuid", app.str("uuid"));
                let call =
                    call.header("if-match", app.header("etag")).json(&json!({ "name": format!("Pilot {number}") }));
                call.send().await
            }
            _ => by_staff("admin_staff_list").expect(200).await,
        }
    };
    // More at once would wait too long for a connection on a busy machine.
    let answers: Vec<_> = stream::iter((0..80).map(ask)).buffered(16).collect().await;
    let updated: Vec<u16> = answers.iter().skip(2).step_by(4).map(|answer| answer.status).collect();
    let with = |status| updated.iter().filter(|found| **found == status).count();
    assert_eq!((with(200), with(412)), (1, updated.len() - 1), "{updated:?}");
    let recorded = "select count(*) from audit_log as r where r.operation = 'marketplace_categories_create'
        and (select array_agg(c.thing_uuid) from audit_change as c where c.record_uuid = r.record_uuid
            and c.thing = 'category') = array[r.target_uuid]";
    assert_eq!(cast.harness.number(recorded).await, 20);
    assert_eq!(
        cast.harness.number("select count(*) from audit_change where thing = 'app'").await,
        0,
        "nobody watches it"
    );
    cast.harness.until(LEFT_OPEN, 0).await;
}

#[tokio::test]
async fn statement_over_its_time_limit_is_query_timeout() {
    let cast = Cast::new().await;
    let mut transaction = cast.harness.engine.pool().begin().await.unwrap();
    sqlx::query("set local statement_timeout = 10").execute(&mut *transaction).await.unwrap();
    let ended = sqlx::query("select pg_sleep(60)").execute(&mut *transaction).await.unwrap_err();
    let fault = labs_schema::Fault::from(ended);
    assert_eq!(fault.code(), labs_schema::Code::QueryTimeout);
    assert!(fault.detail().contains("Narrow the request"), "{}", fault.detail());
}
