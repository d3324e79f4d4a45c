//! Tests of notifications: their recipients, reasons and read marks.

use serde_json::{Value, json};

use super::board::{Board, ids};
use crate::harness::Answer;
use crate::harness::people::Person;

async fn news(board: &Board, by: &Person, filter: &[(&str, &str)]) -> Answer {
    let call = board.harness.call("engagement_notifications_list").token(&by.token);
    filter.iter().fold(call, |call, (name, value)| call.query(name, value)).expect(200).await
}

/// Returns each notification: event, feature request and reasons.
async fn notifications_of(board: &Board, by: &Person) -> Vec<(String, String, Vec<String>)> {
    let page = news(board, by, &[]).await;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let because = |one: &Value| one["because"].as_array().unwrap().iter().map(text).collect();
    let rows = page.json["data"].as_array().unwrap().iter();
    rows.map(|one| (text(&one["kind"]), text(&one["feature_request"]["title"]), because(one))).collect()
}

fn one(kind: &str, title: &str, because: &[&str]) -> (String, String, Vec<String>) {
    (kind.to_owned(), title.to_owned(), because.iter().map(|reason| (*reason).to_owned()).collect())
}

async fn mark(board: &Board, by: &Person, body: Value) -> i64 {
    let call = board.harness.call("engagement_notifications_mark_read").token(&by.token);
    call.json(&body).expect(200).await.json["unread"].as_i64().unwrap()
}

async fn plan(board: &Board, request: &str) {
    let body = json!({ "status": "PLANNED", "note": "We begin with equal parts." });
    assert_eq!(board.moderate("change_status", request, Some(body)).await.status, 200);
}

async fn follow(board: &Board, by: &Person, request: &str) {
    board.call(by, "engagement_feature_requests_follow", request).expect(200).await;
}

/// Inserts an answer by staff below a feature request.
async fn answer(board: &Board, request: &str, text: &str) {
    let written = format!(
        "with made as (insert into feature_comment (comment_uuid, request_uuid, is_answer, body)
                       values (labs_uuid(), '{request}', true, '{text}') returning comment_uuid)
         insert into feature_event (event_uuid, request_uuid, kind, comment_uuid)
         select labs_uuid(), '{request}', 'ANSWER', comment_uuid from made"
    );
    board.harness.sql(&written).await;
}

#[tokio::test]
async fn only_proposer_voters_and_followers_are_notified() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let (cleo, dora) = (board.partner("Cafe Central").await, board.partner("Dorfkrug").await);
    let split = board.propose(&anna, "Split the bill").await;
    board.vote(&bert, &split).await;
    follow(&board, &bert, &split).await;
    follow(&board, &cleo, &split).await;
    plan(&board, &split).await;
    answer(&board, &split, "**Equal** parts come [first](https://labs.example).").await;

    let both =
        |because: &[&str]| vec![one("ANSWER", "Split the bill", because), one("STATUS", "Split the bill", because)];
    assert_eq!(notifications_of(&board, &anna).await, both(&["PROPOSED", "VOTED"]));
    assert_eq!(notifications_of(&board, &bert).await, both(&["FOLLOWED", "VOTED"]), "each once, for both reasons");
    assert_eq!(notifications_of(&board, &cleo).await, both(&["FOLLOWED"]));
    assert!(notifications_of(&board, &dora).await.is_empty());
    let page = news(&board, &bert, &[]).await;
    let (answered, planned) = (&page.json["data"][0], &page.json["data"][1]);
    assert_eq!((&planned["from_status"], &planned["to_status"]), (&json!("OPEN"), &json!("PLANNED")));
    assert_eq!(planned["note"], "We begin with equal parts.");
    assert_eq!(answered["excerpt"], "Equal parts come first.");
    assert!(answered["comment_uuid"].is_string() && !page.text().contains("Bo Board"));
    let others = ids(&news(&board, &cleo, &[]).await);
    assert!(ids(&page).iter().all(|id| !others.contains(id)), "ids are made for each person");
    assert_eq!(ids(&page), ids(&news(&board, &bert, &[]).await), "and are always the same");

    board.withdraw(&bert, &split).await;
    board.call(&bert, "engagement_feature_requests_unfollow", &split).expect(200).await;
    assert!(notifications_of(&board, &bert).await.is_empty(), "whoever is no longer concerned hears no more");
    let program = board.harness.program("reader", &["engagement.feature-requests"], anna.partner_uuid).await;
    let refused = board.harness.call("engagement_notifications_list").token(&program.token).expect(403).await;
    assert_eq!(refused.code(), "PERSON_REQUIRED");
}

#[tokio::test]
async fn voter_gets_no_notifications_from_before_vote_or_last_year() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let split = board.propose(&anna, "Split the bill").await;
    plan(&board, &split).await;
    board.vote(&bert, &split).await;
    assert_eq!(notifications_of(&board, &bert).await.len(), 1, "on the day itself it is told");
    board.harness.sql("update feature_event set occurred_at = occurred_at - interval '1 day'").await;
    assert!(notifications_of(&board, &bert).await.is_empty());
    assert_eq!(notifications_of(&board, &anna).await.len(), 1, "who proposed it hears all");
    board.harness.sql("update feature_event set occurred_at = occurred_at - interval '366 days'").await;
    assert!(notifications_of(&board, &anna).await.is_empty());
}

