//! Tests of media items: accepted and rejected files, error details, and access to the content.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;

use super::market::{Market, column, errors, png, upload};
use crate::harness::{Answer, Call};

/// SQL that counts the connections to the test's database.
const CONNECTIONS: &str = "select count(*) from pg_stat_activity where datname = current_database()";

fn begin<'h>(market: &'h Market, app: &str) -> Call<'h> {
    market.harness.call("marketplace_media_upload").path("app_uuid", app).token(&market.owner.token)
}

async fn send(market: &Market, app: &str, kind: &str, bytes: Vec<u8>) -> Answer {
    begin(market, app).multipart(upload(kind, bytes)).send().await
}

async fn pictures(market: &Market, app: &str) -> Answer {
    let call = market.harness.call("marketplace_media_list").path("app_uuid", app).token(&market.owner.token);
    call.expect(200).await
}

/// Returns the header of a PNG with these dimensions and no image data.
fn claimed(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = png(1, 1);
    bytes[16..20].copy_from_slice(&width.to_be_bytes());
    bytes[20..24].copy_from_slice(&height.to_be_bytes());
    let crc = crc32(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&crc.to_be_bytes());
    bytes
}

/// Computes the checksum of PNG chunks.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| (sum >> 1) ^ (0xEDB8_8320 & 0_u32.wrapping_sub(sum & 1)))
    })
}

/// Returns an image that no encoder can compress well.
fn noise(width: u32, height: u32) -> Vec<u8> {
    let mut seed = 0x2545_F491_4F6C_DD1D_u64;
    let picture = image::RgbImage::from_fn(width, height, |_, _| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        image::Rgb([seed as u8, (seed >> 8) as u8, (seed >> 16) as u8])
    });
    encoded(&picture, image::ImageFormat::Png)
}

fn encoded(picture: &image::RgbImage, format: image::ImageFormat) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

#[tokio::test]
async fn unsuitable_image_is_rejected_with_reason() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let svg = br#"<svg xmlns="http://www.w3.org/2000/svg" width="512" height="512"><script>alert(1)</script></svg>"#;
    let gif = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;";
    let mut cut = png(512, 512);
    cut.truncate(cut.len() / 2);
    let cases: Vec<(&str, &str, Vec<u8>, &str)> = vec![
        ("text", "ICON", b"not a picture at all".to_vec(), "NOT_AN_IMAGE"),
        ("nothing", "ICON", Vec::new(), "NOT_AN_IMAGE"),
        ("SVG", "ICON", svg.to_vec(), "NOT_AN_IMAGE"),
        ("GIF", "ICON", gif.to_vec(), "NOT_AN_IMAGE"),
        ("a picture cut off", "ICON", cut, "NOT_AN_IMAGE"),
        ("400 megapixels in a kilobyte", "ICON", claimed(20_000, 20_000), "TOO_MANY_PIXELS"),
        ("one long line", "SCREENSHOT", claimed(16_385, 1), "TOO_MANY_PIXELS"),
        ("25 megapixels", "SCREENSHOT", claimed(5_000, 5_000), "TOO_MANY_PIXELS"),
        ("a small icon", "ICON", png(255, 255), "TOO_SMALL"),
        ("an icon that is not square", "ICON", png(300, 256), "NOT_SQUARE"),
        ("a small screenshot", "SCREENSHOT", png(640, 399), "TOO_SMALL"),
        ("a narrow banner", "BANNER", png(1_119, 300), "TOO_SMALL"),
        ("a high banner", "BANNER", png(1_120, 1_120), "NOT_WIDE"),
    ];
    let before = pictures(&market, &app).await.bytes;
    for (what, kind, bytes, code) in cases {
        let refused = send(&market, &app, kind, bytes).await;
        assert_eq!((refused.status, errors(&refused)), (422, vec![(code, "/file")]), "{what}: {}", refused.text());
    }
    assert_eq!(pictures(&market, &app).await.bytes, before, "nothing was kept");
}

