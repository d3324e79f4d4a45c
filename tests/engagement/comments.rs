//! Tests of comments: create, edit, remove and restore, and their position after a merge.

use serde_json::{Value, json};

use super::board::{Board, actions, ids};
use crate::harness::people::Person;
use crate::harness::{Answer, Call};

/// A call about a comment.
pub(super) fn on<'b>(board: &'b Board, by: &Person, operation: &str, comment: &str) -> Call<'b> {
    board.harness.call(operation).path("comment_uuid", comment).token(&by.token)
}

/// Comments on a feature request.
pub(super) async fn say(board: &Board, by: &Person, request: &str, body: &str) -> Answer {
    board.call(by, "engagement_comments_add", request).json(&json!({ "body": body })).send().await
}

/// Comments on a feature request, expects success, and returns the comment's id.
pub(super) async fn said(board: &Board, by: &Person, request: &str, body: &str) -> String {
    let answer = say(board, by, request, body).await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    answer.str("uuid").to_owned()
}

/// Lists the comments of a feature request.
async fn thread(board: &Board, by: &Person, request: &str) -> Answer {
    board.call(by, "engagement_comments_list", request).expect(200).await
}

async fn suspend(board: &Board, comment: &str) -> Answer {
    let call = on(board, &board.staff, "engagement_moderation_suspend_comment", comment);
    call.json(&json!({ "reason": "It insults the author." })).send().await
}

async fn answer(board: &Board, request: &str, body: &str) -> Answer {
    board.moderate("answer", request, Some(json!({ "body": body }))).await
}

/// Returns the comment count of a feature request.
async fn counted(board: &Board, by: &Person, request: &str) -> i64 {
    board.get(by, request).await.json["comments_count"].as_i64().unwrap()
}

/// Returns one page of comments for staff with a filter.
async fn moderated(board: &Board, filter: &[(&str, &str)]) -> Answer {
    let call = board.harness.call("engagement_moderation_list_comments").token(&board.staff.token);
    filter.iter().fold(call, |call, (name, value)| call.query(name, value)).expect(200).await
}

#[tokio::test]
async fn comment_is_public_and_edited_only_by_its_author() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let request = board.propose(&anna, "Split the bill").await;
    let made = say(&board, &bert, &request, "By **guest**.<script>alert(1)</script>").await;
    let uuid = made.str("uuid").to_owned();
    assert_eq!((made.status, made.header("location")), (201, format!("/v1/engagement/comments/{uuid}").as_str()));
    assert_eq!((actions(&made), &made.json["mine"]), (vec!["edit".to_owned()], &json!(true)));
    let html = made.str("body_html");
    assert!(html.contains("<strong>guest</strong>") && !html.contains("<script"), "{html}");

    let get = async |by: &Person| on(&board, by, "engagement_comments_get", &uuid).expect(200).await;
    let seen = get(&anna).await;
    assert_eq!((actions(&seen), &seen.json["mine"]), (vec!["report".to_owned()], &json!(false)));
    let author = |seen: &Answer| seen.json["written_by"].clone();
    assert_eq!(
        (&author(&seen)["company_name"], &author(&seen)["person_name"]),
        (&json!("Bergblick Systems"), &json!(null))
    );
    board.harness.sql(&format!("update person set show_name = true where person_uuid = '{}'", bert.uuid)).await;
    assert_eq!(author(&get(&anna).await)["person_name"], "Mara Vogel", "from the next read on");
    assert_eq!(counted(&board, &anna, &request).await, 1);

    let edit =
        |by: &Person, body: &str| on(&board, by, "engagement_comments_edit", &uuid).json(&json!({ "body": body }));
    let foreign = edit(&anna, "Never.").send().await;
    assert_eq!((foreign.status, foreign.code()), (403, "AUTHOR_REQUIRED"));
    let unchanged = edit(&bert, "By **guest**.<script>alert(1)</script>").expect(200).await;
    assert!(unchanged.json["edited_at"].is_null(), "what says the same is no change");
    let tag = get(&bert).await.header("etag").to_owned();
    let edited = edit(&bert, "By course.").header("if-match", &tag).expect(200).await;
    assert!(edited.json["edited_at"].is_string());
    assert_eq!(edit(&bert, "By table.").header("if-match", &tag).send().await.status, 412);
    let listed = moderated(&board, &[]).await;
    let texts = listed.json["data"][0]["earlier_texts"].as_array().unwrap().clone();
    assert_eq!(texts.len(), 1, "staff read what it said: {texts:?}");
    assert!(texts[0]["body"].as_str().unwrap().starts_with("By **guest**."));
}

