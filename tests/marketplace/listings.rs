//! Tests of the storefront: search results, sort orders, and hidden data.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::market::{Market, column, finds, png, upload};
use crate::harness::people::Program;
use crate::harness::{Answer, Call};

struct Shop {
    market: Market,
    program: Program,
}

impl Shop {
    async fn new() -> Self {
        let market = Market::new().await;
        let program = market.harness.program("storefront", &["storefront"], None).await;
        Self { market, program }
    }

    fn search(&self) -> Call<'_> {
        self.market.harness.call("marketplace_listings_search").token(&self.program.token)
    }

    async fn find(&self, filters: &[(&str, &str)]) -> Answer {
        filters.iter().fold(self.search(), |call, (name, value)| call.query(name, value)).expect(200).await
    }

    fn listing(&self, slug: &str) -> Call<'_> {
        self.market.harness.call("marketplace_listings_get").path("listing_slug", slug).token(&self.program.token)
    }

    /// Publishes an app with this name and an unusual description.
    async fn list(&self, name: &str, description: &str, locale: &str) -> String {
        let market = &self.market;
        let app = market.app(name).await;
        let patch = json!({ "description": description, "default_locale": locale });
        let call = market.harness.call("marketplace_apps_update").path("app_uuid", &app).token(&market.owner.token);
        call.json(&patch).expect(200).await;
        let body = json!({ "number": "1.0.0", "release_notes": { locale: "New." } });
        let call = market.harness.call("marketplace_versions_create").path("app_uuid", &app).token(&market.owner.token);
        let version = call.json(&body).expect(201).await.str("uuid").to_owned();
        market.published(&app, &version).await;
        app
    }
}

#[tokio::test]
async fn search_handles_word_forms_accents_and_prefixes() {
    let shop = Shop::new().await;
    shop.list("Table Pilot", "Waiters take bookings for the café in their own order.", "en").await;
    shop.list("Tischplaner", "Verwaltet Wartelisten und Reservierungen.", "de").await;
    for (q, expected) in [
        ("booking", vec!["Table Pilot"]),
        ("BOOKINGS cafe", vec!["Table Pilot"]),
        ("Café", vec!["Table Pilot"]),
        ("waiters pilot", vec!["Table Pilot"]),
        ("pil", vec!["Table Pilot"]),
        ("reservierung", vec!["Tischplaner"]),
        ("warteli", vec!["Tischplaner"]),
        // No listing has all words. The search then leaves out those that the best listing lacks.
        ("bookings cafe reservierungen", vec!["Table Pilot"]),
        ("spaceship", vec![]),
    ] {
        let found = shop.find(&[("q", q), ("locale", "de")]).await;
        assert_eq!(column(&found, "name"), expected, "{q}");
        assert_eq!(found.json["facets"]["total"], expected.len(), "{q}");
    }
}

#[tokio::test]
async fn concurrent_readers_each_get_the_requested_listing() {
    let shop = Shop::new().await;
    shop.list("Table Pilot", "Waiters take bookings.", "en").await;
    shop.list("Tischplaner", "Verwaltet Wartelisten.", "de").await;
    let asked: Vec<&str> = ["table-pilot", "nothing-here", "tischplaner"].into_iter().cycle().take(60).collect();
    let answers = join_all(asked.iter().map(|slug| shop.listing(slug).send())).await;
    for (slug, answer) in asked.iter().zip(&answers) {
        if *slug == "nothing-here" {
            assert_eq!((answer.status, answer.code()), (404, "NOT_FOUND"));
        } else {
            assert_eq!((answer.status, answer.str("slug")), (200, *slug));
        }
    }
}

#[tokio::test]
async fn search_syntax_characters_are_plain_text() {
    let shop = Shop::new().await;
    shop.list("Table Pilot", "Waiters take bookings.", "en").await;
    let long = "a b ".repeat(50);
    let hostile = [
        "'",
        "\"",
        "\\",
        "''",
        "\"\"",
        "&",
        "|",
        "!",
        "<->",
        "a & | b",
        "!pilot",
        "-pilot",
        "pilot or",
        "or",
        "(((",
        "pilot:*",
        "pilot:A",
        "'pilot':*",
        "\\'pilot",
        "%",
        "_",
        "*",
        "'; drop table listing; --",
        "pilot\t\n\r",
        "🍕",
        "½",
        "ﬁ",
        "\u{202e}pilot",
        "\u{feff}",
        "ｐｉｌｏｔ",
        "１２",
        "a\u{301}",
        "<script>",
        "$1",
        "{}",
        "null",
        "pilot\u{a0}table",
        &long,
    ];
    for q in hostile {
        for sort in ["relevance", "name"] {
            let answer = shop.search().query("q", q).query("sort", sort).send().await;
            assert_eq!(answer.status, 200, "{q:?}: {}", answer.text());
        }
    }
    // Special characters have no meaning, so all of these queries mean the same word.
    for q in ["!pilot", "-pilot", "pilot:*", "'pilot'", "\"pilot", "(pilot)", "pilot\\"] {
        assert_eq!(column(&shop.find(&[("q", q)]).await, "name"), ["Table Pilot"], "{q:?}");
    }
    for (q, status) in [("a\u{0}b", 422), ("", 422)] {
        assert_eq!(shop.search().query("q", q).send().await.status, status, "{q:?}");
    }
    assert_eq!(shop.search().query("q", "x".repeat(201)).send().await.status, 422);
    assert_eq!(shop.market.harness.number("select count(*) from listing").await, 1);
}

