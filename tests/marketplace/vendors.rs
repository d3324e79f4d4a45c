//! Tests of partner profiles as readers see them.

use serde_json::{Value, json};

use super::market::{Market, png};
use crate::harness::{Answer, Call};

struct Street {
    market: Market,
    token: String,
}

impl Street {
    async fn new() -> Self {
        let market = Market::new().await;
        let token = market.harness.program("storefront", &["storefront"], None).await.token;
        Self { market, token }
    }

    /// Starts a call of the partner about itself.
    fn own(&self, operation: &str) -> Call<'_> {
        let owner = &self.market.owner;
        self.market.harness.call(operation).path("partner_uuid", owner.partner_uuid.unwrap()).token(&owner.token)
    }

    /// Starts a reader's call.
    fn shop(&self, operation: &str) -> Call<'_> {
        self.market.harness.call(operation).path("partner_slug", "nordsee-kassen").token(&self.token)
    }

    fn vendor(&self) -> Call<'_> {
        self.shop("marketplace_vendors_get")
    }

    async fn write(&self, page: Value) {
        self.own("partner_profile_update").json(&page).expect(200).await;
    }

    async fn put(&self, kind: &str, width: u32) {
        let height = if kind == "LOGO" { width } else { 400 };
        let file =
            reqwest::multipart::Part::bytes(png(width, height)).file_name("a.png").mime_str("image/png").unwrap();
        let form = reqwest::multipart::Form::new().text("alt_text", "A till").part("file", file);
        self.own("partner_imagery_put").path("kind", kind).multipart(form).expect(200).await;
    }

    async fn publish(&self) -> Answer {
        self.own("partner_profile_publish").expect(200).await
    }

    /// Creates a published profile with a logo, texts in two languages and a website.
    async fn opened() -> Self {
        let street = Self::new().await;
        let said = |tagline: &str| json!({ "tagline": tagline, "description": "Und mehr." });
        street
            .write(json!({
                "texts": { "de": said("Kassen"), "en": said("Tills") }, "default_locale": "de",
                "website_url": "https://nordsee.example", "languages": ["de", "en"], "regions": ["DE", "150"],
            }))
            .await;
        street.put("LOGO", 400).await;
        street.vendor().expect(404).await;
        street.publish().await;
        street
    }
}

#[tokio::test]
async fn published_profile_is_shown_in_language_of_reader() {
    let street = Street::opened().await;
    for (locale, best, tagline) in [("en", "en", "Tills"), ("de-AT", "de", "Kassen"), ("fr", "de", "Kassen")] {
        let seen = street.vendor().query("locale", locale).expect(200).await;
        assert_eq!((seen.str("locale"), seen.str("tagline")), (best, tagline), "{locale}");
    }
    let before = street.vendor().expect(200).await;
    assert_eq!((before.str("slug"), before.str("name")), ("nordsee-kassen", "Nordsee Kassen"));
    assert_eq!(before.json["locales"], json!(["de", "en"]));
    assert_eq!(before.json["links"], json!({ "website_url": "https://nordsee.example" }));
    assert_eq!((&before.json["languages"], &before.json["regions"]), (&json!(["de", "en"]), &json!(["DE", "150"])));
    assert_eq!(before.json["first_published_at"], before.json["published_at"]);
    street.vendor().header("if-none-match", before.header("etag")).expect(304).await;

    street.write(json!({ "texts": { "de": { "tagline": "Andere" } }, "website_url": null })).await;
    street.put("BANNER", 1_200).await;
    assert_eq!(street.vendor().expect(200).await.bytes, before.bytes, "the draft waits for its publication");
    street.publish().await;
    let after = street.vendor().expect(200).await;
    assert_eq!((after.str("tagline"), &after.json["links"]["website_url"]), ("Andere", &Value::Null));
    let kinds: Vec<&Value> = after.json["imagery"].as_array().unwrap().iter().map(|image| &image["kind"]).collect();
    assert_eq!(kinds, ["LOGO", "BANNER"]);
    assert_eq!(after.json["imagery"][0], before.json["imagery"][0]);
    assert_eq!(after.json["first_published_at"], before.json["first_published_at"], "the first time stays");
    assert_ne!(after.json["published_at"], before.json["published_at"]);
}

