//! Tests of the search with typed queries, and of a query with more results than are ranked.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::market::{Market, column};
use crate::harness::Harness;

/// Queries over the sample data. The blind half was written before its author saw the search, from the names, taglines
/// and categories of the listings alone.
#[derive(Deserialize)]
struct Queries {
    own: Vec<Query>,
    blind: Vec<Query>,
}

/// A typed query, and the slugs that it should and should not find.
#[derive(Deserialize)]
struct Query {
    language: String,
    q: String,
    locale: Option<String>,
    first: Option<String>,
    #[serde(default)]
    must: Vec<String>,
    #[serde(default)]
    must_not: Vec<String>,
    #[serde(default)]
    none: bool,
    left_out: Option<Value>,
    why: String,
}

impl Query {
    /// Returns a description if the result is wrong.
    fn wrong(&self, found: &[&str], left_out: &Value) -> Option<String> {
        let has = |slug: &String| found.contains(&slug.as_str());
        let is_right = self.must.iter().all(has)
            && !self.must_not.iter().any(has)
            && self.first.as_ref().is_none_or(|first| found.first() == Some(&first.as_str()))
            && self.left_out.as_ref().is_none_or(|expected| expected == left_out)
            && (found.is_empty() || !self.none);
        (!is_right).then(|| format!("{}: {} finds {found:?} without {left_out}", self.q, self.why))
    }
}

/// Right answers of each half and language, and the number of queries.
const RIGHT: [(&str, &str, usize, usize); 12] = [
    ("blind", "de", 28, 28),
    ("blind", "en", 25, 25),
    ("blind", "es", 11, 11),
    ("blind", "fr", 15, 15),
    ("blind", "it", 10, 10),
    ("blind", "nl", 10, 11),
    ("own", "de", 27, 27),
    ("own", "en", 29, 29),
    ("own", "es", 12, 12),
    ("own", "fr", 11, 11),
    ("own", "it", 10, 10),
    ("own", "nl", 11, 11),
];

/// Number of queries of one language and half, and what was wrong.
#[derive(Default)]
struct Score {
    asked: usize,
    wrong: Vec<String>,
}

#[tokio::test]
async fn typical_queries_find_expected_listings() {
    let harness = Harness::new().await;
    let engine = &harness.engine;
    labs_schema::sample::fill(engine.pool(), engine.services(), harness.clock.now()).await.unwrap();
    let token = harness.program("storefront", &["storefront"], None).await.token;
    let queries: Queries = serde_json::from_str(include_str!("search_queries.json")).unwrap();
    assert_eq!((queries.own.len(), queries.blind.len()), (100, 100));
    let mut scores = BTreeMap::<(&str, String), Score>::new();
    for (half, queries) in [("own", queries.own), ("blind", queries.blind)] {
        for query in queries {
            let call = harness.call("marketplace_listings_search").token(&token).query("q", &query.q);
            let call = query.locale.iter().fold(call, |call, locale| call.query("locale", locale));
            let found = call.query("limit", 100).expect(200).await;
            assert_eq!(found.json["facets"]["total"], found.json["data"].as_array().unwrap().len(), "{}", query.q);
            let score = scores.entry((half, query.language.clone())).or_default();
            score.asked += 1;
            score.wrong.extend(query.wrong(&column(&found, "slug"), &found.json["left_out"]));
        }
    }
    let right: Vec<(&str, &str, usize, usize)> = scores
        .iter()
        .map(|((half, language), of)| (*half, language.as_str(), of.asked - of.wrong.len(), of.asked))
        .collect();
    let wrong: Vec<&String> = scores.values().flat_map(|of| &of.wrong).collect();
    assert!(wrong.len() <= 10, "fewer than 190 of 200 are right: {wrong:#?}");
    assert_eq!(right, RIGHT, "{wrong:#?}");
}

#[tokio::test]
async fn exact_name_ranks_first_and_names_stay_current() {
    let market = Market::new().await;
    let token = market.harness.program("storefront", &["storefront"], None).await.token;
    let (_, exact) = market.listed("Menu Board").await;
    let (longer, _) = market.listed("Menu Board Menu Board").await;
    let search = |q: &str| market.harness.call("marketplace_listings_search").token(&token).query("q", q);
    let found = search("menu board").query("limit", 1).expect(200).await;
    assert_eq!(column(&found, "slug"), [exact.as_str()], "though the other has the words twice and is newer");
    let cursor = found.json["page"]["next_cursor"].as_str().unwrap().to_owned();
    let rest = search("menu board").query("limit", 1).query("cursor", cursor).expect(200).await;
    assert_eq!((column(&rest, "app_uuid"), &rest.json["page"]["has_more"]), (vec![longer.as_str()], &json!(false)));

    let find = async |q: &str| column(&search(q).expect(200).await, "slug").len();
    assert_eq!((find("Nordsee Kassen").await, find("Ordering").await), (2, 2), "vendor and category");
    let company = "update partner set company_name = 'Ostsee Tresen' where company_name = 'Nordsee Kassen'";
    market.harness.sql(company).await;
    assert_eq!((find("nordsee").await, find("ostsee tresen").await), (0, 2));
    market.harness.sql("update category set names = '{\"de\": \"Bestellwesen\"}' where slug = 'ordering'").await;
    assert_eq!(find("bestellwesen").await, 2);
    market.harness.sql("update category set state = 'DEACTIVATED' where slug = 'ordering'").await;
    assert_eq!(find("bestellwesen").await, 0, "a category that is not shown");
}

