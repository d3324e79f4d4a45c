//! End-to-end test of the main use case, through public interfaces only.

use serde_json::json;

use crate::harness::Harness;
use crate::harness::people::Person;

/// Returns an icon as a partner would upload it.
pub(crate) fn icon() -> Vec<u8> {
    let mut picture = image::RgbImage::new(512, 512);
    for (x, y, pixel) in picture.enumerate_pixels_mut() {
        *pixel = image::Rgb([(x / 2) as u8, (y / 2) as u8, 120]);
    }
    let mut bytes = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    bytes.into_inner()
}

/// Creates an app that meets every requirement of the checklist, with one draft version.
pub(crate) async fn submittable(harness: &Harness, staff: &Person, owner: &Person, name: &str) -> (String, String) {
    let category = harness
        .call("marketplace_categories_create")
        .token(&staff.token)
        .json(&json!({ "names": { "en": format!("Category of {name}") } }))
        .expect(201)
        .await;
    let body = json!({
        "name": name,
        "tagline": "Takes orders at the table and sends them to the kitchen",
        "description": "Waiters take orders on a phone, the kitchen sees them at once, and the till knows what to charge. \
            Works without a network for an evening and settles everything when it is back. Built with restaurants \
            along the coast, where the network often is not.",
        "support_email": "help@nordsee-kassen.example",
        "privacy_url": "https://nordsee-kassen.example/privacy",
    });
    let app = harness
        .call("marketplace_apps_create")
        .token(&owner.token)
        .json(&body)
        .expect(201)
        .await
        .str("uuid")
        .to_owned();
    let chosen = json!({ "primary_category_uuid": category.str("uuid"), "further_category_uuids": [] });
    harness
        .call("marketplace_apps_put_categories")
        .path("app_uuid", &app)
        .token(&owner.token)
        .json(&chosen)
        .expect(200)
        .await;
    for kind in ["ICON", "SCREENSHOT", "SCREENSHOT"] {
        let bytes = if kind == "ICON" { icon() } else { screenshot() };
        let file = reqwest::multipart::Part::bytes(bytes).file_name("picture.png").mime_str("image/png").unwrap();
        let form =
            reqwest::multipart::Form::new().text("kind", kind).text("alt_text", "The order screen").part("file", file);
        harness
            .call("marketplace_media_upload")
            .path("app_uuid", &app)
            .token(&owner.token)
            .multipart(form)
            .expect(201)
            .await;
    }
    let body = json!({ "number": "1.0.0", "release_notes": { "en": "The first version." }, "manifest": { "permissions": [], "redirect_uris": ["https://nordsee-kassen.example/callback"] } });
    let version = harness
        .call("marketplace_versions_create")
        .path("app_uuid", &app)
        .token(&owner.token)
        .json(&body)
        .expect(201)
        .await
        .str("uuid")
        .to_owned();
    (app, version)
}

fn screenshot() -> Vec<u8> {
    let picture = image::RgbImage::from_fn(1280, 800, |x, y| image::Rgb([40, (x / 6) as u8, (y / 4) as u8]));
    let mut bytes = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    bytes.into_inner()
}

#[tokio::test]
async fn registration_to_storefront_works_and_staff_actions_are_audited() {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 1000").await;
    let owner = harness.partner("Nordsee Kassen").await;
    let staff = harness
        .staff("Rosa Reviewer", &["labs.admin.submissions:write", "labs.admin.categories:write", "labs.admin.audit"])
        .await;
    let owner = harness.sign_in(&owner.email).await;
    let (app, version) = submittable(&harness, &staff, &owner, "Table Pilot").await;

    let checklist =
        harness.call("marketplace_apps_get_checklist").path("app_uuid", &app).token(&owner.token).expect(200).await;
    assert_eq!(checklist.json["ready"], true, "{}", checklist.text());
    let submitted = harness
        .call("marketplace_versions_submit")
        .path("app_uuid", &app)
        .path("version_uuid", &version)
        .token(&owner.token)
        .json(&json!({}))
        .expect(200)
        .await;
    assert_eq!(submitted.str("state"), "SUBMITTED");

    let queue =
        harness.call("marketplace_submissions_list").query("state", "SUBMITTED").token(&staff.token).expect(200).await;
    let submission = queue.json["data"][0]["uuid"].as_str().unwrap().to_owned();
    harness
        .call("marketplace_submissions_claim")
        .path("submission_uuid", &submission)
        .token(&staff.token)
        .expect(200)
        .await;
    let seen = harness
        .call("marketplace_submissions_get")
        .path("submission_uuid", &submission)
        .token(&staff.token)
        .expect(200)
        .await;
    assert_eq!(seen.str("state"), "IN_REVIEW");
    harness
        .call("marketplace_submissions_approve")
        .path("submission_uuid", &submission)
        .token(&staff.token)
        .json(&json!({}))
        .expect(200)
        .await;
    let live = harness
        .call("marketplace_versions_publish")
        .path("app_uuid", &app)
        .path("version_uuid", &version)
        .token(&owner.token)
        .json(&json!({}))
        .expect(200)
        .await;
    assert_eq!(live.str("state"), "PUBLISHED");

    found_on_the_storefront(&harness).await;

    let records = harness
        .call("admin_audit_records_list")
        .query("target_uuid", &submission)
        .token(&staff.token)
        .expect(200)
        .await;
    let mut operations: Vec<&str> =
        records.json["data"].as_array().unwrap().iter().map(|record| record["operation"].as_str().unwrap()).collect();
    operations.sort_unstable();
    assert_eq!(
        operations,
        ["marketplace_submissions_approve", "marketplace_submissions_claim", "marketplace_submissions_get"]
    );
}

