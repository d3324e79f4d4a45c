//! Tests of the review process: whose turn it is, findings, messages of both sides, and the outcome of an appeal.

use serde_json::{Value, json};

use super::market::{Market, column, errors, finding, found, png, upload};
use crate::harness::people::Person;
use crate::harness::{Answer, Call};

/// Seconds per day.
const DAY: i64 = 86_400;

/// A reviewer's call about a submission.
fn by<'m>(market: &'m Market, who: &Person, operation: &str, submission: &str) -> Call<'m> {
    market.harness.call(operation).path("submission_uuid", submission).token(&who.token)
}

/// Returns the messages about a version as its owner reads them.
async fn talk(market: &Market, app: &str, version: &str) -> Answer {
    market.version("marketplace_versions_list_messages", app, version).expect(200).await
}

fn moment(value: &Value) -> i64 {
    value.as_str().unwrap().parse::<jiff::Timestamp>().unwrap().as_second()
}

/// Whether a Unix time is on a Saturday or Sunday in UTC.
fn is_weekend(second: i64) -> bool {
    let time = jiff::Timestamp::from_second(second).unwrap().to_zoned(jiff::tz::TimeZone::UTC);
    matches!(time.weekday(), jiff::civil::Weekday::Saturday | jiff::civil::Weekday::Sunday)
}

#[tokio::test]
async fn review_deadline_pauses_while_waiting_for_partner() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let version = market.draft(&app, "1.0.0").await;
    let submission = market.submit(&app, &version).await;
    let review = market.see(&app, &version).await.json["review"].clone();
    assert_eq!(review["waiting_on"], "REVIEWERS");
    let promised = moment(&review["due_at"]) - market.harness.clock.now().unix();
    assert!((3 * DAY - 60..=5 * DAY).contains(&promised), "three business days: {promised}");
    market.claim(&submission).await;

    let ask = |body: Value| market.submission("marketplace_submissions_post_message", &submission).json(&body);
    ask(json!({ "body": "We look into it.", "awaits_answer": false })).expect(201).await;
    let seen = market.see(&app, &version).await;
    assert_eq!(seen.json["review"]["due_at"], review["due_at"], "words that await no answer stop nothing");
    ask(json!({ "body": "Same demo data as last year.", "internal": true })).expect(201).await;
    let mute = ask(json!({ "body": "Psst.", "internal": true, "awaits_answer": true })).send().await;
    assert_eq!((mute.status, errors(&mute)), (422, vec![("NOT_SEEN", "/awaits_answer")]));
    ask(json!({ "body": "Which password does the demo take?" })).expect(201).await;
    let seen = market.see(&app, &version).await;
    assert_eq!((&seen.json["review"]["waiting_on"], &seen.json["review"]["due_at"]), (&json!("PARTNER"), &Value::Null));

    let read = talk(&market, &app, &version).await;
    let said: Vec<(&str, &str, bool)> = read.json["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| {
            (entry["kind"].as_str().unwrap(), entry["side"].as_str().unwrap(), entry["unread"].as_bool().unwrap())
        })
        .collect();
    assert_eq!(
        said,
        [("SUBMISSION", "PARTNER", false), ("MESSAGE", "REVIEWERS", true), ("MESSAGE", "REVIEWERS", true),]
    );
    assert!(!read.text().contains("last year") && !read.text().contains("Rosa"), "{}", read.text());
    let again = talk(&market, &app, &version).await;
    assert!(again.json["data"].as_array().unwrap().iter().all(|entry| entry["unread"] == false));

    market.harness.advance(60).await;
    let answer = market.version("marketplace_versions_post_message", &app, &version);
    let answer = answer.json(&json!({ "body": "None at all." })).expect(201).await;
    assert_eq!(answer.json["author"]["uuid"], market.owner.uuid.to_string());
    let seen = market.see(&app, &version).await;
    assert_eq!(seen.json["review"]["waiting_on"], "REVIEWERS");
    let later = moment(&seen.json["review"]["due_at"]) - moment(&review["due_at"]);
    // On a weekend no business time passes, so the due date does not move.
    let least = if is_weekend(moment(&review["due_at"]) - promised) { 0 } else { 50 };
    assert!((least..=2 * DAY + 120).contains(&later), "what was left is still left: {later}");

    let desk = market.submission("marketplace_submissions_get", &submission).expect(200).await;
    let entries = desk.json["messages"].as_array().unwrap();
    assert_eq!(entries.len(), 5);
    assert_eq!((&entries[4]["body"], &entries[4]["unread"]), (&json!("None at all."), &json!(true)));
    let mails = "select count(*) from mail_message where kind = 'VERSION_REVIEW'";
    assert_eq!(market.harness.number(mails).await, 3, "two to the partner, one to the reviewer");
}

