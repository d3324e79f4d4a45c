//! Tests of app versions: numbers, review and publication.

mod changes;
mod due;
mod machine;
mod rollback;

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};

use machine::Traveller;

use super::market::{Market, allowed, errors, finds};
use crate::harness::{Answer, LONGEST_WAIT, WAITING};

/// The body of a publication scheduled this many days from now.
fn in_days(market: &Market, days: i64) -> Value {
    json!({ "publish_at": market.harness.clock.now().plus_seconds(days * 86_400) })
}

#[tokio::test]
async fn version_number_must_be_valid_unused_and_above_live() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let create = |number: &str| {
        let call = market.harness.call("marketplace_versions_create").path("app_uuid", &app);
        let call = call.token(&market.owner.token).json(&json!({ "number": number }));
        async move { call.send().await }
    };
    for bad in ["1", "1.0", "v1.0.0", "01.0.0", "1.0.0+build", "1.0.0-", "1.0.0-a..b", "1.0.0-01", "1.0.0 ", "1.٠.0"] {
        let refused = create(bad).await;
        assert_eq!((refused.status, errors(&refused).first().map(|error| error.1)), (422, Some("/number")), "{bad}");
    }
    let short = create("1.0").await;
    assert!(short.json["errors"][0]["message"].as_str().unwrap().contains("as in 1.4.0"), "{}", short.text());
    let live = market.draft(&app, "1.9.0").await;
    let used = create("1.9.0").await;
    assert_eq!((used.status, errors(&used)), (409, vec![("ALREADY_USED", "/number")]));
    assert_eq!(create("1.2.0").await.status, 201, "what was never published binds nobody");
    market.published(&app, &live).await;
    for lower in ["1.8.9", "1.9.0-rc.1", "0.10.0"] {
        let refused = create(lower).await;
        assert_eq!((refused.status, errors(&refused)), (409, vec![("NOT_HIGHER", "/number")]), "{lower}");
    }
    for higher in ["1.10.0-rc.2", "1.10.0-rc.10", "1.10.0", "2.0.0"] {
        let made = create(higher).await;
        assert_eq!((made.status, made.str("state")), (201, "DRAFT"), "{higher} is higher than 1.9.0");
        let address = format!("/v1/marketplace/apps/{app}/versions/{}", made.str("uuid"));
        assert_eq!(made.header("location"), address);
    }
}

#[tokio::test]
async fn concurrent_creates_with_one_number_succeed_once() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let body = json!({ "number": "1.0.0" });
    let calls = (0..8).map(|_| {
        market
            .harness
            .call("marketplace_versions_create")
            .path("app_uuid", &app)
            .token(&market.owner.token)
            .json(&body)
            .send()
    });
    let answers = join_all(calls).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    assert!(answers.iter().all(|answer| answer.status == 201 || answer.code() == "CONFLICT"));
    assert_eq!(market.harness.number("select count(*) from app_version").await, 1);
}

#[tokio::test]
async fn manifest_permissions_are_unique_and_redirects_safe() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let permission = |code: &str| json!({ "code": code, "reason": "Shows the guest's name." });
    let doubled = json!([permission("customers"), permission("orders:write"), permission("customers")]);
    let manifests = [
        (json!({ "permissions": doubled }), "/manifest/permissions/2/code"),
        (json!({ "redirect_uris": ["https://a.example/back", "http://a.example/back"] }), "/manifest/redirect_uris/1"),
        (json!({ "redirect_uris": ["https://user@a.example/back"] }), "/manifest/redirect_uris/0"),
        (json!({ "redirect_uris": ["http://localhost:99999/back"] }), "/manifest/redirect_uris/0"),
    ];
    for (manifest, place) in manifests {
        let body = json!({ "number": "1.0.0", "manifest": manifest });
        let call = market.harness.call("marketplace_versions_create").path("app_uuid", &app).token(&market.owner.token);
        let refused = call.json(&body).send().await;
        let places: Vec<_> = errors(&refused).into_iter().map(|error| error.1).collect();
        assert_eq!((refused.status, places), (422, vec![place]), "{body}");
    }
    assert_eq!(market.harness.number("select count(*) from app_version").await, 0);
}

