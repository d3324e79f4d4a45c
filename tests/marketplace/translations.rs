//! Tests of an app's texts by locale: write, replace, delete, and list the missing ones.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::market::{Market, column, errors, fast_harness};
use crate::harness::people::Person;
use crate::harness::{Answer, Harness};

/// A partner's app, and the user who writes its texts.
struct Desk {
    harness: Harness,
    owner: Person,
    app: String,
}

impl Desk {
    async fn new() -> Self {
        let harness = fast_harness().await;
        let owner = harness.partner("Nordsee Kassen").await;
        let body = json!({ "name": "Table Pilot", "tagline": "A line", "description": "Some words." });
        let made = harness.call("marketplace_apps_create").token(&owner.token).json(&body).expect(201).await;
        let app = made.str("uuid").to_owned();
        Self { harness, owner, app }
    }

    async fn put(&self, locale: &str, body: Value) -> Answer {
        let call = self.harness.call("marketplace_translations_put").path("app_uuid", &self.app);
        call.path("locale", locale).token(&self.owner.token).json(&body).send().await
    }

    async fn delete(&self, locale: &str) -> Answer {
        let call = self.harness.call("marketplace_translations_delete").path("app_uuid", &self.app);
        call.path("locale", locale).token(&self.owner.token).send().await
    }

    async fn ask(&self, operation: &str) -> Answer {
        self.harness.call(operation).path("app_uuid", &self.app).token(&self.owner.token).expect(200).await
    }

    /// Returns the fields that the app's events name, newest first.
    async fn history(&self) -> Vec<Value> {
        let events = self.ask("marketplace_apps_list_events").await;
        let events = events.json["data"].as_array().unwrap().iter();
        events.filter(|event| event["kind"] == "UPDATED").map(|event| event["fields"].clone()).collect()
    }
}

#[tokio::test]
async fn translations_are_created_replaced_and_deleted_by_locale() {
    let desk = Desk::new().await;
    let made = desk.put("de", json!({ "name": "  Tischpilot ", "tagline": "Eine Zeile" })).await;
    assert_eq!((made.status, made.str("name")), (201, "Tischpilot"), "{}", made.text());
    let address = format!("/v1/marketplace/apps/{}/translations/de", desk.app);
    assert_eq!(made.header("location"), address);
    assert_eq!((&made.json["complete"], &made.json["missing"]), (&json!(false), &json!(["description"])));
    let whole = json!({ "name": "Tischpilot", "description": "Worte." });
    let replaced = desk.put("de", whole.clone()).await;
    assert_eq!((replaced.status, replaced.str("tagline")), (200, ""), "what is left out becomes empty");
    assert_eq!(desk.put("de", whole).await.status, 200);
    desk.put("bg", json!({ "name": "Пилот" })).await;
    let list = desk.ask("marketplace_translations_list").await;
    assert_eq!(column(&list, "locale"), ["en", "bg", "de"]);
    let first = &list.json["data"][0];
    assert_eq!((&first["default"], &first["complete"], &first["missing"]), (&json!(true), &json!(true), &json!([])));
    assert_eq!(list.json["data"][2]["default"], json!(false));
    assert_eq!(desk.delete("bg").await.status, 204);
    assert_eq!(desk.delete("bg").await.status, 404);
    assert_eq!(column(&desk.ask("marketplace_translations_list").await, "locale"), ["en", "de"]);
    let expected = [
        json!(["translations/bg"]),
        json!(["translations/bg/name"]),
        json!(["translations/de/tagline", "translations/de/description"]),
        json!(["translations/de/name", "translations/de/tagline"]),
    ];
    assert_eq!(desk.history().await, expected, "what changed nothing is not told");
}

#[tokio::test]
async fn default_locale_is_app_text_and_cannot_be_deleted() {
    let desk = Desk::new().await;
    let written = desk.put("en", json!({ "name": "Table Captain", "tagline": "Another" })).await;
    assert_eq!((written.status, &written.json["default"]), (200, &json!(true)));
    let app = desk.ask("marketplace_apps_get").await;
    assert_eq!((app.str("name"), app.str("tagline"), app.str("description")), ("Table Captain", "Another", ""));
    assert_eq!(desk.history().await, [json!(["name", "tagline", "description"])]);
    let only = desk.delete("en").await;
    assert_eq!((only.status, only.code()), (409, "CONFLICT"));
    desk.put("fr", json!({ "name": "Pilote" })).await;
    let refused = desk.delete("en").await;
    assert_eq!((refused.status, refused.code()), (409, "CONFLICT"));
    assert!(refused.str("detail").contains("`default_locale` first (fr)"), "{}", refused.text());
    let update = desk.harness.call("marketplace_apps_update").path("app_uuid", &desk.app).token(&desk.owner.token);
    update.json(&json!({ "default_locale": "fr" })).expect(200).await;
    assert_eq!(desk.delete("en").await.status, 204, "once another one is the default");
    assert_eq!(desk.delete("fr").await.status, 409);
}

#[tokio::test]
async fn texts_of_every_locale_follow_the_same_rules() {
    let desk = Desk::new().await;
    for (bad, place) in [
        (json!({}), "/name"),
        (json!({ "name": "T" }), "/name"),
        (json!({ "name": " \u{a0}T " }), "/name"),
        (json!({ "name": "x".repeat(61) }), "/name"),
        (json!({ "name": "Pilot", "tagline": "one\ntwo" }), "/tagline"),
        (json!({ "name": "Pilot", "tagline": "\u{fb2c}".repeat(60) }), "/tagline"),
        (json!({ "name": "Pilot", "description": "a\u{7}b" }), "/description"),
    ] {
        let refused = desk.put("de", bad.clone()).await;
        assert_eq!((refused.status, errors(&refused).first().map(|error| error.1)), (422, Some(place)), "{bad}");
    }
    assert_eq!(desk.put("Deutsch", json!({ "name": "Pilot" })).await.status, 404, "no locale is called so");
    assert_eq!(column(&desk.ask("marketplace_translations_list").await, "locale"), ["en"]);
}

