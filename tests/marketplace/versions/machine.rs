//! Tests of the version state machine, cell by cell, and of the single appeal.

use serde_json::{Value, json};

use super::super::market::{Market, allowed, column, errors, finding};
use super::in_days;
use crate::harness::Answer;

/// One row of the state machine as the specification states it: a state, the actions that its owner and its reviewer
/// have, and the target states of the actions that have an operation.
struct Row {
    state: &'static str,
    owner: &'static [&'static str],
    reviewer: &'static [&'static str],
    leads: &'static [(&'static str, &'static str)],
}

const MACHINE: &[Row] = &[
    Row {
        state: "DRAFT",
        owner: &["update", "submit", "delete"],
        reviewer: &[],
        leads: &[("update", "DRAFT"), ("submit", "SUBMITTED")],
    },
    Row {
        state: "SUBMITTED",
        owner: &["withdraw"],
        reviewer: &["claim"],
        leads: &[("claim", "IN_REVIEW"), ("withdraw", "WITHDRAWN")],
    },
    Row {
        state: "IN_REVIEW",
        owner: &["withdraw"],
        reviewer: &["unclaim", "request-changes", "approve", "reject"],
        leads: &[
            ("unclaim", "SUBMITTED"),
            ("approve", "APPROVED"),
            ("request-changes", "CHANGES_REQUESTED"),
            ("reject", "REJECTED"),
            ("withdraw", "WITHDRAWN"),
        ],
    },
    Row {
        state: "CHANGES_REQUESTED",
        owner: &["update", "submit"],
        reviewer: &[],
        leads: &[("update", "CHANGES_REQUESTED"), ("submit", "SUBMITTED")],
    },
    Row {
        state: "APPROVED",
        owner: &["withdraw", "publish", "schedule"],
        reviewer: &[],
        leads: &[("publish", "PUBLISHED"), ("schedule", "SCHEDULED"), ("withdraw", "WITHDRAWN")],
    },
    Row {
        state: "SCHEDULED",
        owner: &["withdraw", "publish", "schedule"],
        reviewer: &[],
        leads: &[("publish", "PUBLISHED"), ("schedule", "SCHEDULED"), ("withdraw", "WITHDRAWN")],
    },
    Row { state: "PUBLISHED", owner: &[], reviewer: &[], leads: &[] },
    Row { state: "SUPERSEDED", owner: &["publish"], reviewer: &[], leads: &[("publish", "PUBLISHED")] },
    Row { state: "REJECTED", owner: &["submit"], reviewer: &[], leads: &[("submit", "SUBMITTED")] },
    Row { state: "WITHDRAWN", owner: &[], reviewer: &[], leads: &[] },
];

/// Every action that has an operation.
const ACTIONS: [&str; 11] = [
    "update",
    "submit",
    "delete",
    "withdraw",
    "publish",
    "schedule",
    "claim",
    "unclaim",
    "approve",
    "request-changes",
    "reject",
];

/// The reviewer's actions among them.
const REVIEWERS: [&str; 5] = ["claim", "unclaim", "approve", "request-changes", "reject"];

/// Reason for an appeal.
const APPEAL: &str = "It does what its listing says, see the second screenshot.";

/// A version in some state, with its app and its submission.
pub(super) struct Traveller {
    pub(super) app: String,
    pub(super) version: String,
    submission: Option<String>,
}

impl Traveller {
    /// Brings a version of a new app into this state.
    pub(super) async fn at(market: &Market, state: &str, number: usize) -> Self {
        let app = market.app(&format!("Traveller {number}")).await;
        let version = market.draft(&app, "1.0.0").await;
        let mut traveller = Self { app, version, submission: None };
        traveller.bring(market, state).await;
        let seen = market.see(&traveller.app, &traveller.version).await;
        assert_eq!(seen.str("state"), state);
        traveller
    }

    async fn bring(&mut self, market: &Market, state: &str) {
        let Self { app, version, submission } = self;
        if state == "DRAFT" {
            return;
        }
        let handed = submission.insert(market.submit(app, version).await);
        match state {
            "SUBMITTED" => return,
            "WITHDRAWN" => return market.withdraw(app, version).await,
            _ => market.claim(handed).await,
        }
        match state {
            "IN_REVIEW" => return,
            "CHANGES_REQUESTED" => return market.request_changes(handed).await,
            "REJECTED" => return market.reject(handed).await,
            _ => market.approve(handed).await,
        }
        match state {
            "APPROVED" => {}
            "SCHEDULED" => assert_eq!(self.act(market, "schedule").await.status, 200),
            "PUBLISHED" => assert_eq!(self.act(market, "publish").await.status, 200),
            "SUPERSEDED" => {
                assert_eq!(self.act(market, "publish").await.status, 200);
                let next = market.draft(&self.app, "1.1.0").await;
                market.published(&self.app, &next).await;
            }
            other => panic!("no way leads to {other}"),
        }
    }

    /// Performs an action on it and returns the response, successful or not.
    async fn act(&self, market: &Market, action: &str) -> Answer {
        let version = |operation| market.version(operation, &self.app, &self.version);
        let submission = |operation| market.submission(operation, self.submission.as_ref().unwrap());
        let call = match action {
            "submit" if self.is_rejected(market).await => {
                version("marketplace_versions_submit").json(&json!({ "appeal": true, "appeal_text": APPEAL }))
            }
            "submit" => version("marketplace_versions_submit").json(&json!({})),
            "update" => version("marketplace_versions_update").json(&json!({ "release_notes": { "en": "Mended." } })),
            "delete" => version("marketplace_versions_delete"),
            "withdraw" => version("marketplace_versions_withdraw"),
            "publish" => version("marketplace_versions_publish").json(&json!({})),
            "schedule" => version("marketplace_versions_publish").json(&in_days(market, 2)),
            "claim" => submission("marketplace_submissions_claim"),
            "approve" => submission("marketplace_submissions_approve").json(&json!({})),
            "unclaim" => submission("marketplace_submissions_unclaim").json(&json!({})),
            "request-changes" => submission("marketplace_submissions_request_changes").json(&finding("REQ-14")),
            "reject" => submission("marketplace_submissions_reject").json(&finding("REQ-14")),
            other => panic!("no operation does {other}"),
        };
        call.send().await
    }

