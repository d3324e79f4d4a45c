//! Tests of image URLs that need no token: access, expiry and cost.

use reqwest::{Method, Response};
use serde_json::{Value, json};

use super::main_job::icon;
use super::market::{Market, png, upload};
use crate::harness::{Call, Harness, ROOMY};

/// A marketplace with one published app, and a machine client that reads it.
struct Window {
    market: Market,
    app: String,
    slug: String,
    token: String,
}

impl Window {
    async fn new() -> Self {
        let market = Market::new().await;
        let app = market.app("Table Pilot").await;
        let send = |kind, bytes| {
            let call = market.harness.call("marketplace_media_upload").path("app_uuid", &app);
            call.token(&market.owner.token).multipart(upload(kind, bytes)).expect(201)
        };
        send("ICON", icon()).await;
        send("SCREENSHOT", png(1_000, 600)).await;
        let version = market.draft(&app, "1.0.0").await;
        market.published(&app, &version).await;
        let token = market.harness.program("storefront", &["storefront"], None).await.token;
        let slug = "table-pilot".to_owned();
        Self { market, app, slug, token }
    }

    fn own(&self, operation: &str) -> Call<'_> {
        self.market.harness.call(operation).path("app_uuid", &self.app).token(&self.market.owner.token)
    }

    async fn listing(&self) -> Value {
        let call = self.market.harness.call("marketplace_listings_get").path("listing_slug", &self.slug);
        call.token(&self.token).expect(200).await.json
    }

    /// Whether this replica serves the image at this URL. Any status other than 200 and 404 fails the test.
    async fn has(&self, house: &Harness, url: &str) -> bool {
        let answer = ask(house, Method::GET, &url.replace(&self.market.harness.base_url, &house.base_url)).await;
        assert!([200, 404].contains(&answer.status().as_u16()), "{url}: {}", answer.status());
        answer.status() == 200
    }

    /// Waits until all replicas serve an image, or none does.
    async fn soon(&self, houses: &[&Harness], what: &str, url: &str, there: bool) {
        for house in houses {
            house.soon(what, || async { self.has(house, url).await == there }).await;
        }
    }
}

/// Sends a request as an `<img>` on another site does: without a token.
async fn ask(house: &Harness, method: Method, url: &str) -> Response {
    house.http().request(method, url).header("sec-fetch-dest", "image").send().await.unwrap()
}

fn header<'a>(answer: &'a Response, name: &str) -> &'a str {
    answer.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

fn urls(sources: &Value) -> Vec<&str> {
    sources.as_array().unwrap().iter().map(|source| source["url"].as_str().unwrap()).collect()
}

fn widths(sources: &Value) -> Vec<i64> {
    sources.as_array().unwrap().iter().map(|source| source["width"].as_i64().unwrap()).collect()
}

#[tokio::test]
async fn listing_images_are_served_only_at_listed_urls() {
    let window = Window::new().await;
    let harness = &window.market.harness;
    let found = harness.call("marketplace_listings_search").token(&window.token).expect(200).await;
    let icon = &found.json["data"][0]["icon"]["sources"];
    assert_eq!(widths(icon), [48, 64, 128, 256, 512]);
    let listing = window.listing().await;
    assert_eq!(&listing["icon"]["sources"], icon);
    let screenshot = &listing["media"][0]["sources"];
    assert_eq!(widths(screenshot), [480, 960, 1_000], "what is narrower is its own widest copy");
    for source in icon.as_array().unwrap().iter().chain(screenshot.as_array().unwrap()) {
        let url = source["url"].as_str().unwrap();
        assert!(url.starts_with(&format!("{}/media/", harness.base_url)), "{url}");
        harness.soon("the picture is known", || async { window.has(harness, url).await }).await;
        let answer = ask(harness, Method::GET, url).await;
        for (name, value) in [
            ("content-type", source["media_type"].as_str().unwrap()),
            ("cache-control", "public, max-age=86400, s-maxage=60, immutable"),
            ("cross-origin-resource-policy", "cross-origin"),
            ("content-disposition", "inline"),
            ("x-content-type-options", "nosniff"),
            ("set-cookie", ""),
        ] {
            assert_eq!(header(&answer, name), value, "{name}");
        }
        assert!(!header(&answer, "content-security-policy").is_empty());
        let tag = header(&answer, "etag").to_owned();
        let again = harness.http().get(url).header("if-none-match", &tag).send().await.unwrap();
        assert_eq!((again.status().as_u16(), header(&again, "etag")), (304, tag.as_str()));
        assert_eq!(header(&again, "cross-origin-resource-policy"), "cross-origin");
        let head = ask(harness, Method::HEAD, url).await;
        let bytes = answer.bytes().await.unwrap();
        assert_eq!(header(&head, "content-length"), bytes.len().to_string());
        let picture = image::load_from_memory(&bytes).unwrap();
        let sides = [picture.width(), picture.height()].map(|side| json!(side));
        assert_eq!([&source["width"], &source["height"]], [&sides[0], &sides[1]]);
    }
    let posted = ask(harness, Method::POST, urls(icon)[0]).await;
    assert_eq!((posted.status().as_u16(), header(&posted, "allow")), (405, "GET, HEAD, OPTIONS"));
}