#[tokio::test]
async fn concurrent_writes_respect_limit_of_forty_locales() {
    let desk = Desk::new().await;
    let fill = "insert into app_translation (app_uuid, locale, name)
                select app_uuid, 'x' || chr(97 + n / 26) || chr(97 + n % 26), 'Pilot' from app, generate_series(1, 37) as n";
    desk.harness.sql(fill).await;
    let locales = ["da", "de", "fr", "it", "nl", "sv"];
    let answers = join_all(locales.map(|locale| desk.put(locale, json!({ "name": "Pilot" })))).await;
    let made: Vec<&Answer> = answers.iter().filter(|answer| answer.status == 201).collect();
    assert_eq!(made.len(), 2);
    assert!(answers.iter().all(|answer| answer.status == 201 || (answer.status, answer.code()) == (409, "CONFLICT")));
    assert_eq!(desk.put(made[0].str("locale"), json!({ "name": "Other" })).await.status, 200, "one that is there");
    assert_eq!(desk.harness.number("select count(*) from app_translation").await, 40);
}

#[tokio::test]
async fn checklist_reports_incomplete_locales() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let version = market.draft(&app, "1.0.0").await;
    let put = |locale: &str, body: Value| {
        let call = market.harness.call("marketplace_translations_put").path("app_uuid", &app).path("locale", locale);
        let call = call.token(&market.owner.token).json(&body);
        async move { call.send().await.status }
    };
    assert_eq!(put("fr", json!({ "name": "Pilote" })).await, 201);
    assert_eq!(put("de", json!({ "name": "Pilot", "tagline": "Zeile", "description": "Worte." })).await, 201);
    let refused = market.version("marketplace_versions_submit", &app, &version).json(&json!({})).send().await;
    assert_eq!((refused.status, errors(&refused)), (409, vec![("REQ-13", "/translations")]));
    let said = refused.json["errors"][0]["message"].as_str().unwrap();
    assert!(said.contains("in fr.") && !said.contains("de,"), "{said}");
    let gone = market.harness.call("marketplace_translations_delete").path("app_uuid", &app).path("locale", "fr");
    gone.token(&market.owner.token).expect(204).await;
    market.published(&app, &version).await;
    let shop = market.harness.program("storefront", &["storefront"], None).await;
    let shown = market.harness.call("marketplace_listings_get").path("listing_slug", "table-pilot").token(&shop.token);
    let shown = shown.query("locale", "de").expect(200).await;
    assert_eq!((shown.str("name"), &shown.json["locales"]), ("Pilot", &json!(["en", "de"])));
}

#[tokio::test]
async fn concurrent_update_with_stale_etag_is_rejected() {
    let desk = Desk::new().await;
    let call = |operation: &str, tag: &str| {
        let call = desk.harness.call(operation).path("app_uuid", &desk.app).path("locale", "de");
        call.token(&desk.owner.token).header("if-match", tag)
    };
    let put = |tag: &str, name: &str| call("marketplace_translations_put", tag).json(&json!({ "name": name }));
    for tag in ["*", "\"0123456789abcdef0123456789abcdef\""] {
        let refused = put(tag, "Tischpilot").send().await;
        assert_eq!((refused.status, refused.code()), (412, "PRECONDITION_FAILED"), "nothing is there: {tag}");
    }
    let begun = desk.put("de", json!({ "name": "Tischpilot" })).await;
    let listed = desk.ask("marketplace_translations_list").await;
    let read = format!("\"{}\"", listed.json["data"][1]["revision"].as_str().unwrap());
    assert!(begun.header("etag").starts_with(read.trim_end_matches('"')), "{}", begun.header("etag"));

    let first = put(&read, "Tischlotse").expect(200).await;
    for late in [put(&read, "Tischplan"), call("marketplace_translations_delete", &read)] {
        let refused = late.send().await;
        assert_eq!((refused.status, refused.code()), (412, "PRECONDITION_FAILED"));
    }
    let again = put(first.header("etag"), "Tischplan").expect(200).await;
    assert_eq!(again.str("name"), "Tischplan", "the tag of what a write answered serves as well");
    call("marketplace_translations_delete", "*").expect(204).await;
    let gone = call("marketplace_translations_delete", "*").send().await;
    assert_eq!(gone.status, 412, "nothing is there to match: {}", gone.text());
    assert_eq!(desk.history().await.len(), 4, "each that was written, and no other");
}

#[tokio::test]
async fn locales_consist_of_language_script_and_region() {
    let desk = Desk::new().await;
    for locale in ["es-419", "zh-Hant", "zh-Hant-TW", "sr-Latn-RS", "fil"] {
        let made = desk.put(locale, json!({ "name": "Name" })).await;
        assert_eq!((made.status, made.str("locale")), (201, locale), "{}", made.text());
    }
    for locale in ["es-41", "ES", "zh-hant", "de-AT-1996"] {
        assert_eq!(desk.put(locale, json!({ "name": "Name" })).await.status, 404, "{locale}");
    }
}
