//! Tests of attribution: how users are named on the board.

use serde_json::json;

use super::board::Board;
use crate::harness::people::Person;

#[tokio::test]
async fn name_is_shown_or_hidden_everywhere_at_once() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let (split, tip) = (board.propose(&anna, "Split the bill").await, board.propose(&anna, "Tip the kitchen").await);
    let own = |by: &Person| board.harness.call("engagement_attribution_get").token(&by.token);
    let put = |show: bool| {
        let call = board.harness.call("engagement_attribution_put").token(&anna.token);
        call.json(&json!({ "show_name": show }))
    };
    let before = own(&anna).expect(200).await;
    assert_eq!(before.json, json!({ "show_name": false, "name": "Mara Vogel", "company_name": "Anker Kassen" }));
    for show in [true, true, false] {
        assert_eq!(put(show).expect(200).await.json["show_name"], show, "and again it changes nothing");
        let expected = if show { json!("Mara Vogel") } else { json!(null) };
        for request in [&split, &tip] {
            assert_eq!(board.get(&bert, request).await.json["proposed_by"]["person_name"], expected);
            let seen = board.moderate("get_feature_request", request, None).await;
            assert_eq!(seen.json["proposed_by"]["person_name"], expected, "for staff too");
        }
    }
    assert_eq!(own(&bert).expect(200).await.json["show_name"], false, "everybody speaks for themselves");

    let tag = before.header("etag").to_owned();
    put(true).header("if-match", &tag).expect(200).await;
    assert_eq!(put(false).header("if-match", &tag).expect(412).await.code(), "PRECONDITION_FAILED");
}

#[tokio::test]
async fn machine_client_has_no_attribution() {
    let board = Board::new().await;
    let anna = board.partner("Anker Kassen").await;
    let program = board.harness.program("reader", &["engagement.feature-requests:write"], anna.partner_uuid).await;
    let read = board.harness.call("engagement_attribution_get").token(&program.token).expect(403).await;
    let call = board.harness.call("engagement_attribution_put").token(&program.token);
    let written = call.json(&json!({ "show_name": true })).expect(403).await;
    assert_eq!((read.code(), written.code()), ("PERSON_REQUIRED", "PERSON_REQUIRED"));
}
