//! Tests of the public changelog, blog and developer resources.

use serde_json::{Value, json};

use super::desk::Desk;
use crate::harness::{Answer, Call};
use crate::partner::team::colleague;

/// The public read operations of each kind.
const KINDS: [(&str, &str, &str); 3] = [
    ("CHANGELOG_ENTRY", "publication_public_changelog_get", "publication_public_changelog_list"),
    ("BLOG_POST", "publication_public_blog_posts_get", "publication_public_blog_posts_list"),
    ("DEVELOPER_RESOURCE", "publication_public_developer_resources_get", "publication_public_developer_resources_list"),
];

impl Desk {
    /// Creates a released item with this content; a developer resource also gets an artefact.
    pub(super) async fn released(&self, kind: &str, title: &str, said: Value) -> String {
        let item = self.draft(kind, title).await;
        let updated = self.update(&item, said).await;
        assert_eq!(updated.status, 200, "{}", updated.text());
        self.release(kind, &item).await;
        item
    }

    async fn release(&self, kind: &str, item: &str) {
        if kind == "DEVELOPER_RESOURCE" {
            let call = self.about("publication_items_put_artefact", item).query("file_name", "labs.json");
            call.raw("application/octet-stream", "{\"openapi\": \"3.1.1\"}").expect(200).await;
        }
        let released = self.step("release", item).await;
        assert_eq!(released.status, 200, "{}", released.text());
    }

    /// A public read of the item with this slug.
    pub(super) fn read(&self, operation: &str, slug: &str) -> Call<'_> {
        self.harness.call(operation).path("slug", slug)
    }
}

/// Returns the titles of a page.
fn titles(page: &Answer) -> Vec<&str> {
    page.json["data"].as_array().unwrap().iter().map(|row| row["title"].as_str().unwrap()).collect()
}

/// Returns an error response without the parts that differ for each request.
fn bare(refusal: &Answer) -> (u16, Value, Vec<(String, String)>) {
    let mut problem = refusal.json.clone();
    for own in ["request_id", "instance"] {
        problem.as_object_mut().unwrap().remove(own).unwrap();
    }
    // The date, the id and the caller's budget belong to one response.
    let is_own = |name: &str| ["date", "content-length", "ratelimit"].contains(&name) || name.starts_with("x-r");
    let headers = refusal.headers.iter().filter(|(name, _)| !is_own(name.as_str()));
    let mut headers: Vec<_> =
        headers.map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned())).collect();
    headers.sort();
    (refusal.status, problem, headers)
}

#[tokio::test]
async fn every_unreleased_item_is_not_found() {
    let desk = Desk::new().await;
    for (kind, get, list) in KINDS {
        let unknown = bare(&desk.read(get, "unknown").send().await);
        assert_eq!(unknown.0, 404);
        let item = desk.draft(kind, "Something").await;
        desk.update(&item, json!({ "slug": "something" })).await;
        assert_eq!(bare(&desk.read(get, "something").send().await), unknown, "a draft {kind}");
        desk.release(kind, &item).await;
        desk.read(get, "something").expect(200).await;
        desk.update(&item, json!({ "slug": "something-else", "reason": "Better." })).await;
        let moved = desk.read(get, "something").expect(308).await;
        assert!(moved.header("location").ends_with("/something-else"), "{}", moved.header("location"));
        desk.read(get, "something-else").expect(200).await;
        assert_eq!(titles(&desk.harness.call(list).expect(200).await), ["Something"]);

        desk.step("withdraw", &item).await;
        for slug in ["something-else", "something"] {
            assert_eq!(bare(&desk.read(get, slug).send().await), unknown, "a {kind} that was withdrawn");
        }
        assert!(titles(&desk.harness.call(list).expect(200).await).is_empty());
        desk.schedule(&item, 60).await;
        assert_eq!(bare(&desk.read(get, "something").send().await), unknown, "a {kind} that is to come");
        desk.harness.advance(61).await;
        desk.harness.soon("it is released", async || desk.read(get, "something-else").send().await.status == 200).await;
        desk.read(get, "something").expect(308).await;
    }
}

