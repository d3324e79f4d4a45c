//! Tests of apps: ownership, maximum number, and changes of the draft.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::market::{Market, allowed, errors, fast_harness, finds};
use crate::harness::people::Person;
use crate::harness::{Answer, Call, Harness, WAITING};

pub(super) async fn create(harness: &Harness, owner: &Person, body: Value) -> Answer {
    harness.call("marketplace_apps_create").token(&owner.token).json(&body).send().await
}

pub(super) fn about<'h>(harness: &'h Harness, operation: &str, owner: &Person, app: &str) -> Call<'h> {
    harness.call(operation).path("app_uuid", app).token(&owner.token)
}

pub(super) async fn update(harness: &Harness, owner: &Person, app: &str, patch: Value) -> Answer {
    about(harness, "marketplace_apps_update", owner, app).json(&patch).send().await
}

#[tokio::test]
async fn concurrent_creates_respect_free_tier_limit_of_three_apps() {
    let harness = fast_harness().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let answers = join_all((0..6).map(|n| create(&harness, &owner, json!({ "name": format!("App {n}") })))).await;
    let made: Vec<&str> =
        answers.iter().filter(|answer| answer.status == 201).map(|answer| answer.str("uuid")).collect();
    assert_eq!(made.len(), 3);
    for refused in answers.iter().filter(|answer| answer.status != 201) {
        assert_eq!((refused.status, refused.code()), (409, "ENTITLEMENT_EXCEEDED"));
        let said = [&refused.json["feature"], &refused.json["limit"], &refused.json["used"]];
        assert_eq!(said, [&json!("apps"), &json!(3), &json!(3)]);
    }
    // The test sets the state directly in the database.
    harness.sql(&format!("update app set state = 'ARCHIVED' where app_uuid = '{}'", made[0])).await;
    let seventh = create(&harness, &owner, json!({ "name": "App 7" })).await;
    assert_eq!(seventh.status, 201, "an archived one does not count");
    assert_eq!(create(&harness, &owner, json!({ "name": "App 8" })).await.code(), "ENTITLEMENT_EXCEEDED");
    about(&harness, "marketplace_apps_delete", &owner, made[1]).expect(204).await;
    assert_eq!(create(&harness, &owner, json!({ "name": "App 9" })).await.status, 201, "a deleted one made room");
}

#[tokio::test]
async fn smaller_limit_removes_no_app_and_larger_allows_more() {
    let harness = fast_harness().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let first = create(&harness, &owner, json!({ "name": "First" })).await;
    harness.sql("update tier_feature set value = '0' where feature_code = 'apps'").await;
    assert_eq!(update(&harness, &owner, first.str("uuid"), json!({ "tagline": "Still here" })).await.status, 200);
    let refused = create(&harness, &owner, json!({ "name": "Second" })).await;
    assert_eq!(
        (refused.code(), &refused.json["limit"], &refused.json["used"]),
        ("ENTITLEMENT_EXCEEDED", &json!(0), &json!(1))
    );
    let partner = owner.partner_uuid.unwrap();
    harness
        .sql(&format!(
            "insert into entitlement_override (partner_uuid, feature_code, value, reason, expires_at)
             values ('{partner}', 'apps', '2', 'A launch.', labs_now() + interval '1 hour')"
        ))
        .await;
    assert_eq!(create(&harness, &owner, json!({ "name": "Second" })).await.status, 201);
    harness.advance(3601).await;
    let owner = harness.sign_in(&owner.email).await;
    harness.sql("delete from app where app_uuid in (select app_uuid from app limit 1)").await;
    let third = create(&harness, &owner, json!({ "name": "Third" })).await;
    assert_eq!(third.code(), "ENTITLEMENT_EXCEEDED", "it has ended");
}

#[tokio::test]
async fn foreign_app_is_not_found() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let stranger = market.harness.partner("Ostsee Kassen").await;
    let category = json!({ "primary_category_uuid": "0198d000-0000-7000-8000-000000000001" });
    let calls: [(&str, Option<Value>); 6] = [
        ("marketplace_apps_get", None),
        ("marketplace_apps_update", Some(json!({ "name": "Mine now" }))),
        ("marketplace_apps_put_categories", Some(category)),
        ("marketplace_apps_get_checklist", None),
        ("marketplace_media_list", None),
        ("marketplace_apps_delete", None),
    ];
    for (operation, body) in calls {
        let call = about(&market.harness, operation, &stranger, &app);
        let call = match &body {
            Some(body) => call.json(body),
            None => call,
        };
        let refused = call.expect(404).await;
        assert!(!refused.text().contains("Table Pilot"), "{operation}");
    }
    let list = market.harness.call("marketplace_apps_list").token(&stranger.token).expect(200).await;
    assert_eq!(list.json["data"], json!([]));
    about(&market.harness, "marketplace_apps_get", &market.owner, &app).expect(200).await;
}

