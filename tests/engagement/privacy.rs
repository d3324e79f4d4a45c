//! Tests of the privacy of votes: no log, table or query reveals who voted.

use serde_json::json;

use super::board::{Board, ids};
use crate::harness::Answer;

#[tokio::test]
async fn account_logs_contain_no_vote_or_follow() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let uuid = board.propose(&anna, "Split the bill").await;
    for operation in [
        "engagement_votes_cast",
        "engagement_feature_requests_follow",
        "engagement_votes_withdraw",
        "engagement_feature_requests_unfollow",
    ] {
        board.call(&bert, operation, &uuid).expect(200).await;
    }
    let account = format!("partner:{}", bert.partner_uuid.unwrap());
    assert_eq!(board.get(&bert, &uuid).await.status, 200);
    let own = format!("select coalesce(sum(requests), 0)::bigint from request_usage where account = '{account}'");
    let looks = format!("{own} and operation = 'engagement_feature_requests_get'");
    board.harness.until(&looks, 1).await;
    let quiet = "('engagement_votes_cast', 'engagement_votes_withdraw', 'engagement_feature_requests_follow',
                  'engagement_feature_requests_unfollow')";
    let named = format!("select count(*) from request_usage where operation in {quiet}");
    assert_eq!(board.harness.number(&named).await, 0);
    let in_all = format!("select count(*) from operation_day where operation in {quiet}");
    assert_eq!(board.harness.number(&in_all).await, 4, "the totals name no account");
}

#[tokio::test]
async fn idempotency_key_of_read_marks_identifies_no_user() {
    let board = Board::new().await;
    let anna = board.partner("Anker Kassen").await;
    let read = || {
        let call = board.harness.call("engagement_notifications_mark_read").token(&anna.token);
        call.header("idempotency-key", "read-1").json(&json!({ "all": true })).expect(200)
    };
    assert_eq!(read().await.json, read().await.json);
    assert_eq!(read().await.header("idempotency-replayed"), "true");
    let kept = "select count(*) from idempotency_key where operation = 'engagement_notifications_mark_read'";
    assert_eq!(board.harness.number(kept).await, 1);
    let named = format!("select count(*) from idempotency_key as k where to_jsonb(k)::text like '%{}%'", anna.uuid);
    assert_eq!(board.harness.number(&named).await, 0);
}

/// No table with votes, follows or read marks has a column that names a user, a partner, a session or a time, and the
/// audit log does not capture changes of these tables.
#[tokio::test]
async fn no_table_links_votes_to_users() {
    let board = Board::new().await;
    let tables = "('feature_vote', 'feature_follow', 'board_read', 'board_vote_budget')";
    let telling = format!(
        "select count(*) from information_schema.columns where table_name in {tables}
            and (column_name ~ '(person|author|partner|account|session|actor)' or data_type ~ 'time')"
    );
    assert_eq!(board.harness.number(&telling).await, 0);
    let leading = format!(
        "select count(*) from pg_constraint where contype = 'f' and conrelid::regclass::text in {tables}
            and confrelid <> 'feature_request'::regclass"
    );
    assert_eq!(board.harness.number(&leading).await, 0);
    let watched =
        format!("select count(*) from pg_trigger where not tgisinternal and tgrelid::regclass::text in {tables}");
    assert_eq!(board.harness.number(&watched).await, 0);
}

/// Returns a response without the parts that always differ: its time and its request id.
fn plain(answer: &Answer) -> serde_json::Value {
    let mut json = answer.json.clone();
    for field in ["voted", "followed", "allowed_actions"] {
        json.as_object_mut().unwrap().remove(field);
    }
    json
}

