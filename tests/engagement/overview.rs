//! Tests of the board's overview and of the pending work for staff.

use serde_json::{Value, json};

use super::board::Board;
use crate::harness::people::Person;

async fn overview(board: &Board) -> Value {
    board.harness.call("engagement_moderation_get_overview").token(&board.staff.token).expect(200).await.json
}

fn with_status(overview: &Value, status: &str) -> i64 {
    let counts = overview["by_status"].as_array().unwrap();
    let of = counts.iter().find(|count| count["status"] == status).unwrap();
    of["feature_requests"].as_i64().unwrap()
}

async fn report(board: &Board, request: &str, by: &Person) {
    let report = format!(
        "insert into board_report (report_uuid, request_uuid, reporter_uuid, partner_uuid, reason)
         values (labs_uuid(), '{request}', '{}', '{}', 'SPAM')",
        by.uuid,
        by.partner_uuid.unwrap()
    );
    board.harness.sql(&report).await;
}

#[tokio::test]
async fn board_overview_reports_counts_and_response_times() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let nothing = overview(&board).await;
    assert_eq!(
        (&nothing["waiting"], &nothing["answered_share"], &nothing["median_hours"]),
        (&json!(0), &Value::Null, &Value::Null)
    );
    let mut all = Vec::new();
    for number in 0..6 {
        all.push(board.propose(&anna, &format!("Proposal number {number}")).await);
    }
    board.vote(&bert, &all[3]).await;
    board.moderate("change_status", &all[0], Some(json!({ "status": "PLANNED" }))).await;
    board.moderate("change_status", &all[1], Some(json!({ "status": "DECLINED", "note": "No." }))).await;
    board.moderate("suspend_feature_request", &all[4], Some(json!({ "reason": "It names guests." }))).await;
    board.merge(&all[5], &all[2]).await;
    report(&board, &all[2], &bert).await;
    let answered = format!(
        "update feature_request set answered_at = created_at + interval '3 hours' where request_uuid in ('{}', '{}')",
        all[0], all[1]
    );
    board.harness.sql(&answered).await;

    let seen = overview(&board).await;
    let by_status = ["OPEN", "UNDER_REVIEW", "PLANNED", "IN_PROGRESS", "SHIPPED", "DECLINED"];
    assert_eq!(by_status.map(|status| with_status(&seen, status)), [2, 0, 1, 0, 0, 1]);
    assert_eq!((&seen["suspended"], &seen["merged"]), (&json!(1), &json!(1)));
    assert_eq!(seen["open_reports_on_feature_requests"], 1);
    assert_eq!(seen["open_reports_on_comments"], 0);
    assert_eq!((&seen["waiting"], seen["waiting_since"].is_string()), (&json!(2), true));
    assert_eq!((&seen["answered_share"], &seen["median_hours"]), (&json!(0.5), &json!(3.0)));
    let wanted: Vec<&str> =
        seen["most_wanted"].as_array().unwrap().iter().map(|one| one["uuid"].as_str().unwrap()).collect();
    assert_eq!(wanted[0], all[3], "most votes first");
    assert_eq!(wanted.len(), 2, "of those that nobody has decided on");
    let weeks = seen["weeks"].as_array().unwrap();
    assert_eq!((weeks.len(), &weeks[11]["proposed"], &weeks[10]["proposed"]), (12, &json!(6), &json!(0)));
    let old = "update feature_request set created_at = created_at - interval '7 days' where status = 'PLANNED'";
    board.harness.sql(old).await;
    let weeks = overview(&board).await["weeks"].clone();
    assert_eq!((&weeks[11]["proposed"], &weeks[10]["proposed"]), (&json!(5), &json!(1)));
}

#[tokio::test]
async fn pending_board_items_are_shown_to_responsible_staff() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let office = board.harness.staff("Office", &["labs.admin.overview", "labs.admin.engagement"]).await;
    let outsider = board.harness.staff("Other office", &["labs.admin.overview"]).await;
    let request = board.propose(&anna, "Split the bill").await;
    let attention =
        async |by: &Person| board.harness.call("admin_overview_get_attention").token(&by.token).expect(200).await.json;
    let item = |seen: &Value, kind: &str| {
        seen["data"].as_array().unwrap().iter().find(|item| item["kind"] == kind).cloned().unwrap_or_default()
    };
    report(&board, &request, &bert).await;
    board.moderate("change_status", &request, Some(json!({ "status": "DECLINED", "note": "Too dear." }))).await;
    let seen = attention(&office).await;
    assert_eq!(item(&seen, "BOARD_REPORTED")["count"], 1);
    assert!(item(&seen, "FEATURE_REQUEST_GROWING").is_null());
    for (declined, votes, is_told) in [(1, 10, false), (1, 11, true), (100, 124, false), (100, 125, true)] {
        let grown = format!("update feature_request set declined_votes = {declined}, votes = {votes}");
        board.harness.sql(&grown).await;
        let told = item(&attention(&office).await, "FEATURE_REQUEST_GROWING");
        assert_eq!(!told.is_null(), is_told, "{declined} when it was declined, {votes} now");
    }
    let left_out = attention(&outsider).await["left_out"].clone();
    let left_out: Vec<&str> = left_out.as_array().unwrap().iter().map(|kind| kind.as_str().unwrap()).collect();
    assert!(left_out.contains(&"BOARD_REPORTED") && left_out.contains(&"FEATURE_REQUEST_GROWING"));
}