#[tokio::test]
async fn draft_with_unmet_requirements_cannot_be_submitted() {
    let market = Market::new().await;
    let token = &market.owner.token;
    let made = market.harness.call("marketplace_apps_create").token(token).json(&json!({ "name": "Bare" }));
    let app = made.expect(201).await.str("uuid").to_owned();
    let body = json!({ "number": "1.0.0", "release_notes": { "de": "Neu." } });
    let made = market.harness.call("marketplace_versions_create").path("app_uuid", &app).token(token).json(&body);
    let version = made.expect(201).await.str("uuid").to_owned();
    let refused = market.version("marketplace_versions_submit", &app, &version).json(&json!({})).send().await;
    assert_eq!((refused.status, refused.code()), (409, "CONFLICT"), "{}", refused.text());
    let open = [
        ("REQ-01", "/icon"),
        ("REQ-03", "/tagline"),
        ("REQ-04", "/description"),
        ("REQ-05", "/categories"),
        ("REQ-07", "/support_email"),
        ("REQ-08", "/privacy_url"),
        ("REQ-09", "/release_notes"),
    ];
    assert_eq!(errors(&refused), open);
    assert_eq!(market.see(&app, &version).await.str("state"), "DRAFT");
    assert_eq!(market.harness.number("select count(*) from submission").await, 0);
}

#[tokio::test]
async fn app_has_one_version_under_review() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let first = market.draft(&app, "1.0.0").await;
    let second = market.draft(&app, "1.1.0").await;
    let calls = [&first, &second, &first, &second]
        .map(|version| market.version("marketplace_versions_submit", &app, version).json(&json!({})).send());
    let answers = join_all(calls).await;
    let won: Vec<&Answer> = answers.iter().filter(|answer| answer.status == 200).collect();
    assert_eq!(won.len(), 1, "of four at once one is handed in");
    assert!(answers.iter().all(|answer| matches!(answer.code(), "" | "CONFLICT" | "ILLEGAL_TRANSITION")));
    assert_eq!(market.harness.number("select count(*) from submission").await, 1);
    let submission = won[0].json["review"]["submission_uuid"].as_str().unwrap();
    let (handed, waiting) = if won[0].str("uuid") == first { (&first, &second) } else { (&second, &first) };
    let refused = market.version("marketplace_versions_submit", &app, waiting).json(&json!({})).send().await;
    assert_eq!((refused.status, refused.code()), (409, "CONFLICT"));
    market.claim(submission).await;
    market.approve(submission).await;
    assert_eq!(market.see(&app, handed).await.str("state"), "APPROVED");
    market.submit(&app, waiting).await;
}