#[tokio::test]
async fn messages_require_an_open_review() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let version = market.draft(&app, "1.0.0").await;
    let write =
        || market.version("marketplace_versions_post_message", &app, &version).json(&json!({ "body": "Hello." }));
    let early = write().send().await;
    assert_eq!((early.status, early.code()), (409, "CONFLICT"));
    market.published(&app, &version).await;
    let late = write().send().await;
    assert_eq!((late.status, late.code()), (409, "CONFLICT"));
    let stranger = market.harness.partner("Ostsee Kassen").await;
    let foreign = market.harness.call("marketplace_versions_list_messages").path("app_uuid", &app);
    let foreign = foreign.path("version_uuid", &version).token(&stranger.token).send().await;
    assert_eq!(foreign.status, 404);
}

#[tokio::test]
async fn claim_ends_by_release_with_reason_or_after_two_days() {
    let market = Market::new().await;
    let other = market.second_reviewer().await;
    let app = market.app("Table Pilot").await;
    let version = market.draft(&app, "1.0.0").await;
    let submission = market.submit(&app, &version).await;
    market.claim(&submission).await;
    let (claim, unclaim) = ("marketplace_submissions_claim", "marketplace_submissions_unclaim");
    let silent = by(&market, &other, unclaim, &submission).json(&json!({})).send().await;
    assert_eq!((silent.status, errors(&silent)), (422, vec![("REQUIRED", "/reason")]));
    let reason = json!({ "reason": "Rosa is ill." });
    let freed = by(&market, &other, unclaim, &submission).json(&reason).expect(200).await;
    assert_eq!((freed.str("state"), &freed.json["reviewer"]), ("SUBMITTED", &Value::Null));
    assert_eq!(freed.json["allowed_actions"], json!(["claim"]));
    let desk = by(&market, &other, "marketplace_submissions_get", &submission).expect(200).await;
    let last = desk.json["messages"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["kind"], &last["body"]), (&json!("NOTE"), &json!("Rosa is ill.")));

    market.claim(&submission).await;
    market.harness.sql("update submission set claimed_at = claimed_at - interval '5 days'").await;
    let taken = by(&market, &other, claim, &submission).expect(200).await;
    assert_eq!(taken.json["reviewer"]["uuid"], other.uuid.to_string(), "a claim of last week rests");
    let late = market.submission("marketplace_submissions_approve", &submission).json(&json!({})).send().await;
    assert_eq!((late.status, late.code()), (409, "CONFLICT"), "whose claim was taken over decides no more");
    by(&market, &other, unclaim, &submission).json(&json!({})).expect(200).await;
}

#[tokio::test]
async fn finding_states_requirement_place_observation_and_cause() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let first = market.draft(&app, "1.0.0").await;
    market.published(&app, &first).await;
    let edit = market.harness.call("marketplace_apps_update").path("app_uuid", &app).token(&market.owner.token);
    edit.json(&json!({ "tagline": "Quite another line" })).expect(200).await;
    let next = market.draft(&app, "1.1.0").await;
    let submission = market.submit(&app, &next).await;
    market.claim(&submission).await;
    let reject = |findings: Value| {
        let call = market.submission("marketplace_submissions_reject", &submission);
        call.json(&json!({ "findings": findings })).send()
    };
    let old = json!([{ "requirement_code": "REQ-15", "text": "Say what the app does." }]);
    assert_eq!(reject(old).await.status, 422, "a finding without place and observation");
    let nowhere = reject(json!([found("REQ-15", "/texts/fr/tagline")])).await;
    assert_eq!((nowhere.status, errors(&nowhere)), (422, vec![("UNKNOWN_PLACE", "/findings/0/where")]));
    let live = reject(json!([found("REQ-15", "/texts/en/tagline"), found("REQ-15", "/texts/en/description")])).await;
    assert_eq!((live.status, errors(&live)), (422, vec![("REQUIRED", "/findings/1/why_now")]));
    assert_eq!(market.see(&app, &next).await.str("state"), "IN_REVIEW", "nothing was decided by half");

    let mut why = found("REQ-15", "/texts/en/description");
    why["why_now"] = json!("The rule about promises is new since May.");
    let decided = reject(json!([found("REQ-15", "/texts/en/tagline"), why])).await;
    assert_eq!((decided.status, decided.str("state")), (200, "REJECTED"), "{}", decided.text());
    let seen = market.see(&app, &next).await;
    let findings = seen.json["review"]["findings"].as_array().unwrap();
    assert_eq!(findings[0]["where"], "/texts/en/tagline");
    assert_eq!(findings[1]["why_now"], "The rule about promises is new since May.");
    assert!(findings.iter().all(|finding| finding["status"] == "NEW"));
}

