//! Tests of merges: two feature requests act as one, and separate again without loss.

use serde_json::json;

use super::board::{Board, actions, ids};

#[tokio::test]
async fn merged_feature_requests_act_as_one_for_both_audiences() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let (cleo, dora) = (board.partner("Cafe Conrad").await, board.partner("Deichkind Bistro").await);
    let (source, target) = (board.propose(&anna, "Pay apart").await, board.propose(&bert, "Split the bill").await);
    for (person, request) in [(&cleo, &source), (&cleo, &target), (&dora, &source)] {
        assert_eq!(board.vote(person, request).await.status, 200);
    }
    board.call(&dora, "engagement_feature_requests_follow", &source).expect(200).await;
    assert_eq!(board.standing(&anna, &source).await.0, 3);
    assert_eq!(board.standing(&anna, &target).await.0, 2);

    let merged = board.merge(&source, &target).await;
    assert_eq!((merged.status, merged.str("merged_into_uuid")), (200, target.as_str()), "{}", merged.text());
    assert_eq!(board.standing(&cleo, &target).await, (4, true, false), "who voted for both counts once");
    assert_eq!(board.standing(&dora, &target).await, (4, true, true), "and stands there as at the other");
    assert_eq!(board.standing(&anna, &target).await, (4, true, false), "its author too");
    let seen = board.get(&dora, &source).await;
    assert_eq!((seen.status, seen.str("merged_into_uuid")), (200, target.as_str()));
    assert_eq!((seen.json["votes"].as_i64(), actions(&seen)), (Some(4), vec!["report".to_owned()]));
    for operation in ["engagement_votes_cast", "engagement_votes_withdraw", "engagement_feature_requests_follow"] {
        let refused = board.call(&dora, operation, &source).send().await;
        assert_eq!((refused.status, refused.code()), (409, "CONFLICT"), "{operation}");
        assert!(refused.text().contains(&target), "{operation} says where to go");
    }
    assert_eq!(board.list(&dora, &[("voted", "true")]).await, std::slice::from_ref(&target));
    assert_eq!(board.list(&dora, &[("followed", "true")]).await, std::slice::from_ref(&target));
    assert_eq!(board.list(&dora, &[]).await, std::slice::from_ref(&target));

    assert_eq!(board.withdraw(&cleo, &target).await.json["votes"], 3, "both of a person's votes go");
    assert_eq!(board.withdraw(&dora, &target).await.json["votes"], 2);
    assert_eq!(board.moderate("unmerge", &source, Some(json!({}))).await.status, 200);
    assert_eq!(board.standing(&cleo, &source).await, (1, false, false));
    assert_eq!(board.standing(&cleo, &target).await, (1, false, false));
}

#[tokio::test]
async fn unmerged_feature_requests_regain_their_votes() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let (cleo, dora) = (board.partner("Cafe Conrad").await, board.partner("Deichkind Bistro").await);
    let (source, target) = (board.propose(&anna, "Pay apart").await, board.propose(&bert, "Split the bill").await);
    board.vote(&cleo, &source).await;
    assert_eq!(board.merge(&source, &target).await.status, 200);
    board.vote(&dora, &target).await;
    assert_eq!(board.standing(&dora, &target).await, (4, true, false));
    assert_eq!(board.moderate("unmerge", &source, None).await.status, 200);
    assert_eq!(board.standing(&dora, &source).await, (2, false, false), "its author's and Cleo's");
    assert_eq!(board.standing(&dora, &target).await, (2, true, false), "its author's, and the one that came meanwhile");
    assert_eq!(board.standing(&cleo, &source).await, (2, true, false));
    let told = board.call(&dora, "engagement_feature_requests_list_status_changes", &target).expect(200).await;
    let kinds: Vec<_> = told.json["data"].as_array().unwrap().iter().map(|one| one["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["UNMERGE", "MERGE"]);
    assert_eq!(told.json["data"][1]["note"], "Both want the same.");
}

#[tokio::test]
async fn merge_chains_keep_links_and_cycles_are_rejected() {
    let board = Board::new().await;
    let anna = board.partner("Anker Kassen").await;
    let mut made = Vec::new();
    for title in ["Pay apart", "Split the bill", "Bills in parts"] {
        made.push(board.propose(&anna, title).await);
    }
    let [one, two, three] = [&made[0], &made[1], &made[2]];
    assert_eq!(board.merge(one, two).await.status, 200);
    assert_eq!(board.merge(two, three).await.status, 200);
    assert_eq!(board.get(&anna, one).await.str("merged_into_uuid"), three.as_str(), "a merged one leads to the end");
    assert_eq!(board.standing(&anna, three).await.0, 1, "one person is one vote");
    let duplicates = board.call(&anna, "engagement_feature_requests_list_duplicates", three).expect(200).await;
    let mut found = ids(&duplicates);
    found.sort_unstable();
    let mut expected = vec![one.clone(), two.clone()];
    expected.sort_unstable();
    assert_eq!(found, expected);
    for (request, into, status) in [(three, one, 409), (three, three, 422), (one, three, 409)] {
        assert_eq!(board.merge(request, into).await.status, status, "{request} into {into}");
    }
    let unknown = board.merge(three, "019cc29f-0a17-7d52-8f3e-64c1b9a7d052").await;
    assert_eq!((unknown.status, &unknown.json["errors"][0]["pointer"]), (422, &json!("/into_uuid")));
    assert_eq!(board.moderate("unmerge", two, None).await.status, 200);
    assert_eq!(board.get(&anna, one).await.str("merged_into_uuid"), two.as_str(), "what was merged into it goes along");
    assert!(board.get(&anna, two).await.json["merged_into_uuid"].is_null());
}

#[tokio::test]
async fn parts_of_suspended_feature_request_are_hidden() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let (source, target) = (board.propose(&anna, "Pay apart").await, board.propose(&bert, "Split the bill").await);
    assert_eq!(board.merge(&source, &target).await.status, 200);
    let reason = json!({ "reason": "It names guests of a venue." });
    assert_eq!(board.moderate("suspend_feature_request", &target, Some(reason)).await.status, 200);
    for request in [&source, &target] {
        assert_eq!(board.get(&anna, request).await.status, 404);
        assert_eq!(board.vote(&anna, request).await.status, 404);
        assert_eq!(board.withdraw(&anna, request).await.status, 404);
    }
    assert_eq!(board.moderate("reinstate_feature_request", &target, None).await.status, 200);
    assert_eq!(board.standing(&anna, &target).await, (2, true, false), "back with its votes");
}