#[tokio::test]
async fn merge_patch_changes_sent_fields_and_null_clears() {
    let harness = fast_harness().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let body = json!({
        "name": "Table Pilot",
        "tagline": "A line",
        "description": "Some words.",
        "support_email": "help@nordsee.example",
        "terms_url": "https://nordsee.example/terms",
    });
    let app = create(&harness, &owner, body).await.str("uuid").to_owned();
    let patch = json!({ "tagline": null, "terms_url": null, "website_url": "https://nordsee.example/" });
    let call = about(&harness, "marketplace_apps_update", &owner, &app);
    let patched = call.raw("application/merge-patch+json", &patch.to_string()).expect(200).await.json;
    assert_eq!((&patched["tagline"], &patched["terms_url"]), (&json!(""), &Value::Null));
    assert_eq!(patched["website_url"], "https://nordsee.example/");
    let kept = [&patched["name"], &patched["description"], &patched["support_email"]];
    assert_eq!(kept, [&json!("Table Pilot"), &json!("Some words."), &json!("help@nordsee.example")]);
    for (bad, place) in [
        (json!({ "name": null }), "/name"),
        (json!({ "slug": null }), "/slug"),
        (json!({ "default_locale": null }), "/default_locale"),
        (json!({ "name": "T" }), "/name"),
        (json!({ "name": " \u{a0}T " }), "/name"),
        (json!({ "tagline": "one\ntwo" }), "/tagline"),
        (json!({ "description": "a\u{7}b" }), "/description"),
        (json!({ "support_email": "nobody" }), "/support_email"),
        (json!({ "privacy_url": "http://nordsee.example/" }), "/privacy_url"),
        (json!({ "privacy_url": "https://." }), "/privacy_url"),
        (json!({ "slug": "Not A Slug" }), "/slug"),
        (json!({ "state": "LISTED" }), "/state"),
    ] {
        let refused = update(&harness, &owner, &app, bad.clone()).await;
        let places: Vec<_> = errors(&refused).into_iter().map(|error| error.1).collect();
        assert_eq!((refused.status, places.first()), (422, Some(&place)), "{bad}: {}", refused.text());
    }
    assert_eq!(update(&harness, &owner, &app, json!({})).await.status, 422, "a patch that says nothing");
    assert_eq!(about(&harness, "marketplace_apps_get", &owner, &app).expect(200).await.json, patched);
}

#[tokio::test]
async fn internationalized_url_is_stored_unchanged() {
    let harness = fast_harness().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let address = "https://bücher.example/ä?x=1#y";
    let body = json!({ "name": "Table Pilot", "privacy_url": address, "terms_url": address });
    let app = create(&harness, &owner, body).await.str("uuid").to_owned();
    let read = about(&harness, "marketplace_apps_get", &owner, &app).expect(200).await.json;
    assert_eq!((&read["privacy_url"], &read["terms_url"]), (&json!(address), &json!(address)));
}

#[tokio::test]
async fn texts_are_stored_trimmed_and_normalized() {
    let harness = fast_harness().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let made =
        create(&harness, &owner, json!({ "name": "  Cafe\u{301} Pilot ", "description": " One.\r\n\r\nTwo.\t " }))
            .await;
    assert_eq!((made.str("name"), made.str("description")), ("Café Pilot", "One.\n\nTwo."));
    assert_eq!(made.str("slug"), "cafe-pilot");
}

