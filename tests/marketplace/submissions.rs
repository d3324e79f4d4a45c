//! Tests of the approval queue: assignment of submissions, findings, and the owner's view.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::market::{Market, allowed, column, errors, finding, finds, found};
use crate::harness::LONGEST_WAIT;
use crate::harness::people::Person;

/// Returns the findings of a version's reviews, each with whether it is fixed.
fn findings(version: &Value) -> Vec<(String, bool)> {
    let findings = version["review"]["findings"].as_array().unwrap().iter();
    findings
        .map(|finding| {
            (finding["requirement_code"].as_str().unwrap().to_owned(), finding["resolved"].as_bool().unwrap())
        })
        .collect()
}

#[tokio::test]
async fn concurrent_claims_succeed_once_and_only_claimant_decides() {
    let market = Market::new().await;
    let other = market.second_reviewer().await;
    let app = market.app("Table Pilot").await;
    let version = market.draft(&app, "1.0.0").await;
    let submission = market.submit(&app, &version).await;
    let as_ = |who: &Person, operation: &str| {
        market.harness.call(operation).path("submission_uuid", &submission).token(&who.token)
    };
    let claim = "marketplace_submissions_claim";
    let answers = join_all([as_(&market.staff, claim).send(), as_(&other, claim).send()]).await;
    let won = answers.iter().position(|answer| answer.status == 200).unwrap();
    let lost = &answers[1 - won];
    assert_eq!((lost.status, lost.code()), (409, "CONFLICT"), "{}", lost.text());
    let (winner, loser) = if won == 0 { (&market.staff, &other) } else { (&other, &market.staff) };
    assert_eq!(answers[won].json["reviewer"]["uuid"], winner.uuid.to_string());
    for (operation, body) in
        [("marketplace_submissions_approve", json!({})), ("marketplace_submissions_request_changes", finding("REQ-15"))]
    {
        let refused = as_(loser, operation).json(&body).send().await;
        assert_eq!((refused.status, refused.code()), (409, "CONFLICT"), "{operation}: {}", refused.text());
    }
    as_(winner, "marketplace_submissions_approve").json(&json!({})).expect(200).await;
}

#[tokio::test]
async fn concurrent_decisions_succeed_once() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let version = market.draft(&app, "1.0.0").await;
    let submission = market.submit(&app, &version).await;
    market.claim(&submission).await;
    let decide = |operation, body: Value| market.submission(operation, &submission).json(&body).send();
    let answers = join_all([
        decide("marketplace_submissions_approve", json!({})),
        decide("marketplace_submissions_request_changes", finding("REQ-15")),
    ])
    .await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    let decided = answers.iter().find(|answer| answer.status == 200).unwrap().str("state");
    assert_eq!(market.see(&app, &version).await.str("state"), decided);
    let expected = i64::from(decided == "CHANGES_REQUESTED");
    assert_eq!(market.harness.number("select count(*) from submission_finding").await, expected);
}

