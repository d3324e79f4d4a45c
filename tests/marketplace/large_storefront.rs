//! Tests of a storefront with so many listings that the service chooses the listings of a page in memory.

use std::collections::BTreeSet;

use serde_json::json;

use super::market::{Market, column};
use crate::harness::Answer;
use crate::harness::people::Program;

/// Number of copies. A storefront is large from 2,000 listings on.
const COPIES: usize = 2_100;

/// Copies the only listing. Copy 0 is the newest. Every 700th copy belongs to a verified vendor and has five stars.
const COPY: &str = "
set session_replication_role = replica;
create table copied as
select n, labs_uuid() as app_uuid, lpad((n * 1237 % 2100)::text, 4, '0') as word,
       case when n % 700 = 5 then '0198bbbb-0000-7000-8000-000000000001'::uuid else l.partner_uuid end as partner_uuid,
       l.app_uuid as original_uuid, l.published_at - (n + 1) * interval '1 minute' as published_at
  from generate_series(0, 2099) as n cross join listing as l;
insert into partner (partner_uuid, slug, company_name, country, verified_at)
values ('0198bbbb-0000-7000-8000-000000000001', 'verified-vendor', 'Verified Vendor', 'DE', now());
insert into listing (app_uuid, partner_uuid, slug, version_uuid, version_number, default_locale, support_email, privacy_url,
                     published_at, first_published_at, rating_count, rating_sum)
select copy.app_uuid, copy.partner_uuid, 'copy-' || word, labs_uuid(), '1.0.0', 'en', l.support_email, l.privacy_url,
       copy.published_at, copy.published_at, case when n % 700 = 5 then 1 else 0 end, case when n % 700 = 5 then 5 else 0 end
  from copied as copy join listing as l on l.app_uuid = copy.original_uuid;
insert into listing_translation (app_uuid, locale, name, tagline, description)
select copy.app_uuid, locale, 'Copy ' || word, tagline, description
  from copied as copy join listing_translation as t on t.app_uuid = copy.original_uuid;
insert into listing_category select copy.app_uuid, category_uuid, position
  from copied as copy join listing_category as c on c.app_uuid = copy.original_uuid;
insert into listing_document (app_uuid, search)
select app_uuid, format('copy:1A %1$s:1A ''=copy %1$s'':1A', word)::tsvector from copied;
insert into listing_lexeme select 'copy' union select word from copied union select '=copy ' || word from copied;
insert into listing_change (app_uuid, slug, change) select app_uuid, 'copy-' || word, 'PUBLISHED' from copied;
drop table copied;
analyze";

struct Shop {
    market: Market,
    program: Program,
}

impl Shop {
    /// Creates a storefront of copies, whose index is in memory.
    async fn new() -> Self {
        let market = Market::new().await;
        let program = market.harness.program("storefront", &["storefront"], None).await;
        market.listed("Table Pilot").await;
        market.harness.sql(COPY).await;
        let shop = Self { market, program };
        assert_eq!(shop.find(&[]).await.json["facets"]["total"], COPIES + 1);
        shop
    }

    async fn find(&self, parameters: &[(&str, &str)]) -> Answer {
        let call = self.market.harness.call("marketplace_listings_search").token(&self.program.token);
        parameters.iter().fold(call, |call, (name, value)| call.query(name, value)).expect(200).await
    }

    /// Returns the names of all pages.
    async fn names(&self, parameters: &[(&str, &str)]) -> Vec<String> {
        let (mut names, mut cursor) = (Vec::new(), None::<String>);
        loop {
            let page: Vec<(&str, &str)> = cursor.iter().map(|cursor| ("cursor", cursor.as_str())).collect();
            let found = self.find(&[parameters, &page, &[("limit", "100")]].concat()).await;
            names.extend(column(&found, "name").into_iter().map(str::to_owned));
            cursor = found.json["page"]["next_cursor"].as_str().map(str::to_owned);
            if cursor.is_none() {
                return names;
            }
        }
    }
}

/// Returns the name of the copy with this age.
fn copy(age: usize) -> String {
    format!("Copy {:04}", age * 1237 % COPIES)
}

#[tokio::test]
async fn pages_by_name_contain_each_listing_once() {
    let shop = Shop::new().await;
    let mut expected: Vec<String> = (0..COPIES).map(copy).collect();
    expected.sort();
    expected.push("Table Pilot".to_owned());
    assert_eq!(shop.names(&[("sort", "name")]).await, expected);
    assert_eq!(shop.names(&[("sort", "name"), ("locale", "de"), ("category", "ordering")]).await, expected);
}