#[tokio::test]
async fn merge_notifies_both_audiences_and_later_target_events() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let (cleo, dora) = (board.partner("Cafe Central").await, board.partner("Dorfkrug").await);
    let (source, target) = (board.propose(&anna, "Pay apart").await, board.propose(&bert, "Split the bill").await);
    board.vote(&cleo, &source).await;
    follow(&board, &dora, &target).await;
    plan(&board, &target).await;
    assert!(notifications_of(&board, &cleo).await.is_empty(), "the target is none of theirs yet");
    assert_eq!(board.merge(&source, &target).await.status, 200);
    let merge = |because: &[&str]| one("MERGE", "Pay apart", because);
    assert_eq!(notifications_of(&board, &anna).await, [merge(&["PROPOSED", "VOTED"])]);
    assert_eq!(notifications_of(&board, &cleo).await, [merge(&["VOTED"])]);
    assert_eq!(notifications_of(&board, &dora).await[0], merge(&["FOLLOWED"]), "told to all of both");
    let seen = news(&board, &cleo, &[]).await;
    assert_eq!(seen.json["data"][0]["other_feature_request"]["title"], "Split the bill");

    answer(&board, &target, "It comes in May.").await;
    let third = board.propose(&dora, "One bill, many guests").await;
    assert_eq!(board.merge(&third, &target).await.status, 200);
    let expected = [
        one("MERGE", "One bill, many guests", &["VOTED"]),
        one("ANSWER", "Split the bill", &["VOTED"]),
        merge(&["VOTED"]),
    ];
    assert_eq!(notifications_of(&board, &cleo).await, expected);

    assert_eq!(board.moderate("unmerge", &source, None).await.status, 200);
    answer(&board, &target, "It comes in June.").await;
    let expected = [one("UNMERGE", "Pay apart", &["VOTED"]), merge(&["VOTED"])];
    assert_eq!(notifications_of(&board, &cleo).await, expected, "apart again, the target is none of theirs");
}

#[tokio::test]
async fn suspended_board_items_cause_no_notifications() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let (source, target) = (board.propose(&anna, "Pay apart").await, board.propose(&bert, "Split the bill").await);
    answer(&board, &target, "Equal parts come first.").await;
    board.harness.sql("update feature_comment set suspended_at = labs_now(), suspension_reason = 'A slip.'").await;
    assert!(notifications_of(&board, &bert).await.is_empty());
    board.merge(&source, &target).await;
    let reason = || Some(json!({ "reason": "It names guests." }));
    for gone in [&source, &target] {
        assert_eq!((notifications_of(&board, &anna).await.len(), notifications_of(&board, &bert).await.len()), (1, 1));
        assert_eq!(board.moderate("suspend_feature_request", gone, reason()).await.status, 200);
        assert_eq!((notifications_of(&board, &anna).await.len(), notifications_of(&board, &bert).await.len()), (0, 0));
        assert_eq!(board.moderate("reinstate_feature_request", gone, None).await.status, 200);
    }
}

#[tokio::test]
async fn read_state_is_kept_without_revealing_items() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    for number in 0..3 {
        let request = board.propose(&anna, &format!("Proposal number {number}")).await;
        plan(&board, &request).await;
        if number == 0 {
            board.vote(&bert, &request).await;
        }
    }
    let all = ids(&news(&board, &anna, &[]).await);
    let unread = async |by: &Person| {
        let found = news(&board, by, &[("unread", "true")]).await;
        assert_eq!(found.json["unread"], ids(&found).len(), "{}", found.text());
        assert_eq!(news(&board, by, &[("limit", "1")]).await.json["unread"], found.json["unread"]);
        ids(&found)
    };
    assert_eq!(unread(&anna).await, all);
    let foreign = ids(&news(&board, &bert, &[]).await);
    assert_eq!(mark(&board, &anna, json!({ "notification_uuids": foreign })).await, 3, "another's id says nothing");
    for _ in 0..2 {
        assert_eq!(mark(&board, &anna, json!({ "notification_uuids": [all[1]] })).await, 2);
        assert_eq!(unread(&anna).await, [all[0].clone(), all[2].clone()]);
    }
    assert_eq!(ids(&news(&board, &anna, &[("unread", "false")]).await), [all[1].clone()]);
    assert_eq!(unread(&bert).await.len(), 1, "everybody reads for themselves");
    assert_eq!((mark(&board, &anna, json!({ "all": true })).await, unread(&anna).await.len()), (0, 0));
    let later = board.propose(&anna, "One more").await;
    plan(&board, &later).await;
    assert_eq!(unread(&anna).await.len(), 1);

    mark(&board, &bert, json!({ "all": true })).await;
    assert_eq!(board.harness.number("select count(*) from board_read").await, 2);
    let lengths = "select count(distinct octet_length(sealed)) from board_read";
    assert_eq!(board.harness.number(lengths).await, 1, "however much there was to read");
    for body in [json!({}), json!({ "all": false }), json!({ "all": true, "notification_uuids": [all[0]] })] {
        let call = board.harness.call("engagement_notifications_mark_read").token(&anna.token);
        call.json(&body).expect(422).await;
    }
}

#[tokio::test]
async fn notification_cursor_is_bound_to_its_reader() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    for number in 0..3 {
        let request = board.propose(&anna, &format!("Proposal number {number}")).await;
        plan(&board, &request).await;
    }
    let all = ids(&news(&board, &anna, &[]).await);
    let first = news(&board, &anna, &[("limit", "2")]).await;
    let cursor = first.json["page"]["next_cursor"].as_str().unwrap();
    assert_eq!(ids(&first), all[..2]);
    assert_eq!(ids(&news(&board, &anna, &[("limit", "2"), ("cursor", cursor)]).await), all[2..]);
    let call = board.harness.call("engagement_notifications_list").token(&bert.token).query("cursor", cursor);
    assert_eq!(call.query("limit", 2).expect(400).await.code(), "INVALID_CURSOR");
}