#[tokio::test]
async fn suspended_comment_keeps_its_position_and_returns_complete() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let request = board.propose(&anna, "Split the bill").await;
    let first = said(&board, &bert, &request, "Whoever wants this cannot count.").await;
    let second = said(&board, &anna, &request, "We can.").await;
    let report =
        || on(&board, &anna, "engagement_reports_report_comment", &first).json(&json!({ "reason": "ABUSIVE" }));
    report().expect(200).await;

    let gone = suspend(&board, &first).await;
    assert_eq!((gone.status, &gone.json["open_reports"]), (200, &json!(0)), "{}", gone.text());
    assert_eq!(actions(&gone), ["reinstate"]);
    assert_eq!(board.harness.number("select count(*) from board_report where outcome = 'UPHELD'").await, 1);
    assert_eq!(
        (suspend(&board, &first).await.code(), counted(&board, &anna, &request).await),
        ("ILLEGAL_TRANSITION", 1)
    );
    for by in [&anna, &bert] {
        let seen = on(&board, by, "engagement_comments_get", &first).expect(200).await;
        let said = ["body", "body_html", "written_by"].map(|field| seen.json[field].is_null());
        assert_eq!((&seen.json["removed"], said), (&json!(true), [true; 3]));
        assert!(actions(&seen).is_empty());
        let page = thread(&board, by, &request).await;
        assert_eq!(ids(&page), [first.clone(), second.clone()], "its place stays");
        assert!(!page.text().contains("cannot count"), "{}", page.text());
    }
    let edit = on(&board, &bert, "engagement_comments_edit", &first).json(&json!({ "body": "Sorry." })).send().await;
    assert_eq!((edit.status, edit.code()), (409, "CONFLICT"));
    assert_eq!(report().send().await.status, 404);
    let told = |words: &str| board.harness.mails_now(&bert.email).iter().any(|mail| mail.contains(words));
    board.harness.soon("its author is told why", async || told("It insults the author.")).await;

    let reinstate = || on(&board, &board.staff, "engagement_moderation_reinstate_comment", &first);
    assert_eq!(reinstate().expect(200).await.str("body"), "Whoever wants this cannot count.");
    let again = reinstate().send().await;
    assert_eq!((again.status, again.code()), (409, "ILLEGAL_TRANSITION"));
    let seen = on(&board, &anna, "engagement_comments_get", &first).expect(200).await;
    assert_eq!((seen.str("body"), &seen.json["removed"]), ("Whoever wants this cannot count.", &json!(false)));
    assert_eq!(counted(&board, &anna, &request).await, 2);
    board.harness.soon("its author is told", async || told("is shown again")).await;
}

#[tokio::test]
async fn merged_feature_requests_show_comments_with_their_origin() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let (source, target) = (board.propose(&anna, "Pay apart").await, board.propose(&bert, "Split the bill").await);
    let other = board.propose(&bert, "Bills in parts").await;
    let one = said(&board, &bert, &source, "At the source.").await;
    let two = said(&board, &anna, &target, "At the target.").await;
    let three = said(&board, &anna, &other, "At the other.").await;
    for request in [&source, &other] {
        assert_eq!(board.merge(request, &target).await.status, 200);
    }
    let page = thread(&board, &anna, &target).await;
    assert_eq!(ids(&page), [one.clone(), two.clone(), three.clone()], "the oldest first");
    let origin = |row: &Value| (row["feature_request_uuid"].as_str().unwrap().to_owned(), row["from_merged"] == true);
    let origins: Vec<_> = page.json["data"].as_array().unwrap().iter().map(origin).collect();
    assert_eq!(origins, [(source.clone(), true), (target.clone(), false), (other.clone(), true)]);
    assert_eq!(ids(&thread(&board, &anna, &source).await), std::slice::from_ref(&one));
    let refused = say(&board, &anna, &source, "Too late.").await;
    assert_eq!((refused.status, refused.code()), (409, "CONFLICT"));
    assert!(refused.text().contains(&target), "it says where to go: {}", refused.text());
    let edit =
        async || on(&board, &bert, "engagement_comments_edit", &one).json(&json!({ "body": "Edited." })).send().await;
    assert_eq!(edit().await.status, 200, "what was said can still be mended");
    assert_eq!(answer(&board, &source, "No.").await.code(), "ILLEGAL_TRANSITION");

    let first = board.call(&anna, "engagement_comments_list", &target).query("limit", 1).expect(200).await;
    let cursor = first.json["page"]["next_cursor"].as_str().unwrap();
    let rest = board.call(&anna, "engagement_comments_list", &target).query("cursor", cursor);
    assert_eq!(ids(&rest.query("limit", 2).expect(200).await), [two.clone(), three.clone()]);

    let reason = || Some(json!({ "reason": "It names guests of a venue." }));
    assert_eq!(board.moderate("suspend_feature_request", &source, reason()).await.status, 200);
    assert_eq!(ids(&thread(&board, &anna, &target).await), [two.clone(), three.clone()]);
    assert_eq!(
        (on(&board, &bert, "engagement_comments_get", &one).send().await.status, edit().await.status),
        (404, 404)
    );
    board.moderate("suspend_feature_request", &target, reason()).await;
    for comment in [&two, &three] {
        assert_eq!(on(&board, &anna, "engagement_comments_get", comment).send().await.status, 404, "it rests beneath");
    }
    for request in [&target, &other] {
        assert_eq!(board.call(&anna, "engagement_comments_list", request).send().await.status, 404);
        assert_eq!(say(&board, &anna, request, "Hello?").await.status, 404);
    }
    board.moderate("reinstate_feature_request", &target, None).await;
    board.moderate("reinstate_feature_request", &source, None).await;
    assert_eq!(ids(&thread(&board, &anna, &target).await), [one, two, three], "and is back whole");
}