#[tokio::test]
async fn resubmission_shows_fixed_findings_and_keeps_queue_position() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let version = market.draft(&app, "1.0.0").await;
    let submission = market.submit(&app, &version).await;
    let queued_at = |submission: String| {
        let call = market.submission("marketplace_submissions_get", &submission);
        async move { call.expect(200).await.str("queued_at").to_owned() }
    };
    let first = queued_at(submission.clone()).await;
    market.claim(&submission).await;
    let body = json!({ "findings": [found("REQ-15", "/texts"), found("REQ-15", "/media")] });
    market.submission("marketplace_submissions_request_changes", &submission).json(&body).expect(200).await;
    assert_eq!(market.see(&app, &version).await.json["review"]["waiting_on"], "PARTNER");
    market.harness.advance(60).await;
    let again = market.submit(&app, &version).await;
    assert_eq!(queued_at(again.clone()).await, first, "it comes back to its place");
    market.claim(&again).await;
    let body = json!({ "findings": [found("REQ-15", "/media"), found("REQ-14", "/version")] });
    market.submission("marketplace_submissions_request_changes", &again).json(&body).expect(200).await;
    let seen = market.see(&app, &version).await;
    let mut became: Vec<(&str, &str, &str)> = seen.json["review"]["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| {
            let word = |name: &str| finding[name].as_str().unwrap();
            (word("requirement_code"), word("where"), word("status"))
        })
        .collect();
    became.sort_unstable();
    assert_eq!(
        became,
        [
            ("REQ-14", "/version", "NEW"),
            ("REQ-15", "/media", "STILL_THERE"),
            ("REQ-15", "/media", "STILL_THERE"),
            ("REQ-15", "/texts", "MENDED"),
        ]
    );
}