#[tokio::test]
async fn filters_that_few_listings_pass_find_these_in_each_order() {
    let shop = Shop::new().await;
    let newest = [copy(5), copy(705), copy(1405)];
    let mut by_name = newest.clone();
    by_name.sort();
    for filter in [("verified", "true"), ("partner", "verified-vendor"), ("rating_from", "4.5")] {
        let found = shop.find(&[filter, ("sort", "-rating")]).await;
        assert_eq!(found.json["facets"]["total"], 3, "{filter:?}");
        for sort in ["-published_at", "-first_published_at"] {
            assert_eq!(shop.names(&[filter, ("sort", sort)]).await, newest, "{filter:?} {sort}");
        }
        assert_eq!(shop.names(&[filter, ("sort", "name")]).await, by_name, "{filter:?}");
        let mut ranked = shop.names(&[filter, ("q", "copy")]).await;
        ranked.sort();
        assert_eq!(ranked, by_name, "{filter:?}");
    }
    assert_eq!(shop.names(&[("partner", "nobody")]).await, [""; 0]);
}

#[tokio::test]
async fn search_ranks_newest_thousand_listings_and_exact_name() {
    let shop = Shop::new().await;
    let mut expected: Vec<String> = (0..1_000).map(copy).collect();
    let mut found = shop.names(&[("q", "copy")]).await;
    assert_eq!(found[..2].iter().collect::<BTreeSet<_>>(), [copy(5), copy(705)].iter().collect(), "the rated ones");
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
    assert_eq!(shop.find(&[("q", "copy")]).await.json["facets"]["total"], COPIES);
    let oldest = copy(COPIES - 1);
    assert_eq!(shop.names(&[("q", &oldest)]).await, std::slice::from_ref(&oldest));
    assert_eq!(shop.names(&[("q", &oldest), ("sort", "-rating")]).await, std::slice::from_ref(&oldest));

    let lacking = format!("{oldest} spaceship");
    for sort in ["relevance", "-rating", "name"] {
        let found = shop.find(&[("q", &lacking), ("sort", sort)]).await;
        assert_eq!((column(&found, "name"), &found.json["left_out"]), (vec![oldest.as_str()], &json!(["spaceship"])));
        assert_eq!(found.json["facets"]["total"], 1, "{sort}");
    }
}

#[tokio::test]
async fn publication_and_removal_change_results_at_once() {
    let shop = Shop::new().await;
    let first = async || column(&shop.find(&[("sort", "name"), ("limit", "1")]).await, "name")[0].to_owned();
    let named = async |q: &str| {
        let found = shop.find(&[("q", q)]).await;
        (column(&found, "name").len(), found.json["facets"]["total"].as_u64().unwrap())
    };
    assert_eq!((first().await, named("aardvark").await), ("Copy 0000".to_owned(), (0, 0)));
    assert_eq!(named("pilot").await, (1, 1));
    let (app, _) = shop.market.listed("Aardvark Pilot").await;
    assert_eq!((first().await, named("aardvark").await), ("Aardvark Pilot".to_owned(), (1, 1)));
    assert_eq!(named("pilot").await, (2, 2));
    let call = shop.market.harness.call("marketplace_apps_unlist").path("app_uuid", &app);
    call.token(&shop.market.owner.token).json(&json!({})).expect(200).await;
    assert_eq!((first().await, named("aardvark").await), ("Copy 0000".to_owned(), (0, 0)));
    assert_eq!(named("pilot").await, (1, 1));
}

/// Removes the first 30 copies by name from their category, without a change in the feed, so that the index does not
/// learn of it.
const REMOVE_FROM_CATEGORY: &str = "
set session_replication_role = replica;
delete from listing_category as c using listing_translation as t
 where t.app_uuid = c.app_uuid and t.name < 'Copy 0030' and t.name like 'Copy%'";

#[tokio::test]
async fn pages_contain_no_listing_that_left_a_filter_and_all_others() {
    let shop = Shop::new().await;
    shop.market.harness.sql(REMOVE_FROM_CATEGORY).await;
    let mut expected: Vec<String> = (30..COPIES).map(|word| format!("Copy {word:04}")).collect();
    expected.push("Table Pilot".to_owned());
    assert_eq!(shop.names(&[("category", "ordering"), ("sort", "name")]).await, expected);
    for (word, names) in [("0029", vec![]), ("0030", vec!["Copy 0030"])] {
        for sort in [&[][..], &[("sort", "-published_at")], &[("sort", "name")]] {
            let found = shop.names(&[&[("category", "ordering"), ("q", word)], sort].concat()).await;
            assert_eq!(found, names, "{word} {sort:?}");
        }
    }
}
