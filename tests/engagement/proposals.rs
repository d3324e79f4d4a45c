//! Tests of feature requests: propose, read as any partner, edit, search, and attribution to a partner or a user.

use serde_json::json;

use super::board::{Board, actions, ids, standing};

#[tokio::test]
async fn new_feature_request_is_visible_to_all_partners() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let body = json!({ "title": "  Split  the bill ", "body": "At **one** table.<script>alert(1)</script>" });
    let call = board.harness.call("engagement_feature_requests_propose").token(&anna.token);
    let made = call.json(&body).expect(201).await;
    let uuid = made.str("uuid").to_owned();
    assert_eq!(made.header("location"), format!("/v1/engagement/feature-requests/{uuid}"));
    assert_eq!((made.str("title"), standing(&made.json)), ("Split the bill", (1, true, false)));
    assert!(made.str("body_html").contains("<strong>one</strong>") && !made.str("body_html").contains("<script"));
    assert_eq!(actions(&made), ["edit", "withdraw-vote", "follow", "comment"]);

    let seen = board.get(&bert, &uuid).await;
    assert_eq!((seen.status, standing(&seen.json)), (200, (1, false, false)));
    assert_eq!(actions(&seen), ["vote", "follow", "comment", "report"]);
    assert_eq!(seen.json["proposed_by"]["company_name"], "Anker Kassen");
    assert!(seen.json["proposed_by"]["person_name"].is_null(), "nobody is named who did not say so");
    assert_eq!(board.list(&bert, &[]).await, std::slice::from_ref(&uuid));

    board.harness.sql(&format!("update person set show_name = true where person_uuid = '{}'", anna.uuid)).await;
    assert_eq!(board.get(&bert, &uuid).await.json["proposed_by"]["person_name"], "Mara Vogel");
}

#[tokio::test]
async fn machine_client_reads_but_cannot_write_on_board() {
    let board = Board::new().await;
    let anna = board.partner("Anker Kassen").await;
    let uuid = board.propose(&anna, "Split the bill").await;
    let scopes = ["engagement.feature-requests:write"];
    let program = board.harness.program("reader", &scopes, anna.partner_uuid).await;
    let call = |operation: &str| board.harness.call(operation).token(&program.token);
    let read = call("engagement_feature_requests_get").path("request_uuid", &uuid).expect(200).await;
    assert_eq!((standing(&read.json), actions(&read).len()), ((1, false, false), 0));
    for operation in [
        "engagement_votes_cast",
        "engagement_votes_withdraw",
        "engagement_feature_requests_follow",
        "engagement_feature_requests_unfollow",
    ] {
        let refused = call(operation).path("request_uuid", &uuid).send().await;
        assert_eq!((refused.status, refused.code()), (403, "PERSON_REQUIRED"), "{operation}");
    }
    let body = json!({ "title": "Split the bill", "body": "Please." });
    let proposed = call("engagement_feature_requests_propose").json(&body).send().await;
    assert_eq!((proposed.status, proposed.code()), (403, "PERSON_REQUIRED"));
    let personal = call("engagement_feature_requests_list").query("voted", "true").send().await;
    assert_eq!((personal.status, personal.code()), (403, "PERSON_REQUIRED"));
}

#[tokio::test]
async fn author_edits_feature_request_until_staff_change_its_status() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let uuid = board.propose(&anna, "Split the bill").await;
    let edit = |by: &crate::harness::people::Person, title: &str| {
        board.call(by, "engagement_feature_requests_edit", &uuid).json(&json!({ "title": title }))
    };
    let foreign = edit(&bert, "Mine now").send().await;
    assert_eq!((foreign.status, foreign.code()), (403, "AUTHOR_REQUIRED"));
    let tag = board.get(&anna, &uuid).await.header("etag").to_owned();
    board.vote(&bert, &uuid).await;
    let edited = edit(&anna, "Split the bill by guest").header("if-match", &tag).expect(200).await;
    assert!(edited.json["edited_at"].is_string(), "a vote meanwhile is no edit of another");
    let stale = edit(&anna, "Another").header("if-match", &tag).send().await;
    assert_eq!(stale.status, 412);
    let seen = board.moderate("get_feature_request", &uuid, None).await;
    assert_eq!(seen.json["earlier_texts"][0]["title"], "Split the bill", "staff read what it said");

    let planned = json!({ "status": "PLANNED", "note": "We begin with equal parts." });
    assert_eq!(board.moderate("change_status", &uuid, Some(planned)).await.status, 200);
    let late = edit(&anna, "Another").send().await;
    assert_eq!((late.status, late.code()), (409, "CONFLICT"));
}