#[tokio::test]
async fn name_outweighs_tagline_and_tagline_outweighs_description() {
    let shop = Shop::new().await;
    shop.list("Alpha", "Everything about kitchens.", "en").await;
    shop.list("Kitchens", "Everything.", "en").await;
    let found = shop.find(&[("q", "kitchens")]).await;
    assert_eq!(column(&found, "name"), ["Kitchens", "Alpha"]);
    let newest = shop.find(&[("q", "kitchens"), ("sort", "-published_at")]).await;
    assert_eq!(column(&newest, "name"), ["Kitchens", "Alpha"]);
    let named = shop.find(&[("q", "kitchens"), ("sort", "name")]).await;
    assert_eq!(column(&named, "name"), ["Alpha", "Kitchens"]);
}

#[tokio::test]
async fn each_filter_applies_and_its_facet_ignores_itself() {
    let shop = Shop::new().await;
    let harness = &shop.market.harness;
    let make = |name: &str, parent: Value| {
        let body = json!({ "names": { "en": name }, "parent_uuid": parent });
        let call = harness.call("marketplace_categories_create").token(&shop.market.staff.token).json(&body);
        async move { call.expect(201).await.str("uuid").to_owned() }
    };
    let front = make("Front", Value::Null).await;
    let tables = make("Tables", json!(front)).await;
    let stranger = harness.partner("Ostsee Kassen").await;
    shop.list("Alpha", "First.", "en").await;
    shop.list("Beta", "Zweites.", "de-AT").await;
    let app = shop.market.app_of(&stranger, "Gamma").await;
    let put = harness.call("marketplace_apps_put_categories").path("app_uuid", &app).token(&stranger.token);
    put.json(&json!({ "primary_category_uuid": tables })).expect(200).await;
    let version = shop.market.draft_of(&stranger, &app, "1.0.0").await;
    let submit = harness.call("marketplace_versions_submit").path("app_uuid", &app).path("version_uuid", &version);
    let submitted = submit.token(&stranger.token).json(&json!({})).expect(200).await;
    let submission = submitted.json["review"]["submission_uuid"].as_str().unwrap();
    shop.market.claim(submission).await;
    shop.market.approve(submission).await;
    let publish = harness.call("marketplace_versions_publish").path("app_uuid", &app).path("version_uuid", &version);
    publish.token(&stranger.token).json(&json!({})).expect(200).await;
    // The test writes the ratings directly to the database.
    harness.sql("update listing set rating_count = 2, rating_sum = 9 where slug = 'alpha'").await;
    harness.sql("update listing set rating_count = 4, rating_sum = 8 where slug = 'gamma'").await;

    let vendor = shop.find(&[("q", "Gamma")]).await.json["data"][0]["vendor"]["slug"].as_str().unwrap().to_owned();
    let find = async |filters: &[(&str, &str)], expected: &[&str]| {
        finds(|| shop.search(), ("name", 1), filters, expected).await;
        assert_eq!(shop.find(filters).await.json["facets"]["total"], expected.len(), "{filters:?}");
    };
    find(&[], &["Gamma", "Beta", "Alpha"]).await;
    find(&[("category", "ordering")], &["Beta", "Alpha"]).await;
    find(&[("category", "front")], &["Gamma"]).await;
    find(&[("category", "tables,ordering")], &["Gamma", "Beta", "Alpha"]).await;
    find(&[("category", "nothing")], &[]).await;
    find(&[("partner", &vendor)], &["Gamma"]).await;
    find(&[("partner", "nobody")], &[]).await;
    find(&[("rating_from", "2")], &["Gamma", "Alpha"]).await;
    find(&[("rating_from", "4.5")], &["Alpha"]).await;
    find(&[("language", "de")], &["Beta"]).await;
    find(&[("language", "de-AT"), ("language", "en")], &["Gamma", "Beta", "Alpha"]).await;
    find(&[("language", "de-CH")], &[]).await;
    find(&[("sort", "-rating")], &["Alpha", "Gamma", "Beta"]).await;
    find(&[("sort", "name"), ("category", "ordering")], &["Alpha", "Beta"]).await;
    let faceted = shop.find(&[("category", "front")]).await.json["facets"].clone();
    let count = |slug: &str| {
        let facets = faceted["categories"].as_array().unwrap().iter();
        facets.filter(|facet| facet["slug"] == slug).map(|facet| facet["count"].as_i64().unwrap()).sum::<i64>()
    };
    assert_eq!((count("ordering"), count("front"), count("tables")), (2, 1, 1), "what another choice would give");
}

