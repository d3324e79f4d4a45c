//! Tests of changelog completeness: a release fails if a change since the last release has no entry.

use serde_json::{Value, json};

use super::desk::Desk;
use crate::harness::Answer;

/// Renames an operation in the stored contract of the last release.
async fn was_called_otherwise(desk: &Desk) {
    let renamed = "replace(document, 'operationId: marketplace_apps_archive', 'operationId: marketplace_apps_stash')";
    desk.harness.sql(&format!("update contract_release set digest = 'former', document = {renamed}")).await;
}

fn unnamed(answer: &Answer) -> Vec<&str> {
    let errors = answer.json["errors"].as_array().into_iter().flatten();
    errors.map(|error| error["message"].as_str().unwrap().split(':').next().unwrap()).collect()
}

#[tokio::test]
async fn release_requires_changelog_entries_for_every_contract_change() {
    let desk = Desk::new().await;
    let first = desk.draft("CHANGELOG_ENTRY", "The beginning").await;
    assert_eq!(desk.step("release", &first).await.status, 200, "the first one compares with nothing");
    was_called_otherwise(&desk).await;

    let second = desk.draft("CHANGELOG_ENTRY", "Apps are archived").await;
    let refused = desk.step("release", &second).await;
    assert_eq!((refused.status, refused.code()), (409, "CONFLICT"));
    assert_eq!(unnamed(&refused), ["marketplace_apps_archive", "marketplace_apps_stash"]);
    assert_eq!(desk.schedule(&second, 3600).await.status, 409);
    let post = desk.draft("BLOG_POST", "Hello").await;
    assert_eq!(desk.step("release", &post).await.status, 200, "posts are not held");

    desk.update(&second, json!({ "operations": ["marketplace_apps_archive"] })).await;
    assert_eq!(unnamed(&desk.step("release", &second).await), ["marketplace_apps_stash"]);
    // Another entry of the release names the rest; a withdrawn entry would not count.
    let third = desk.draft("CHANGELOG_ENTRY", "Apps are no longer stashed").await;
    desk.update(&third, json!({ "operations": ["marketplace_apps_stash"] })).await;
    assert_eq!(desk.step("release", &second).await.status, 200);
    assert_eq!(desk.harness.number("select count(*) from contract_release where digest <> 'former'").await, 1);
    let fourth = desk.draft("CHANGELOG_ENTRY", "Nothing else").await;
    assert_eq!(desk.step("release", &fourth).await.status, 200, "nothing has changed since");
}

#[tokio::test]
async fn known_contract_is_not_sent_again() {
    let desk = Desk::new().await;
    let first = desk.draft("CHANGELOG_ENTRY", "The beginning").await;
    assert_eq!(desk.step("release", &first).await.status, 200);
    let refuse = "create function refuse() returns trigger language plpgsql
                  as $$ begin raise exception 'the contract was sent again'; end $$";
    desk.harness.sql(refuse).await;
    let trigger = "create trigger refuse before insert on contract_release for each row execute function refuse()";
    desk.harness.sql(trigger).await;
    let second = desk.draft("CHANGELOG_ENTRY", "Nothing else").await;
    assert_eq!(desk.step("release", &second).await.status, 200);
    assert_eq!(desk.harness.number("select count(*) from contract_release").await, 1);
}

#[tokio::test]
async fn scheduled_entry_is_withheld_after_further_contract_change() {
    let desk = Desk::new().await;
    let first = desk.draft("CHANGELOG_ENTRY", "The beginning").await;
    desk.step("release", &first).await;
    let entry = desk.draft("CHANGELOG_ENTRY", "Apps are archived").await;
    assert_eq!(desk.schedule(&entry, 60).await.status, 200);
    let post = desk.draft("BLOG_POST", "Hello").await;
    assert_eq!(desk.schedule(&post, 61).await.status, 200);
    was_called_otherwise(&desk).await;
    desk.harness.advance(62).await;
    let released = "select count(*) from publication_item where state = 'RELEASED'";
    desk.harness.until(released, 2).await;
    assert_eq!(desk.get(&post).await.str("state"), "RELEASED");
    assert_eq!(desk.get(&entry).await.str("state"), "SCHEDULED");
    let both = json!(["marketplace_apps_archive", "marketplace_apps_stash"]);
    desk.update(&entry, json!({ "operations": both })).await;
    desk.harness.until(released, 3).await;
}

#[tokio::test]
async fn contract_lists_changelog_entries_and_since_of_operations() {
    let desk = Desk::new().await;
    let entry = desk.draft("CHANGELOG_ENTRY", "Apps are archived").await;
    desk.update(&entry, json!({ "operations": ["marketplace_apps_archive"], "slug": "apps-are-archived" })).await;
    desk.step("release", &entry).await;
    let of_operation = async || -> String {
        let contract = desk.harness.call("publication_api_reference_get").expect(200).await.text();
        let part = contract.split("operationId: marketplace_apps_archive\n").nth(1).unwrap();
        part.split("operationId:").next().unwrap().to_owned()
    };
    desk.harness.soon("the entry is named", async || of_operation().await.contains("x-changelog")).await;
    let told = of_operation().await;
    assert!(told.contains("/apps-are-archived") && told.contains("x-since: 1.0.0"), "{told}");
    desk.step("withdraw", &entry).await;
    desk.harness.soon("it is named no more", async || !of_operation().await.contains("x-changelog")).await;
    assert_ne!(desk.get(&entry).await.json["withdrawn_at"], Value::Null);
}
