//! Tests of the lists of one listing: media, versions, and related listings.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::market::{Market, column, finds, png, upload};
use crate::harness::{Answer, Call};

struct Shop {
    market: Market,
    token: String,
}

impl Shop {
    async fn new() -> Self {
        let market = Market::new().await;
        let token = market.harness.program("storefront", &["storefront"], None).await.token;
        Self { market, token }
    }

    fn of(&self, operation: &str, slug: &str) -> Call<'_> {
        self.market.harness.call(operation).path("listing_slug", slug).token(&self.token)
    }

    fn own(&self, operation: &str, app: &str) -> Call<'_> {
        self.market.harness.call(operation).path("app_uuid", app).token(&self.market.owner.token)
    }

    /// Creates a category with this name.
    async fn category(&self, name: &str) -> String {
        let made = self.market.harness.call("marketplace_categories_create").token(&self.market.staff.token);
        made.json(&json!({ "names": { "en": name } })).expect(201).await.str("uuid").to_owned()
    }

    /// Publishes a version with these release notes and permissions.
    async fn release(&self, app: &str, number: &str, notes: Value, permissions: &[&str]) {
        let permission = |code: &&str| json!({ "code": code, "reason": "Shows what a table ordered." });
        let permissions: Vec<Value> = permissions.iter().map(permission).collect();
        let body = json!({ "number": number, "release_notes": notes, "manifest": { "permissions": permissions } });
        let made = self.own("marketplace_versions_create", app).json(&body).expect(201).await;
        self.market.published(app, made.str("uuid")).await;
    }

    async fn slug(&self, app: &str) -> String {
        self.own("marketplace_apps_get", app).expect(200).await.str("slug").to_owned()
    }
}

#[tokio::test]
async fn listing_shows_published_media_only() {
    let shop = Shop::new().await;
    let app = shop.market.app("Table Pilot").await;
    for (kind, width) in [("SCREENSHOT", 640), ("BANNER", 1_120), ("SCREENSHOT", 700)] {
        let upload = upload(kind, png(width, 400));
        shop.own("marketplace_media_upload", &app).multipart(upload).expect(201).await;
    }
    let slug = shop.slug(&app).await;
    let list = || shop.of("marketplace_listings_list_media", &slug);
    list().expect(404).await;
    shop.release(&app, "1.0.0", json!({ "en": "New." }), &[]).await;
    let whole = list().expect(200).await;
    assert_eq!(column(&whole, "kind"), ["ICON", "BANNER", "SCREENSHOT", "SCREENSHOT"]);
    let uuids = column(&whole, "uuid");
    for (filters, expected) in [
        (vec![], uuids.clone()),
        (vec![("kind", "SCREENSHOT")], uuids[2..].to_vec()),
        (vec![("kind", "BANNER,ICON")], uuids[..2].to_vec()),
    ] {
        finds(list, ("uuid", 1), &filters, &expected).await;
    }
    list().query("kind", "LOGO").expect(422).await;
    let listing = shop.of("marketplace_listings_get", &slug).expect(200).await;
    assert_eq!(listing.json["media"].as_array().unwrap()[..], whole.json["data"].as_array().unwrap()[1..]);

    shop.own("marketplace_media_delete", &app).path("media_uuid", uuids[2]).expect(204).await;
    assert_eq!(column(&list().expect(200).await, "uuid"), uuids, "the draft alone has lost one");
    shop.own("marketplace_apps_unlist", &app).expect(200).await;
    list().expect(404).await;
}