#[tokio::test]
async fn paging_during_publications_repeats_no_listing() {
    let shop = Shop::new().await;
    for name in ["Alpha", "Beta", "Gamma", "Delta"] {
        shop.list(name, "Takes orders.", "en").await;
    }
    for sort in ["-published_at", "name", "-rating", "relevance"] {
        let mut seen = Vec::new();
        let mut cursor = None::<String>;
        for turn in 0.. {
            let call = shop.search().query("q", "orders").query("sort", sort).query("limit", 2);
            let page = cursor.iter().fold(call, |call, cursor| call.query("cursor", cursor)).expect(200).await;
            seen.extend(column(&page, "name").into_iter().map(str::to_owned));
            cursor = page.json["page"]["next_cursor"].as_str().map(str::to_owned);
            if cursor.is_none() {
                break;
            }
            if turn < 2 {
                shop.list(&format!("Between {} {turn}", sort.trim_start_matches('-')), "Takes orders.", "en").await;
            }
        }
        for name in ["Alpha", "Beta", "Gamma", "Delta"] {
            assert_eq!(seen.iter().filter(|known| *known == name).count(), 1, "{name} by {sort}: {seen:?}");
        }
        let all = seen.len();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), all, "nothing comes twice by {sort}");
    }
}

#[tokio::test]
async fn readers_see_only_the_last_published_snapshot() {
    let shop = Shop::new().await;
    let market = &shop.market;
    let (app, slug) = market.listed("Table Pilot").await;
    let before = shop.listing(&slug).expect(200).await;
    let edit = market.harness.call("marketplace_apps_update").path("app_uuid", &app).token(&market.owner.token);
    let patch = json!({
        "name": "Renamed", "tagline": "Another line", "description": "Zeppelins only.", "support_email": null,
        "support_url": "https://nordsee.example/help", "privacy_url": "https://nordsee.example/other",
    });
    edit.json(&patch).expect(200).await;
    let other = json!({ "names": { "en": "Elsewhere" } });
    let made = market.harness.call("marketplace_categories_create").token(&market.staff.token).json(&other);
    let chosen = json!({ "primary_category_uuid": made.expect(201).await.str("uuid") });
    let put = market.harness.call("marketplace_apps_put_categories").path("app_uuid", &app);
    put.token(&market.owner.token).json(&chosen).expect(200).await;
    let icon = market.harness.call("marketplace_media_upload").path("app_uuid", &app).token(&market.owner.token);
    icon.multipart(upload("ICON", png(300, 300))).expect(201).await;
    let next = market.draft(&app, "1.1.0").await;
    market.approved(&app, &next).await;
    assert_eq!(shop.listing(&slug).expect(200).await.bytes, before.bytes, "approved is not yet published");
    assert_eq!(column(&shop.find(&[("q", "zeppelins")]).await, "slug"), [""; 0]);
    assert_eq!(column(&shop.find(&[("category", "elsewhere")]).await, "slug"), [""; 0]);
    let etag = before.header("etag").to_owned();
    shop.listing(&slug).header("if-none-match", &etag).expect(304).await;

    market.version("marketplace_versions_publish", &app, &next).json(&json!({})).expect(200).await;
    let after = shop.listing(&slug).header("if-none-match", &etag).expect(200).await;
    assert_eq!((after.str("name"), after.str("slug")), ("Renamed", slug.as_str()), "the slug stays");
    assert_eq!(after.json["links"]["support_email"], Value::Null);
    assert_eq!(after.json["categories"][0]["slug"], "elsewhere");
    assert_ne!(after.json["icon"], before.json["icon"]);
    assert_eq!(after.json["first_published_at"], before.json["first_published_at"]);
    assert_eq!(after.json["version"]["number"], "1.1.0");
    assert_eq!(column(&shop.find(&[("q", "zeppelins")]).await, "slug"), [slug.as_str()]);
    assert_eq!(column(&shop.find(&[("q", "kitchen")]).await, "slug"), [""; 0], "the words before are gone");
}

