//! A service with a board, and helpers for actions on it.

use serde_json::{Value, json};

use crate::harness::people::Person;
use crate::harness::{Answer, Call, Harness};

/// A service with staff who moderate its board.
pub(super) struct Board {
    pub(super) harness: Harness,
    pub(super) staff: Person,
}

impl Board {
    pub(super) async fn new() -> Self {
        let harness = Harness::new().await;
        // The tests send requests faster than the first tier allows.
        harness.sql("update tier set burst_per_second = 1000").await;
        let staff = harness.staff("Bo Board", &["labs.admin.engagement:write", "labs.admin.publication:write"]).await;
        Self { harness, staff }
    }

    /// Registers a partner with this name and returns its administrator.
    pub(super) async fn partner(&self, name: &str) -> Person {
        self.harness.partner(name).await
    }

    /// A call about a feature request.
    pub(super) fn call(&self, by: &Person, operation: &str, request: &str) -> Call<'_> {
        self.harness.call(operation).path("request_uuid", request).token(&by.token)
    }

    /// Proposes a feature request and returns its id.
    pub(super) async fn propose(&self, by: &Person, title: &str) -> String {
        let body = json!({ "title": title, "body": format!("We want this: {title}.") });
        let call = self.harness.call("engagement_feature_requests_propose").token(&by.token);
        call.json(&body).expect(201).await.str("uuid").to_owned()
    }

    pub(super) async fn get(&self, by: &Person, request: &str) -> Answer {
        self.call(by, "engagement_feature_requests_get", request).send().await
    }

    pub(super) async fn vote(&self, by: &Person, request: &str) -> Answer {
        self.call(by, "engagement_votes_cast", request).send().await
    }

    pub(super) async fn withdraw(&self, by: &Person, request: &str) -> Answer {
        self.call(by, "engagement_votes_withdraw", request).send().await
    }

    /// Returns the number of votes, whether the caller voted, and whether the caller follows.
    pub(super) async fn standing(&self, by: &Person, request: &str) -> (i64, bool, bool) {
        let seen = self.get(by, request).await;
        assert_eq!(seen.status, 200, "{}", seen.text());
        standing(&seen.json)
    }

    /// Performs a staff action on a feature request.
    pub(super) async fn moderate(&self, action: &str, request: &str, body: Option<Value>) -> Answer {
        let call = self.call(&self.staff, &format!("engagement_moderation_{action}"), request);
        match body {
            Some(body) => call.json(&body).send().await,
            None => call.send().await,
        }
    }

    /// Merges one feature request into another.
    pub(super) async fn merge(&self, request: &str, into: &str) -> Answer {
        let body = json!({ "into_uuid": into, "note": "Both want the same." });
        self.moderate("merge", request, Some(body)).await
    }

    /// Creates a changelog entry, released or not, and returns its id.
    pub(super) async fn changelog_entry(&self, is_released: bool) -> String {
        let title = if is_released { "Bills in parts" } else { "Something to come" };
        let body = json!({ "kind": "CHANGELOG_ENTRY", "title": title, "summary": "A bill can be split.",
                           "body": "By guest.", "version": "1.0.0", "change": "ADDED" });
        let call = self.harness.call("publication_items_create").token(&self.staff.token);
        let uuid = call.json(&body).expect(201).await.str("uuid").to_owned();
        if is_released {
            let call = self.harness.call("publication_items_release").path("item_uuid", &uuid);
            call.token(&self.staff.token).expect(200).await;
        }
        uuid
    }

    /// Returns the ids on the board that a caller sees with a filter.
    pub(super) async fn list(&self, by: &Person, filter: &[(&str, &str)]) -> Vec<String> {
        let call = self.harness.call("engagement_feature_requests_list").token(&by.token);
        let page = filter.iter().fold(call, |call, (name, value)| call.query(name, value)).expect(200).await;
        ids(&page)
    }
}

/// Returns the number of votes, whether the caller voted, and whether the caller follows.
pub(super) fn standing(request: &Value) -> (i64, bool, bool) {
    let truth = |field: &str| request[field].as_bool().unwrap();
    (request["votes"].as_i64().unwrap(), truth("voted"), truth("followed"))
}

/// Returns the ids of a page.
pub(super) fn ids(page: &Answer) -> Vec<String> {
    page.json["data"].as_array().unwrap().iter().map(|one| one["uuid"].as_str().unwrap().to_owned()).collect()
}

/// Returns the allowed actions in a response.
pub(super) fn actions(answer: &Answer) -> Vec<String> {
    let actions = answer.json["allowed_actions"].as_array().unwrap();
    actions.iter().map(|action| action.as_str().unwrap().to_owned()).collect()
}
