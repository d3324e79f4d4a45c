//! Tests of a reader whose language tag is written differently from the stored one.

use super::market::{Market, column};

#[tokio::test]
async fn related_locale_returns_the_text_that_matched_filter() {
    let market = Market::new().await;
    let (_, slug) = market.listed("Table Pilot").await;
    let token = market.harness.program("storefront", &["storefront"], None).await.token;
    let find = async |filters: &[(&str, &str)]| {
        let call = market.harness.call("marketplace_listings_search").token(&token);
        filters.iter().fold(call, |call, (name, value)| call.query(name, value)).expect(200).await
    };
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
        market.harness.sql(&words).await;
        let seen = market
            .harness
            .call("marketplace_listings_get")
            .path("listing_slug", &slug)
            .token(&token)
            .query("locale", asked)
            .expect(200)
            .await;
        assert_eq!((seen.str("locale"), seen.str("name")), (stored, "Local name"), "{asked}");
        let found = find(&[("locale", asked)]).await;
        assert_eq!(column(&found, "locale"), [stored], "{asked}");
    }
    for (stored, asked) in [("pt-BR", "pt"), ("zh-Hans", "zh-CN"), ("nb", "no")] {
        let words = format!("update listing_translation set locale = '{stored}' where locale <> 'en'");
        market.harness.sql(&words).await;
        let found = find(&[("language", asked), ("locale", asked)]).await;
        assert_eq!((column(&found, "locale"), column(&found, "name")), (vec![stored], vec!["Local name"]), "{asked}");
    }
    let other = find(&[("language", "sv"), ("locale", "sv")]).await;
    assert!(column(&other, "slug").is_empty(), "{}", other.text());
}