#[tokio::test]
async fn upheld_appeal_withdraws_findings_and_denied_appeal_is_final() {
    let market = Market::new().await;
    let other = market.second_reviewer().await;
    let appeal = json!({ "appeal": true, "appeal_text": "It does what its listing says, see the second picture." });
    let mut outcomes = Vec::new();
    for (name, operation, body) in [
        ("Upheld", "marketplace_submissions_approve", json!({})),
        ("Denied", "marketplace_submissions_reject", finding("REQ-14")),
    ] {
        let app = market.app(name).await;
        let version = market.draft(&app, "1.0.0").await;
        let submission = market.submit(&app, &version).await;
        market.claim(&submission).await;
        market.reject(&submission).await;
        let appealed = market.version("marketplace_versions_submit", &app, &version).json(&appeal).expect(200).await;
        assert_eq!(appealed.json["review"]["appeal_text"], appeal["appeal_text"]);
        let submission = appealed.json["review"]["submission_uuid"].as_str().unwrap().to_owned();
        by(&market, &other, "marketplace_submissions_claim", &submission).expect(200).await;
        by(&market, &other, operation, &submission).json(&body).expect(200).await;
        let seen = market.see(&app, &version).await;
        let statuses: Vec<String> = seen.json["review"]["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|finding| finding["status"].as_str().unwrap().to_owned())
            .collect();
        outcomes.push((seen.str("state").to_owned(), statuses, seen.json["allowed_actions"].clone()));
    }
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    assert_eq!(outcomes[0], ("APPROVED".to_owned(), words(&["WITHDRAWN"]), json!(["withdraw", "publish", "schedule"])));
    assert_eq!(outcomes[1], ("REJECTED".to_owned(), words(&["STILL_THERE", "STILL_THERE"]), json!([])));
    for subject in ["%appeal upheld%", "%appeal denied%"] {
        let told = format!("select count(*) from mail_message where subject like '{subject}'");
        assert_eq!(market.harness.number(&told).await, 1, "{subject}");
    }
}

#[tokio::test]
async fn appeal_states_that_it_awaits_another_reviewer() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let version = market.draft(&app, "1.0.0").await;
    let submission = market.submit(&app, &version).await;
    let waits = || async { market.see(&app, &version).await.json["review"]["awaits_another_reviewer"] == true };
    assert!(!waits().await, "a first handing in waits for whoever comes");
    market.claim(&submission).await;
    market.reject(&submission).await;
    assert!(!waits().await, "a rejection waits for nobody");
    let appeal = json!({ "appeal": true, "appeal_text": "It does what its listing says, see the second picture." });
    let appealed = market.version("marketplace_versions_submit", &app, &version).json(&appeal).expect(200).await;
    let promised = appealed.json["review"]["due_at"].clone();
    let submission = appealed.json["review"]["submission_uuid"].as_str().unwrap().to_owned();

    // No other reviewer is on duty.
    let refused = by(&market, &market.staff, "marketplace_submissions_claim", &submission).send().await;
    assert_eq!((refused.status, refused.code()), (409, "CONFLICT"));
    assert!(refused.str("detail").contains("another reviewer decides"), "{}", refused.text());
    let seen = market.see(&app, &version).await.json["review"].clone();
    assert_eq!((&seen["awaits_another_reviewer"], &seen["waiting_on"]), (&json!(true), &json!("REVIEWERS")));
    assert_eq!((&seen["due_at"], &seen["place_in_queue"]), (&promised, &json!(1)), "place and promise stay");
    let listed = market.harness.call("marketplace_versions_list").path("app_uuid", &app).token(&market.owner.token);
    assert_eq!(listed.expect(200).await.json["data"][0]["review"]["awaits_another_reviewer"], true);

    let other = market.second_reviewer().await;
    by(&market, &other, "marketplace_submissions_claim", &submission).expect(200).await;
    assert!(!waits().await, "somebody else has it");
    by(&market, &other, "marketplace_submissions_unclaim", &submission).json(&json!({})).expect(200).await;
    assert!(waits().await, "and put it back");
}

#[tokio::test]
async fn submission_can_replace_pending_version() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let waiting = market.draft(&app, "1.0.0").await;
    market.submit(&app, &waiting).await;
    let behind = market.app("Shift Board").await;
    let other = market.draft(&behind, "1.0.0").await;
    market.submit(&behind, &other).await;
    let newer = market.draft(&app, "1.1.0").await;
    let submit = |body: Value| market.version("marketplace_versions_submit", &app, &newer).json(&body).send();
    let refused = submit(json!({})).await;
    assert_eq!((refused.status, refused.code()), (409, "CONFLICT"));
    assert!(refused.str("detail").contains("`replaces`"), "{}", refused.text());
    let taken = submit(json!({ "replaces": true })).await;
    assert_eq!((taken.status, &taken.json["review"]["place_in_queue"]), (200, &json!(1)), "{}", taken.text());
    assert_eq!(market.see(&app, &waiting).await.str("state"), "WITHDRAWN");
    let queue = market.harness.call("marketplace_submissions_list").query("state", "SUBMITTED");
    let queue = queue.token(&market.staff.token).expect(200).await;
    assert_eq!(column(&queue, "app_name"), ["Table Pilot", "Shift Board"]);
}

#[tokio::test]
async fn silent_partner_gets_two_reminders_before_withdrawal() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let version = market.draft(&app, "1.0.0").await;
    let submission = market.submit(&app, &version).await;
    market.claim(&submission).await;
    market.request_changes(&submission).await;
    let reminded = "select coalesce(max(reminders), 0)::bigint from submission";
    for (days, times) in [(14, 1), (16, 2)] {
        market.harness.advance(days * DAY + 60).await;
        market.harness.until(reminded, times).await;
    }
    assert_eq!(market.harness.number("select count(*) from mail_message where kind = 'VERSION_REVIEW'").await, 2);
    market.harness.advance(60 * DAY).await;
    market.harness.until("select count(*) from app_version where state = 'WITHDRAWN'", 1).await;
    let ended = "select count(*) from submission where state = 'WITHDRAWN' and waiting_on is null";
    assert_eq!(market.harness.number(ended).await, 1);
    let told = "select count(*) from mail_message where kind = 'VERSION_REVIEW' and subject like '%withdrawn%'";
    assert_eq!(market.harness.number(told).await, 1);
}

