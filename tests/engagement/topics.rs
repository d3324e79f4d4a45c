//! Tests of topics of feature requests.

use serde_json::{Value, json};

use super::board::{Board, ids};
use crate::harness::Answer;
use crate::harness::people::Person;

async fn add(board: &Board, body: Value) -> Answer {
    board.harness.call("engagement_topics_create").token(&board.staff.token).json(&body).send().await
}

async fn change(board: &Board, topic: &str, body: Value) -> Answer {
    let call = board.harness.call("engagement_topics_update").path("topic_uuid", topic);
    call.token(&board.staff.token).json(&body).send().await
}

async fn offered(board: &Board, by: &Person) -> Vec<String> {
    ids(&board.harness.call("engagement_topics_list").token(&by.token).expect(200).await)
}

#[tokio::test]
async fn topics_are_listed_in_order_set_by_staff() {
    let board = Board::new().await;
    let anna = board.partner("Anker Kassen").await;
    let payments = add(&board, json!({ "names": { "en": "Payments", "de": "Zahlungen" } })).await;
    assert_eq!((payments.status, &payments.json["position"], &payments.json["active"]), (201, &json!(1), &json!(true)));
    let payments = payments.str("uuid").to_owned();
    let printing = add(&board, json!({ "names": { "en": "Printing" } })).await.str("uuid").to_owned();
    let first = add(&board, json!({ "names": { "en": "Menus" }, "position": 1 })).await.str("uuid").to_owned();
    assert_eq!(offered(&board, &anna).await, [first.clone(), payments.clone(), printing.clone()]);
    assert_eq!(change(&board, &first, json!({ "position": 99 })).await.json["position"], 3);
    assert_eq!(offered(&board, &anna).await, [payments.clone(), printing, first]);

    let renamed = change(&board, &payments, json!({ "names": { "de": null, "fr": "Paiements" } })).await;
    assert_eq!(renamed.json["names"], json!({ "en": "Payments", "fr": "Paiements" }));
    let bare = change(&board, &payments, json!({ "names": { "en": null } })).await;
    assert_eq!((bare.status, &bare.json["errors"][0]["pointer"]), (422, &json!("/names/en")), "{}", bare.text());
    let blank = add(&board, json!({ "names": { "en": "Menus", "de": "  " } })).await;
    assert_eq!((blank.status, &blank.json["errors"][0]["pointer"]), (422, &json!("/names/de")));
    let unknown = change(&board, "019cc29f-0a17-7d52-8f3e-64c1b9a7d052", json!({ "active": false })).await;
    assert_eq!(unknown.status, 404);
}

#[tokio::test]
async fn deactivated_topic_stays_on_existing_feature_requests() {
    let board = Board::new().await;
    let anna = board.partner("Anker Kassen").await;
    let topic = add(&board, json!({ "names": { "en": "Payments" } })).await.str("uuid").to_owned();
    let propose = |title: &str| {
        let body = json!({ "title": title, "body": "Please.", "topic_uuid": topic });
        board.harness.call("engagement_feature_requests_propose").token(&anna.token).json(&body)
    };
    let made = propose("Split the bill").expect(201).await;
    assert_eq!(made.json["topic"]["names"]["en"], "Payments");
    assert_eq!(change(&board, &topic, json!({ "active": false })).await.json["active"], false);
    assert!(offered(&board, &anna).await.is_empty());
    assert_eq!(board.get(&anna, made.str("uuid")).await.json["topic"]["uuid"], topic.as_str());
    let late = propose("Tip the kitchen").expect(422).await;
    assert_eq!(late.json["errors"][0]["pointer"], "/topic_uuid");
    let found = board.list(&anna, &[("topic_uuid", &topic)]).await;
    assert_eq!(found, [made.str("uuid").to_owned()], "and it is found by it");
    assert_eq!(change(&board, &topic, json!({ "active": true })).await.status, 200);
    propose("Tip the kitchen").expect(201).await;
}
