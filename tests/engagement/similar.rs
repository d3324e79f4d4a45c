//! Tests of similar feature requests during typing: pairs of titles with the same meaning, in four languages.

use serde_json::Value;

use super::board::Board;

/// Pairs of a title on the board and a typed title. The first half was written with access to the search, the second
/// half by a person who had not seen it.
const PAIRS: &str = include_str!("similar_pairs.json");

#[tokio::test]
async fn similar_titles_are_among_the_first_five() {
    let board = Board::new().await;
    let pairs: Value = serde_json::from_str(PAIRS).unwrap();
    let anna = board.partner("Anker Kassen").await;
    let halves = ["seen", "unseen"].map(|half| pairs[half].as_array().unwrap().clone());
    let all: Vec<&Value> = halves.iter().flatten().collect();
    let mut made = Vec::new();
    for pair in &all {
        board.harness.sql("delete from board_daily_use").await;
        made.push(board.propose(&anna, pair["title"].as_str().unwrap()).await);
    }
    let mut missed = Vec::new();
    for (pair, uuid) in all.iter().zip(&made) {
        let typed = pair["typed"].as_str().unwrap();
        let call = board.harness.call("engagement_feature_requests_find_similar").token(&anna.token);
        let found = call.query("title", typed).expect(200).await;
        let found = found.json["data"].as_array().unwrap().clone();
        if !found.iter().any(|near| near["feature_request"]["uuid"] == uuid.as_str()) {
            missed.push(format!("{typed} -> {}", pair["title"]));
        }
    }
    assert!(all.len() >= 60 && missed.len() <= 3, "{} of {} were missed: {missed:#?}", missed.len(), all.len());
}

#[tokio::test]
async fn merged_feature_request_links_to_its_target() {
    let board = Board::new().await;
    let anna = board.partner("Anker Kassen").await;
    let (source, target) =
        (board.propose(&anna, "Rechnung nach Gästen teilen").await, board.propose(&anna, "Split the bill").await);
    assert_eq!(board.merge(&source, &target).await.status, 200);
    let call = board.harness.call("engagement_feature_requests_find_similar").token(&anna.token);
    let found = call.query("title", "Rechnungen teilen").expect(200).await;
    let first = &found.json["data"][0];
    assert_eq!(first["feature_request"]["uuid"], target.as_str());
    assert_eq!(first["matched_title"], "Rechnung nach Gästen teilen");
    for typed in ["%_", "'\\", "the", "((", "a & !b | :*"] {
        let call = board.harness.call("engagement_feature_requests_find_similar").token(&anna.token);
        call.query("title", typed).expect(200).await;
    }
}
