//! Tests of an app's life cycle: unlist and relist, archive and unarchive, and its events.

use serde_json::{Value, json};

use super::market::{Market, allowed, column};
use crate::harness::Answer;

async fn act(market: &Market, action: &str, app: &str) -> Answer {
    let call = market.harness.call(&format!("marketplace_apps_{action}")).path("app_uuid", app);
    call.token(&market.owner.token).send().await
}

async fn is_found(market: &Market, slug: &str) -> bool {
    let reader = market.harness.program("Storefront", &["storefront"], None).await;
    let get = market.harness.call("marketplace_listings_get").path("listing_slug", slug).token(&reader.token);
    let (one, search) = (get.send().await, market.harness.call("marketplace_listings_search").token(&reader.token));
    let listed = column(&search.expect(200).await, "slug").contains(&slug);
    assert_eq!(one.status == 200, listed, "{}", one.text());
    listed
}

#[tokio::test]
async fn unlisted_app_returns_unchanged_when_relisted() {
    let market = Market::new().await;
    let (app, slug) = market.listed("Table Pilot").await;
    assert!(is_found(&market, &slug).await);
    let unlisted = act(&market, "unlist", &app).await;
    assert_eq!((unlisted.status, unlisted.str("state")), (200, "UNLISTED"));
    assert!(!is_found(&market, &slug).await);
    let again = act(&market, "unlist", &app).await;
    assert_eq!((again.status, again.code(), allowed(&again)), (409, "ILLEGAL_TRANSITION", vec!["relist", "archive"]));
    let update = market.harness.call("marketplace_apps_update").path("app_uuid", &app).token(&market.owner.token);
    update.json(&json!({ "name": "Table Captain" })).expect(200).await;
    assert_eq!(act(&market, "relist", &app).await.str("state"), "LISTED");
    assert!(is_found(&market, &slug).await);
    let reader = market.harness.program("Storefront", &["storefront"], None).await;
    let shown = market.harness.call("marketplace_listings_get").path("listing_slug", &slug).token(&reader.token);
    assert_eq!(shown.expect(200).await.str("name"), "Table Pilot", "the draft waits for its review");
}

#[tokio::test]
async fn archived_app_frees_tier_quota_and_restore_needs_it() {
    let market = Market::new().await;
    let (app, slug) = market.listed("Table Pilot").await;
    assert_eq!(act(&market, "archive", &app).await.str("state"), "ARCHIVED");
    assert!(!is_found(&market, &slug).await);
    let begun = market.harness.call("marketplace_versions_create").path("app_uuid", &app).token(&market.owner.token);
    begun.json(&json!({ "number": "2.0.0", "release_notes": { "en": "More." } })).expect(409).await;
    market.harness.sql("update tier_feature set value = '1' where feature_code = 'apps'").await;
    let other = market.app("Shift Board").await;
    let full = act(&market, "restore", &app).await;
    assert_eq!((full.status, full.code()), (409, "ENTITLEMENT_EXCEEDED"), "{}", full.text());
    assert_eq!(act(&market, "archive", &other).await.str("state"), "ARCHIVED");
    let restored = act(&market, "restore", &app).await;
    assert_eq!((restored.status, restored.str("state")), (200, "UNLISTED"), "never straight onto the storefront");
    assert!(!is_found(&market, &slug).await);
    market.harness.sql("update tier_feature set value = '2' where feature_code = 'apps'").await;
    assert_eq!(act(&market, "restore", &other).await.str("state"), "DRAFT", "it was never published");
}

#[tokio::test]
async fn archived_draft_frees_slug_and_regains_it_if_free() {
    let market = Market::new().await;
    let named = |name: &str| {
        let call = market.harness.call("marketplace_apps_create").token(&market.owner.token);
        call.json(&json!({ "name": name, "slug": "till" })).send()
    };
    let first = named("First").await.str("uuid").to_owned();
    assert_eq!(named("Second").await.status, 409);
    assert_eq!(act(&market, "archive", &first).await.str("slug"), "till");
    let reader = market.harness.program("Storefront", &["storefront"], None).await;
    let listing = market.harness.call("marketplace_listings_get").path("listing_slug", "till").token(&reader.token);
    listing.expect(404).await;
    assert_eq!(act(&market, "restore", &first).await.str("slug"), "till", "no other app has it");
    assert_eq!(named("Second").await.status, 409, "it is reserved again");
    act(&market, "archive", &first).await;
    let second = named("Second").await;
    assert_eq!((second.status, second.str("slug")), (201, "till"));
    let restored = act(&market, "restore", &first).await;
    assert!(restored.status == 200 && restored.str("slug").starts_with("till-"), "{}", restored.text());
}