    async fn is_rejected(&self, market: &Market) -> bool {
        market.see(&self.app, &self.version).await.str("state") == "REJECTED"
    }
}

#[tokio::test]
async fn state_machine_matches_table() {
    let market = Market::new().await;
    let mut number = 0;
    for row in MACHINE {
        let mut here = Traveller::at(&market, row.state, number).await;
        for action in ACTIONS {
            let is_reviewers = REVIEWERS.contains(&action);
            if is_reviewers && here.submission.is_none() {
                continue;
            }
            let answer = here.act(&market, action).await;
            let cell = format!("{} × {action}: {} {}", row.state, answer.status, answer.text());
            if (row.state, action) == ("DRAFT", "delete") {
                assert_eq!(answer.status, 204, "{cell}");
                market.version("marketplace_versions_get", &here.app, &here.version).expect(404).await;
                number += 1;
                here = Traveller::at(&market, row.state, number).await;
                continue;
            }
            if let Some((_, to)) = row.leads.iter().find(|(known, _)| *known == action) {
                assert_eq!((answer.status, answer.str("state")), (200, *to), "{cell}");
                assert_eq!(market.see(&here.app, &here.version).await.str("state"), *to, "{cell}");
                number += 1;
                here = Traveller::at(&market, row.state, number).await;
                continue;
            }
            assert_eq!((answer.status, answer.code()), (409, "ILLEGAL_TRANSITION"), "{cell}");
            assert_eq!(allowed(&answer), if is_reviewers { row.reviewer } else { row.owner }, "{cell}");
            assert_eq!(market.see(&here.app, &here.version).await.str("state"), row.state, "{cell}");
        }
        let seen = market.see(&here.app, &here.version).await;
        assert_eq!(allowed(&seen), row.owner, "{}: what a read offers is what is not refused", row.state);
        number += 1;
    }
}

#[tokio::test]
async fn rejection_is_appealed_once_with_text_to_another_reviewer() {
    let market = Market::new().await;
    let other = market.second_reviewer().await;
    let here = Traveller::at(&market, "REJECTED", 0).await;
    let submit = |body: Value| {
        let call = market.version("marketplace_versions_submit", &here.app, &here.version).json(&body);
        async move { call.send().await }
    };
    let plain = submit(json!({})).await;
    assert_eq!((plain.status, errors(&plain)), (422, vec![("APPEAL_NEEDED", "/appeal")]));
    let mute = submit(json!({ "appeal": true, "appeal_text": " ".repeat(30) })).await;
    assert_eq!((mute.status, errors(&mute)), (422, vec![("REQUIRED", "/appeal_text")]));
    let appealed = submit(json!({ "appeal": true, "appeal_text": APPEAL })).await;
    assert_eq!((appealed.status, &appealed.json["review"]["appeal"]), (200, &json!(true)));
    let submission = appealed.json["review"]["submission_uuid"].as_str().unwrap();

    let appeals = market.harness.call("marketplace_submissions_list").query("appeal", true).token(&market.staff.token);
    assert_eq!(column(&appeals.expect(200).await, "uuid"), [submission]);
    let own = market.submission("marketplace_submissions_claim", submission).send().await;
    assert_eq!((own.status, own.code()), (409, "CONFLICT"), "whoever rejected does not decide the appeal");
    let claim = market.harness.call("marketplace_submissions_claim").path("submission_uuid", submission);
    claim.token(&other.token).expect(200).await;
    let seen = market.submission("marketplace_submissions_get", submission).expect(200).await;
    assert_eq!(seen.str("appeal_text"), APPEAL);

    let sent_back = market.harness.call("marketplace_submissions_request_changes").path("submission_uuid", submission);
    sent_back.token(&other.token).json(&finding("REQ-14")).expect(200).await;
    let mended = market.submit(&here.app, &here.version).await;
    let own = market.submission("marketplace_submissions_claim", &mended).send().await;
    assert_eq!((own.status, own.code()), (409, "CONFLICT"), "nor what is handed in after changes were asked for");
    let claim = market.harness.call("marketplace_submissions_claim").path("submission_uuid", &mended);
    claim.token(&other.token).expect(200).await;
    let reject = market.harness.call("marketplace_submissions_reject").path("submission_uuid", &mended);
    reject.token(&other.token).json(&finding("REQ-14")).expect(200).await;
    for action in ["submit", "publish", "schedule"] {
        let again = here.act(&market, action).await;
        assert_eq!((again.status, again.code()), (409, "ILLEGAL_TRANSITION"), "{action}");
        assert!(allowed(&again).is_empty(), "{action}: an appeal is had once: {}", again.text());
    }
}

#[tokio::test]
async fn only_rejected_version_can_be_appealed() {
    let market = Market::new().await;
    let here = Traveller::at(&market, "DRAFT", 0).await;
    for (body, error) in [
        (json!({ "appeal": true, "appeal_text": APPEAL }), ("NOT_REJECTED", "/appeal")),
        (json!({ "appeal_text": APPEAL }), ("NO_APPEAL", "/appeal_text")),
    ] {
        let refused = market.version("marketplace_versions_submit", &here.app, &here.version).json(&body).send().await;
        assert_eq!((refused.status, errors(&refused)), (422, vec![error]));
    }
}
