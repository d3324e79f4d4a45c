//! Tests of the two images of a partner profile: accepted files, access to the content, and caching.

use serde_json::{Value, json};

use crate::harness::people::Person;
use crate::harness::{Answer, Call, Harness};

/// A service with a partner and budgets that do not slow a test down.
pub(super) async fn harness() -> (Harness, Person) {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 1000").await;
    let person = harness.partner("Nordsee Kassen").await;
    (harness, person)
}

/// Returns a single-colour image as PNG.
pub(super) fn png(width: u32, height: u32, shade: u8) -> Vec<u8> {
    let picture = image::RgbImage::from_pixel(width, height, image::Rgb([shade, 90, 160]));
    let mut bytes = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    bytes.into_inner()
}

/// Returns the multipart form of an image.
pub(super) fn form(bytes: Vec<u8>) -> reqwest::multipart::Form {
    let file = reqwest::multipart::Part::bytes(bytes).file_name("a.png").mime_str("image/png").unwrap();
    reqwest::multipart::Form::new().text("alt_text", "A till").part("file", file)
}

/// Starts a user's call about their own partner.
pub(super) fn own<'h>(harness: &'h Harness, person: &Person, operation: &str) -> Call<'h> {
    harness.call(operation).path("partner_uuid", person.partner_uuid.unwrap()).token(&person.token)
}

/// Uploads an image.
pub(super) async fn put(harness: &Harness, person: &Person, kind: &str, bytes: Vec<u8>) -> Answer {
    own(harness, person, "partner_imagery_put").path("kind", kind).multipart(form(bytes)).send().await
}

async fn list(harness: &Harness, person: &Person) -> Vec<Value> {
    let list = own(harness, person, "partner_imagery_list").expect(200).await;
    list.json["data"].as_array().unwrap().clone()
}

#[tokio::test]
async fn image_type_is_detected_and_four_sizes_are_made() {
    let (harness, person) = harness().await;
    let made = put(&harness, &person, "LOGO", png(1_000, 1_000, 1)).await;
    assert_eq!((made.status, made.str("kind"), made.str("alt_text")), (200, "LOGO", "A till"), "{}", made.text());
    let sizes: Vec<_> = made.json["variants"].as_array().unwrap().iter().map(|size| size["width"].as_i64()).collect();
    assert_eq!(sizes, [1_000, 1_000, 800, 256].map(Some));
    assert_eq!(list(&harness, &person).await, std::slice::from_ref(&made.json));
    let get = |variant: &str| {
        let call = own(&harness, &person, "partner_imagery_get").path("kind", "LOGO");
        call.query("variant", variant)
    };
    let small = get("SMALL").expect(200).await;
    assert_eq!(
        (small.header("content-type"), image::load_from_memory(&small.bytes).unwrap().width()),
        ("image/png", 256)
    );
    assert!(small.header("etag").contains(made.str("sha256")), "the tag is made of the content's hash");
    assert_eq!(small.header("cache-control"), "private, no-cache", "kept by its reader, and asked for again each time");
    let same = get("SMALL").header("if-none-match", small.header("etag")).expect(304).await;
    assert_eq!((same.bytes.len(), same.header("cache-control")), (0, "private, no-cache"));
    assert_eq!(get("LARGE").header("if-none-match", small.header("etag")).expect(200).await.bytes.len() as i64, {
        made.json["size_bytes"].as_i64().unwrap()
    });
    own(&harness, &person, "partner_imagery_get").path("kind", "BANNER").expect(404).await;
    own(&harness, &person, "partner_imagery_get").path("kind", "logo").expect(404).await;
    let other = harness.partner("Elbkontor").await;
    let foreign = harness.call("partner_imagery_get").path("partner_uuid", person.partner_uuid.unwrap());
    let foreign = foreign.path("kind", "LOGO").token(&other.token).expect(403).await;
    assert_eq!(foreign.code(), "PARTNER_MISMATCH");
}

