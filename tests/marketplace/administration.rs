//! Tests of apps across partners, as staff read them.

use serde_json::{Value, json};

use super::market::{Market, column, finds};
use crate::harness::Call;

/// Two partners with an app each, the first one published, and a staff member with access to all apps.
async fn shops() -> (Market, Vec<String>, String) {
    let market = Market::new().await;
    let (listed, _) = market.listed("Table Pilot").await;
    let stranger = market.harness.partner("Ostsee Kassen").await;
    let draft = market.app_of(&stranger, "Shift Board").await;
    let support = market.harness.staff("Sina Support", &["labs.admin.apps"]).await;
    (market, vec![listed, draft], support.token)
}

#[tokio::test]
async fn staff_filter_apps_of_all_partners() {
    let (market, apps, token) = shops().await;
    let list = || market.harness.call("admin_apps_list").token(&token).query("include_total", true);
    let owner = market.owner.partner_uuid.unwrap().to_string();
    let find = async |filters: &[(&str, &str)], expected: &[&str]| finds(list, ("name", 1), filters, expected).await;
    find(&[], &["Shift Board", "Table Pilot"]).await;
    find(&[("sort", "created_at")], &["Table Pilot", "Shift Board"]).await;
    find(&[("state", "LISTED,SUSPENDED")], &["Table Pilot"]).await;
    find(&[("partner_uuid", &owner)], &["Table Pilot"]).await;
    find(&[("q", "SHIFT")], &["Shift Board"]).await;
    find(&[("category", "ordering")], &["Shift Board", "Table Pilot"]).await;
    find(&[("category", "nowhere")], &[]).await;
    let of = |partner: &str| {
        let call = market.harness.call("admin_apps_list_of_partner").path("partner_uuid", partner);
        call.token(&token).query("include_total", true)
    };
    let own = of(&owner).expect(200).await;
    assert_eq!((column(&own, "uuid"), &own.json["data"][0]["is_visible"]), (vec![apps[0].as_str()], &json!(true)));
    assert_eq!(of(&owner).query("state", "DRAFT").expect(200).await.json["data"], json!([]));
    assert_eq!(of("0198d000-0000-7000-8000-00000000dead").send().await.status, 404);
}

#[tokio::test]
async fn staff_see_draft_and_published_data_of_an_app() {
    let (market, apps, token) = shops().await;
    let about =
        |operation: &str, app: &str| -> Call<'_> { market.harness.call(operation).path("app_uuid", app).token(&token) };
    let edit = market.harness.call("marketplace_apps_update").path("app_uuid", &apps[0]).token(&market.owner.token);
    edit.json(&json!({ "tagline": "Quite another line" })).expect(200).await;
    let seen = about("admin_apps_get", &apps[0]).expect(200).await;
    assert_eq!(seen.json["draft"]["texts"][0]["tagline"], "Quite another line");
    assert_eq!(seen.json["live"]["texts"][0]["tagline"], "Takes orders at the table");
    let places: Vec<&Value> = seen.json["differences"].as_array().unwrap().iter().map(|place| &place["path"]).collect();
    assert_eq!(places, ["/texts/en/tagline"]);
    assert_eq!(seen.json["allowed_actions"], json!([]), "whoever only looks suspends nothing");
    let begun = about("admin_apps_get", &apps[1]).expect(200).await;
    assert_eq!((&begun.json["draft"], &begun.json["live"]), (&Value::Null, &Value::Null), "nothing to list yet");

    let versions = about("admin_apps_list_versions", &apps[0]).expect(200).await;
    assert_eq!(column(&versions, "state"), ["PUBLISHED"]);
    let version = versions.json["data"][0]["uuid"].as_str().unwrap();
    let one = about("admin_apps_get_version", &apps[0]).path("version_uuid", version).expect(200).await;
    assert!(one.json["manifest"]["permissions"].is_array() && one.json["allowed_actions"] == json!([]));
    let foreign = about("admin_apps_get_version", &apps[1]).path("version_uuid", version).send().await;
    assert_eq!(foreign.status, 404, "a version of another app");

    let events = about("admin_apps_list_events", &apps[0]).query("kind", "VERSION_APPROVED").expect(200).await;
    let actor = &events.json["data"][0]["actor"];
    assert_eq!((&actor["uuid"], &actor["name"]), (&json!(market.staff.uuid), &json!("Rosa Reviewer")));
    let audited = format!(
        "select count(distinct operation) from audit_log where target_uuid = '{}' and target_label = 'Table Pilot'
            and operation like 'admin_apps%'",
        apps[0]
    );
    market.harness.until(&audited, 4).await;
}