#[tokio::test]
async fn media_urls_use_delivery_network_if_configured() {
    let window = Window::new().await;
    let first = &window.market.harness;
    let twin = first.twin(&[ROOMY, &["--media-public-url", "https://cdn.example/pictures/"]].concat()).await;
    let sources = async |house: &Harness| {
        let call = house.call("marketplace_listings_get").path("listing_slug", &window.slug).token(&window.token);
        call.expect(200).await.json["icon"]["sources"].to_string()
    };
    let near = sources(first).await.replace(&format!("{}/media/", first.base_url), "https://cdn.example/pictures/");
    assert!(near.contains("https://cdn.example/pictures/"), "{near}");
    assert_eq!(sources(&twin).await, near);
}

#[tokio::test]
async fn unlisted_image_disappears_from_every_replica_and_returns() {
    let window = Window::new().await;
    let first = &window.market.harness;
    let twin = first.twin(&[]).await;
    let houses = [first, &twin];
    let listing = window.listing().await;
    let url = urls(&listing["icon"]["sources"])[0].to_owned();
    window.soon(&houses, "it is shown", &url, true).await;
    let desk = |operation| first.call(operation).path("listing_slug", &window.slug).token(&window.market.staff.token);
    let reason = json!({ "reason": "The screenshots are of another app." });
    window.own("marketplace_apps_unlist").expect(200).await;
    window.soon(&houses, "unlisted", &url, false).await;
    window.own("marketplace_apps_relist").expect(200).await;
    window.soon(&houses, "listed again", &url, true).await;
    desk("marketplace_submissions_suspend_listing").json(&reason).expect(200).await;
    window.soon(&houses, "suspended", &url, false).await;
    desk("marketplace_submissions_reinstate_listing").json(&json!({})).expect(200).await;
    window.soon(&houses, "reinstated", &url, true).await;
    // A new icon in the draft is private to its owner until it is published; then the former icon is removed.
    let call = window.own("marketplace_media_upload").multipart(upload("ICON", png(300, 300)));
    call.expect(201).await;
    let next = window.market.draft(&window.app, "1.1.0").await;
    let preview = window.own("marketplace_apps_preview_listing").expect(200).await;
    let coming = urls(&preview.json["listing"]["icon"]["sources"])[0].to_owned();
    assert_ne!(coming, url);
    assert!(!window.has(first, &coming).await && window.has(first, &url).await);
    window.market.published(&window.app, &next).await;
    window.soon(&houses, "the new one is shown", &coming, true).await;
    window.soon(&houses, "the former one is not", &url, false).await;
}

#[tokio::test]
async fn profile_images_are_public_while_profile_is_published() {
    let window = Window::new().await;
    let harness = &window.market.harness;
    let owner = &window.market.owner;
    let own = |operation| harness.call(operation).path("partner_uuid", owner.partner_uuid.unwrap()).token(&owner.token);
    let said =
        json!({ "texts": { "de": { "tagline": "Kassen", "description": "Und mehr." } }, "default_locale": "de" });
    own("partner_profile_update").json(&said).expect(200).await;
    let file = reqwest::multipart::Part::bytes(png(300, 300)).file_name("a.png").mime_str("image/png").unwrap();
    let form = reqwest::multipart::Form::new().part("file", file);
    own("partner_imagery_put").path("kind", "LOGO").multipart(form).expect(200).await;
    own("partner_profile_publish").expect(200).await;
    let vendor = harness.call("marketplace_vendors_get").path("partner_slug", "nordsee-kassen").token(&window.token);
    let vendor = vendor.query("locale", "en").expect(200).await;
    assert_eq!(vendor.header("content-language"), "de");
    let sources = &vendor.json["imagery"][0]["sources"];
    assert_eq!(widths(sources), [48, 64, 128, 256, 300]);
    let url = urls(sources)[4];
    window.soon(&[harness], "it is shown", url, true).await;
    own("partner_profile_unpublish").expect(200).await;
    window.soon(&[harness], "the page is closed", url, false).await;
}