#[tokio::test]
async fn oversized_upload_is_rejected_before_decoding() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    // One byte too many for the file, and far too many for the whole body.
    for length in [8 * 1024 * 1024 + 1, 12 * 1024 * 1024] {
        let refused = send(&market, &app, "ICON", vec![0; length]).await;
        assert_eq!((refused.status, refused.code()), (413, "PAYLOAD_TOO_LARGE"), "{length}");
    }
    let large = send(&market, &app, "ICON", vec![0; 8 * 1024 * 1024]).await;
    assert_eq!(large.status, 422, "8 MB are looked at: {}", large.text());
}

#[tokio::test]
async fn media_fields_are_validated() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let part = || reqwest::multipart::Part::bytes(png(256, 256)).file_name("a.png");
    let form = || reqwest::multipart::Form::new();
    let cases = vec![
        ("no file", form().text("kind", "ICON"), "/file"),
        ("no kind", form().part("file", part()), "/kind"),
        ("another kind", form().text("kind", "VIDEO").part("file", part()), "/kind"),
        ("long words", form().text("kind", "ICON").text("alt_text", "x".repeat(251)).part("file", part()), "/alt_text"),
        ("two lines", form().text("kind", "ICON").text("caption", "a\nb").part("file", part()), "/caption"),
        ("an unknown part", form().text("kind", "ICON").text("title", "a").part("file", part()), "/title"),
    ];
    for (what, form, place) in cases {
        let refused = begin(&market, &app).multipart(form).send().await;
        let places: Vec<_> = errors(&refused).into_iter().map(|error| error.1).collect();
        assert_eq!((refused.status, places), (422, vec![place]), "{what}: {}", refused.text());
    }
    let plain = begin(&market, &app).json(&json!({ "kind": "ICON" })).send().await;
    assert_eq!((plain.status, plain.code()), (415, "UNSUPPORTED_MEDIA_TYPE"));
}

#[tokio::test]
async fn image_type_is_detected_and_four_sizes_are_made() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let photo = image::RgbImage::from_fn(2_000, 1_000, |x, y| image::Rgb([(x / 8) as u8, (y / 4) as u8, 90]));
    let made = send(&market, &app, "SCREENSHOT", encoded(&photo, image::ImageFormat::Jpeg)).await;
    assert_eq!((made.status, made.str("media_type")), (201, "image/jpeg"), "{}", made.text());
    let sizes: Vec<_> = made.json["variants"].as_array().unwrap().iter().map(|size| size["width"].as_i64()).collect();
    assert_eq!(sizes, [2_000, 1_600, 800, 256].map(Some));
    let media = made.str("uuid").to_owned();
    let content = || {
        let call =
            market.harness.call("marketplace_media_get_content").path("app_uuid", &app).path("media_uuid", &media);
        call.token(&market.owner.token)
    };
    for (variant, width) in [("ORIGINAL", 2_000), ("LARGE", 1_600), ("MEDIUM", 800), ("SMALL", 256)] {
        let bytes = content().query("variant", variant).expect(200).await;
        assert_eq!(bytes.header("content-type"), "image/jpeg");
        assert!(bytes.header("content-disposition").starts_with("attachment"), "{variant}");
        let decoded = image::load_from_memory(&bytes.bytes).unwrap();
        assert_eq!((decoded.width(), decoded.height()), (width, width / 2), "{variant}");
        let again = content().query("variant", variant).header("if-none-match", bytes.header("etag"));
        assert!(again.expect(304).await.bytes.is_empty());
    }
    let whole = content().expect(200).await;
    assert_eq!(made.json["size_bytes"], whole.bytes.len());
    let bytes: String = whole.bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let same = format!("select (sha256('\\x{bytes}') = '\\x{}')::integer::bigint", made.str("sha256"));
    assert_eq!(market.harness.number(&same).await, 1, "its digest is that of its bytes");
    let stranger = market.harness.partner("Ostsee Kassen").await;
    let call = market.harness.call("marketplace_media_get_content").path("app_uuid", &app).path("media_uuid", &media);
    call.token(&stranger.token).expect(404).await;
    let call = market.harness.call("marketplace_media_upload").path("app_uuid", &app).token(&stranger.token);
    call.multipart(upload("ICON", png(256, 256))).expect(404).await;
}