/// Staff with every scope read the same as any caller except the voter, before and after the vote; only the count
/// changes.
#[tokio::test]
async fn vote_changes_only_count_for_other_readers() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let cleo = board.partner("Cafe Conrad").await;
    let (first, second) = (board.propose(&anna, "Split the bill").await, board.propose(&anna, "Tip by card").await);
    let newest = board.list(&cleo, &[]).await;
    let before = plain(&board.get(&cleo, &first).await);
    board.vote(&bert, &first).await;
    let mut after = plain(&board.get(&cleo, &first).await);
    assert_eq!(after["votes"], 2);
    after["votes"] = before["votes"].clone();
    assert_eq!(after, before, "no time and no revision of a proposal moves with a vote");
    let seen = board.moderate("get_feature_request", &first, None).await;
    assert_eq!((seen.status, seen.json["votes"].as_i64()), (200, Some(2)), "{}", seen.text());
    assert!(!seen.text().contains(&bert.uuid.to_string()) && !seen.text().contains("Bergblick"), "{}", seen.text());
    for sort in ["-created_at", "-active_at"] {
        assert_eq!(board.list(&cleo, &[("sort", sort)]).await, newest, "a vote is no activity: {sort}");
    }
    assert_eq!(board.list(&cleo, &[("sort", "-votes")]).await, [first.clone(), second]);
    // No filter returns other users' votes, and an unknown filter is rejected.
    assert!(board.list(&cleo, &[("voted", "true")]).await.is_empty());
    assert_eq!(board.list(&bert, &[("voted", "true")]).await, std::slice::from_ref(&first));
    for name in ["voter", "voted_by", "person_uuid", "user_uuid"] {
        let call = board.harness.call("engagement_moderation_list_feature_requests").token(&board.staff.token);
        let refused = call.query(name, bert.uuid.to_string()).send().await;
        assert_eq!((refused.status, refused.code()), (422, "VALIDATION_FAILED"), "{name}");
    }
}

/// An attacker who removes users or partners one by one and watches the counts learns nothing, because every vote still
/// counts.
#[tokio::test]
async fn removing_users_or_partners_does_not_reveal_votes() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let cleo = board.partner("Cafe Conrad").await;
    let uuid = board.propose(&anna, "Split the bill").await;
    board.vote(&bert, &uuid).await;
    let office = ["labs.admin.partners:write", "labs.admin.users:write", "labs.admin.engagement:write"];
    let officer = board.harness.staff("Olli Office", &office).await;
    let reason = json!({ "reason": "To see whose vote is missing." });
    for person in [&bert, &cleo] {
        let partner = person.partner_uuid.unwrap().to_string();
        let suspend = board.harness.call("admin_partners_suspend").path("partner_uuid", &partner);
        suspend.token(&officer.token).json(&reason).expect(200).await;
        assert_eq!(board.standing(&anna, &uuid).await.0, 2, "a suspended company's people count on");
        let lock = board.harness.call("admin_users_lock").path("user_uuid", person.uuid.to_string());
        lock.token(&officer.token).json(&reason).expect(200).await;
        assert_eq!(board.standing(&anna, &uuid).await.0, 2, "and so do people who may no longer sign in");
    }
}

/// A merge reveals how many users two feature requests have together, and an unmerge restores each count. Neither
/// response reveals which users voted for which.
#[tokio::test]
async fn merge_reveals_only_vote_count() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let (cleo, dora) = (board.partner("Cafe Conrad").await, board.partner("Deichkind Bistro").await);
    let (source, target) = (board.propose(&anna, "Pay apart").await, board.propose(&bert, "Split the bill").await);
    for (person, request) in [(&cleo, &source), (&cleo, &target), (&dora, &source)] {
        board.vote(person, request).await;
    }
    let mut said = vec![board.merge(&source, &target).await];
    assert_eq!(said[0].json["votes"], 4);
    for operation in ["engagement_feature_requests_list_duplicates", "engagement_feature_requests_list_status_changes"]
    {
        said.push(board.call(&anna, operation, &target).expect(200).await);
    }
    said.push(board.moderate("unmerge", &source, None).await);
    said.push(board.harness.call("engagement_moderation_get_overview").token(&board.staff.token).expect(200).await);
    let records = "select coalesce(string_agg(to_jsonb(r)::text, ' '), '') from audit_log as r
                   where operation like 'engagement_moderation_%' or operation like 'engagement_votes_%'";
    let records: String = sqlx::query_scalar(records).fetch_one(&mut board.harness.owner().await).await.unwrap();
    for person in [&cleo, &dora] {
        let marks = [person.uuid.to_string(), person.partner_uuid.unwrap().to_string(), person.email.clone()];
        for mark in marks {
            assert!(said.iter().all(|answer| !answer.text().contains(&mark)), "{mark}");
            assert!(!records.contains(&mark), "the audit names {mark}");
        }
    }
    assert_eq!(
        ids(&board.call(&cleo, "engagement_feature_requests_list_duplicates", &target).expect(200).await).len(),
        0
    );
}
