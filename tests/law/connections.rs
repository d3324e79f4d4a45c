//! Connections to the database: how many requests may hold, and what becomes of those that the server ends.

use futures_util::future::join_all;
use sqlx::Connection as _;

use super::Cast;

/// Connections of a house's service.
const CONNECTIONS: usize = 6;
/// How many of them requests may read on.
const FOR_READS: i64 = 3;

/// How many statements of requests wait for a lock.
const WAITING: &str = "select count(*) from pg_stat_activity
    where datname = current_database() and application_name = 'labs' and wait_event_type = 'Lock'";

#[tokio::test]
async fn requests_leave_connections_to_what_else_the_service_does() {
    let cast = Cast::new().await;
    let mut owner = cast.house.owner().await;
    let mut holding = owner.begin().await.unwrap();
    sqlx::raw_sql("lock table category in access exclusive mode").execute(&mut *holding).await.unwrap();
    let ask = || cast.house.call("marketplace_apps_list").token(&cast.administrator.token).expect(200);
    let asked = join_all((0..10).map(|_| ask()));
    let meanwhile = async {
        cast.house.until(WAITING, FOR_READS).await;
        cast.house.call("system_readiness_get").expect(200).await;
        assert_eq!(cast.house.number(WAITING).await, FOR_READS, "more requests hold a connection");
        holding.rollback().await.unwrap();
    };
    tokio::join!(asked, meanwhile);
}

#[tokio::test]
async fn a_connection_that_the_server_ends_costs_one_answer_and_is_given_to_nobody() {
    let cast = Cast::new().await;
    let ask = async |number: usize| {
        let (operation, token) = match number % 2 {
            0 => ("marketplace_apps_list", &cast.administrator.token),
            _ => ("admin_audit_records_list", &cast.staff.token),
        };
        cast.house.call(operation).token(token).send().await
    };
    let load = async || join_all((0..60).map(&ask)).await;
    let end = async {
        cast.house
            .sql(
                "select pg_terminate_backend(pid) from pg_stat_activity
                  where datname = current_database() and application_name = 'labs'",
            )
            .await;
    };
    let (first, ()) = tokio::join!(load(), end);
    // Those that nothing ran on meanwhile are found out when they are used.
    let second = load().await;
    let refused: Vec<_> = first.iter().chain(&second).filter(|answer| answer.status != 200).collect();
    assert!(refused.iter().all(|answer| answer.status == 503), "{:?}", refused.first().map(|answer| answer.text()));
    assert!(refused.len() <= CONNECTIONS, "{} answers for {CONNECTIONS} connections", refused.len());
    assert!(load().await.iter().all(|answer| answer.status == 200), "what was ended is asked again");
}
