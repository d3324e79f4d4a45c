//! Tests of reports: one per user and subject, decided together.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::board::{Board, actions, ids};
use super::comments::{on, said};
use crate::harness::people::Person;
use crate::harness::{Answer, Call};

fn report<'b>(board: &'b Board, by: &Person, request: &str, body: &Value) -> Call<'b> {
    board.call(by, "engagement_reports_report_feature_request", request).json(body)
}

fn report_comment<'b>(board: &'b Board, by: &Person, comment: &str) -> Call<'b> {
    on(board, by, "engagement_reports_report_comment", comment).json(&json!({ "reason": "ABUSIVE" }))
}

async fn resolve(board: &Board, report: &str, outcome: &str) -> Answer {
    let call = board.harness.call("engagement_reports_resolve").path("report_uuid", report);
    let body = json!({ "outcome": outcome, "note": "Looked at by two of us." });
    call.token(&board.staff.token).json(&body).send().await
}

/// Lists the reports for staff with a filter.
async fn listed(board: &Board, filter: &[(&str, &str)]) -> Answer {
    let call = board.harness.call("engagement_reports_list").token(&board.staff.token);
    filter.iter().fold(call, |call, (name, value)| call.query(name, value)).expect(200).await
}

/// Returns the number of open reports on a feature request and the time of the first.
async fn open(board: &Board, request: &str) -> (Value, Value) {
    let seen = board.moderate("get_feature_request", request, None).await;
    (seen.json["open_reports"].clone(), seen.json["reported_at"].clone())
}

#[tokio::test]
async fn user_reports_an_item_only_once() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let cleo = board.partner("Cafe Conrad").await;
    let request = board.propose(&anna, "Split the bill").await;
    let spam = json!({ "reason": "SPAM", "note": "  They sell it themselves. " });
    let tries = join_all((0..20).map(|_| report(&board, &bert, &request, &spam).send())).await;
    assert!(
        tries.iter().all(|answer| answer.status == 200),
        "{:?}",
        tries.iter().map(Answer::text).collect::<Vec<_>>()
    );
    let first = tries[0].str("uuid").to_owned();
    assert!(tries.iter().all(|answer| answer.str("uuid") == first), "all answer the same one");
    assert_eq!((tries[0].str("note"), tries[0].str("outcome")), ("They sell it themselves.", "OPEN"));
    assert_eq!(open(&board, &request).await.0, 1);
    assert_eq!(board.harness.number("select sum(used) from board_daily_use where what = 'REPORTS'").await, 1);

    let other = json!({ "reason": "DUPLICATE" });
    assert_eq!(report(&board, &bert, &request, &other).expect(200).await.str("reason"), "SPAM", "the first one stands");
    report(&board, &cleo, &request, &other).expect(200).await;
    assert_eq!(open(&board, &request).await.0, 2);
    assert_eq!(resolve(&board, &first, "DISMISSED").await.json["resolved_reports"], 2);
    assert_eq!(
        report(&board, &bert, &request, &spam).expect(200).await.str("outcome"),
        "DISMISSED",
        "what became of it"
    );
    assert_eq!(open(&board, &request).await, (json!(0), json!(null)), "what was decided is not open again");
}

#[tokio::test]
async fn invalid_reports_are_rejected() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let request = board.propose(&anna, "Split the bill").await;
    let comment = said(&board, &bert, &request, "By guest.").await;
    let spam = json!({ "reason": "SPAM" });
    for own in [report(&board, &anna, &request, &spam), report_comment(&board, &bert, &comment)] {
        let refused = own.send().await;
        assert_eq!((refused.status, refused.code()), (409, "CONFLICT"), "{}", refused.operation);
    }
    let mute = report(&board, &bert, &request, &json!({ "reason": "OTHER", "note": " " })).send().await;
    assert_eq!((mute.status, &mute.json["errors"][0]["pointer"]), (422, &json!("/note")));
    let unknown = "019cc29f-0a17-7d52-8f3e-64c1b9a7d052";
    assert_eq!(report(&board, &bert, unknown, &spam).send().await.status, 404);
    assert_eq!(report_comment(&board, &bert, unknown).send().await.status, 404);

    board.harness.sql(&format!("insert into board_daily_use values ('{}', default, 'REPORTS', 50)", bert.uuid)).await;
    let spent = report(&board, &bert, &request, &spam).send().await;
    assert_eq!((spent.status, spent.code()), (429, "RATE_LIMITED"));
    assert_eq!(open(&board, &request).await.0, 0, "what is refused is not counted");
    let reason = json!({ "reason": "It names guests of a venue." });
    board.moderate("suspend_feature_request", &request, Some(reason)).await;
    assert_eq!(report(&board, &bert, &request, &spam).send().await.status, 404);
    assert_eq!(report_comment(&board, &anna, &comment).send().await.status, 404);
}

