//! Tests of moderation: staff change the status of feature requests, mark them, and take them off the board.

use serde_json::{Value, json};

use super::board::{Board, actions, ids};

#[tokio::test]
async fn status_change_is_public_with_required_fields() {
    let board = Board::new().await;
    let anna = board.partner("Anker Kassen").await;
    let uuid = board.propose(&anna, "Split the bill").await;
    let change = |body: Value| board.moderate("change_status", &uuid, Some(body));
    let pointer =
        |answer: &crate::harness::Answer| answer.json["errors"][0]["pointer"].as_str().unwrap_or_default().to_owned();
    let bare = change(json!({ "status": "DECLINED", "note": "  " })).await;
    assert_eq!((bare.status, pointer(&bare)), (422, "/note".to_owned()));
    let unnamed = change(json!({ "status": "SHIPPED" })).await;
    assert_eq!((unnamed.status, pointer(&unnamed)), (422, "/changelog_entry_uuid".to_owned()));
    let draft = board.changelog_entry(false).await;
    let early = change(json!({ "status": "SHIPPED", "changelog_entry_uuid": draft })).await;
    assert_eq!((early.status, pointer(&early)), (422, "/changelog_entry_uuid".to_owned()), "readers do not see it yet");
    let entry = board.changelog_entry(true).await;
    let stray = change(json!({ "status": "PLANNED", "changelog_entry_uuid": entry })).await;
    assert_eq!((stray.status, pointer(&stray)), (422, "/changelog_entry_uuid".to_owned()));

    let shipped = change(json!({ "status": "SHIPPED", "changelog_entry_uuid": entry, "note": "Here it is." })).await;
    assert_eq!((shipped.status, shipped.str("status")), (200, "SHIPPED"), "{}", shipped.text());
    let again = change(json!({ "status": "SHIPPED", "changelog_entry_uuid": entry })).await;
    assert_eq!((again.status, again.code()), (409, "CONFLICT"));
    let seen = board.get(&anna, &uuid).await;
    assert_eq!(seen.json["changelog_entry"]["uuid"], entry.as_str());
    let told = board.call(&anna, "engagement_feature_requests_list_status_changes", &uuid).expect(200).await;
    let change = &told.json["data"][0];
    assert_eq!((&change["from_status"], &change["to_status"]), (&json!("OPEN"), &json!("SHIPPED")));
    assert_eq!(change["note"], "Here it is.");
    assert!(!told.text().contains("Bo Board"), "staff act for the service");
}

#[tokio::test]
async fn suspended_feature_request_is_hidden_and_returns_complete() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let uuid = board.propose(&anna, "Split the bill").await;
    board.vote(&bert, &uuid).await;
    board.moderate("pin", &uuid, None).await;
    let reason = json!({ "reason": "It names guests of a venue." });
    let gone = board.moderate("suspend_feature_request", &uuid, Some(reason)).await;
    assert_eq!(gone.status, 200, "{}", gone.text());
    assert_eq!(actions(&gone), ["assign-topic", "lock", "reinstate"]);
    let unknown = board.get(&anna, "019cc29f-0a17-7d52-8f3e-64c1b9a7d052").await;
    let suspended = board.get(&anna, &uuid).await;
    let plain = |answer: &crate::harness::Answer| {
        let mut json = answer.json.clone();
        for field in ["instance", "request_id"] {
            json.as_object_mut().unwrap().remove(field);
        }
        (answer.status, json)
    };
    assert_eq!(plain(&suspended), plain(&unknown), "as what was never there");
    assert!(board.list(&anna, &[]).await.is_empty());
    let told = |mails: &[String]| mails.iter().any(|mail| mail.contains("It names guests of a venue."));
    board.harness.soon("its author is told why", async || told(&board.harness.mails_now(&anna.email))).await;
    let refused = board.moderate("pin", &uuid, None).await;
    assert_eq!((refused.status, refused.code()), (409, "ILLEGAL_TRANSITION"));

    let listed = board.harness.call("engagement_moderation_list_feature_requests").token(&board.staff.token);
    assert_eq!(ids(&listed.query("suspended", "true").expect(200).await), std::slice::from_ref(&uuid));
    assert_eq!(board.moderate("reinstate_feature_request", &uuid, None).await.status, 200);
    assert_eq!(board.standing(&bert, &uuid).await, (2, true, false));
}

#[tokio::test]
async fn marks_are_set_once_and_removed_once() {
    let board = Board::new().await;
    let anna = board.partner("Anker Kassen").await;
    let uuid = board.propose(&anna, "Split the bill").await;
    for (set, unset, mark) in [("pin", "unpin", "pinned"), ("lock_comments", "unlock_comments", "locked")] {
        assert_eq!(board.moderate(unset, &uuid, None).await.code(), "ILLEGAL_TRANSITION", "{unset}");
        assert_eq!(board.moderate(set, &uuid, None).await.json[mark], true);
        assert_eq!(board.moderate(set, &uuid, None).await.code(), "ILLEGAL_TRANSITION", "{set}");
        assert_eq!(board.moderate(unset, &uuid, None).await.json[mark], false);
    }
    let topic = "019cc29f-0a17-7d52-8f3e-64c1b9a7d052";
    board
        .harness
        .sql(&format!("insert into board_topic (topic_uuid, names) values ('{topic}', '{{\"en\": \"Payments\"}}')"))
        .await;
    let assigned = board.moderate("assign_topic", &uuid, Some(json!({ "topic_uuid": topic }))).await;
    assert_eq!(assigned.json["topic"]["names"]["en"], "Payments");
    board.harness.sql("update board_topic set active = false").await;
    assert_eq!(
        board.moderate("assign_topic", &uuid, Some(json!({ "topic_uuid": topic }))).await.status,
        200,
        "it has it"
    );
    assert!(board.moderate("assign_topic", &uuid, Some(json!({ "topic_uuid": null }))).await.json["topic"].is_null());
    let late = board.moderate("assign_topic", &uuid, Some(json!({ "topic_uuid": topic }))).await;
    assert_eq!((late.status, &late.json["errors"][0]["code"]), (422, &json!("UNKNOWN")), "and nobody gets it any more");
}