#[tokio::test]
async fn reasons_and_texts_of_images_are_in_the_readers_language() {
    let shop = Shop::new().await;
    let app = shop.market.app("Table Pilot").await;
    let icons = shop.own("marketplace_media_list", &app).expect(200).await;
    let icon = icons.json["data"][0]["uuid"].as_str().unwrap();
    let texts =
        json!({ "alt_text": "A table", "alt_texts": { "de": "Ein Tisch" }, "captions": { "de": "Am Fenster" } });
    shop.own("marketplace_media_update", &app).path("media_uuid", icon).json(&texts).expect(200).await;
    let reasons = json!({ "de": "Zeigt die Bestellung.", "fr": "Montre la commande." });
    let permission = json!({ "code": "orders", "reason": "Shows what a table ordered.", "reasons": reasons });
    let body =
        json!({ "number": "1.0.0", "release_notes": { "en": "New." }, "manifest": { "permissions": [permission] } });
    let made = shop.own("marketplace_versions_create", &app).json(&body).expect(201).await;
    shop.market.published(&app, made.str("uuid")).await;
    let slug = shop.slug(&app).await;
    for (locale, reason, alt_text, caption) in [
        ("de-AT", "Zeigt die Bestellung.", "Ein Tisch", json!("Am Fenster")),
        ("fr", "Montre la commande.", "A table", Value::Null),
        ("nl", "Shows what a table ordered.", "A table", Value::Null),
    ] {
        let of = |operation: &str| shop.of(operation, &slug).query("locale", locale);
        let listing = of("marketplace_listings_get").expect(200).await;
        let shown = json!([{ "code": "orders", "reason": reason }]);
        assert_eq!(listing.json["permissions"], shown, "{locale}");
        assert_eq!(listing.json["icon"]["alt_text"], alt_text, "{locale}");
        let versions = of("marketplace_listings_list_versions").expect(200).await;
        assert_eq!(versions.json["data"][0]["permissions_added"], shown, "{locale}");
        let media = of("marketplace_listings_list_media").expect(200).await;
        assert_eq!(
            (&media.json["data"][0]["alt_text"], &media.json["data"][0]["caption"]),
            (&json!(alt_text), &caption)
        );
    }
    let preview = shop.own("marketplace_apps_preview_listing", &app).query("locale", "de").expect(200).await;
    assert_eq!(preview.json["listing"]["permissions"][0]["reason"], "Zeigt die Bestellung.", "{}", preview.text());
}