#[tokio::test]
async fn texts_of_images_are_in_the_language_of_the_reader() {
    let street = Street::opened().await;
    street.write(json!({ "texts": { "de": { "logo_alt_text": " Eine Kasse " } } })).await;
    street.publish().await;
    for (locale, text) in [("de-AT", "Eine Kasse"), ("en", "A till")] {
        let seen = street.vendor().query("locale", locale).expect(200).await;
        assert_eq!(seen.json["imagery"][0]["alt_text"], text, "{locale}");
    }
    let profile = street.own("partner_profile_get").expect(200).await;
    assert_eq!(profile.json["texts"]["de"]["logo_alt_text"], "Eine Kasse", "{}", profile.text());
    street.write(json!({ "texts": { "de": { "logo_alt_text": null } } })).await;
    let long = json!({ "texts": { "de": { "banner_alt_text": "x".repeat(251) } } });
    street.own("partner_profile_update").json(&long).expect(422).await;
    street.publish().await;
    assert_eq!(street.vendor().expect(200).await.json["imagery"][0]["alt_text"], "A till");
}

#[tokio::test]
async fn images_are_public_while_published_profile_uses_them() {
    let street = Street::opened().await;
    let image = |kind: &str, variant: &str| {
        street.shop("marketplace_vendors_get_image").path("kind", kind).query("variant", variant)
    };
    let logo = street.vendor().expect(200).await.json["imagery"][0].clone();
    for (variant, place) in [("ORIGINAL", 0), ("SMALL", 3)] {
        let bytes = image("LOGO", variant).expect(200).await;
        let width = i64::from(image::load_from_memory(&bytes.bytes).unwrap().width());
        assert_eq!(
            (bytes.header("content-type"), json!(width)),
            ("image/png", logo["variants"][place]["width"].clone())
        );
        let name = format!("nordsee-kassen-logo-{}.png", variant.to_lowercase());
        assert!(bytes.header("content-disposition").contains(&name), "{}", bytes.header("content-disposition"));
        image("LOGO", variant).header("if-none-match", bytes.header("etag")).expect(304).await;
    }
    let first = image("LOGO", "SMALL").expect(200).await;
    image("BANNER", "SMALL").expect(404).await;
    street.put("BANNER", 1_200).await;
    street.put("LOGO", 500).await;
    image("BANNER", "SMALL").expect(404).await;
    assert_eq!(image("LOGO", "SMALL").expect(200).await.bytes, first.bytes, "the draft's are not shown");
    street.publish().await;
    image("BANNER", "SMALL").expect(200).await;
    assert_ne!(image("LOGO", "SMALL").expect(200).await.header("etag"), first.header("etag"));
    street.own("partner_profile_unpublish").expect(200).await;
    image("LOGO", "SMALL").expect(404).await;
    street.vendor().expect(404).await;
}

#[tokio::test]
async fn partner_page_shows_listing_count_and_weighted_rating() {
    let street = Street::opened().await;
    let market = &street.market;
    let rating = |seen: &Answer| (seen.json["listings_count"].clone(), seen.json["rating"].clone());
    let none = json!({ "average": null, "count": 0 });
    assert_eq!(rating(&street.vendor().expect(200).await), (json!(0), none));
    for name in ["Table Pilot", "Till Pilot", "Tip Pilot"] {
        market.listed(name).await;
    }
    let count = "update listing set rating_count = case slug when 'table-pilot' then 9 else 1 end,
        rating_sum = case slug when 'table-pilot' then 45 else 2 end";
    market.harness.sql(count).await;
    let seen = rating(&street.vendor().expect(200).await);
    assert_eq!(seen, (json!(3), json!({ "average": 4.45, "count": 11 })), "a listing counts by its reviews");
    market.harness.sql("update listing set visible = false where slug = 'till-pilot'").await;
    let seen = rating(&street.vendor().expect(200).await);
    assert_eq!(seen, (json!(2), json!({ "average": 4.7, "count": 10 })));
    let stranger = market.harness.partner("Ostsee Kassen").await.partner_uuid.unwrap();
    market.harness.sql(&format!("update listing set partner_uuid = '{stranger}' where slug = 'tip-pilot'")).await;
    let seen = rating(&street.vendor().expect(200).await);
    assert_eq!(seen, (json!(1), json!({ "average": 5.0, "count": 9 })), "others' listings do not count");
}

