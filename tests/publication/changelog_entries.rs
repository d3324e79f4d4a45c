//! Tests of the release tool, which creates changelog entries and cannot release them.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::desk::Desk;
use crate::harness::Call;
use crate::harness::people::Program;

const SCOPE: &str = "publication.changelog:write";

struct Release {
    desk: Desk,
    tool: Program,
}

impl Release {
    async fn new() -> Self {
        let desk = Desk::new().await;
        let tool = desk.harness.program("Release tool", &[SCOPE], None).await;
        Self { desk, tool }
    }

    fn create(&self, token: &str, title: &str) -> Call<'_> {
        let body = json!({ "version": "1.4.0", "change": "ADDED", "title": title, "body": "It is new." });
        self.desk.harness.call("publication_changelog_entries_create").token(token).json(&body)
    }

    fn about(&self, operation: &str, entry: &str) -> Call<'_> {
        let call = self.desk.harness.call(&format!("publication_changelog_entries_{operation}"));
        call.path("entry_uuid", entry).token(&self.tool.token)
    }
}

#[tokio::test]
async fn same_release_entry_from_two_clients_is_created_once() {
    let release = Release::new().await;
    let second = release.desk.harness.program("Second tool", &[SCOPE], None).await;
    let tokens = [&release.tool.token, &second.token];
    let sent = join_all((0..8).map(|number| release.create(tokens[number % 2], "Search").send())).await;
    let mut statuses: Vec<u16> = sent.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 200, 200, 200, 200, 200, 200, 201]);
    let entry = sent[0].str("uuid").to_owned();
    assert!(sent.iter().all(|answer| answer.str("uuid") == entry));
    let made = sent.iter().find(|answer| answer.status == 201).unwrap();
    assert_eq!(made.header("location"), format!("/v1/publication/changelog-entries/{entry}"));
    // Staff correct the title, and the tool runs again.
    release.desk.update(&entry, json!({ "title": "The search", "slug": "the-search" })).await;
    let again = release.create(&release.tool.token, " Search ").expect(200).await;
    assert_eq!((again.str("uuid"), again.str("title")), (entry.as_str(), "The search"));
    assert_eq!(release.create(&release.tool.token, "Another").send().await.status, 201);
    assert_eq!(release.desk.harness.number("select count(*) from publication_item").await, 2);
}

#[tokio::test]
async fn release_tool_changes_only_machine_drafts_and_cannot_release() {
    let release = Release::new().await;
    let made = release.create(&release.tool.token, "Search").expect(201).await;
    let entry = made.str("uuid").to_owned();
    assert_eq!((made.str("state"), &made.json["allowed_actions"]), ("DRAFT", &json!([])));
    assert_eq!(made.json["created_by"]["name"], "Release tool");
    let body = json!({ "body": "It is **new**." });
    let changed = release.about("update", &entry).json(&body).expect(200).await;
    assert!(changed.str("body_html").contains("<strong>new</strong>"));
    let refused = release.desk.harness.call("publication_items_release").path("item_uuid", &entry);
    refused.token(&release.tool.token).expect(403).await;

    let own = release.desk.draft("CHANGELOG_ENTRY", "Written by staff").await;
    release.about("get", &own).expect(404).await;
    release.about("update", &own).json(&body).expect(404).await;

    release.desk.step("release", &entry).await;
    assert_eq!(release.about("get", &entry).expect(200).await.str("state"), "RELEASED");
    let refused = release.about("update", &entry).json(&json!({ "body": "Other." })).expect(409).await;
    assert_eq!((refused.code(), &refused.json["allowed_actions"]), ("ILLEGAL_TRANSITION", &json!([])));
}

#[tokio::test]
async fn bound_client_cannot_access_changelog_entries() {
    let release = Release::new().await;
    let entry = release.create(&release.tool.token, "Search").expect(201).await.str("uuid").to_owned();
    let partner = release.desk.harness.partner("Nordsee").await;
    let bound = release.desk.harness.program("bound", &["publication:write", "partner"], partner.partner_uuid).await;
    release.create(&bound.token, "Other").expect(403).await;
    let read = release.desk.harness.call("publication_changelog_entries_get").path("entry_uuid", &entry);
    let refused = read.token(&bound.token).expect(403).await;
    assert_eq!(refused.json["required_scope"], Value::from("publication.changelog"));
}
