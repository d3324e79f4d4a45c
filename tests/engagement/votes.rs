//! Stories of votes and follows.

use futures_util::future::join_all;

use super::board::{Board, standing};
use crate::partner::team::colleague;

#[tokio::test]
async fn a_vote_counts_once_however_often_it_is_cast() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let uuid = board.propose(&anna, "Split the bill").await;
    let statuses = join_all((0..50).map(|_| board.vote(&bert, &uuid))).await;
    assert!(
        statuses.iter().all(|answer| answer.status == 200),
        "{:?}",
        statuses.iter().map(|a| a.status).collect::<Vec<_>>()
    );
    assert_eq!(board.standing(&bert, &uuid).await, (2, true, false));
    assert_eq!(board.standing(&anna, &uuid).await, (2, true, false));
    join_all((0..20).map(|_| board.withdraw(&bert, &uuid))).await;
    assert_eq!(board.standing(&bert, &uuid).await, (1, false, false));
    assert_eq!(standing(&board.withdraw(&bert, &uuid).await.json), (1, false, false), "never negative");
}

#[tokio::test]
async fn an_author_takes_the_own_vote_back_and_casts_it_again() {
    let board = Board::new().await;
    let anna = board.partner("Anker Kassen").await;
    let uuid = board.propose(&anna, "Split the bill").await;
    assert_eq!(standing(&board.withdraw(&anna, &uuid).await.json), (0, false, false));
    assert_eq!(standing(&board.vote(&anna, &uuid).await.json), (1, true, false));
    assert_eq!(board.harness.number("select count(*) from feature_vote").await, 0, "it is a mark, and no row");
}

#[tokio::test]
async fn people_of_one_partner_count_each_and_a_vote_makes_no_follow() {
    let board = Board::new().await;
    let anna = board.partner("Anker Kassen").await;
    let uuid = board.propose(&anna, "Split the bill").await;
    let colleague = colleague(&board.harness, &anna, "Cleo", "DEVELOPER").await;
    assert_eq!(standing(&board.vote(&colleague, &uuid).await.json), (2, true, false));
    let follow = || board.call(&colleague, "engagement_feature_requests_follow", &uuid);
    assert_eq!(standing(&follow().expect(200).await.json), (2, true, true));
    assert_eq!(standing(&follow().expect(200).await.json), (2, true, true));
    let gone = board.call(&colleague, "engagement_feature_requests_unfollow", &uuid).expect(200).await;
    assert_eq!(standing(&gone.json), (2, true, false));
    // Whoever leaves the team counts on.
    board.harness.sql(&format!("update person set state = 'REMOVED' where person_uuid = '{}'", colleague.uuid)).await;
    assert_eq!(board.standing(&anna, &uuid).await, (2, true, false));
}

#[tokio::test]
async fn what_is_shipped_takes_no_votes_and_what_is_declined_does() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let uuid = board.propose(&anna, "Split the bill").await;
    let sql = |status: &str| format!("update feature_request set status = '{status}' where request_uuid = '{uuid}'");
    board.harness.sql(&sql("SHIPPED")).await;
    let refused = board.vote(&bert, &uuid).await;
    assert_eq!((refused.status, refused.code()), (409, "CONFLICT"));
    board.harness.sql(&sql("DECLINED")).await;
    assert_eq!(board.vote(&bert, &uuid).await.status, 200);
}

#[tokio::test]
async fn two_hundred_votes_a_day_are_the_most() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let (one, other) = (board.propose(&anna, "Split the bill").await, board.propose(&anna, "Tip by card").await);
    assert_eq!(board.vote(&bert, &one).await.status, 200);
    board.harness.sql("update board_vote_budget set votes = 200").await;
    let spent = board.vote(&bert, &other).await;
    assert_eq!((spent.status, spent.code()), (429, "RATE_LIMITED"));
    assert_eq!(board.standing(&bert, &other).await, (1, false, false), "what is refused is not counted");
    assert_eq!(board.vote(&bert, &one).await.status, 200, "what stands already costs nothing");
}