#[tokio::test]
async fn locked_feature_request_accepts_only_staff_comments() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let request = board.propose(&anna, "Split the bill").await;
    let comment = said(&board, &bert, &request, "By guest.").await;
    board.moderate("lock_comments", &request, None).await;
    let refused = say(&board, &anna, &request, "By course.").await;
    assert_eq!((refused.status, refused.code()), (409, "CONFLICT"));
    assert!(refused.str("detail").contains("locked"), "{}", refused.text());
    let edit = on(&board, &bert, "engagement_comments_edit", &comment).json(&json!({ "body": "By course." }));
    assert_eq!(edit.send().await.code(), "CONFLICT");
    assert!(actions(&on(&board, &bert, "engagement_comments_get", &comment).expect(200).await).is_empty());
    assert_eq!(answer(&board, &request, "We have heard enough.").await.status, 201);
    board.moderate("unlock_comments", &request, None).await;
    said(&board, &anna, &request, "By course.").await;
    assert_eq!(counted(&board, &anna, &request).await, 3);
}

#[tokio::test]
async fn staff_answer_officially_without_their_name() {
    let board = Board::new().await;
    let anna = board.partner("Anker Kassen").await;
    let request = board.propose(&anna, "Split the bill").await;
    let before = board.moderate("get_feature_request", &request, None).await;
    assert!(before.json["answered_at"].is_null());
    assert_eq!(answer(&board, &request, "  ").await.status, 422);
    let made = answer(&board, &request, "We begin with **equal** parts.").await;
    assert_eq!((made.status, &made.json["is_answer"], &made.json["written_by"]), (201, &json!(true), &json!(null)));
    let answered = board.moderate("get_feature_request", &request, None).await.json["answered_at"].clone();
    assert!(answered.is_string());
    board.harness.advance(60).await;
    answer(&board, &request, "And go on with courses.").await;
    let later = board.moderate("get_feature_request", &request, None).await;
    assert_eq!(later.json["answered_at"], answered, "the first one counts");
    let told = format!(
        "select count(*) from feature_event join feature_comment using (comment_uuid)
          where kind = 'ANSWER' and feature_event.request_uuid = '{request}'"
    );
    assert_eq!(board.harness.number(&told).await, 2, "followers and voters are told of each");
    let page = thread(&board, &anna, &request).await;
    assert_eq!((&page.json["data"][0]["is_answer"], &page.json["data"][0]["mine"]), (&json!(true), &json!(false)));
    assert!(!page.text().contains("Bo Board") && !page.text().contains(&board.staff.uuid.to_string()));
    let uuid = made.str("uuid");
    assert_eq!(suspend(&board, uuid).await.status, 200);
    assert_eq!(counted(&board, &anna, &request).await, 1);
}

#[tokio::test]
async fn machine_client_reads_but_cannot_write_comments() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let request = board.propose(&anna, "Split the bill").await;
    let comment = said(&board, &bert, &request, "By guest.").await;
    let mut program = anna.clone();
    program.token =
        board.harness.program("reader", &["engagement.feature-requests:write"], anna.partner_uuid).await.token;
    let read = on(&board, &program, "engagement_comments_get", &comment).expect(200).await;
    assert!(actions(&read).is_empty());
    assert_eq!(ids(&thread(&board, &program, &request).await), std::slice::from_ref(&comment));
    let reason = json!({ "reason": "SPAM" });
    for refused in [
        say(&board, &program, &request, "Beep.").await,
        on(&board, &program, "engagement_comments_edit", &comment).json(&json!({ "body": "Beep." })).send().await,
        on(&board, &program, "engagement_reports_report_comment", &comment).json(&reason).send().await,
        board.call(&program, "engagement_reports_report_feature_request", &request).json(&reason).send().await,
    ] {
        assert_eq!((refused.status, refused.code()), (403, "PERSON_REQUIRED"), "{}", refused.operation);
    }
}