#[tokio::test]
async fn unlisted_apps_are_not_found_on_storefront() {
    let shop = Shop::new().await;
    let market = &shop.market;
    let draft = market.app("Only a draft").await;
    assert!(shop.find(&[]).await.json["data"].as_array().unwrap().is_empty());
    shop.listing("only-a-draft").expect(404).await;
    let version = market.draft(&draft, "1.0.0").await;
    market.approved(&draft, &version).await;
    shop.listing("only-a-draft").expect(404).await;
    market.version("marketplace_versions_publish", &draft, &version).json(&json!({})).expect(200).await;
    let listing = shop.listing("only-a-draft").expect(200).await;
    let icon = listing.json["icon"]["media_uuid"].as_str().unwrap();
    // The test hides the listing directly in the database.
    market.harness.sql("update listing set visible = false").await;
    shop.listing("only-a-draft").expect(404).await;
    let bytes = market.harness.call("marketplace_listings_get_media_content").path("listing_slug", "only-a-draft");
    bytes.path("media_uuid", icon).token(&shop.program.token).expect(404).await;
    assert!(shop.find(&[]).await.json["data"].as_array().unwrap().is_empty());
    // The tree is cached until a publication or a change of the tree, so the test requests it in another locale.
    let tree =
        market.harness.call("marketplace_public_categories_list").token(&shop.program.token).query("locale", "de");
    assert_eq!(tree.expect(200).await.json["data"][0]["listings_count"], 0);
}

#[tokio::test]
async fn listing_in_deactivated_category_stays_but_is_not_filtered() {
    let shop = Shop::new().await;
    let market = &shop.market;
    let (_, slug) = market.listed("Table Pilot").await;
    assert_eq!(column(&shop.find(&[("category", "ordering")]).await, "slug"), [slug.as_str()]);
    let categories = market.harness.call("marketplace_categories_list").token(&market.staff.token).expect(200).await;
    let category = categories.json["data"][0]["uuid"].as_str().unwrap();
    // No operation leaves a listing without an active category; approving an older version can.
    market.harness.sql(&format!("update category set state = 'DEACTIVATED' where category_uuid = '{category}'")).await;
    assert_eq!(column(&shop.find(&[("category", "ordering")]).await, "slug"), [""; 0]);
    let found = shop.find(&[]).await;
    assert_eq!(column(&found, "slug"), [slug.as_str()]);
    assert_eq!((&found.json["data"][0]["categories"], &found.json["facets"]["categories"]), (&json!([]), &json!([])));
    assert_eq!(shop.listing(&slug).expect(200).await.json["categories"], json!([]));
}

#[tokio::test]
async fn texts_are_returned_in_best_locale() {
    let shop = Shop::new().await;
    let (_, slug) = shop.market.listed("Table Pilot").await;
    // The test writes texts in another locale directly to the database.
    shop.market
        .harness
        .sql(
            "insert into listing_translation (app_uuid, locale, name, tagline, description)
             select app_uuid, locale, name, '', '' from listing
              cross join (values ('de', 'Tischpilot'), ('de-CH', 'Tischpilot CH')) as words (locale, name)",
        )
        .await;
    for (asked, locale, name) in [
        ("de-CH", "de-CH", "Tischpilot CH"),
        ("de-AT", "de", "Tischpilot"),
        ("de", "de", "Tischpilot"),
        ("fr", "en", "Table Pilot"),
    ] {
        let seen = shop.listing(&slug).query("locale", asked).expect(200).await;
        assert_eq!((seen.str("locale"), seen.str("name")), (locale, name), "{asked}");
        let found = shop.find(&[("locale", asked)]).await;
        assert_eq!(column(&found, "name"), [name], "{asked}");
    }
    let seen = shop.listing(&slug).expect(200).await;
    assert_eq!((seen.str("locale"), &seen.json["locales"]), ("en", &json!(["en", "de", "de-CH"])));
    assert_eq!(column(&shop.find(&[("q", "Tischpilot"), ("locale", "en")]).await, "name"), ["Table Pilot"]);
}

#[tokio::test]
async fn public_response_does_not_depend_on_caller() {
    let shop = Shop::new().await;
    let (_, slug) = shop.market.listed("Table Pilot").await;
    let other = shop.market.harness.program("second storefront", &["storefront"], None).await;
    let mine = shop.listing(&slug).expect(200).await;
    let theirs = shop.market.harness.call("marketplace_listings_get").path("listing_slug", &slug).token(&other.token);
    assert_eq!(theirs.expect(200).await.bytes, mine.bytes);
    let owner = shop.market.harness.call("marketplace_listings_get").path("listing_slug", &slug);
    let owners = owner.token(&shop.market.owner.token).expect(200).await;
    assert_eq!(owners.bytes, mine.bytes, "an owner sees it as customers do");
    let body = json!({ "customer_reference": "venue-1", "rating": 5, "locale": "en" });
    let review = shop.market.harness.call("marketplace_listings_submit_review").path("listing_slug", &slug);
    let refused = review.token(&shop.market.owner.token).json(&body).send().await;
    assert_eq!((refused.status, refused.code()), (403, "SCOPE_MISSING"), "and writes no review of it");
}