/// Finds the listing by a word of its description as a storefront and downloads its icon.
async fn found_on_the_storefront(harness: &Harness) {
    let shop = harness.program("storefront", &["storefront"], None).await;
    let found = harness.call("marketplace_listings_search").query("q", "kitchen").token(&shop.token).expect(200).await;
    assert_eq!(found.json["data"][0]["name"], "Table Pilot", "{}", found.text());
    let slug = found.json["data"][0]["slug"].as_str().unwrap().to_owned();
    let listing =
        harness.call("marketplace_listings_get").path("listing_slug", &slug).token(&shop.token).expect(200).await;
    let picture = listing.json["icon"]["media_uuid"].as_str().unwrap();
    let bytes = harness
        .call("marketplace_listings_get_media_content")
        .path("listing_slug", &slug)
        .path("media_uuid", picture)
        .token(&shop.token)
        .expect(200)
        .await;
    assert!(bytes.bytes.starts_with(b"\x89PNG"), "the icon is a picture");
}

#[tokio::test]
async fn edit_of_listed_app_is_invisible_until_next_publication() {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 1000").await;
    let owner = harness.partner("Nordsee Kassen").await;
    let staff = harness.staff("Rosa Reviewer", &["labs.admin.submissions:write", "labs.admin.categories:write"]).await;
    let owner = harness.sign_in(&owner.email).await;
    let (app, version) = submittable(&harness, &staff, &owner, "Table Pilot").await;
    publish(&harness, &staff, &owner, &app, &version).await;
    let shop = harness.program("storefront", &["storefront"], None).await;
    harness
        .call("marketplace_apps_update")
        .path("app_uuid", &app)
        .token(&owner.token)
        .json(&json!({ "tagline": "Quite another line" }))
        .expect(200)
        .await;
    let search = harness.call("marketplace_listings_search").token(&shop.token).expect(200).await;
    let slug = search.json["data"][0]["slug"].as_str().unwrap();
    let listing =
        harness.call("marketplace_listings_get").path("listing_slug", slug).token(&shop.token).expect(200).await;
    assert_eq!(listing.str("tagline"), "Takes orders at the table and sends them to the kitchen");
}

/// Takes a version through review and publishes it.
pub(crate) async fn publish(harness: &Harness, staff: &Person, owner: &Person, app: &str, version: &str) {
    harness
        .call("marketplace_versions_submit")
        .path("app_uuid", app)
        .path("version_uuid", version)
        .token(&owner.token)
        .json(&json!({}))
        .expect(200)
        .await;
    let queue =
        harness.call("marketplace_submissions_list").query("state", "SUBMITTED").token(&staff.token).expect(200).await;
    let submission = queue.json["data"][0]["uuid"].as_str().unwrap().to_owned();
    harness
        .call("marketplace_submissions_claim")
        .path("submission_uuid", &submission)
        .token(&staff.token)
        .expect(200)
        .await;
    harness
        .call("marketplace_submissions_approve")
        .path("submission_uuid", &submission)
        .token(&staff.token)
        .json(&json!({}))
        .expect(200)
        .await;
    harness
        .call("marketplace_versions_publish")
        .path("app_uuid", app)
        .path("version_uuid", version)
        .token(&owner.token)
        .json(&json!({}))
        .expect(200)
        .await;
}
