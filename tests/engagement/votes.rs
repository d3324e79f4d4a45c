//! Tests of votes and follows.

use futures_util::future::join_all;

use super::board::{Board, standing};
use crate::partner::team::colleague;

#[tokio::test]
async fn repeated_vote_counts_once() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let uuid = board.propose(&anna, "Split the bill").await;
    let statuses = join_all((0..20).map(|_| board.vote(&bert, &uuid))).await;
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
async fn author_can_withdraw_and_recast_own_vote() {
    let board = Board::new().await;
    let anna = board.partner("Anker Kassen").await;
    let uuid = board.propose(&anna, "Split the bill").await;
    assert_eq!(standing(&board.withdraw(&anna, &uuid).await.json), (0, false, false));
    assert_eq!(standing(&board.vote(&anna, &uuid).await.json), (1, true, false));
    assert_eq!(board.harness.number("select count(*) from feature_vote").await, 0, "it is a mark, and no row");
}

#[tokio::test]
async fn colleagues_vote_separately_and_vote_does_not_follow() {
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
    // The vote of a user who leaves the team still counts.
    board.harness.sql(&format!("update person set state = 'REMOVED' where person_uuid = '{}'", colleague.uuid)).await;
    assert_eq!(board.standing(&anna, &uuid).await, (2, true, false));
}

#[tokio::test]
async fn shipped_request_takes_no_votes_but_declined_does() {
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
async fn daily_limit_is_two_hundred_votes() {
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

#[tokio::test]
async fn missing_or_suspended_request_is_not_found() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let suspended = board.propose(&anna, "Split the bill").await;
    let suspend = format!(
        "update feature_request set suspended_at = now(), suspension_reason = 'Spam' where request_uuid = '{suspended}'"
    );
    board.harness.sql(&suspend).await;
    for uuid in [suspended.as_str(), "00000000-0000-7000-8000-000000000000"] {
        for operation in ["engagement_votes_cast", "engagement_votes_withdraw", "engagement_feature_requests_follow"] {
            let refused = board.call(&bert, operation, uuid).send().await;
            assert_eq!((refused.status, refused.code()), (404, "NOT_FOUND"), "{operation} {uuid}");
        }
    }
}

#[tokio::test]
async fn vote_against_rules_is_an_internal_error_and_rolled_back() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let uuid = board.propose(&anna, "Split the bill").await;
    let facts = [
        ("board_cast", "true, false, 'OPEN', false, false"),
        ("board_cast", "true, false, 'SHIPPED', false, true"),
        ("board_cast", "true, false, 'UNKNOWN', false, true"),
        ("board_withdraw", "true, false, 'OPEN', true, false"),
        ("board_withdraw", "true, false, 'UNKNOWN', true, true"),
        ("board_withdraw", "null, null, null, null, null"),
    ];
    for (function, facts) in facts {
        let further = if function == "board_cast" { ", votable text[]" } else { "" };
        let returning = format!(
            "create or replace function {function}(request uuid, person uuid, pseudonym bytea{further})
             returns board_vote_facts language plpgsql as $$
             begin
                 update feature_request set votes = 99 where request_uuid = request;
                 return row({facts})::board_vote_facts;
             end $$"
        );
        board.harness.sql(&returning).await;
        let answer = match function {
            "board_cast" => board.vote(&bert, &uuid).await,
            _ => board.withdraw(&bert, &uuid).await,
        };
        assert_eq!((answer.status, answer.code()), (500, "INTERNAL"), "{function}, {facts}: {}", answer.text());
    }
    assert_eq!(board.standing(&bert, &uuid).await, (1, false, false));
}