#[tokio::test]
async fn new_icon_replaces_former_and_screenshot_is_appended() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let former = pictures(&market, &app).await.json["data"][0]["uuid"].as_str().unwrap().to_owned();
    let first = send(&market, &app, "SCREENSHOT", png(640, 400)).await;
    let second = send(&market, &app, "SCREENSHOT", png(700, 400)).await;
    let banner = send(&market, &app, "BANNER", png(1_120, 300)).await;
    let icon = send(&market, &app, "ICON", png(300, 300)).await;
    assert_eq!((&first.json["position"], &second.json["position"]), (&json!(1), &json!(2)));
    let list = pictures(&market, &app).await;
    let expected = [&icon, &banner, &first, &second].map(|made| made.str("uuid"));
    assert_eq!(column(&list, "uuid"), expected);
    let call = market.harness.call("marketplace_media_get_content").path("app_uuid", &app).path("media_uuid", &former);
    call.token(&market.owner.token).expect(404).await;
    let call = market.harness.call("marketplace_media_list").path("app_uuid", &app).token(&market.owner.token);
    assert_eq!(
        column(&call.query("kind", "SCREENSHOT").query("limit", 1).expect(200).await, "uuid"),
        [first.str("uuid")]
    );
}

#[tokio::test]
async fn concurrent_uploads_respect_limit_of_ten_screenshots() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    for _ in 0..8 {
        assert_eq!(send(&market, &app, "SCREENSHOT", png(640, 400)).await.status, 201);
    }
    // With a faulty bucket, an upload that waits too long for the others gets a 503 and retries.
    let sent = async || loop {
        let answer = send(&market, &app, "SCREENSHOT", png(640, 400)).await;
        if answer.status != 503 {
            break answer;
        }
    };
    let answers = join_all((0..5).map(|_| sent())).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 2);
    assert!(answers.iter().all(|answer| answer.status == 201 || answer.code() == "CONFLICT"));
    let mut places: Vec<i64> = answers.iter().filter_map(|answer| answer.json["position"].as_i64()).collect();
    places.sort_unstable();
    assert_eq!(places, [9, 10]);
}

#[tokio::test]
async fn tier_limits_stored_megabytes() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    market.harness.sql("update tier_feature set value = '2' where feature_code = 'media_megabytes'").await;
    let large = || noise(800, 600);
    assert!(large().len() > 1_100_000, "more than one megabyte");
    assert_eq!(send(&market, &app, "SCREENSHOT", large()).await.status, 201);
    let kept = market.harness.objects().await;
    let refused = send(&market, &app, "SCREENSHOT", noise(804, 600)).await;
    assert_eq!((refused.status, refused.code()), (409, "ENTITLEMENT_EXCEEDED"));
    assert_eq!(market.harness.objects().await, kept, "nothing of it lies in the store");
    let said = [&refused.json["feature"], &refused.json["limit"], &refused.json["used"]];
    assert_eq!(said, [&json!("media_megabytes"), &json!(2), &json!(2)]);
    let call = market.harness.call("marketplace_media_list").path("app_uuid", &app).token(&market.owner.token);
    assert_eq!(call.query("kind", "SCREENSHOT").expect(200).await.json["data"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn upload_with_repeated_idempotency_key_is_stored_once() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let keyed = |bytes: Vec<u8>, alt_text: &str| {
        let file = reqwest::multipart::Part::bytes(bytes).file_name("a.png").mime_str("image/png").unwrap();
        let form = reqwest::multipart::Form::new().text("kind", "SCREENSHOT").text("alt_text", alt_text.to_owned());
        let call = begin(&market, &app).header("idempotency-key", "upload-17").multipart(form.part("file", file));
        async move { call.send().await }
    };
    let first = keyed(png(640, 400), "Orders").await;
    assert_eq!((first.status, first.header("idempotency-replayed")), (201, ""));
    // A different multipart boundary is still the same request.
    let again = keyed(png(640, 400), "Orders").await;
    assert_eq!((again.status, again.header("idempotency-replayed")), (201, "true"));
    assert_eq!((&again.bytes, again.header("location")), (&first.bytes, first.header("location")));
    for other in [keyed(png(641, 400), "Orders").await, keyed(png(640, 400), "Bills").await] {
        assert_eq!((other.status, other.code()), (422, "IDEMPOTENCY_KEY_REUSED"));
    }
    let refused = begin(&market, &app).header("idempotency-key", "upload-18").multipart(upload("ICON", vec![1])).send();
    assert_eq!(refused.await.status, 422);
    let mended = begin(&market, &app).header("idempotency-key", "upload-18").multipart(upload("ICON", png(256, 256)));
    assert_eq!(mended.send().await.status, 201, "what was refused left nothing to repeat");
    assert_eq!(market.harness.number("select count(*) from media where kind = 'SCREENSHOT'").await, 1);
}

#[tokio::test]
async fn concurrent_uploads_with_one_idempotency_key_store_once() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let keyed =
        || begin(&market, &app).header("idempotency-key", "upload-19").multipart(upload("BANNER", png(1_120, 300)));
    let answers = join_all((0..4).map(|_| keyed().send())).await;
    let good: Vec<_> = answers.iter().filter(|answer| answer.status == 201).collect();
    assert_eq!(good.iter().filter(|answer| answer.header("idempotency-replayed").is_empty()).count(), 1);
    assert!(good.iter().all(|answer| answer.bytes == good[0].bytes));
    assert!(answers.iter().all(|answer| matches!(answer.status, 201 | 409 | 503)), "503 over a way that fails");
    assert_eq!(market.harness.number("select count(*) from media where kind = 'BANNER'").await, 1);
}