#[tokio::test]
async fn invalid_feature_request_reports_all_errors() {
    let board = Board::new().await;
    let anna = board.partner("Anker Kassen").await;
    let propose = |body: serde_json::Value| {
        board.harness.call("engagement_feature_requests_propose").token(&anna.token).json(&body).expect(422)
    };
    let untitled = propose(json!({ "title": "        ", "body": "A bill for each guest." })).await;
    let error = &untitled.json["errors"][0];
    assert_eq!((&error["pointer"], &error["code"]), (&json!("/title"), &json!("BLANK")));
    let topic = "019cc29f-0a17-7d52-8f3e-64c1b9a7d052";
    let blank = json!({ "title": "Split the bill", "body": " \n ", "topic_uuid": topic });
    let refused = propose(blank).await;
    let errors = refused.json["errors"].as_array().unwrap();
    let told: Vec<_> =
        errors.iter().map(|error| (error["pointer"].as_str().unwrap(), error["code"].as_str().unwrap())).collect();
    assert_eq!(told, [("/body", "BLANK"), ("/topic_uuid", "UNKNOWN")]);
    let deep = propose(json!({ "title": "Split the bill", "body": ">".repeat(100) })).await;
    assert_eq!(deep.json["errors"][0]["code"], "TOO_DEEP");

    board.harness.sql("update board_daily_use set used = 20").await;
    board.propose(&anna, "The first of the day").await;
    board.harness.sql("update board_daily_use set used = 20").await;
    let body = json!({ "title": "One too many", "body": "Please." });
    let spent = board.harness.call("engagement_feature_requests_propose").token(&anna.token).json(&body).send().await;
    assert_eq!((spent.status, spent.code()), (429, "RATE_LIMITED"));
}

#[tokio::test]
async fn feature_requests_are_filtered_and_sorted() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let old = board.propose(&anna, "Rechnungen teilen").await;
    board.harness.advance(60 * 86_400).await;
    let (anna, bert) = (board.harness.sign_in(&anna.email).await, board.harness.sign_in(&bert.email).await);
    let new = board.propose(&bert, "Tische zusammenlegen").await;
    board.harness.sql(&format!("update feature_request set votes = 3 where request_uuid = '{old}'")).await;
    assert_eq!(board.list(&anna, &[]).await, [old.clone(), new.clone()], "most votes first");
    assert_eq!(board.list(&anna, &[("sort", "-trend")]).await, [new.clone(), old.clone()], "what is wanted of late");
    assert_eq!(board.list(&anna, &[("sort", "-created_at")]).await, [new.clone(), old.clone()]);
    board.vote(&anna, &new).await;
    board.call(&anna, "engagement_feature_requests_follow", &new).expect(200).await;
    for (filter, expected) in [
        (("mine", "true"), vec![&old]),
        (("mine", "false"), vec![&new]),
        (("voted", "true"), vec![&old, &new]),
        (("voted", "false"), vec![]),
        (("followed", "true"), vec![&new]),
        (("followed", "false"), vec![&old]),
        (("q", "rechnung"), vec![&old]),
        (("q", "tisch zusammen"), vec![&new]),
        (("q", "nothing of it"), vec![]),
        (("status", "PLANNED"), vec![]),
    ] {
        let found = board.list(&anna, &[filter]).await;
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{filter:?}");
    }
    let secret = board.staff.totp.clone().unwrap();
    let staff = board.harness.sign_in_with_factor(&board.staff.email, &secret).await;
    board.call(&staff, "engagement_moderation_pin", &new).expect(200).await;
    assert_eq!(board.list(&anna, &[]).await, [new, old], "what is pinned comes first");
}

#[tokio::test]
async fn cursor_is_bound_to_reader_and_repeats_no_item() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let mut all = Vec::new();
    for number in 0..5 {
        all.push(board.propose(&anna, &format!("Proposal number {number}")).await);
    }
    let page = |by: &crate::harness::people::Person, cursor: Option<&str>| {
        let call = board.harness.call("engagement_feature_requests_list").token(&by.token).query("limit", 2);
        cursor.into_iter().fold(call, |call, cursor| call.query("cursor", cursor))
    };
    let first = page(&bert, None).expect(200).await;
    let cursor = first.json["page"]["next_cursor"].as_str().unwrap().to_owned();
    assert_eq!(page(&anna, Some(&cursor)).expect(400).await.code(), "INVALID_CURSOR", "another's cursor leads nowhere");
    // A vote moves a feature request that the first page already contained; every other one is listed exactly once.
    board.vote(&bert, &ids(&first)[1]).await;
    let (mut seen, mut next) = (ids(&first), Some(cursor));
    while let Some(cursor) = next {
        let following = page(&bert, Some(&cursor)).expect(200).await;
        seen.extend(ids(&following));
        next = following.json["page"]["next_cursor"].as_str().map(str::to_owned);
    }
    let mut sorted = seen.clone();
    sorted.sort_unstable();
    all.sort_unstable();
    assert_eq!(sorted, all);
}