#[tokio::test]
async fn only_locale_of_app_can_be_changed_with_its_texts() {
    let harness = fast_harness().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let app = create(&harness, &owner, json!({ "name": "Table Pilot", "tagline": "A line" })).await;
    assert_eq!(app.str("default_locale"), "en");
    let moved =
        update(&harness, &owner, app.str("uuid"), json!({ "default_locale": "de-AT", "name": "Tischpilot" })).await;
    assert_eq!(
        (moved.str("default_locale"), moved.str("name"), moved.str("tagline")),
        ("de-AT", "Tischpilot", "A line")
    );
    assert_eq!(harness.number("select count(*) from app_translation").await, 1);
    harness.sql("insert into app_translation (app_uuid, locale, name) select app_uuid, 'fr', 'Pilote' from app").await;
    let refused = update(&harness, &owner, app.str("uuid"), json!({ "default_locale": "nl" })).await;
    assert_eq!((refused.status, errors(&refused)), (422, vec![("NO_TEXTS", "/default_locale")]));
    let other = update(&harness, &owner, app.str("uuid"), json!({ "default_locale": "fr" })).await;
    assert_eq!((other.status, other.str("name")), (200, "Pilote"), "one that has texts shows them");
}

#[tokio::test]
async fn unchanged_app_returns_304_and_stale_write_fails() {
    let harness = fast_harness().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let made = create(&harness, &owner, json!({ "name": "Table Pilot" })).await;
    let app = made.str("uuid").to_owned();
    let get = || about(&harness, "marketplace_apps_get", &owner, &app);
    let etag = get().expect(200).await.header("etag").to_owned();
    assert_eq!(made.header("etag"), etag, "what was made is what is read");
    assert!(get().header("if-none-match", &etag).expect(304).await.bytes.is_empty());
    get().header("if-none-match", &format!("\"other\", W/{etag}")).expect(304).await;
    get().header("if-none-match", "\"other\"").expect(200).await;
    get().header("if-match", &etag).expect(200).await;
    get().header("if-match", "*").expect(200).await;
    let other = get().header("if-match", "\"other\"").header("if-none-match", &etag).expect(412).await;
    assert_eq!(other.code(), "PRECONDITION_FAILED", "If-Match is heard first, of a read too");

    let write = |tag: &str, name: &str| {
        let call = about(&harness, "marketplace_apps_update", &owner, &app).header("if-match", tag);
        let call = call.json(&json!({ "tagline": name }));
        async move { call.send().await }
    };
    let both = join_all([write(&etag, "One"), write(&etag, "Two")]).await;
    let mut statuses: Vec<u16> = both.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 412], "of two who saw the same, one writes");
    let now = get().expect(200).await;
    let won = both.iter().find(|answer| answer.status == 200).unwrap();
    assert_eq!((now.str("tagline"), now.header("etag")), (won.str("tagline"), won.header("etag")));
    let stale = write(&etag, "Three").await;
    assert_eq!((stale.status, stale.code()), (412, "PRECONDITION_FAILED"));
    let weak = write(&format!("W/{}", now.header("etag")), "Four").await;
    assert_eq!(weak.status, 412, "a weak tag never matches a write (RFC 9110 section 13.1.1)");
    let delete = about(&harness, "marketplace_apps_delete", &owner, &app).header("if-match", &etag).send().await;
    assert_eq!((delete.status, delete.code()), (412, "PRECONDITION_FAILED"));
    assert_eq!(get().expect(200).await.bytes, now.bytes, "nothing was changed");
    let long = "Seats guests by party size, course and table. ".repeat(40);
    update(&harness, &owner, &app, json!({ "description": long })).await;
    let packed = get().header("accept-encoding", "gzip").expect(200).await;
    assert_eq!(packed.header("content-encoding"), "gzip");
    assert_eq!(write(packed.header("etag"), "Five").await.status, 200, "whoever read the packed form has read it");
    assert_eq!(write(packed.header("etag"), "Six").await.status, 412, "it has changed since");
    assert_eq!(write("*", "Seven").await.status, 200);
    let known = get().expect(200).await.header("etag").to_owned();
    about(&harness, "marketplace_apps_delete", &owner, &app).header("if-match", &known).expect(204).await;
    let gone = write("*", "Eight").await;
    assert!(matches!(gone.status, 404 | 412), "{}", gone.text());
}