#[tokio::test]
async fn findings_state_requirements_and_count_as_fixed_unless_repeated() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let version = market.draft(&app, "1.0.0").await;
    let submission = market.submit(&app, &version).await;
    market.claim(&submission).await;
    let request = |submission: &str, codes: &[&str]| {
        let named: Vec<Value> = codes.iter().map(|code| found(code, "/texts/en/tagline")).collect();
        let body = json!({ "findings": named, "note": "Everything else is fine." });
        let call = market.submission("marketplace_submissions_request_changes", submission).json(&body);
        async move { call.send().await }
    };
    let unknown = request(&submission, &["REQ-15", "REQ-99"]).await;
    assert_eq!(
        (unknown.status, errors(&unknown)),
        (422, vec![("UNKNOWN_REQUIREMENT", "/findings/1/requirement_code")])
    );
    assert_eq!(request(&submission, &["REQ-1"]).await.status, 422, "no number of the list's form");
    assert_eq!(request(&submission, &[]).await.status, 422, "changes without a finding");
    assert_eq!(request(&submission, &["REQ-15", "REQ-16"]).await.status, 200);

    let told = market.see(&app, &version).await;
    assert_eq!(findings(&told.json), [("REQ-15".to_owned(), false), ("REQ-16".to_owned(), false)]);
    assert_eq!(told.json["review"]["decision_note"], "Everything else is fine.");
    assert!(!told.text().contains("Rosa"), "the partner does not learn who reviewed");
    let checklist = market.harness.call("marketplace_apps_get_checklist").path("app_uuid", &app);
    let checklist = checklist.token(&market.owner.token).expect(200).await;
    let items = checklist.json["items"].as_array().unwrap();
    let found: Vec<_> = items.iter().filter(|item| item["finding"].is_string()).map(|item| &item["code"]).collect();
    assert_eq!(found, ["REQ-15", "REQ-16"]);

    let again = market.submit(&app, &version).await;
    assert_ne!(again, submission, "every handing in is a submission of its own");
    market.claim(&again).await;
    assert_eq!(request(&again, &["REQ-16"]).await.status, 200);
    let told = market.see(&app, &version).await;
    let mut now = findings(&told.json);
    now.sort();
    // A finding that is repeated stays open in the first review.
    let expected = [("REQ-15", true), ("REQ-16", false), ("REQ-16", false)];
    assert_eq!(now, expected.map(|(code, mended)| (code.to_owned(), mended)));

    let last = market.submit(&app, &version).await;
    market.claim(&last).await;
    market.approve(&last).await;
    assert!(findings(&market.see(&app, &version).await.json).iter().all(|(_, mended)| *mended));
}

#[tokio::test]
async fn submitter_gets_mail_with_decision() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let version = market.draft(&app, "1.0.0").await;
    let before = market.harness.mails_to(&market.owner.email).await.len();
    market.approved(&app, &version).await;
    let queued = "select count(*) from mail_message where kind = 'SUBMISSION_DECIDED'";
    assert_eq!(market.harness.number(queued).await, 1);
    let told = tokio::time::timeout(LONGEST_WAIT, async {
        loop {
            let mails = market.harness.mails_now(&market.owner.email);
            if mails.len() > before {
                return mails;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    });
    assert!(told.await.unwrap().last().unwrap().contains("Table Pilot"));
}

#[tokio::test]
async fn queue_shows_position_and_expected_decision_date() {
    let market = Market::new().await;
    let mut waiting = Vec::new();
    for name in ["First", "Second", "Third"] {
        let app = market.app(name).await;
        let version = market.draft(&app, "1.0.0").await;
        let submission = market.submit(&app, &version).await;
        waiting.push((app, version, submission));
    }
    let standing = |place: usize| {
        let (app, version, _) = &waiting[place];
        let market = &market;
        async move {
            let review = market.see(app, version).await.json["review"].clone();
            (review["place_in_queue"].as_i64(), review["queue_length"].as_i64(), review["expected_at"].clone())
        }
    };
    assert_eq!(standing(0).await, (Some(1), Some(3), Value::Null), "nothing was decided yet to tell a date by");
    assert_eq!(standing(2).await, (Some(3), Some(3), Value::Null));
    market.claim(&waiting[0].2).await;
    assert_eq!(standing(0).await, (None, None, Value::Null), "a reviewer has it");
    assert_eq!(standing(1).await, (Some(1), Some(2), Value::Null));

    // Three decided submissions that took a week each, including the weekend, determine the expected time of the next.
    market
        .harness
        .sql(
            "insert into submission (submission_uuid, version_uuid, app_uuid, partner_uuid, state, submitted_at, decided_at,
                 reviewer_uuid, snapshot)
             select labs_uuid(), version_uuid, app_uuid, partner_uuid, 'APPROVED', labs_now() - interval '14 days',
                 labs_now() - interval '7 days', (select person_uuid from person where kind = 'STAFF_USER' limit 1), snapshot
             from submission",
        )
        .await;
    let (place, _, expected) = standing(1).await;
    let expected: jiff::Timestamp = expected.as_str().unwrap().parse().unwrap();
    let ahead = expected.as_second() - market.harness.clock.now().unix();
    assert_eq!(place, Some(1));
    // A week is five days of business time. On a weekend they start on Monday.
    assert!((6 * 86_400..10 * 86_400).contains(&ahead), "expected in {ahead} s");
}