#[tokio::test]
async fn entry_shows_changes_and_follows_edits() {
    let desk = Desk::new().await;
    let said = json!({ "slug": "search", "body": "# What\n\nSee [it](op:system_me_get).\n\n## Why", "tags": ["api"],
                       "operations": ["system_me_get"], "fields": ["system_me_get:/scopes"], "summary": "In short.",
                       "effective_at": "2026-05-01T00:00:00Z", "sunset_at": "2027-01-01T00:00:00Z",
                       "action_required": true, "migration": "Do **this**." });
    let item = desk.released("CHANGELOG_ENTRY", "Search", said.clone()).await;
    let get = || desk.read("publication_public_changelog_get", "search");
    let entry = get().expect(200).await;
    for (field, value) in said.as_object().unwrap() {
        assert_eq!(&entry.json[field], value, "{field}");
    }
    assert_eq!((entry.str("uuid"), entry.str("version"), entry.str("change")), (item.as_str(), "1.4.0", "ADDED"));
    let anchors = json!([{ "id": "section-what", "level": 1, "text": "What" },
                         { "id": "section-why", "level": 2, "text": "Why" }]);
    assert_eq!(entry.json["anchors"], anchors);
    assert!(entry.str("body_html").contains("<h2 id=\"section-why\">Why</h2>"));
    assert!(entry.str("body_html").contains("href=\"/reference/operations/system_me_get\""));
    assert_eq!(entry.str("migration_html"), "<p>Do <strong>this</strong>.</p>\n");
    let same = get().header("if-none-match", entry.header("etag")).expect(304).await;
    assert_eq!(same.header("etag"), entry.header("etag"));

    desk.harness.advance(60).await;
    desk.update(&item, json!({ "body": "Something else.", "reason": "It was wrong." })).await;
    let edited = get().header("if-none-match", entry.header("etag")).expect(200).await;
    assert_eq!((edited.str("body"), edited.str("body_html")), ("Something else.", "<p>Something else.</p>\n"));
    assert_eq!(edited.str("released_at"), entry.str("released_at"));
    assert!(edited.str("updated_at") > entry.str("updated_at"));

    desk.step("withdraw", &item).await;
    desk.step("release", &item).await;
    let again = get().expect(200).await;
    assert_eq!(again.str("first_released_at"), entry.str("first_released_at"));
    assert!(again.str("released_at") > entry.str("released_at"));
}

#[tokio::test]
async fn changelog_can_be_filtered_by_each_parameter() {
    let desk = Desk::new().await;
    desk.released("CHANGELOG_ENTRY", "Alpha", json!({ "operations": ["system_me_get"], "tags": ["api"] })).await;
    desk.harness.advance(60).await;
    let moment = desk.harness.clock.now().to_string();
    let said = json!({ "version": "1.5.0", "change": "FIXED", "action_required": true, "migration": "Do.",
                       "summary": "It is gamma ray safe." });
    desk.released("CHANGELOG_ENTRY", "Beta", said).await;
    desk.draft("CHANGELOG_ENTRY", "Gamma").await;
    desk.released("BLOG_POST", "Delta", json!({})).await;
    for (query, expected) in [
        (&[][..], &["Beta", "Alpha"][..]),
        (&[("change", "FIXED,SECURITY")], &["Beta"]),
        (&[("version", "1.4.0")], &["Alpha"]),
        (&[("operation", "system_me_get")], &["Alpha"]),
        (&[("action_required", "true")], &["Beta"]),
        (&[("action_required", "false")], &["Alpha"]),
        (&[("tag", "api")], &["Alpha"]),
        (&[("q", "GAMMA")], &["Beta"]),
        (&[("q", "alph")], &["Alpha"]),
        (&[("released_at_from", moment.as_str())], &["Beta"]),
        (&[("released_at_until", moment.as_str())], &["Alpha"]),
    ] {
        let call = desk.harness.call("publication_public_changelog_list");
        let found = query.iter().fold(call, |call, (name, value)| call.query(name, value)).expect(200).await;
        assert_eq!(titles(&found), expected, "{query:?}");
        assert!(found.json["data"].as_array().unwrap().iter().all(|entry| entry.get("body").is_none()));
    }
}