#[tokio::test]
async fn user_may_write_one_hundred_comments_per_day() {
    let board = Board::new().await;
    let anna = board.partner("Anker Kassen").await;
    let request = board.propose(&anna, "Split the bill").await;
    let blank = say(&board, &anna, &request, " \n ").await;
    assert_eq!((blank.status, &blank.json["errors"][0]["code"]), (422, &json!("BLANK")));
    said(&board, &anna, &request, "By guest.").await;
    board.harness.sql("update board_daily_use set used = 100 where what = 'COMMENTS'").await;
    let spent = say(&board, &anna, &request, "By course.").await;
    assert_eq!((spent.status, spent.code()), (429, "RATE_LIMITED"));
    assert_eq!(counted(&board, &anna, &request).await, 1);
}

#[tokio::test]
async fn staff_filter_comments_by_state_and_text() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let request = board.propose(&anna, "Split the bill").await;
    let other = board.propose(&anna, "Join tables").await;
    let quiet = said(&board, &anna, &request, "Zu 100% dafür.").await;
    let loud = said(&board, &bert, &request, "Nobody needs it.").await;
    let answered = answer(&board, &other, "It is planned.").await.str("uuid").to_owned();
    on(&board, &anna, "engagement_reports_report_comment", &loud).json(&json!({ "reason": "SPAM" })).expect(200).await;
    let partner = bert.partner_uuid.unwrap().to_string();
    for (filter, expected) in [
        (("reported", "true"), vec![&loud]),
        (("reported", "false"), vec![&quiet, &answered]),
        (("is_answer", "true"), vec![&answered]),
        (("is_answer", "false"), vec![&loud, &quiet]),
        (("suspended", "true"), vec![]),
        (("feature_request_uuid", request.as_str()), vec![&loud, &quiet]),
        (("partner_uuid", partner.as_str()), vec![&loud]),
        (("q", "NOBODY needs"), vec![&loud]),
        (("q", "0% da"), vec![&quiet]),
        (("q", "0_ da"), vec![]),
        (("created_at_from", "2000-01-01T00:00:00Z"), vec![&loud, &quiet, &answered]),
        (("created_at_until", "2000-01-01T00:00:00Z"), vec![]),
    ] {
        let found = ids(&moderated(&board, &[filter]).await);
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{filter:?}");
    }
    assert_eq!(ids(&moderated(&board, &[("sort", "-created_at")]).await), [answered, loud, quiet]);
}

#[tokio::test]
async fn comments_of_erased_partner_are_emptied_but_keep_position() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let request = board.propose(&anna, "Split the bill").await;
    let comment = said(&board, &bert, &request, "Call Wiebke at our office.").await;
    let edit = on(&board, &bert, "engagement_comments_edit", &comment);
    edit.json(&json!({ "body": "Call Wiebke at home." })).expect(200).await;
    let report = board.call(&bert, "engagement_reports_report_feature_request", &request);
    report.json(&json!({ "reason": "OTHER", "note": "Ask Wiebke." })).expect(200).await;
    let keeper = board.harness.staff("Petra Partners", &["labs.admin.partners:write"]).await;
    for action in ["admin_partners_close", "admin_partners_erase"] {
        let call = board.harness.call(action).path("partner_uuid", bert.partner_uuid.unwrap()).token(&keeper.token);
        call.json(&json!({ "reason": "They asked for it." })).expect(200).await;
    }
    let seen = on(&board, &anna, "engagement_comments_get", &comment).expect(200).await;
    let nobody = json!({ "partner_uuid": null, "company_name": null, "person_name": null });
    assert_eq!((seen.str("body"), &seen.json["written_by"]), ("Erased", &nobody));
    let left = "select count(*) from (select body from feature_comment union all select body from board_earlier_text
                union all select note from board_report) as said where body like '%Wiebke%'";
    assert_eq!(board.harness.number(left).await, 0);
    let reports = board.harness.call("engagement_reports_list").token(&board.staff.token).expect(200).await;
    assert!(reports.json["data"][0]["partner_uuid"].is_null() && reports.json["data"][0]["company_name"].is_null());
}