#[tokio::test]
async fn idempotent_upload_processes_image_before_transaction() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let held = market.harness.lock("media", "access exclusive").await;
    let call = begin(&market, &app).header("idempotency-key", "upload-20").multipart(upload("ICON", png(256, 256)));
    let others = async {
        // The query before the image processing waits for the lock, on the only connection that the upload uses.
        market
            .harness
            .until(&format!("{CONNECTIONS} and wait_event_type = 'Lock' and query like '%of_kind%'"), 1)
            .await;
        let idle = "state = 'idle in transaction' and query like '%idempotency_key%'";
        market.harness.until(&format!("{CONNECTIONS} and {idle}"), 0).await;
        held.roll_back().await;
    };
    let (made, ()) = tokio::join!(call.send(), others);
    assert_eq!(made.status, 201, "{}", made.text());
}

#[tokio::test]
async fn upload_that_loses_idempotency_race_returns_first_response() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let keyed = || {
        let call = begin(&market, &app).header("idempotency-key", "upload-21");
        call.multipart(upload("SCREENSHOT", png(640, 400))).send()
    };
    let first = keyed().await;
    // Renames the key until the second request has looked for it. The effect is as if the first request finished only
    // then.
    market.harness.sql("update idempotency_key set key = 'away' where key = 'upload-21'").await;
    let held = market.harness.lock("media", "access exclusive").await;
    let others = async {
        market
            .harness
            .until(&format!("{CONNECTIONS} and wait_event_type = 'Lock' and query like '%of_kind%'"), 1)
            .await;
        market.harness.sql("update idempotency_key set key = 'upload-21' where key = 'away'").await;
        held.roll_back().await;
    };
    let (second, ()) = tokio::join!(keyed(), others);
    assert_eq!((second.status, second.header("idempotency-replayed")), (201, "true"), "{}", second.text());
    assert_eq!(second.bytes, first.bytes);
    assert_eq!(market.harness.number("select count(*) from media where kind = 'SCREENSHOT'").await, 1);
}

