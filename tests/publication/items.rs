//! Tests of publication items: write, release, schedule, withdraw, and their history.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::desk::{Desk, errors};

#[tokio::test]
async fn each_kind_accepts_only_its_fields() {
    let desk = Desk::new().await;
    let refused = desk.create(json!({
        "kind": "BLOG_POST", "title": "Hello", "version": "1.4.0", "action_required": true, "audience": "PARTNER",
        "resource_version": "2",
    }));
    let found = ["NOT_OF_KIND /version", "NOT_OF_KIND /action_required", "NOT_OF_KIND /resource_version"];
    let refused = refused.await;
    assert_eq!(refused.status, 422);
    assert_eq!(errors(&refused), [&found[..], &["PUBLIC_ONLY /audience"]].concat());
    let refused = desk.create(json!({ "kind": "CHANGELOG_ENTRY", "title": "Hello", "show_author": true })).await;
    let found = ["NOT_OF_KIND /show_author", "REQUIRED /version", "REQUIRED /change", "NOT_AUTHOR /show_author"];
    assert_eq!(errors(&refused), found);

    let made = desk.create(json!({
        "kind": "CHANGELOG_ENTRY", "title": "Search: forgiving", "version": "1.4.0", "change": "CHANGED",
        "body": "# New\n\nSee [it](op:marketplace_listings_search). <b>Now</b>", "fields": ["system_me_get:/name"],
        "migration": "**before** and after", "tags": ["search"],
    }));
    let made = made.await;
    assert_eq!((made.status, made.str("state"), made.str("slug")), (201, "DRAFT", "1-4-0-search-forgiving"));
    let html = made.str("body_html");
    assert!(html.contains(r#"<h1 id="section-new">"#) && html.contains("&lt;b&gt;"), "{html}");
    assert!(html.contains(r#"href="/reference/operations/marketplace_listings_search""#), "{html}");
    assert!(made.str("migration_html").contains("<strong>before</strong>"));
    assert_eq!(made.json["created_by"]["name"], "Edda Editor");
    assert_eq!(made.json["allowed_actions"], json!(["schedule", "release"]));
    let recorded = "select count(*) from audit_log where operation = 'publication_items_update'
                       and target_kind = 'PUBLICATION_ITEM' and target_label = '1-4-0-search-forgiving'";
    desk.update(made.str("uuid"), json!({ "summary": "Short." })).await;
    assert_eq!(desk.harness.number(recorded).await, 1);
}

#[tokio::test]
async fn item_transitions_are_recorded() {
    let desk = Desk::new().await;
    let item = desk.draft("BLOG_POST", "Hello").await;
    let other = desk.draft("BLOG_POST", "Other").await;
    let released = desk.step("release", &item).await;
    assert_eq!((released.status, released.str("state")), (200, "RELEASED"));
    let again = desk.step("release", &item).await;
    assert_eq!((again.status, again.code()), (409, "ILLEGAL_TRANSITION"));
    assert_eq!(again.json["allowed_actions"], json!(["withdraw"]));
    let refused = desk.update(&item, json!({ "title": "Hello, world" })).await;
    assert_eq!((refused.status, errors(&refused)), (422, vec!["REQUIRED /reason".to_owned()]));
    let edit = json!({ "title": "Hello, world", "slug": "hello-world", "reason": "Politer." });
    let edited = desk.update(&item, edit.clone()).await;
    assert_eq!(edited.json["former_slugs"], json!(["hello"]));
    assert_eq!(desk.update(&item, edit).await.status, 200, "the same again is no step");
    let deleted = desk.step("delete", &item).await;
    assert_eq!((deleted.status, deleted.code()), (409, "ILLEGAL_TRANSITION"));
    assert_eq!(desk.step("withdraw", &item).await.str("state"), "WITHDRAWN");
    assert_eq!(desk.step("release", &item).await.json["withdrawn_at"], Value::Null);
    let steps = ["DRAFT RELEASED", "RELEASED RELEASED", "RELEASED WITHDRAWN", "WITHDRAWN RELEASED"];
    assert_eq!(desk.steps(&item).await, steps);
    let list = desk.about("publication_items_list_transitions", &item).expect(200).await;
    let edit = &list.json["data"][2];
    assert_eq!((&edit["reason"], &edit["actor"]["name"]), (&json!("Politer."), &json!("Edda Editor")));
    assert_eq!((&edit["earlier"]["title"], &edit["earlier"]["slug"]), (&json!("Hello"), &json!("hello")));

    // A released item keeps its former slug. A draft's slug is free again when the draft is renamed or deleted.
    let taken = desk.update(&other, json!({ "slug": "hello" })).await;
    assert_eq!((taken.status, errors(&taken)), (409, vec!["TAKEN /slug".to_owned()]));
    let derived = desk.create(json!({ "kind": "BLOG_POST", "title": "Hello" })).await;
    assert!(derived.status == 201 && derived.str("slug").starts_with("hello-"), "{}", derived.text());
    desk.update(&other, json!({ "slug": "another" })).await;
    let third = desk.draft("BLOG_POST", "Other").await;
    assert_eq!(desk.step("delete", &third).await.status, 204);
    desk.draft("BLOG_POST", "Other").await;
    desk.draft("DEVELOPER_RESOURCE", "Hello").await;
}

#[tokio::test]
async fn unreadable_item_cannot_be_released() {
    let desk = Desk::new().await;
    let body = json!({ "kind": "CHANGELOG_ENTRY", "title": "Hello", "version": "1.4.0", "change": "ADDED",
                       "body": "[a](op:system_me_get) [b](op:nothing_get)", "action_required": true });
    let item = desk.create(body).await.str("uuid").to_owned();
    let found = ["REQUIRED /migration", "UNKNOWN_OPERATION /body"];
    for refused in [desk.step("release", &item).await, desk.schedule(&item, 60).await] {
        assert_eq!((refused.status, errors(&refused)), (422, found.map(str::to_owned).to_vec()));
        assert!(refused.text().contains("nothing_get"));
    }
    desk.update(&item, json!({ "body": "[c](op:publication_api_reference_get)", "migration": "Do." })).await;
    assert_eq!(desk.step("release", &item).await.status, 200, "an operation that is answered without the schema, too");
    let refused = desk.update(&item, json!({ "body": "[d](op:nothing_get)", "reason": "More." })).await;
    assert_eq!((refused.status, errors(&refused)), (422, vec!["UNKNOWN_OPERATION /body".to_owned()]));
    let refused = desk.create(json!({ "kind": "BLOG_POST", "title": "Deep", "body": "> ".repeat(9_000) })).await;
    assert_eq!(errors(&refused), ["TOO_DEEP /body"]);
}

#[tokio::test]
async fn scheduled_item_is_released_on_time_by_one_replica() {
    let desk = Desk::new().await;
    let twin = desk.harness.twin(&[]).await;
    let (item, other) = (desk.draft("BLOG_POST", "Hello").await, desk.draft("BLOG_POST", "Other").await);
    let past = desk.schedule(&item, -1).await;
    assert_eq!((past.status, errors(&past)), (422, vec!["PAST /scheduled_for".to_owned()]));
    assert_eq!(desk.schedule(&item, 3_600).await.str("state"), "SCHEDULED");
    assert_eq!(desk.schedule(&item, 60).await.str("state"), "SCHEDULED", "scheduling again moves it");
    desk.schedule(&other, 60).await;
    let back = desk.step("withdraw", &other).await;
    assert_eq!((back.str("state"), &back.json["scheduled_for"]), ("DRAFT", &Value::Null));
    desk.harness.advance(61).await;
    desk.harness.until("select count(*) from publication_item where state = 'RELEASED'", 1).await;
    let released = desk.get(&item).await;
    assert_eq!((released.str("state"), &released.json["scheduled_for"]), ("RELEASED", &Value::Null));
    assert_eq!(desk.steps(&item).await, ["DRAFT SCHEDULED", "SCHEDULED SCHEDULED", "SCHEDULED RELEASED"]);
    let last = desk.about("publication_items_list_transitions", &item).expect(200).await;
    assert_eq!(last.json["data"][0]["actor"], json!({ "kind": "SYSTEM", "uuid": null, "name": null }));
    assert_eq!(desk.get(&other).await.str("state"), "DRAFT");
    drop(twin);
    // After its first release, an item cannot become a draft again.
    desk.step("withdraw", &item).await;
    desk.schedule(&item, 60).await;
    assert_eq!(desk.step("withdraw", &item).await.str("state"), "WITHDRAWN");
}

#[tokio::test]
async fn concurrent_releases_succeed_once() {
    let desk = Desk::new().await;
    let item = desk.draft("BLOG_POST", "Hello").await;
    let mut statuses: Vec<u16> =
        join_all((0..6).map(|_| desk.step("release", &item))).await.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409, 409, 409, 409, 409]);
    assert_eq!(desk.steps(&item).await.len(), 1);
}

#[tokio::test]
async fn only_author_changes_author_visibility() {
    let desk = Desk::new().await;
    let colleague = desk.harness.staff("Carl Colleague", &["labs.admin.publication:write"]).await;
    let item = desk.draft("BLOG_POST", "Hello").await;
    let by_colleague = async |body: Value| {
        let call = desk.harness.call("publication_items_update").path("item_uuid", &item).token(&colleague.token);
        call.json(&body).send().await
    };
    let refused = by_colleague(json!({ "show_author": true })).await;
    assert_eq!((refused.status, errors(&refused)), (422, vec!["NOT_AUTHOR /show_author".to_owned()]));
    let shown = desk.update(&item, json!({ "show_author": true })).await;
    assert_eq!((&shown.json["show_author"], &shown.json["author"]["name"]), (&json!(true), &json!("Edda Editor")));
    assert_eq!(by_colleague(json!({ "show_author": false })).await.status, 422);
    assert_eq!(by_colleague(json!({ "title": "Hello again" })).await.json["show_author"], json!(true));
}

#[tokio::test]
async fn items_can_be_filtered_by_each_parameter() {
    let desk = Desk::new().await;
    let entry = desk.draft("CHANGELOG_ENTRY", "Alpha").await;
    desk.update(&entry, json!({ "operations": ["system_me_get"], "tags": ["search", "api"] })).await;
    let post = desk.draft("BLOG_POST", "Beta").await;
    desk.step("release", &post).await;
    let resource = desk.draft("DEVELOPER_RESOURCE", "Gamma").await;
    desk.update(&resource, json!({ "audience": "PARTNER" })).await;
    let author = desk.editor.uuid.to_string();
    let now = desk.harness.clock.now().plus_seconds(-60).to_string();
    for (query, expected) in [
        (&[][..], &["Gamma", "Beta", "Alpha"][..]),
        (&[("sort", "title")], &["Alpha", "Beta", "Gamma"]),
        (&[("sort", "-updated_at")], &["Gamma", "Beta", "Alpha"]),
        (&[("kind", "BLOG_POST,CHANGELOG_ENTRY")], &["Beta", "Alpha"]),
        (&[("state", "RELEASED")], &["Beta"]),
        (&[("audience", "PARTNER")], &["Gamma"]),
        (&[("tag", "api,nothing")], &["Alpha"]),
        (&[("version", "1.4.0")], &["Alpha"]),
        (&[("operation", "system_me_get")], &["Alpha"]),
        (&[("author_uuid", &author)], &["Beta"]),
        (&[("q", "MM")], &["Gamma"]),
        (&[("released_at_from", &now)], &["Beta"]),
        (&[("released_at_until", &now)], &[]),
        (&[("updated_at_until", &now)], &[]),
    ] {
        let call = desk.call("publication_items_list").query("include_total", true);
        let found = query.iter().fold(call, |call, (name, value)| call.query(name, value)).expect(200).await;
        let titles: Vec<&str> =
            found.json["data"].as_array().unwrap().iter().map(|item| item["title"].as_str().unwrap()).collect();
        assert_eq!(titles, expected, "{query:?}");
        assert_eq!(found.json["page"]["total"], json!(expected.len()));
    }
}