#[tokio::test]
async fn queue_can_be_filtered_by_each_parameter() {
    let market = Market::new().await;
    let other = market.second_reviewer().await;
    let stranger = market.harness.partner("Ostsee Kassen").await;
    let mut made = Vec::new();
    for (place, name) in ["Alpha", "Beta", "Gamma"].into_iter().enumerate() {
        let owner = if place == 2 { &stranger } else { &market.owner };
        let app = market.app_of(owner, name).await;
        let version = market.draft_of(owner, &app, "1.0.0").await;
        let call =
            market.harness.call("marketplace_versions_submit").path("app_uuid", &app).path("version_uuid", &version);
        call.token(&owner.token).json(&json!({})).expect(200).await;
        made.push(app);
        market.harness.advance(60).await;
    }
    let list = || {
        let call = market.harness.call("marketplace_submissions_list").token(&market.staff.token);
        call.query("include_total", true)
    };
    let whole = list().expect(200).await;
    let (alpha, beta) = (column(&whole, "uuid")[0].to_owned(), column(&whole, "uuid")[1].to_owned());
    let second = whole.json["data"][1]["submitted_at"].as_str().unwrap().to_owned();
    market.claim(&alpha).await;
    let claim = market.harness.call("marketplace_submissions_claim").path("submission_uuid", &beta);
    claim.token(&other.token).expect(200).await;
    market.approve(&alpha).await;

    let (partner, reviewer) = (stranger.partner_uuid.unwrap().to_string(), other.uuid.to_string());
    let find =
        async |filters: &[(&str, &str)], expected: &[&str]| finds(list, ("app_name", 1), filters, expected).await;
    find(&[], &["Alpha", "Beta", "Gamma"]).await;
    find(&[("sort", "-submitted_at")], &["Gamma", "Beta", "Alpha"]).await;
    find(&[("state", "SUBMITTED")], &["Gamma"]).await;
    find(&[("state", "APPROVED,IN_REVIEW")], &["Alpha", "Beta"]).await;
    find(&[("state", "APPROVED"), ("state", "SUBMITTED")], &["Alpha", "Gamma"]).await;
    find(&[("mine", "true")], &["Alpha"]).await;
    find(&[("mine", "false")], &["Beta", "Gamma"]).await;
    find(&[("reviewer_uuid", &reviewer)], &["Beta"]).await;
    find(&[("reviewer_uuid", &reviewer), ("mine", "true")], &[]).await;
    find(&[("partner_uuid", &partner)], &["Gamma"]).await;
    find(&[("app_uuid", &made[1])], &["Beta"]).await;
    find(&[("appeal", "true")], &[]).await;
    find(&[("appeal", "false")], &["Alpha", "Beta", "Gamma"]).await;
    find(&[("submitted_at_from", &second)], &["Beta", "Gamma"]).await;
    find(&[("submitted_at_until", &second)], &["Alpha"]).await;
}

#[tokio::test]
async fn cursor_of_another_filter_is_rejected() {
    let market = Market::new().await;
    for name in ["Alpha", "Beta"] {
        let app = market.app(name).await;
        let version = market.draft(&app, "1.0.0").await;
        market.submit(&app, &version).await;
    }
    let list = || market.harness.call("marketplace_submissions_list").token(&market.staff.token).query("limit", 1);
    let page = list().query("state", "SUBMITTED").expect(200).await;
    let cursor = page.json["page"]["next_cursor"].as_str().unwrap();
    for call in [list(), list().query("state", "IN_REVIEW"), list().query("sort", "-submitted_at")] {
        let refused = call.query("cursor", cursor).send().await;
        assert_eq!((refused.status, refused.code()), (400, "INVALID_CURSOR"));
    }
}