#[tokio::test]
async fn app_is_transferred_to_another_partner_with_its_data() {
    let market = Market::new().await;
    let (app, slug) = market.listed("Table Pilot").await;
    let heir = market.harness.partner("Ostsee Kassen").await;
    let heir_uuid = heir.partner_uuid.unwrap().to_string();
    let sina = market.harness.staff("Sina Support", &["labs.admin.apps:write"]).await;
    let transfer = |to: &str| {
        let body = json!({ "partner_uuid": to, "reason": "The product was sold." });
        market.harness.call("admin_apps_transfer").path("app_uuid", &app).token(&sina.token).json(&body)
    };
    let own = |operation: &str, token: &str| market.harness.call(operation).path("app_uuid", &app).token(token);

    let unknown = transfer("0198d000-0000-7000-8000-00000000dead").expect(422).await;
    assert_eq!(super::market::errors(&unknown), [("UNKNOWN_PARTNER", "/partner_uuid")]);
    let same = transfer(&market.owner.partner_uuid.unwrap().to_string()).expect(409).await;
    assert_eq!(same.str("code"), "CONFLICT");
    let next = market.draft(&app, "2.0.0").await;
    market.submit(&app, &next).await;
    assert!(transfer(&heir_uuid).expect(409).await.str("detail").contains("SUBMITTED"));
    market.version("marketplace_versions_withdraw", &app, &next).expect(200).await;
    market.harness.sql("update tier_feature set value = '0' where feature_code = 'apps'").await;
    assert_eq!(transfer(&heir_uuid).expect(409).await.str("code"), "ENTITLEMENT_EXCEEDED");
    market.harness.sql("update tier_feature set value = '0' where feature_code = 'media_megabytes'").await;
    market.harness.sql("update tier_feature set value = '9' where feature_code = 'apps'").await;
    assert_eq!(transfer(&heir_uuid).expect(409).await.str("code"), "ENTITLEMENT_EXCEEDED");
    market.harness.sql("update tier_feature set value = '9' where feature_code = 'media_megabytes'").await;
    market.harness.sql(&format!("update partner set state = 'SUSPENDED' where partner_uuid = '{heir_uuid}'")).await;
    assert!(transfer(&heir_uuid).expect(409).await.str("detail").contains("SUSPENDED"));
    market.harness.sql(&format!("update partner set state = 'ACTIVE' where partner_uuid = '{heir_uuid}'")).await;
    own("marketplace_apps_get", &market.owner.token).expect(200).await;

    let given = transfer(&heir_uuid).expect(200).await;
    assert_eq!((given.str("partner_name"), &given.json["is_visible"]), ("Ostsee Kassen", &json!(true)));
    for operation in ["marketplace_apps_get", "marketplace_versions_list", "marketplace_apps_list_events"] {
        own(operation, &market.owner.token).expect(404).await;
        own(operation, &heir.token).expect(200).await;
    }
    let storefront = market.harness.program("Storefront", &["storefront"], None).await;
    let listing = market.harness.call("marketplace_listings_get").path("listing_slug", &slug).token(&storefront.token);
    assert_eq!(listing.expect(200).await.json["vendor"]["name"], "Ostsee Kassen");
    let history = own("marketplace_apps_list_events", &heir.token).expect(200).await;
    assert_eq!(history.json["data"][0]["kind"], "TRANSFERRED");
    assert_eq!(history.json["data"][0]["reason"], "The product was sold.");
    let named: Vec<&Value> =
        history.json["data"].as_array().unwrap().iter().map(|event| &event["actor"]["name"]).collect();
    assert!(named.iter().all(|name| name.is_null()), "who of the former owner did it is not told: {named:?}");
    for person in [&market.owner, &heir] {
        let mails =
            format!("select count(*) from mail_message where kind = 'LISTING' and recipient = '{}'", person.email);
        market.harness.until(&mails, 1).await;
    }
}