#[tokio::test]
async fn scheduled_version_is_published_and_replaces_the_live_version() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let first = market.draft(&app, "1.0.0").await;
    market.published(&app, &first).await;
    let second = market.draft(&app, "1.1.0").await;
    market.approved(&app, &second).await;
    let publish = |body: Value| {
        let call = market.version("marketplace_versions_publish", &app, &second).json(&body);
        async move { call.send().await }
    };
    for (days, code) in [(-1, "IN_THE_PAST"), (0, "IN_THE_PAST"), (181, "TOO_FAR")] {
        let refused = publish(in_days(&market, days)).await;
        assert_eq!((refused.status, errors(&refused)), (422, vec![(code, "/publish_at")]), "{days}");
    }
    let scheduled = publish(in_days(&market, 3)).await;
    assert_eq!((scheduled.status, scheduled.str("state")), (200, "SCHEDULED"));
    let sooner = publish(json!({ "publish_at": market.harness.clock.now().plus_seconds(300) })).await;
    assert!(sooner.str("publish_at") < scheduled.str("publish_at"), "another time takes the place of the first");
    assert_eq!(market.see(&app, &first).await.str("state"), "PUBLISHED");

    market.harness.advance(301).await;
    let live = tokio::time::timeout(LONGEST_WAIT, async {
        loop {
            let seen = market.see(&app, &second).await;
            if seen.str("state") == "PUBLISHED" {
                return seen;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
    let live = live.await.unwrap();
    assert_eq!(live.json["publish_at"], Value::Null);
    let former = market.see(&app, &first).await;
    assert_eq!(former.str("state"), "SUPERSEDED");
    assert!(former.json["published_at"].is_string(), "when it went live stays known");
    let seen = market.harness.call("marketplace_apps_get").path("app_uuid", &app).token(&market.owner.token);
    assert_eq!(seen.expect(200).await.json["published_version"]["number"], "1.1.0");
}

#[tokio::test]
async fn lower_number_cannot_be_published_over_higher() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let lower = market.draft(&app, "1.1.0").await;
    let higher = market.draft(&app, "1.2.0").await;
    let unwritten = market.draft(&app, "1.1.1").await;
    market.approved(&app, &lower).await;
    market.published(&app, &higher).await;
    for (action, version) in [("publish", &lower), ("submit", &unwritten)] {
        let call = market.version(&format!("marketplace_versions_{action}"), &app, version).json(&json!({}));
        let refused = call.send().await;
        assert_eq!((refused.status, refused.code()), (409, "CONFLICT"), "{action}: {}", refused.text());
        assert_eq!(errors(&refused), [("NOT_HIGHER", "/number")], "{action}");
    }
    assert_eq!(market.see(&app, &unwritten).await.str("state"), "DRAFT", "no reviewer judges it in vain");
    assert_eq!(market.see(&app, &higher).await.str("state"), "PUBLISHED");
}

#[tokio::test]
async fn scheduled_version_overtaken_by_higher_is_unscheduled() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let [lower, higher, highest] = ["1.1.0", "1.2.0", "1.3.0"].map(|number| market.draft(&app, number));
    let (lower, higher, highest) = (lower.await, higher.await, highest.await);
    for version in [&lower, &highest] {
        market.approved(&app, version).await;
        let call = market.version("marketplace_versions_publish", &app, version).json(&in_days(&market, 3));
        assert_eq!(call.expect(200).await.str("state"), "SCHEDULED");
    }
    market.published(&app, &higher).await;
    let seen = market.see(&app, &lower).await;
    assert_eq!((seen.str("state"), &seen.json["publish_at"]), ("APPROVED", &Value::Null));
    assert_eq!(market.see(&app, &highest).await.str("state"), "SCHEDULED", "its time still comes");
    let told = format!("select count(*) from app_event where kind = 'VERSION_OVERTAKEN' and app_uuid = '{app}'");
    assert_eq!(market.harness.number(&told).await, 1);
}

#[tokio::test]
async fn scheduled_version_stays_unpublished_during_partner_suspension() {
    let market = Market::new().await;
    let partner = market.owner.partner_uuid.unwrap();
    let held = scheduled(&market, "Table Pilot", 60).await;
    let stranger = market.harness.partner("Ostsee Kassen").await;
    let market = Market { owner: stranger, ..market };
    let other = scheduled(&market, "Till", 61).await;
    let suspend = format!("update partner set state = 'SUSPENDED' where partner_uuid = '{partner}'");
    let suspended = market.harness.hold(suspend).await;
    market.harness.advance(62).await;
    let live = |version: &str| {
        format!("select count(*) from app_version where state = 'PUBLISHED' and version_uuid = '{version}'")
    };
    // The job processes the earlier version first, so it was processed before this one was published.
    market.harness.until(&live(&other), 1).await;
    assert_eq!(market.harness.number(&live(&held)).await, 0);
    suspended.roll_back().await;
    market.harness.until(&live(&held), 1).await;
}

/// Creates a version of a new app that is published in this many seconds.
async fn scheduled(market: &Market, name: &str, seconds: i64) -> String {
    let app = market.app(name).await;
    let version = market.draft(&app, "1.0.0").await;
    market.approved(&app, &version).await;
    let body = json!({ "publish_at": market.harness.clock.now().plus_seconds(seconds) });
    market.version("marketplace_versions_publish", &app, &version).json(&body).expect(200).await;
    version
}

#[tokio::test]
async fn version_create_during_app_deletion_is_not_found() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let deleted = market.harness.hold(format!("delete from app where app_uuid = '{app}'")).await;
    let create = market.harness.call("marketplace_versions_create").path("app_uuid", &app).token(&market.owner.token);
    let create = create.json(&json!({ "number": "1.0.0" })).send();
    let gone = async {
        market.harness.until(WAITING, 1).await;
        deleted.commit().await;
    };
    let (refused, ()) = tokio::join!(create, gone);
    assert_eq!((refused.status, refused.code()), (404, "NOT_FOUND"), "{}", refused.text());
}

#[tokio::test]
async fn release_note_limit_covers_all_locales() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let create = |locales: &[&str]| {
        let notes: BTreeMap<&str, String> = locales.iter().map(|locale| (*locale, "ü".repeat(4_000))).collect();
        let call = market.harness.call("marketplace_versions_create").path("app_uuid", &app).token(&market.owner.token);
        call.json(&json!({ "number": "1.0.0", "release_notes": notes })).send()
    };
    let refused = create(&["da", "de", "en", "fr", "it"]).await;
    assert_eq!((refused.status, errors(&refused)), (422, vec![("TOO_LONG", "/release_notes")]), "40,000 bytes");
    assert_eq!(create(&["da", "de", "en", "fr"]).await.status, 201, "32,000 bytes");
}

