//! Stories of the language in which a reader gets a listing.

use serde_json::json;

use super::listings::Shop;
use super::market::column;

#[tokio::test]
async fn texts_come_in_the_best_locale() {
    let shop = Shop::new().await;
    let (_, slug) = shop.market.listed("Table Pilot").await;
    // Texts in further locales have no operation yet.
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
async fn a_reader_of_a_related_tag_gets_the_text_that_the_filter_found() {
    let shop = Shop::new().await;
    let (_, slug) = shop.market.listed("Table Pilot").await;
    for (stored, asked) in [
        ("es", "es-419"),
        ("es-419", "es-MX"),
        ("pt-BR", "pt"),
        ("pt-PT", "pt"),
        ("zh-Hans", "zh-CN"),
        ("zh-Hant", "zh-TW"),
        ("nb", "no"),
        ("de-AT", "DE-at"),
    ] {
        let words = format!(
            "with gone as (delete from listing_translation where locale <> 'en')
             insert into listing_translation (app_uuid, locale, name, tagline, description)
             select app_uuid, '{stored}', 'Local name', '', '' from listing"
        );
        shop.market.harness.sql(&words).await;
        let seen = shop.listing(&slug).query("locale", asked).expect(200).await;
        assert_eq!((seen.str("locale"), seen.str("name")), (stored, "Local name"), "{asked}");
        let found = shop.find(&[("locale", asked)]).await;
        assert_eq!(column(&found, "locale"), [stored], "{asked}");
    }
    for (stored, asked) in [("pt-BR", "pt"), ("zh-Hans", "zh-CN"), ("nb", "no")] {
        let words = format!("update listing_translation set locale = '{stored}' where locale <> 'en'");
        shop.market.harness.sql(&words).await;
        let found = shop.find(&[("language", asked), ("locale", asked)]).await;
        assert_eq!((column(&found, "locale"), column(&found, "name")), (vec![stored], vec!["Local name"]), "{asked}");
    }
    let other = shop.find(&[("language", "sv"), ("locale", "sv")]).await;
    assert!(column(&other, "slug").is_empty(), "{}", other.text());
}