#[tokio::test]
async fn decision_closes_all_open_reports_on_one_item() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let (cleo, dora) = (board.partner("Cafe Conrad").await, board.partner("Deichkind Bistro").await);
    let request = board.propose(&anna, "Split the bill").await;
    let (one, two) =
        (said(&board, &anna, &request, "Fools.").await, said(&board, &anna, &request, "All of you.").await);
    let first = report_comment(&board, &bert, &one).expect(200).await.str("uuid").to_owned();
    let second = report_comment(&board, &cleo, &one).expect(200).await.str("uuid").to_owned();
    let apart = report_comment(&board, &bert, &two).expect(200).await.str("uuid").to_owned();
    report(&board, &bert, &request, &json!({ "reason": "SPAM" })).expect(200).await;

    let done = resolve(&board, &second, "UPHELD").await;
    assert_eq!((done.status, &done.json["resolved_reports"]), (200, &json!(2)), "{}", done.text());
    let told = &done.json["report"];
    assert_eq!((&told["outcome"], &told["resolution_note"]), (&json!("UPHELD"), &json!("Looked at by two of us.")));
    assert_eq!((&told["target"]["open_reports"], &told["allowed_actions"]), (&json!(0), &json!([])));
    assert_eq!(told["target"]["suspended"], false, "a decision removes nothing");
    let again = resolve(&board, &first, "DISMISSED").await;
    assert_eq!((again.status, again.code()), (409, "ILLEGAL_TRANSITION"));
    assert_eq!(ids(&listed(&board, &[("outcome", "OPEN")]).await).len(), 2, "others stay open");
    assert_eq!(ids(&listed(&board, &[("comment_uuid", &two)]).await), [apart]);
    assert_eq!(open(&board, &request).await.0, 1);

    board.harness.advance(60).await;
    report_comment(&board, &dora, &one).expect(200).await;
    let since = format!(
        "select count(*) from feature_comment where comment_uuid = '{one}' and open_reports = 1
                            and reported_at = (select max(reported_at) from board_report)"
    );
    assert_eq!(board.harness.number(&since).await, 1, "a later one begins anew");
    let records =
        "select count(*) from audit_log where operation = 'engagement_reports_resolve' and outcome = 'SUCCEEDED'
                      and target_kind = 'BOARD_REPORT' and target_label = 'Split the bill'";
    assert_eq!(board.harness.number(records).await, 1);
}

#[tokio::test]
async fn staff_list_reports_with_their_targets() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let request = board.propose(&anna, "Split the bill").await;
    let other = board.propose(&anna, "Join tables").await;
    let comment = said(&board, &anna, &request, "Whoever is against it is a fool.").await;
    let one = report(&board, &bert, &request, &json!({ "reason": "SPAM" })).expect(200).await.str("uuid").to_owned();
    board.harness.advance(60).await;
    let two = report_comment(&board, &bert, &comment).expect(200).await.str("uuid").to_owned();
    board.harness.advance(60).await;
    let three =
        report(&board, &bert, &other, &json!({ "reason": "OFF_TOPIC" })).expect(200).await.str("uuid").to_owned();
    assert_eq!(resolve(&board, &three, "DISMISSED").await.status, 200);
    let (theirs, mine) = (bert.partner_uuid.unwrap().to_string(), anna.partner_uuid.unwrap().to_string());
    for (filter, expected) in [
        (("outcome", "OPEN"), vec![&one, &two]),
        (("outcome", "UPHELD,DISMISSED"), vec![&three]),
        (("reason", "SPAM,ABUSIVE"), vec![&one, &two]),
        (("target_kind", "COMMENT"), vec![&two]),
        (("target_kind", "FEATURE_REQUEST"), vec![&one, &three]),
        (("feature_request_uuid", request.as_str()), vec![&one, &two]),
        (("comment_uuid", comment.as_str()), vec![&two]),
        (("partner_uuid", theirs.as_str()), vec![&one, &two, &three]),
        (("partner_uuid", mine.as_str()), vec![]),
        (("reported_at_until", "2000-01-01T00:00:00Z"), vec![]),
        (("reported_at_from", "2000-01-01T00:00:00Z"), vec![&one, &two, &three]),
        (("sort", "-reported_at"), vec![&three, &two, &one]),
    ] {
        let found = ids(&listed(&board, &[filter]).await);
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{filter:?}");
    }
    let page = listed(&board, &[("target_kind", "COMMENT")]).await;
    let target = &page.json["data"][0]["target"];
    assert_eq!((&target["title"], &target["uuid"]), (&json!("Split the bill"), &json!(comment)));
    assert_eq!(target["excerpt"], "Whoever is against it is a fool.");
    assert_eq!(page.json["data"][0]["company_name"], "Bergblick Systems");
    assert!(!page.text().contains("Mara Vogel") && !page.text().contains(&bert.uuid.to_string()));
    let reader = board.harness.staff("Rita Reader", &["labs.admin.engagement"]).await;
    let read = board.harness.call("engagement_reports_list").token(&reader.token).expect(200).await;
    assert_eq!(read.json["data"][0]["allowed_actions"], json!([]), "whoever reads decides nothing");
    assert!(actions(&board.get(&bert, &request).await).contains(&"report".to_owned()));
}