#[tokio::test]
async fn versions_show_localized_notes_and_new_permissions() {
    let shop = Shop::new().await;
    let app = shop.market.app("Table Pilot").await;
    let slug = shop.slug(&app).await;
    let list = || shop.of("marketplace_listings_list_versions", &slug);
    list().expect(404).await;
    shop.release(&app, "1.0.0", json!({ "en": "First." }), &["orders"]).await;
    shop.release(&app, "1.1.0", json!({ "en": "Second.", "de": "Zweite." }), &["orders", "customers"]).await;
    // From here on, the listing's default locale is German. The first version has no German text.
    let texts = json!({ "name": "Tischpilot", "tagline": "Nimmt Bestellungen auf", "description": "Am Tisch." });
    shop.own("marketplace_translations_put", &app).path("locale", "de").json(&texts).expect(201).await;
    shop.own("marketplace_apps_update", &app).json(&json!({ "default_locale": "de" })).expect(200).await;
    shop.release(&app, "1.2.0", json!({ "de": "Dritte." }), &["customers:write"]).await;
    let draft = json!({ "number": "1.3.0", "release_notes": { "de": "Vierte." } });
    shop.own("marketplace_versions_create", &app).json(&draft).expect(201).await;

    finds(list, ("number", 1), &[], &["1.2.0", "1.1.0", "1.0.0"]).await;
    for (locale, notes) in [
        ("en", ["Dritte.", "Second.", "First."]),
        ("de-AT", ["Dritte.", "Zweite.", "First."]),
        ("fr", ["Dritte.", "Second.", "First."]),
    ] {
        let seen = list().query("locale", locale).expect(200).await;
        assert_eq!(column(&seen, "release_notes"), notes, "{locale}");
        assert_eq!(seen.json["data"][0]["locale"], "de", "{locale}");
    }
    let seen = list().expect(200).await;
    let codes = |version: usize, field: &str| -> Vec<String> {
        let permissions = seen.json["data"][version][field].as_array().unwrap().iter();
        permissions.map(|permission| permission["code"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(codes(2, "permissions_added"), ["orders"], "the first version asks for all anew");
    assert_eq!((codes(1, "permissions_added"), codes(1, "permissions_removed")), (vec!["customers".into()], vec![]));
    assert_eq!(codes(0, "permissions_added"), ["customers:write"]);
    assert_eq!(codes(0, "permissions_removed"), ["orders", "customers"]);
    let current: Vec<_> =
        seen.json["data"].as_array().unwrap().iter().map(|version| version["is_current"] == json!(true)).collect();
    assert_eq!(current, [true, false, false]);
    shop.own("marketplace_apps_unlist", &app).expect(200).await;
    list().expect(404).await;
}

/// Returns the reason of each related listing, by slug.
fn reasons(related: &Answer) -> BTreeMap<&str, &str> {
    let rows = related.json["data"].as_array().unwrap().iter();
    rows.map(|row| (row["listing"]["slug"].as_str().unwrap(), row["reason"].as_str().unwrap())).collect()
}

fn slugs(related: &Answer) -> Vec<&str> {
    related.json["data"].as_array().unwrap().iter().map(|row| row["listing"]["slug"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn related_listings_state_reason_without_duplicates() {
    let shop = Shop::new().await;
    let market = &shop.market;
    let stranger = market.harness.partner("Ostsee Kassen").await;
    let (own, slug) = market.listed("Table Pilot").await;
    let bare = shop.of("marketplace_listings_list_related", &slug).expect(200).await;
    assert_eq!(bare.json["data"], json!([]));
    // One listing of each kind: same category and partner, another category of the same partner, similar text only, no
    // relation.
    let elsewhere = shop.category("Accounting").await;
    let (both, _) = market.listed("Kitchen Screen").await;
    let chosen = json!({ "primary_category_uuid": elsewhere });
    let vendors = market.app("Till").await;
    shop.own("marketplace_apps_put_categories", &vendors).json(&chosen).expect(200).await;
    let version = market.draft(&vendors, "1.0.0").await;
    market.published(&vendors, &version).await;
    for name in ["Tables and Chairs", "Wine Cellar"] {
        let app = market.app_of(&stranger, name).await;
        let put = market.harness.call("marketplace_apps_put_categories").path("app_uuid", &app);
        put.token(&stranger.token).json(&chosen).expect(200).await;
        let version = market.draft_of(&stranger, &app, "1.0.0").await;
        let call = |operation: &str| {
            let call = market.harness.call(operation).path("app_uuid", &app).path("version_uuid", &version);
            call.token(&stranger.token).json(&json!({}))
        };
        let submitted = call("marketplace_versions_submit").expect(200).await;
        let submission = submitted.json["review"]["submission_uuid"].as_str().unwrap();
        market.claim(submission).await;
        market.approve(submission).await;
        call("marketplace_versions_publish").expect(200).await;
    }
    let list = || shop.of("marketplace_listings_list_related", &slug);
    let related = list().expect(200).await;
    let found = reasons(&related);
    assert_eq!(found.len(), slugs(&related).len(), "nobody comes twice");
    assert_eq!(
        found.keys().copied().collect::<BTreeSet<_>>(),
        BTreeSet::from(["kitchen-screen", "tables-and-chairs", "till"])
    );
    assert_eq!(found["kitchen-screen"], "SAME_CATEGORY");
    assert_eq!((found["till"], found["tables-and-chairs"]), ("SAME_VENDOR", "SIMILAR_TEXT"));
    assert_eq!(list().expect(200).await.bytes, related.bytes, "it is the same all day");
    assert_eq!(slugs(&list().query("limit", 2).expect(200).await), slugs(&related)[..2]);
    list().query("limit", 21).expect(422).await;

    shop.own("marketplace_apps_unlist", &both).expect(200).await;
    assert!(!reasons(&list().expect(200).await).contains_key("kitchen-screen"), "what is hidden is not shown");
    shop.own("marketplace_apps_unlist", &own).expect(200).await;
    list().expect(404).await;
}

#[tokio::test]
async fn equally_related_listings_rotate_daily() {
    let shop = Shop::new().await;
    let (_, slug) = shop.market.listed("Table Pilot").await;
    for name in ["Alpha", "Beta", "Gamma", "Delta", "Epsilon"] {
        shop.market.listed(name).await;
    }
    let mut orders = BTreeSet::new();
    for _ in 0..4 {
        let token = shop.market.harness.program("storefront", &["storefront"], None).await.token;
        let list =
            || shop.market.harness.call("marketplace_listings_list_related").path("listing_slug", &slug).token(&token);
        let related = list().expect(200).await;
        assert_eq!(slugs(&related).len(), 5);
        orders.insert(slugs(&related).join(" "));
        shop.market.harness.advance(86_400).await;
    }
    assert!(orders.len() > 1, "{orders:?}");
}

#[tokio::test]
async fn listings_sort_by_first_or_latest_publication() {
    let shop = Shop::new().await;
    let (older, _) = shop.market.listed("Table Pilot").await;
    shop.market.listed("Till Pilot").await;
    shop.release(&older, "1.1.0", json!({ "en": "More." }), &[]).await;
    let search = || shop.market.harness.call("marketplace_listings_search").token(&shop.token);
    finds(search, ("slug", 1), &[("sort", "-first_published_at")], &["till-pilot", "table-pilot"]).await;
    finds(search, ("slug", 1), &[("sort", "-published_at")], &["table-pilot", "till-pilot"]).await;
    let found = search().expect(200).await;
    let listing = shop.of("marketplace_listings_get", "table-pilot").expect(200).await;
    assert_eq!(found.json["data"][0]["first_published_at"], listing.json["first_published_at"]);
    assert_ne!(listing.json["first_published_at"], listing.json["published_at"]);
}