#[tokio::test]
async fn archived_drafts_are_limited_by_tier_but_published_apps_not() {
    let market = Market::new().await;
    let (listed, _) = market.listed("Table Pilot").await;
    market.harness.sql("update tier_feature set value = '3' where feature_code = 'apps'").await;
    let mut archived = Vec::new();
    for number in 0..3 {
        let app = market.app(&format!("Draft {number}")).await;
        assert_eq!(act(&market, "archive", &app).await.status, 200);
        archived.push(app);
    }
    let more = market.app("Draft 3").await;
    let full = act(&market, "archive", &more).await;
    assert_eq!((full.status, full.code()), (409, "ENTITLEMENT_EXCEEDED"), "{}", full.text());
    assert_eq!(act(&market, "archive", &listed).await.status, 200, "customers may have it, so it cannot be deleted");
    let delete = market.harness.call("marketplace_apps_delete").path("app_uuid", &archived[0]);
    delete.token(&market.owner.token).expect(204).await;
    assert_eq!(act(&market, "archive", &more).await.status, 200);
}

#[tokio::test]
async fn submission_must_be_withdrawn_before_archiving() {
    let market = Market::new().await;
    let (app, _) = market.listed("Table Pilot").await;
    let next = market.draft(&app, "1.1.0").await;
    let submission = market.submit(&app, &next).await;
    market.claim(&submission).await;
    let refused = act(&market, "archive", &app).await;
    assert_eq!((refused.status, refused.code()), (409, "CONFLICT"));
    let withdrawn = market.version("marketplace_versions_withdraw", &app, &next).expect(200).await;
    assert_eq!((withdrawn.str("state"), &withdrawn.json["review"]["state"]), ("WITHDRAWN", &json!("WITHDRAWN")));
    assert!(withdrawn.json["review"]["decided_at"].is_string(), "{}", withdrawn.text());
    let late = market.submission("marketplace_submissions_approve", &submission).json(&json!({})).send().await;
    assert_eq!(late.status, 409, "a decision comes too late: {}", late.text());
    let queue = market.harness.call("marketplace_submissions_list").query("state", "SUBMITTED,IN_REVIEW");
    assert_eq!(queue.token(&market.staff.token).expect(200).await.json["data"], json!([]));
    let stale = market.harness.call("marketplace_versions_submit").path("app_uuid", &app).path("version_uuid", &next);
    stale.token(&market.owner.token).json(&json!({})).expect(409).await;
    assert_eq!(act(&market, "archive", &app).await.str("state"), "ARCHIVED");
}

#[tokio::test]
async fn concurrent_publish_and_archive_leave_consistent_state() {
    let market = Market::new().await;
    for name in ["Table Pilot", "Shift Board", "Stock Keeper", "Menu Sync"] {
        let app = market.app(name).await;
        let version = market.draft(&app, "1.0.0").await;
        market.approved(&app, &version).await;
        let publish = market.version("marketplace_versions_publish", &app, &version).json(&json!({}));
        let (published, archived) = tokio::join!(publish.send(), act(&market, "archive", &app));
        assert_eq!(archived.status, 200, "{}", archived.text());
        assert!([200, 409].contains(&published.status), "{}", published.text());
        let shown = format!(
            "select count(*) from app left join listing as l using (app_uuid)
              where app.app_uuid = '{app}' and app.state = 'ARCHIVED' and coalesce(l.visible, false)"
        );
        assert_eq!(market.harness.number(&shown).await, 0, "nothing archived is on show");
    }
}

#[tokio::test]
async fn history_names_own_users_but_not_staff_members() {
    let market = Market::new().await;
    let (app, _) = market.listed("Table Pilot").await;
    act(&market, "unlist", &app).await;
    let list = || market.harness.call("marketplace_apps_list_events").path("app_uuid", &app).token(&market.owner.token);
    let events = list().expect(200).await;
    let kinds = [
        "UNLISTED",
        "VERSION_PUBLISHED",
        "VERSION_APPROVED",
        "VERSION_CLAIMED",
        "VERSION_SUBMITTED",
        "VERSION_CREATED",
        "MEDIA_UPLOADED",
        "CATEGORIES_CHANGED",
        "CREATED",
    ];
    assert_eq!(column(&events, "kind"), kinds);
    let actor = |kind: &str| {
        let of_kind = |event: &&Value| event["kind"] == kind;
        events.json["data"].as_array().unwrap().iter().find(of_kind).unwrap()["actor"].clone()
    };
    let staff = json!({ "kind": "STAFF_USER", "office": "APP_REVIEW", "uuid": null, "name": null });
    assert_eq!(actor("VERSION_APPROVED"), staff);
    let own = actor("UNLISTED");
    assert_eq!((&own["kind"], &own["uuid"]), (&json!("PARTNER_USER"), &json!(market.owner.uuid)));
    assert!(own["name"].is_string() && own["office"].is_null(), "{own}");
    assert!(!events.text().contains(&market.staff.uuid.to_string()) && !events.text().contains("Rosa Reviewer"));
    let of_version = list().query("kind", "VERSION_PUBLISHED").expect(200).await;
    let version = of_version.json["data"][0]["version_uuid"].as_str().unwrap().to_owned();
    assert_eq!(list().query("version_uuid", &version).expect(200).await.json["data"].as_array().unwrap().len(), 5);
    let stranger = market.harness.partner("Elbkontor").await;
    market.harness.call("marketplace_apps_list_events").path("app_uuid", &app).token(&stranger.token).expect(404).await;
}