#[tokio::test]
async fn post_links_neighbours_and_names_consenting_author() {
    let desk = Desk::new().await;
    let mut items = Vec::new();
    for (title, words) in [("One", 1), ("Two", 200), ("Three", 201)] {
        let said = json!({ "body": "word ".repeat(words), "tags": [title.to_lowercase()] });
        items.push(desk.released("BLOG_POST", title, said).await);
        desk.harness.advance(60).await;
    }
    desk.released("CHANGELOG_ENTRY", "Between", json!({})).await;
    let get = async |slug: &str| desk.read("publication_public_blog_posts_get", slug).expect(200).await.json;
    let neighbours = |post: &Value| json!([post["former"]["slug"], post["next"]["slug"], post["reading_minutes"]]);
    let [one, two, three] = [get("one").await, get("two").await, get("three").await];
    assert_eq!(
        [&one, &two, &three].map(neighbours),
        [json!([null, "two", 1]), json!(["one", "three", 1]), json!(["two", null, 2])]
    );
    assert_eq!(two["next"], json!({ "slug": "three", "title": "Three" }));
    assert_eq!(two["author"], Value::Null);

    desk.step("withdraw", &items[1]).await;
    assert_eq!(neighbours(&get("one").await), json!([null, "three", 1]));
    desk.update(&items[0], json!({ "show_author": true, "reason": "It is mine." })).await;
    assert_eq!(get("one").await["author"], json!({ "name": "Edda Editor" }));
    let list = desk.harness.call("publication_public_blog_posts_list");
    let list = list.query("tag", "one,two").query("q", "ON").expect(200).await;
    assert_eq!((titles(&list), &list.json["data"][0]["author"]["name"]), (vec!["One"], &json!("Edda Editor")));
}

#[tokio::test]
async fn partner_audience_is_visible_only_to_partner_users_and_clients() {
    let desk = Desk::new().await;
    let harness = &desk.harness;
    harness.sql("update tier set burst_per_second = 1000").await;
    let said = json!({ "audience": "PARTNER", "slug": "kit", "resource_version": "2.1", "tags": ["kit"] });
    let item = desk.released("DEVELOPER_RESOURCE", "Kit", said).await;
    desk.released("DEVELOPER_RESOURCE", "Open kit", json!({})).await;
    let administrator = harness.partner("Nordsee Kassen").await;
    let developer = colleague(harness, &administrator, "Tomas", "DEVELOPER").await;
    let scopes = ["publication.developer-resources"];
    let program = harness.program("kit", &scopes, administrator.partner_uuid).await;
    for token in [&developer.token, &program.token] {
        let list = harness.call("publication_developer_resources_list").token(token);
        assert_eq!(titles(&list.query("q", "kit").expect(200).await), ["Open kit", "Kit"]);
        let got = desk.read("publication_developer_resources_get", "kit").token(token).expect(200).await;
        assert_eq!(
            (got.str("audience"), got.str("version"), got.str("body")),
            ("PARTNER", "2.1", "Something to read.")
        );
        assert_eq!(got.json["artefact"]["file_name"], json!("labs.json"));
        let file = desk.read("publication_developer_resources_download", "kit").token(token).expect(200).await;
        assert_eq!(file.text(), "{\"openapi\": \"3.1.1\"}");
    }
    for operation in ["publication_public_developer_resources_get", "publication_public_developer_resources_download"] {
        let unknown = bare(&desk.read(operation, "unknown").send().await);
        assert_eq!(bare(&desk.read(operation, "kit").send().await), unknown);
        desk.update(&item, json!({ "audience": "PUBLIC", "reason": "For everybody." })).await;
        desk.read(operation, "kit").expect(200).await;
        desk.update(&item, json!({ "audience": "PARTNER", "slug": "kit", "reason": "No, it is not." })).await;
    }
    desk.update(&item, json!({ "slug": "toolkit", "reason": "Another name." })).await;
    let former = |operation: &str| desk.read(operation, "kit");
    former("publication_public_developer_resources_get").expect(404).await;
    let moved = former("publication_developer_resources_download").token(&program.token).expect(308).await;
    assert_eq!(moved.header("location"), "/v1/publication/developer-resources/toolkit/artefact");
    let other = harness.program("other", &["marketplace.apps"], administrator.partner_uuid).await;
    former("publication_developer_resources_get").token(&other.token).expect(403).await;
    let list = harness.call("publication_public_developer_resources_list").query("tag", "kit").expect(200).await;
    assert!(titles(&list).is_empty());
}