#[tokio::test]
async fn reviewer_sees_media_as_submitted() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let version = market.draft(&app, "1.0.0").await;
    let submission = market.submit(&app, &version).await;
    let seen = market.submission("marketplace_submissions_get", &submission).expect(200).await;
    let icon = seen.json["submitted"]["media"][0]["uuid"].as_str().unwrap().to_owned();
    let again = market.harness.call("marketplace_media_upload").path("app_uuid", &app).token(&market.owner.token);
    let newer = again.multipart(upload("ICON", png(300, 300))).expect(201).await.str("uuid").to_owned();
    let bytes_for = |who: &Person, media: &str| {
        by(&market, who, "marketplace_submissions_get_media_content", &submission).path("media_uuid", media)
    };
    let bytes = |media: &str| bytes_for(&market.staff, media);
    let picture = bytes(&icon).expect(200).await;
    assert_eq!(picture.header("content-type"), "image/png");
    assert_eq!(image::load_from_memory(&picture.bytes).unwrap().width(), 256, "not the one of the draft");
    assert_eq!(bytes(&newer).send().await.status, 404, "that was not handed in");
    assert_eq!(bytes_for(&market.owner, &icon).send().await.status, 403);
    let audited = "select count(*) from audit_log where operation = 'marketplace_submissions_get_media_content'
                    and target_label = 'Table Pilot 1.0.0' and outcome = 'SUCCEEDED'";
    market.harness.until(audited, 1).await;
}

#[tokio::test]
async fn suspended_listing_is_reinstated_unchanged() {
    let market = Market::new().await;
    let (listed, slug) = market.listed("Table Pilot").await;
    let (unlisted, hidden) = market.listed("Shift Board").await;
    let own =
        |operation: &str, app: &str| market.harness.call(operation).path("app_uuid", app).token(&market.owner.token);
    own("marketplace_apps_unlist", &unlisted).expect(200).await;
    let staff = |operation: &str, slug: &str| {
        market.harness.call(operation).path("listing_slug", slug).token(&market.staff.token)
    };
    let reason = json!({ "reason": "Orders arrive twice since Friday." });
    for (app, slug) in [(&listed, &slug), (&unlisted, &hidden)] {
        let done = staff("marketplace_submissions_suspend_listing", slug).json(&reason).expect(200).await;
        assert_eq!((done.str("state"), &done.json["is_visible"]), ("SUSPENDED", &json!(false)));
        let seen = own("marketplace_apps_get", app).expect(200).await;
        assert_eq!(
            (seen.str("state_reason"), &seen.json["allowed_actions"]),
            (reason["reason"].as_str().unwrap(), &json!([]))
        );
        own("marketplace_apps_relist", app).expect(409).await;
        let twice = staff("marketplace_submissions_suspend_listing", slug).json(&reason).send().await;
        assert_eq!((twice.status, twice.code()), (409, "ILLEGAL_TRANSITION"));
    }
    let shown = "select count(*) from listing where visible";
    assert_eq!(market.harness.number(shown).await, 0);
    for (slug, state) in [(&slug, "LISTED"), (&hidden, "UNLISTED")] {
        let done = staff("marketplace_submissions_reinstate_listing", slug).json(&json!({})).expect(200).await;
        assert_eq!((done.str("state"), &done.json["is_visible"]), (state, &json!(state == "LISTED")));
        assert_eq!(done.json["reason"], Value::Null);
    }
    let events = own("marketplace_apps_list_events", &listed).query("kind", "SUSPENDED").expect(200).await;
    let event = &events.json["data"][0];
    assert_eq!((&event["reason"], &event["actor"]["office"]), (&reason["reason"], &json!("APP_REVIEW")));
    assert_eq!(market.harness.number("select count(*) from mail_message where kind = 'LISTING'").await, 4);
    assert_eq!(staff("marketplace_submissions_suspend_listing", "nowhere").json(&reason).send().await.status, 404);
}