#[tokio::test]
async fn unknown_media_url_needs_no_database_query() {
    let window = Window::new().await;
    let harness = &window.market.harness;
    let listing = window.listing().await;
    let known = urls(&listing["icon"]["sources"])[0];
    window.soon(&[harness], "it is shown", known, true).await;
    // A request that queries the database would wait for these locks.
    let held =
        harness.lock("listing, listing_media, media, partner, partner_profile, partner_image", "access exclusive");
    let held = held.await;
    let unknown = "00".repeat(32);
    let digest = known.rsplit('/').next().unwrap().split('.').next().unwrap();
    let other_ending = if known.ends_with(".webp") { "png" } else { "webp" };
    for name in [
        &format!("{unknown}.png"),
        &format!("{digest}.{other_ending}"),
        &format!("{}.png", digest.to_ascii_uppercase()),
        digest,
        "%2e%2e%2fsecrets%2fmaster.key",
    ] {
        let answer = ask(harness, Method::GET, &format!("{}/media/{name}", harness.base_url)).await;
        let told = (answer.status().as_u16(), header(&answer, "cache-control"));
        assert_eq!(told, (404, "no-store"), "{name}");
    }
    assert!(window.has(harness, known).await, "nor does a known one");
    held.roll_back().await;
}

#[tokio::test]
async fn image_requests_have_a_separate_budget() {
    let harness = Harness::with(&[ROOMY, &["--pictures-per-second", "3"]].concat()).await;
    let url = format!("{}/media/{}.png", harness.base_url, "00".repeat(32));
    let told = futures_util::future::join_all((0..12).map(|_| ask(&harness, Method::GET, &url))).await;
    let refused: Vec<_> = told.iter().filter(|answer| answer.status() == 429).collect();
    assert!(refused.len() >= 6, "{}", refused.len());
    assert!(refused.iter().all(|answer| !header(answer, "retry-after").is_empty()));
    harness.call("subscription_public_tiers_list").expect(200).await;
}

#[tokio::test]
async fn older_image_gets_its_renditions_in_background() {
    let window = Window::new().await;
    let harness = &window.market.harness;
    let made = window.listing().await;
    let changes = |cursor: String| {
        let call = harness.call("marketplace_listings_list_changes").token(&window.token);
        if cursor.is_empty() { call } else { call.query("cursor", cursor) }
    };
    harness.until("select count(*) from listing_change where place is null", 0).await;
    let all = changes(String::new()).expect(200).await;
    // As the migration leaves the row: with the existing renditions.
    let sizes = "update media set renditions_due = true, renditions = jsonb_build_array(variants -> 'SMALL')";
    harness.sql(sizes).await;
    assert_eq!(widths(&window.listing().await["icon"]["sources"]), [256]);
    harness.until("select count(*) from media where renditions_due", 0).await;
    let listing = window.listing().await;
    assert_eq!(widths(&listing["icon"]["sources"]), widths(&made["icon"]["sources"]));
    assert_eq!(widths(&listing["media"][0]["sources"]), [480, 960, 1_000]);
    for url in urls(&listing["media"][0]["sources"]) {
        window.soon(&[harness], "the copy is shown", url, true).await;
    }
    harness.until("select count(*) from listing_change where place is null", 0).await;
    let cursor = all.json["page"]["next_cursor"].as_str().unwrap().to_owned();
    let told = changes(cursor).expect(200).await;
    assert_eq!(told.json["data"][0]["listing"]["media"], listing["media"], "followers are told the new addresses");
    // If the original file is missing, the media item keeps its renditions, and the job does not retry forever.
    harness.sql("update media set renditions_due = true, object_key = repeat('0', 64) where kind = 'ICON'").await;
    harness.until("select count(*) from media where renditions_due", 0).await;
    assert_eq!(widths(&window.listing().await["icon"]["sources"]), widths(&made["icon"]["sources"]));
}

#[tokio::test]
async fn response_states_languages_of_its_texts() {
    let window = Window::new().await;
    let harness = &window.market.harness;
    let body = json!({ "name": "Tischlotse", "tagline": "Tische", "description": "Zeigt den Saal, wie er ist." });
    let call = window.own("marketplace_translations_put").path("locale", "de").json(&body);
    assert!(call.send().await.status < 300);
    let next = window.market.draft(&window.app, "1.1.0").await;
    window.market.published(&window.app, &next).await;
    window.market.listed("Till Friend").await;
    let told = async |operation: &str, locale: &str| {
        let answer = harness.call(operation).token(&window.token).query("locale", locale).expect(200).await;
        let mut told: Vec<_> = answer.header("content-language").split(", ").map(str::to_owned).collect();
        told.sort();
        told.join(" ")
    };
    assert_eq!(told("marketplace_listings_search", "de-AT").await, "de en");
    assert_eq!(told("marketplace_listings_search", "fr").await, "en");
    assert_eq!(told("marketplace_listings_list_changes", "de").await, "de en");
    assert_eq!(told("marketplace_public_categories_list", "de").await, "en");
    let listing = harness.call("marketplace_listings_get").path("listing_slug", &window.slug).token(&window.token);
    let listing = listing.query("locale", "de").expect(200).await;
    assert_eq!(listing.header("content-language"), "de");
    let nothing = harness.call("marketplace_listings_search").token(&window.token).query("q", "spaceship");
    assert_eq!(nothing.expect(200).await.header("content-language"), "", "there is no text");
}
