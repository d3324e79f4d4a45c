//! A search that finds more than is ranked: what is left out is old, whether the words are common or not.

use super::market::{Market, column};
use crate::harness::Harness;

/// Puts 7,200 apps on the storefront, the higher the number the newer; every sixth keeps an inventory, the others print.
const MANY: &str = "
create temporary table made as
select n, ('0198aaaa-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as app_uuid,
       ('0198dddd-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as version_uuid,
       (select partner_uuid from partner) as partner_uuid, timestamptz '2026-01-01' + n * interval '1 minute' as at
  from generate_series(1, 7200) as n;
insert into app (app_uuid, partner_uuid, slug, default_locale, state, support_email, privacy_url, created_at, updated_at)
select app_uuid, partner_uuid, 'app-' || n, 'en', 'LISTED', 'help@partner.example', 'https://partner.example', at, at from made;
insert into app_version (version_uuid, app_uuid, number, major, minor, patch, state, published_at, created_at)
select version_uuid, app_uuid, '1.0.0', 1, 0, 0, 'PUBLISHED', at, at from made;
insert into listing (app_uuid, partner_uuid, slug, version_uuid, version_number, default_locale, support_email, privacy_url,
                     published_at, first_published_at)
select app_uuid, partner_uuid, 'app-' || n, version_uuid, '1.0.0', 'en', 'help@partner.example', 'https://partner.example',
       at, at from made;
insert into listing_translation (app_uuid, locale, name, tagline, description)
select app_uuid, 'en', 'Number ' || n, 'For the kitchen', case n % 6 when 0 then 'Keeps the inventory.' else 'Prints orders.' end
  from made;
analyze;
";

#[tokio::test]
async fn the_newest_of_many_are_found_whether_their_words_are_common_or_not() {
    let market = Market::new().await;
    let program = market.harness.program("storefront", &["storefront"], None).await;
    market.harness.sql(MANY).await;
    for (word, newest, total) in
        [("inventory", "app-7200", 1200), ("orders", "app-7199", 6000), ("kitchen", "app-7200", 7200)]
    {
        let call = market.harness.call("marketplace_listings_search").token(&program.token).query("q", word);
        let found = call.query("limit", 3).expect(200).await;
        assert_eq!(column(&found, "slug").first(), Some(&newest), "{word}");
        assert_eq!(found.json["facets"]["total"], total, "{word}");
    }
}

#[tokio::test]
async fn a_word_without_end_is_ended_and_what_people_write_is_not() {
    let harness = Harness::new().await;
    let longest = "select max(length(word))::bigint from unnest(array['a_', 'ü_', './', '~/', 'http://']) as part
        cross join regexp_split_to_table(search_words(left(repeat(part, 5000), 10000)), '\\s') as word";
    assert!(harness.number(longest).await <= 201, "the parser looks ahead from each sign to the end of the word");
    let comments = "select count(*) from unnest(array['<!--', '<!-- ']) as part
        where search_words(left(repeat(part, 5000), 10000)) like '%<!--%'";
    assert_eq!(
        harness.number(comments).await,
        0,
        "the parser looks for the end of a comment from each beginning of one"
    );
    let kept = "select (search_words(text) = text)::integer::bigint
        from (select 'Write to a_b@c.example, see https://c.example/a_b/c.html ...' || repeat(' word', 1000)) as t (text)";
    assert_eq!(harness.number(kept).await, 1);
}