#[tokio::test]
async fn profile_is_public_only_while_partner_is_active() {
    let street = Street::opened().await;
    let bytes = || street.shop("marketplace_vendors_get_image").path("kind", "LOGO");
    for state in ["CLOSING", "SUSPENDED", "CLOSED"] {
        let closes = "closes_at = labs_now() + interval '9 days'";
        street.market.harness.sql(&format!("update partner set state = '{state}', {closes}")).await;
        street.vendor().expect(404).await;
        bytes().expect(404).await;
    }
    street.market.harness.sql("update partner set state = 'ACTIVE'").await;
    street.vendor().expect(200).await;
    bytes().expect(200).await;
    let nobody = street.market.harness.call("marketplace_vendors_get").path("partner_slug", "nobody");
    nobody.token(&street.token).expect(404).await;
}

#[tokio::test]
async fn verification_by_staff_ends_with_rename() {
    let market = Market::new().await;
    let (_, slug) = market.listed("Table Pilot").await;
    let shop = market.harness.program("Shop", &["storefront"], None).await;
    let desk = market.harness.staff("Petra Partner", &["labs.admin.partners:write"]).await;
    let owner = market.owner.partner_uuid.unwrap().to_string();
    let update = |body: Value| {
        let call = market.harness.call("admin_partners_update").path("partner_uuid", &owner).token(&desk.token);
        call.json(&body)
    };
    let shown = async || {
        let call = market.harness.call("marketplace_listings_get").path("listing_slug", &slug).token(&shop.token);
        call.expect(200).await.json["vendor"]["verified"].clone()
    };
    let found = async |verified: &str| {
        let call = market.harness.call("marketplace_listings_search").token(&shop.token).query("verified", verified);
        call.expect(200).await.json["data"].as_array().unwrap().len()
    };
    assert_eq!((shown().await, found("true").await, found("false").await), (json!(false), 0, 1));
    let refused = update(json!({ "verified": true })).expect(422).await;
    assert_eq!(refused.json["errors"][0]["pointer"], "/reason");
    let told = update(json!({ "verified": true, "reason": "Register extract of 2 March." })).expect(200).await;
    assert!(told.json["verified_at"].is_string());
    assert_eq!((shown().await, found("true").await, found("false").await), (json!(true), 1, 0));
    let all = market.harness.call("marketplace_listings_search").token(&shop.token).expect(200).await;
    let facets = &all.json["facets"];
    assert_eq!((&facets["verified"], &facets["vendors"][0]["verified"]), (&json!(1), &json!(true)));
    update(json!({ "website": "https://nordsee-kassen.example" })).expect(200).await;
    assert_eq!(shown().await, json!(true), "other data changes nothing of it");
    let own = market.harness.call("partner_account_update").path("partner_uuid", &owner).token(&market.owner.token);
    own.json(&json!({ "company_name": "Nordsee Zahlung" })).expect(200).await;
    assert_eq!(shown().await, json!(true), "the name is pending");
    update(json!({ "pending_name": { "decision": "CONFIRM", "company_name": "Nordsee Zahlung" } })).expect(200).await;
    assert_eq!((shown().await, found("true").await), (json!(false), 0), "nobody knows the company of this name");
}
