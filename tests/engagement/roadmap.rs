//! Tests of the roadmap, and of the changelog entries that announce shipped feature requests.

use serde_json::{Value, json};

use super::board::Board;
use crate::harness::people::Person;

async fn roadmap(board: &Board, by: &Person) -> Value {
    board.harness.call("engagement_roadmap_get").token(&by.token).expect(200).await.json
}

fn column(roadmap: &Value, name: &str) -> Vec<String> {
    let column = roadmap[name].as_array().unwrap().iter();
    column.map(|one| one["uuid"].as_str().unwrap().to_owned()).collect()
}

async fn move_on(board: &Board, request: &str, body: Value) {
    let moved = board.moderate("change_status", request, Some(body)).await;
    assert_eq!(moved.status, 200, "{}", moved.text());
}

#[tokio::test]
async fn roadmap_lists_planned_started_and_recently_shipped_requests() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let mut all = Vec::new();
    for title in ["Split the bill", "Tip the kitchen", "Print in colour", "Scan a menu", "Sell a voucher"] {
        all.push(board.propose(&anna, title).await);
    }
    let [split, tip, print, scan, sell] = all.as_slice() else { unreachable!() };
    let entry = board.changelog_entry(true).await;
    for request in [split, tip] {
        move_on(&board, request, json!({ "status": "PLANNED" })).await;
    }
    board.vote(&bert, tip).await;
    move_on(&board, print, json!({ "status": "IN_PROGRESS" })).await;
    for request in [scan, sell] {
        move_on(&board, request, json!({ "status": "SHIPPED", "changelog_entry_uuid": entry })).await;
    }
    let seen = roadmap(&board, &bert).await;
    assert_eq!(column(&seen, "planned"), [tip.clone(), split.clone()], "most votes first");
    assert_eq!(seen["planned"][0]["voted"], true, "as the caller stands to it");
    assert_eq!(column(&seen, "in_progress"), std::slice::from_ref(print));
    assert_eq!(column(&seen, "shipped"), [sell.clone(), scan.clone()], "the latest first");

    let old =
        format!("update feature_request set status_at = status_at - interval '181 days' where request_uuid = '{scan}'");
    board.harness.sql(&old).await;
    board.moderate("suspend_feature_request", tip, Some(json!({ "reason": "It names guests." }))).await;
    let seen = roadmap(&board, &bert).await;
    assert_eq!((column(&seen, "planned"), column(&seen, "shipped")), (vec![split.clone()], vec![sell.clone()]));

    let many = "insert into feature_request (request_uuid, root_uuid, partner_uuid, author_uuid, title, body, status, votes)
                select made.id, made.id, r.partner_uuid, r.author_uuid, 'Wanted ' || made.number, 'Please.', 'PLANNED', made.number
                  from (select labs_uuid() as id, number from generate_series(10, 69) as number) as made
                 cross join (select * from feature_request limit 1) as r";
    board.harness.sql(many).await;
    let seen = roadmap(&board, &bert).await;
    let votes: Vec<i64> =
        seen["planned"].as_array().unwrap().iter().map(|one| one["votes"].as_i64().unwrap()).collect();
    assert_eq!(votes, (20..70).rev().collect::<Vec<_>>(), "fifty at most");
}

#[tokio::test]
async fn staff_response_times_are_public() {
    let board = Board::new().await;
    let anna = board.partner("Anker Kassen").await;
    let mut all = Vec::new();
    for number in 0..4 {
        all.push(board.propose(&anna, &format!("Proposal number {number}")).await);
    }
    for (request, days) in all.iter().zip([2, 4, 12]) {
        let answered = format!(
            "update feature_request set created_at = created_at - interval '20 days',
                    answered_at = created_at - interval '20 days' + interval '{days} days' where request_uuid = '{request}'"
        );
        board.harness.sql(&answered).await;
    }
    let seen = roadmap(&board, &anna).await;
    assert_eq!(seen["pace"], json!({ "proposed": 4, "answered_share": 0.75, "median_days": 4.0 }));
}

#[tokio::test]
async fn roadmap_without_requests_has_no_response_times() {
    let board = Board::new().await;
    let anna = board.partner("Anker Kassen").await;
    let seen = roadmap(&board, &anna).await;
    assert_eq!(seen["pace"], json!({ "proposed": 0, "answered_share": null, "median_days": null }));
    let program = board.harness.program("reader", &["engagement.feature-requests"], anna.partner_uuid).await;
    board.harness.call("engagement_roadmap_get").token(&program.token).expect(200).await;
}

#[tokio::test]
async fn changelog_entry_links_shipped_feature_requests() {
    let board = Board::new().await;
    let anna = board.partner("Anker Kassen").await;
    let (split, tip) = (board.propose(&anna, "Split the bill").await, board.propose(&anna, "Tip the kitchen").await);
    let entry = board.changelog_entry(true).await;
    let item = || board.harness.call("publication_items_get").path("item_uuid", &entry).token(&board.staff.token);
    let before = item().expect(200).await;
    assert_eq!(before.json["feature_requests"], json!([]));
    for request in [&split, &tip] {
        move_on(&board, request, json!({ "status": "SHIPPED", "changelog_entry_uuid": entry })).await;
    }
    assert_eq!(item().expect(200).await.json["feature_requests"], json!([tip, split]));
    let slug = before.str("slug").to_owned();
    let public = || board.harness.call("publication_public_changelog_get").path("slug", &slug);
    assert_eq!(public().expect(200).await.json["feature_requests"], json!([tip, split]), "anybody learns the ids");
    board.moderate("suspend_feature_request", &tip, Some(json!({ "reason": "It names guests." }))).await;
    move_on(&board, &split, json!({ "status": "IN_PROGRESS", "note": "It was taken back." })).await;
    assert_eq!(
        public().expect(200).await.json["feature_requests"],
        json!([]),
        "while they are on the board, and shipped"
    );
}