#[tokio::test]
async fn replaced_image_is_deleted_once_no_version_can_show_it() {
    let market = Market::new().await;
    let (app, slug) = market.listed("Table Pilot").await;
    let next = market.draft(&app, "1.1.0").await;
    let icon = || async { send(&market, &app, "ICON", png(256, 256)).await.str("uuid").to_owned() };
    icon().await;
    let withdrawn = market.draft(&app, "1.0.1").await;
    market.submit(&app, &withdrawn).await;
    market.withdraw(&app, &withdrawn).await;
    icon().await;
    let sent_back = market.submit(&app, &next).await;
    market.claim(&sent_back).await;
    market.request_changes(&sent_back).await;
    let approved = icon().await;
    market.approved(&app, &next).await;
    let unseen = icon().await;
    icon().await;
    market.harness.sql("update media set removed_at = removed_at - interval '11 minutes'").await;
    market.harness.run_job("TIDYING").await;
    let left = |media: &str| format!("select count(*) from media where media_uuid = '{media}'");
    market.harness.until(&left(&unseen), 0).await;
    let left_over = market.harness.number("select count(*) from media").await;
    assert_eq!(left_over, 5, "live, withdrawn, sent back, approved and in the draft");
    market.version("marketplace_versions_publish", &app, &next).json(&json!({})).expect(200).await;
    let shop = market.harness.program("storefront", &["storefront"], None).await;
    let listing = market.harness.call("marketplace_listings_get").path("listing_slug", &slug).token(&shop.token);
    assert_eq!(listing.expect(200).await.json["icon"]["media_uuid"], approved);
}

#[tokio::test]
async fn live_listing_keeps_its_media_until_next_publication() {
    let market = Market::new().await;
    let (app, slug) = market.listed("Table Pilot").await;
    let shop = market.harness.program("storefront", &["storefront"], None).await;
    let shown = || {
        let call = market.harness.call("marketplace_listings_get").path("listing_slug", &slug).token(&shop.token);
        async move { call.expect(200).await.json["icon"]["media_uuid"].as_str().unwrap().to_owned() }
    };
    let bytes = |media: String| {
        let call = market.harness.call("marketplace_listings_get_media_content").path("listing_slug", &slug);
        let call = call.path("media_uuid", media).token(&shop.token);
        async move { call.send().await.status }
    };
    let former = shown().await;
    let replaced = send(&market, &app, "ICON", png(300, 300)).await.str("uuid").to_owned();
    assert_eq!(shown().await, former);
    assert_eq!((bytes(former.clone()).await, bytes(replaced.clone()).await), (200, 404));
    let next = market.draft(&app, "1.1.0").await;
    market.published(&app, &next).await;
    assert_eq!(shown().await, replaced);
    assert_eq!((bytes(former).await, bytes(replaced).await), (404, 200));
}

#[tokio::test]
async fn old_unreferenced_objects_are_deleted() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    assert_eq!(send(&market, &app, "ICON", png(512, 512)).await.status, 201);
    let harness = &market.harness;
    let named = harness.objects().await;
    assert!(named.len() > 1, "the picture and smaller copies of it: {named:?}");
    let put = async |content: &'static str| harness.engine.services().media.put(content.into()).await.unwrap().name();
    let old = put("cut off before its row was written").await;
    harness.make_older("", 31).await;
    let young = put("about to be named by a row").await;
    assert_eq!(harness.objects().await.len(), named.len() + 2);
    harness.run_job("OBJECTS_SWEEP").await;
    let left = harness.objects().await;
    assert!(!left.contains(&old), "the old one is gone");
    assert!(left.len() == named.len() + 1 && left.contains(&young) && named.iter().all(|name| left.contains(name)));
}

#[tokio::test]
async fn unfinished_files_of_killed_replica_are_deleted_after_a_day() {
    let market = Market::new().await;
    let folder = market.harness.media_folder().join("archives");
    std::fs::create_dir_all(&folder).unwrap();
    let [old, young] = ["ab", "cd"].map(|pair| folder.join(format!("{}#1", pair.repeat(32))));
    for (file, hours) in [(&old, 25), (&young, 23)] {
        std::fs::write(file, "its replica was killed").unwrap();
        let file = std::fs::File::options().write(true).open(file).unwrap();
        file.set_modified(file.metadata().unwrap().modified().unwrap() - Duration::from_secs(hours * 3_600)).unwrap();
    }
    market.harness.run_job("OBJECTS_SWEEP").await;
    assert!(!old.exists() && young.exists());
}