#[tokio::test]
async fn concurrent_publications_succeed_once() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let version = market.draft(&app, "1.0.0").await;
    market.approved(&app, &version).await;
    let calls = (0..6).map(|_| market.version("marketplace_versions_publish", &app, &version).json(&json!({})).send());
    let answers = join_all(calls).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    assert!(answers.iter().all(|answer| answer.status == 200 || answer.code() == "ILLEGAL_TRANSITION"));
    assert_eq!(market.harness.number("select count(*) from listing_change").await, 1);
}

/// The test writes the states directly: no operation brings a never-published app into these states.
#[tokio::test]
async fn suspended_or_archived_app_cannot_publish() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let version = market.draft(&app, "1.0.0").await;
    market.approved(&app, &version).await;
    for (state, instead) in [("SUSPENDED", vec![]), ("ARCHIVED", vec!["restore"])] {
        market.harness.sql(&format!("update app set state = '{state}', former_state = 'LISTED'")).await;
        for body in [json!({}), in_days(&market, 1)] {
            let refused = market.version("marketplace_versions_publish", &app, &version).json(&body).send().await;
            assert_eq!((refused.status, refused.code()), (409, "ILLEGAL_TRANSITION"), "{state}");
            assert_eq!(allowed(&refused), instead, "{state}");
        }
    }
    let create = market.harness.call("marketplace_versions_create").path("app_uuid", &app).token(&market.owner.token);
    let refused = create.json(&json!({ "number": "2.0.0" })).send().await;
    assert_eq!((refused.status, refused.code()), (409, "CONFLICT"), "an archived app begins no version");
}

#[tokio::test]
async fn foreign_versions_are_not_found() {
    let market = Market::new().await;
    let here = Traveller::at(&market, "APPROVED", 0).await;
    let stranger = market.harness.partner("Ostsee Kassen").await;
    let own = market.app_of(&stranger, "Own").await;
    for operation in ["marketplace_versions_get", "marketplace_versions_submit", "marketplace_versions_publish"] {
        // Neither below its own app nor below an app of the other partner.
        for app in [&here.app, &own] {
            let call = market.harness.call(operation).path("app_uuid", app).path("version_uuid", &here.version);
            let call = if operation.ends_with("get") { call } else { call.json(&json!({})) };
            call.token(&stranger.token).expect(404).await;
        }
    }
    for operation in ["marketplace_versions_list", "marketplace_versions_create"] {
        let call = market.harness.call(operation).path("app_uuid", &here.app).token(&stranger.token);
        let call = if operation.ends_with("list") { call } else { call.json(&json!({ "number": "9.0.0" })) };
        call.expect(404).await;
    }
    assert_eq!(market.see(&here.app, &here.version).await.str("state"), "APPROVED");
}

#[tokio::test]
async fn history_is_filtered_sorted_and_paged() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let first = market.draft(&app, "1.0.0").await;
    market.published(&app, &first).await;
    for number in ["1.1.0", "1.2.0", "1.3.0", "1.4.0"] {
        market.draft(&app, number).await;
    }
    let list = || market.harness.call("marketplace_versions_list").path("app_uuid", &app).token(&market.owner.token);
    let find = async |filters: &[(&str, &str)], expected: &[&str]| finds(list, ("number", 2), filters, expected).await;
    find(&[], &["1.4.0", "1.3.0", "1.2.0", "1.1.0", "1.0.0"]).await;
    find(&[("sort", "created_at")], &["1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0"]).await;
    find(&[("state", "PUBLISHED"), ("state", "APPROVED")], &["1.0.0"]).await;
    find(&[("state", "DRAFT"), ("sort", "created_at")], &["1.1.0", "1.2.0", "1.3.0", "1.4.0"]).await;
}

#[tokio::test]
async fn unchanged_version_returns_304() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let version = market.draft(&app, "1.0.0").await;
    let etag = market.see(&app, &version).await.header("etag").to_owned();
    let again = || market.version("marketplace_versions_get", &app, &version).header("if-none-match", &etag);
    assert!(again().expect(304).await.bytes.is_empty());
    market.submit(&app, &version).await;
    assert_ne!(again().expect(200).await.header("etag"), etag);
}
