//! A service with staff who write publication items.

use serde_json::{Value, json};

use crate::harness::people::Person;
use crate::harness::{Answer, Call, Harness};

/// A service with an editor.
pub(super) struct Desk {
    pub(super) harness: Harness,
    pub(super) editor: Person,
}

impl Desk {
    pub(super) async fn new() -> Self {
        let harness = Harness::new().await;
        let editor = harness.staff("Edda Editor", &["labs.admin.publication:write"]).await;
        Self { harness, editor }
    }

    /// An editor's call.
    pub(super) fn call(&self, operation: &str) -> Call<'_> {
        self.harness.call(operation).token(&self.editor.token)
    }

    /// An editor's call about an item.
    pub(super) fn about(&self, operation: &str, item: &str) -> Call<'_> {
        self.call(operation).path("item_uuid", item)
    }

    pub(super) async fn create(&self, body: Value) -> Answer {
        self.call("publication_items_create").json(&body).send().await
    }

    /// Creates a complete draft with this kind and title.
    pub(super) async fn draft(&self, kind: &str, title: &str) -> String {
        let mut body = json!({ "kind": kind, "title": title, "body": "Something to read." });
        if kind == "CHANGELOG_ENTRY" {
            body["version"] = json!("1.4.0");
            body["change"] = json!("ADDED");
        }
        let made = self.create(body).await;
        assert_eq!(made.status, 201, "{}", made.text());
        made.str("uuid").to_owned()
    }

    pub(super) async fn update(&self, item: &str, body: Value) -> Answer {
        self.about("publication_items_update", item).json(&body).send().await
    }

    /// Performs a transition of an item.
    pub(super) async fn step(&self, action: &str, item: &str) -> Answer {
        self.about(&format!("publication_items_{action}"), item).send().await
    }

    /// Schedules an item this many seconds ahead.
    pub(super) async fn schedule(&self, item: &str, seconds: i64) -> Answer {
        let at = self.harness.clock.now().plus_seconds(seconds).to_string();
        self.about("publication_items_schedule", item).json(&json!({ "scheduled_for": at })).send().await
    }

    pub(super) async fn get(&self, item: &str) -> Answer {
        self.about("publication_items_get", item).expect(200).await
    }

    /// Returns the transitions of an item (from and to), oldest first.
    pub(super) async fn steps(&self, item: &str) -> Vec<String> {
        let list = self.about("publication_items_list_transitions", item).expect(200).await;
        let steps = list.json["data"].as_array().unwrap().iter().rev();
        let word = |value: &Value| value.as_str().unwrap().to_owned();
        steps.map(|step| format!("{} {}", word(&step["from_state"]), word(&step["to_state"]))).collect()
    }
}

/// Returns code and pointer of each error in a problem document.
pub(super) fn errors(refusal: &Answer) -> Vec<String> {
    let errors = refusal.json["errors"].as_array().map(Vec::as_slice).unwrap_or_default().iter();
    errors
        .map(|error| {
            let place = error["pointer"].as_str().or(error["parameter"].as_str()).unwrap_or_default();
            format!("{} {place}", error["code"].as_str().unwrap())
        })
        .collect()
}