#[tokio::test]
async fn machine_client_cannot_review_regardless_of_scopes() {
    let market = Market::new().await;
    let program = market.harness.program("review bot", &["labs.admin.submissions:write"], None).await;
    let app = market.app("Table Pilot").await;
    let version = market.draft(&app, "1.0.0").await;
    let submission = market.submit(&app, &version).await;
    let claim = market.harness.call("marketplace_submissions_claim").path("submission_uuid", &submission);
    let refused = claim.token(&program.token).send().await;
    assert_eq!((refused.status, refused.code()), (409, "CONFLICT"));
    assert_eq!(market.see(&app, &version).await.str("state"), "SUBMITTED");
}

#[tokio::test]
async fn reviewed_and_published_data_equal_submission() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let version = market.draft(&app, "1.0.0").await;
    let submission = market.submit(&app, &version).await;
    let edit = market.harness.call("marketplace_apps_update").path("app_uuid", &app).token(&market.owner.token);
    edit.json(&json!({ "tagline": "Quite another line" })).expect(200).await;
    let seen = market.submission("marketplace_submissions_get", &submission).expect(200).await;
    assert_eq!(seen.json["submitted"]["texts"][0]["tagline"], "Takes orders at the table");
    assert_eq!(seen.json["submitted"]["slug"], "table-pilot");
    assert_eq!(seen.json["live"], Value::Null);
    assert!(seen.json["differences"].as_array().is_some_and(|places| !places.is_empty()));
    assert_eq!(seen.json["checklist"]["ready"], true, "{}", seen.text());
    market.claim(&submission).await;
    market.approve(&submission).await;
    market.version("marketplace_versions_publish", &app, &version).json(&json!({})).expect(200).await;

    let next = market.draft(&app, "1.1.0").await;
    let submission = market.submit(&app, &next).await;
    let seen = market.submission("marketplace_submissions_get", &submission).expect(200).await;
    assert_eq!(seen.json["live"]["texts"][0]["tagline"], "Takes orders at the table");
    assert_eq!(seen.json["submitted"]["texts"][0]["tagline"], "Quite another line");
    let places = seen.json["differences"].to_string();
    assert!(places.contains("tagline") && !places.contains("description"), "{places}");
    assert!(!places.contains("slug"), "it is the same: {places}");
}

#[tokio::test]
async fn decided_submission_cannot_be_claimed_again() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let version = market.draft(&app, "1.0.0").await;
    let submission = market.submit(&app, &version).await;
    market.claim(&submission).await;
    market.request_changes(&submission).await;
    market.submit(&app, &version).await;
    // The version waits again with a new submission. The former submission has a final decision.
    let refused = market.submission("marketplace_submissions_claim", &submission).send().await;
    assert_eq!((refused.status, refused.code()), (409, "ILLEGAL_TRANSITION"));
    assert!(allowed(&refused).is_empty(), "{}", refused.text());
    assert_eq!(market.see(&app, &version).await.str("state"), "SUBMITTED");
}

#[tokio::test]
async fn decision_is_audited_with_its_difference() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let version = market.draft(&app, "1.0.0").await;
    let submission = market.submit(&app, &version).await;
    market.claim(&submission).await;
    let approved = market.submission("marketplace_submissions_approve", &submission).json(&json!({})).expect(200).await;
    let list = market.harness.call("admin_audit_records_list").token(&market.staff.token);
    let found = list.query("request_id", approved.header("x-request-id")).expect(200).await;
    let record = &found.json["data"][0];
    assert_eq!(record["operation"], "marketplace_submissions_approve");
    assert_eq!(record["target"]["uuid"], submission);
    assert_eq!(record["partner_uuid"], market.owner.partner_uuid.unwrap().to_string());
    let changes = record["changes"].as_array().unwrap();
    let of = |thing: &str| changes.iter().find(|change| change["thing"] == thing).unwrap();
    assert_eq!(
        (&of("submission")["before"]["state"], &of("submission")["after"]["state"]),
        (&json!("IN_REVIEW"), &json!("APPROVED"))
    );
    assert_eq!(of("app_version")["after"]["state"], "APPROVED");
}