#[tokio::test]
async fn listing_published_during_partner_rename_has_new_name() {
    let market = Market::new().await;
    let token = market.harness.program("storefront", &["storefront"], None).await.token;
    let app = market.app("Table Pilot").await;
    let version = market.draft(&app, "1.0.0").await;
    market.approved(&app, &version).await;
    let mut owner = market.harness.owner().await;
    let rename = "begin; update partner set company_name = 'Ostsee Tresen' where company_name = 'Nordsee Kassen'";
    sqlx::raw_sql(rename).execute(&mut owner).await.unwrap();
    let publish = market.version("marketplace_versions_publish", &app, &version).json(&json!({})).expect(200);
    let commit = async {
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        sqlx::raw_sql("commit").execute(&mut owner).await.unwrap();
    };
    tokio::join!(publish, commit);
    let found = market.harness.call("marketplace_listings_search").token(&token).query("q", "ostsee").expect(200).await;
    assert_eq!(column(&found, "name"), ["Table Pilot"]);
}

#[tokio::test]
async fn mistyped_word_without_hits_is_corrected_and_reported() {
    let market = Market::new().await;
    let token = market.harness.program("storefront", &["storefront"], None).await.token;
    let mut slugs = Vec::new();
    for name in ["Table Pilot", "Table Waiter"] {
        slugs.push(market.listed(name).await);
    }
    let find = async |q: &str| -> Value {
        let found = market.harness.call("marketplace_listings_search").token(&token).query("q", q).expect(200).await;
        assert_eq!(found.json["facets"]["total"], found.json["data"].as_array().unwrap().len(), "{q}");
        json!([found.json["data"].as_array().unwrap().len(), found.json["corrected_from"], found.json["corrected_to"]])
    };
    assert_eq!(find("Tabel  pilot").await, json!([1, "Tabel pilot", "table pilot"]));
    assert_eq!(find("tablepilot").await, json!([1, null, null]), "a name as one word");
    assert_eq!(find("table").await, json!([2, null, null]));
    assert_eq!(find("table pilot of").await, json!([1, null, null]), "a stop word is optional");
    assert_eq!(find("submarine").await, json!([0, null, null]));
    let call = market.harness.call("marketplace_listings_search").token(&token).query("q", "tabel").query("limit", 1);
    let page = call.expect(200).await;
    let call = market.harness.call("marketplace_listings_search").token(&token).query("q", "tabel").query("limit", 1);
    let next = call.query("cursor", page.json["page"]["next_cursor"].as_str().unwrap()).expect(200).await;
    assert_ne!(column(&page, "slug"), column(&next, "slug"));
    assert_eq!((&next.json["corrected_to"], &next.json["page"]["has_more"]), (&json!("table"), &json!(false)));

    let (app, _) = &slugs[0];
    let unlist = market.harness.call("marketplace_apps_unlist").path("app_uuid", app).token(&market.owner.token);
    unlist.expect(200).await;
    assert_eq!(find("pilto").await, json!([0, null, null]), "nothing leads to what is not on show");
}

/// Publishes 7,200 apps; a higher number is newer. Every sixth has inventory in its text, the others printing.
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
insert into listing_change (app_uuid, slug, change) select app_uuid, 'app-' || n, 'PUBLISHED' from made;
analyze;
";

#[tokio::test]
async fn newest_hits_are_found_for_rare_and_common_words() {
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
async fn overlong_word_is_truncated_but_usual_words_are_not() {
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

#[tokio::test]
async fn word_inside_unspaced_text_is_found() {
    let market = Market::new().await;
    super::market::lift_the_cap(&market.harness).await;
    let mut slugs = Vec::new();
    for name in ["注文管理アプリ", "จัดการร้านอาหาร", "餐厅订单系统"] {
        slugs.push(market.listed(name).await.1);
    }
    let token = market.harness.program("storefront", &["storefront"], None).await.token;
    let find = async |q: &str| {
        let call = market.harness.call("marketplace_listings_search").token(&token).query("q", q);
        let found = call.expect(200).await;
        column(&found, "slug").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    for (q, place) in [
        ("注文", 0),
        ("管理", 0),
        ("アプリ", 0),
        ("注文管理", 0),
        ("管理 注文", 0),
        ("ร้าน", 1),
        ("อาหาร", 1),
        ("订单", 2),
        ("餐厅订单系统", 2),
    ] {
        assert_eq!(find(q).await, [slugs[place].as_str()], "{q}");
    }
    for q in ["文注", "理管", "订系"] {
        assert!(!find(q).await.contains(&slugs[0]), "{q}");
    }
}