#[tokio::test]
async fn unsuitable_image_is_rejected_without_effect() {
    let (harness, person) = harness().await;
    let kept = put(&harness, &person, "LOGO", png(256, 256, 1)).await;
    for (kind, bytes, code) in [
        ("LOGO", b"no picture".to_vec(), "NOT_AN_IMAGE"),
        ("LOGO", png(255, 255, 1), "TOO_SMALL"),
        ("LOGO", png(300, 256, 1), "NOT_SQUARE"),
        ("BANNER", png(1_119, 300, 1), "TOO_SMALL"),
        ("BANNER", png(1_120, 1_120, 1), "NOT_WIDE"),
    ] {
        let refused = put(&harness, &person, kind, bytes).await;
        assert_eq!((refused.status, &refused.json["errors"][0]["code"]), (422, &json!(code)), "{}", refused.text());
        assert_eq!(refused.json["errors"][0]["pointer"], "/file");
    }
    let large = put(&harness, &person, "LOGO", vec![0; 8 * 1024 * 1024 + 1]).await;
    assert_eq!((large.status, large.code()), (413, "PAYLOAD_TOO_LARGE"));
    harness.sql("update tier_feature set value = '0' where feature_code = 'media_megabytes'").await;
    let stored = harness.objects().await;
    let refused = put(&harness, &person, "BANNER", png(1_120, 300, 1)).await;
    assert_eq!((refused.status, refused.code()), (409, "ENTITLEMENT_EXCEEDED"));
    assert_eq!(harness.objects().await, stored, "nothing of it lies in the store");
    assert_eq!(list(&harness, &person).await, [kept.json]);
}

#[tokio::test]
async fn media_of_apps_and_profile_share_one_quota() {
    let (harness, person) = harness().await;
    harness.sql("update tier_feature set value = '1' where feature_code = 'media_megabytes'").await;
    assert_eq!(put(&harness, &person, "LOGO", png(256, 256, 1)).await.status, 200);
    assert_eq!(put(&harness, &person, "LOGO", png(256, 256, 2)).await.status, 200, "it takes the place of the first");
    let app = json!({ "name": "Table Pilot" });
    let app = harness.call("marketplace_apps_create").token(&person.token).json(&app).expect(201).await;
    // The rest of the megabyte is used up, so that any further upload exceeds the limit.
    harness.sql("update partner_image set size_bytes = 1048576").await;
    let icon = harness.call("marketplace_media_upload").path("app_uuid", app.str("uuid")).token(&person.token);
    let file = reqwest::multipart::Part::bytes(png(256, 256, 3)).file_name("a.png");
    let icon = icon.multipart(reqwest::multipart::Form::new().text("kind", "ICON").part("file", file));
    assert_eq!(icon.expect(409).await.code(), "ENTITLEMENT_EXCEEDED");
}

#[tokio::test]
async fn deleted_image_leaves_no_row() {
    let (harness, person) = harness().await;
    put(&harness, &person, "BANNER", png(1_120, 300, 1)).await;
    let delete = || own(&harness, &person, "partner_imagery_delete").path("kind", "BANNER");
    delete().expect(204).await;
    delete().expect(404).await;
    assert_eq!(list(&harness, &person).await, Vec::<Value>::new());
    assert_eq!(harness.number("select count(*) from partner_image").await, 0);
    let events = "select count(*) from partner_event where kind in ('IMAGE_UPLOADED', 'IMAGE_DELETED')
                   and detail = '{\"kind\": \"BANNER\"}' and actor_kind = 'PARTNER_USER'";
    assert_eq!(harness.number(events).await, 2);
}

#[tokio::test]
async fn image_change_waits_for_concurrent_publication() {
    let (harness, person) = harness().await;
    harness.sql("insert into partner_profile (partner_uuid) select partner_uuid from partner").await;
    for deletes in [false, true] {
        let mut publisher = harness.owner().await;
        sqlx::raw_sql("begin; select from partner_profile for update").execute(&mut publisher).await.unwrap();
        let transaction: String =
            sqlx::query_scalar("select pg_current_xact_id()::text").fetch_one(&mut publisher).await.unwrap();
        let waiting =
            format!("select count(*) from pg_locks where not granted and transactionid = '{transaction}'::xid");
        let change = async {
            if deletes {
                own(&harness, &person, "partner_imagery_delete").path("kind", "LOGO").send().await.status
            } else {
                put(&harness, &person, "LOGO", png(1_000, 1_000, 1)).await.status
            }
        };
        let publish = async {
            harness.until(&waiting, 1).await;
            sqlx::raw_sql("commit").execute(&mut publisher).await.unwrap();
        };
        let (status, ()) = futures_util::future::join(change, publish).await;
        assert_eq!(status, if deletes { 204 } else { 200 });
    }
}