#[tokio::test]
async fn submitted_or_published_app_cannot_be_deleted_or_renamed() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let version = market.draft(&app, "1.0.0").await;
    let delete = || about(&market.harness, "marketplace_apps_delete", &market.owner, &app);
    let submission = market.submit(&app, &version).await;
    let waiting = delete().send().await;
    assert_eq!((waiting.status, waiting.code()), (409, "CONFLICT"));
    let rename = |slug: &str| update(&market.harness, &market.owner, &app, json!({ "slug": slug, "name": "Another" }));
    let judged = rename("another").await;
    assert_eq!((judged.status, errors(&judged)), (409, vec![("FIXED", "/slug")]), "reviewers judge it with its slug");
    market.claim(&submission).await;
    market.request_changes(&submission).await;
    assert_eq!(rename("table-pilot-two").await.str("slug"), "table-pilot-two");
    let other = market.app("Other").await;
    about(&market.harness, "marketplace_apps_delete", &market.owner, &other).expect(204).await;
    about(&market.harness, "marketplace_apps_get", &market.owner, &other).expect(404).await;
    about(&market.harness, "marketplace_apps_delete", &market.owner, &other).expect(404).await;
    market.published(&app, &version).await;
    let live = delete().send().await;
    assert_eq!((live.status, live.code(), allowed(&live)), (409, "ILLEGAL_TRANSITION", vec!["unlist", "archive"]));
    let fixed = rename("another").await;
    assert_eq!((fixed.status, errors(&fixed)), (409, vec![("FIXED", "/slug")]));
    let same = rename("table-pilot-two").await;
    assert_eq!((same.status, same.str("name")), (200, "Another"));
}

#[tokio::test]
async fn concurrent_slug_change_during_submission_is_rejected() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let version = market.draft(&app, "1.0.0").await;
    let seen = about(&market.harness, "marketplace_apps_get", &market.owner, &app).expect(200).await;
    let rename = about(&market.harness, "marketplace_apps_update", &market.owner, &app);
    let rename = rename.header("if-match", seen.header("etag")).json(&json!({ "slug": "another" }));
    let submit = market.version("marketplace_versions_submit", &app, &version).json(&json!({}));
    // The submission locks the app and waits. The change waits for the app, with the ETag that it read before.
    let held = market.harness.lock("submission", "share").await;
    let behind = async {
        market.harness.until(WAITING, 1).await;
        let let_go = async {
            market.harness.until(WAITING, 2).await;
            held.commit().await;
        };
        tokio::join!(rename.send(), let_go).0
    };
    let (submitted, renamed) = tokio::join!(submit.send(), behind);
    assert_eq!(submitted.status, 200, "{}", submitted.text());
    assert_eq!((renamed.status, renamed.code()), (412, "PRECONDITION_FAILED"), "the app has changed since it was read");
}

#[tokio::test]
async fn list_is_filtered_sorted_and_paged_without_gaps_or_repeats() {
    let market = Market::new().await;
    let (harness, owner) = (&market.harness, &market.owner);
    for name in ["délice", "Alpha", "beta", "Zeta", "alpha two"] {
        create(harness, owner, json!({ "name": name, "tagline": format!("The line of {name}") })).await;
        harness.advance(1).await;
    }
    let (listed, _) = market.listed("Pilot").await;
    let list = || harness.call("marketplace_apps_list").token(&owner.token);
    let newest = list().expect(200).await;
    let third = newest.json["data"][2]["created_at"].as_str().unwrap();
    let category = newest.json["data"][0]["categories"][0]["uuid"].as_str().unwrap();
    assert_eq!(newest.json["data"][0]["uuid"], listed);
    let find = async |filters: &[(&str, &str)], expected: &[&str]| finds(list, ("name", 2), filters, expected).await;
    find(&[], &["Pilot", "alpha two", "Zeta", "beta", "Alpha", "délice"]).await;
    find(&[("sort", "created_at")], &["délice", "Alpha", "beta", "Zeta", "alpha two", "Pilot"]).await;
    find(&[("sort", "name")], &["Alpha", "alpha two", "beta", "délice", "Pilot", "Zeta"]).await;
    find(&[("sort", "-updated_at")], &["Pilot", "alpha two", "Zeta", "beta", "Alpha", "délice"]).await;
    find(&[("state", "LISTED")], &["Pilot"]).await;
    find(&[("state", "SUSPENDED,ARCHIVED")], &[]).await;
    find(&[("q", "ALPHA")], &["alpha two", "Alpha"]).await;
    find(&[("q", "line of b")], &["beta"]).await;
    find(&[("q", "%")], &[]).await;
    find(&[("q", "_")], &[]).await;
    find(&[("category_uuid", category)], &["Pilot"]).await;
    find(&[("created_at_from", third)], &["Pilot", "alpha two", "Zeta"]).await;
    find(&[("created_at_until", third)], &["beta", "Alpha", "délice"]).await;
    find(&[("created_at_until", third), ("q", "a"), ("sort", "name")], &["Alpha", "beta"]).await;
}
