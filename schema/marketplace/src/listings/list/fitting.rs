//! Search results ordered by relevance.
//!
//! The ranking considers a bounded set, so that a very common word costs no more than a rare one:
//!
//! - the newest thousand listings with the words in their name,
//! - the newest thousand with the words anywhere,
//! - the newest thousand whose full name, or whose partner's full name, equals the search term.
//!
//! On a large storefront the index in memory chooses these listings ([`FITTING_AMONG`]). Otherwise the query chooses
//! them ([`FITTING`]). Words are common if a twentieth of the newest listings has them, in the name or anywhere. For
//! common words the query scans the listings from the newest on; otherwise it uses the word index.
//!
//! Among equally relevant listings, the one with the highest weighted rating is first.

use labs_core::list::{Condition, FixedOrder, Key, ListQuery, Select};
use serde_json::json;

use super::{
    AMONG, FoundRow, HAS_CATEGORY, IN_CATEGORY, IN_LANGUAGE, OF_PARTNER, OF_VERIFIED, RATED, SEARCH, STILL_VISIBLE,
    Search, VISIBLE, shown, text_of_the_listing,
};

/// Listings by relevance. Filters restrict the listings before the ranking. The relation returns the ranked rows in
/// order, so that only the listings of the page are read.
static RANKED: Select<FoundRow> = Select::around(
    shown!("found.rank"),
    "(with passing as not materialized (select l.app_uuid, l.published_at, l.rating_score from listing as l",
    concat!(
        "), query as materialized (select * from listing_terms(({}::text[])[2])), words as materialized (
          select count(*) filter (where search @@ query.terms) * 20 >= count(*) as anywhere,
                 count(*) filter (where ts_filter(search, '{a}') @@ query.terms) * 20 >= count(*) as in_names
            from query cross join (select d.search from listing as l join listing_document as d using (app_uuid)
                  where l.visible order by l.published_at desc, l.app_uuid desc limit 400) as newest)
      select hit.*, fit.rank
        from query cross join (select distinct hit.* from query cross join words cross join lateral (
          (select l.* from listing_document as d
            cross join lateral (select * from passing where passing.app_uuid = d.app_uuid offset 0) as l
            where ts_filter(d.search, '{a}') @@ coalesce(query.named || query.offered, query.named, query.offered)
            order by l.published_at desc, l.app_uuid desc limit 1000)
          union all
          (select l.* from listing_document as d
            cross join lateral (select * from passing where passing.app_uuid = d.app_uuid offset 0) as l
            where not words.in_names and ts_filter(d.search, '{a}') @@ query.terms
            order by l.published_at desc, l.app_uuid desc limit 1000)
          union all
          (select l.* from passing as l cross join lateral (select from listing_document as d
                 where d.app_uuid = l.app_uuid and ts_filter(d.search, '{a}') @@ query.terms offset 0) as d
            where words.in_names order by l.published_at desc, l.app_uuid desc limit 1000)
          union all
          (select l.* from listing_document as d
            cross join lateral (select * from passing where passing.app_uuid = d.app_uuid offset 0) as l
            where not words.anywhere and d.search @@ query.terms
            order by l.published_at desc, l.app_uuid desc limit 1000)
          union all
          (select l.* from passing as l cross join lateral (select from listing_document as d
                 where d.app_uuid = l.app_uuid and d.search @@ query.terms offset 0) as d
            where words.anywhere order by l.published_at desc, l.app_uuid desc limit 1000)) as hit) as hit
        join listing_document as d using (app_uuid)
        cross join lateral (
          select listing_fit(d.search, query.ranked, query.beginning, query.named, query.offered) as rank offset 0) as fit
       order by rank desc, rating_score desc, app_uuid desc) as found join listing as l using (app_uuid)",
        text_of_the_listing!()
    ),
);

/// Search results ordered by relevance.
pub(super) static FITTING: ListQuery<Search, FoundRow, FixedOrder> = ListQuery {
    operation: SEARCH,
    select: &RANKED,
    within: &[Condition::given(|of| Some(of.texts())), VISIBLE],
    conditions: &[IN_CATEGORY, OF_PARTNER, OF_VERIFIED, RATED, IN_LANGUAGE],
    order: |FixedOrder| const { &[RANK.descending(), SCORE.descending(), ID.descending()] },
};

/// Chosen listings by relevance.
static RANKED_AMONG: Select<FoundRow> = Select::around(
    shown!("found.rank"),
    "(select d.app_uuid, l.rating_score, fit.rank
        from listing_terms(({}::text[])[2]) as query cross join listing as l
        join listing_document as d on d.app_uuid = l.app_uuid and d.search @@ query.terms
        cross join lateral (
          select listing_fit(d.search, query.ranked, query.beginning, query.named, query.offered) as rank offset 0) as fit",
    concat!(
        " order by rank desc, rating_score desc, app_uuid desc) as found join listing as l using (app_uuid)",
        text_of_the_listing!()
    ),
);

/// Search results ordered by relevance, among listings that the index has chosen. The filters apply again, because the
/// index may be some seconds old.
pub(super) static FITTING_AMONG: ListQuery<Search, FoundRow, FixedOrder> = ListQuery {
    operation: SEARCH,
    select: &RANKED_AMONG,
    within: &[Condition::given(|of| Some(of.texts())), STILL_VISIBLE, AMONG],
    conditions: &[HAS_CATEGORY, OF_PARTNER, OF_VERIFIED, RATED, IN_LANGUAGE],
    order: |FixedOrder| const { &[RANK.descending(), SCORE.descending(), ID.descending()] },
};

const RANK: Key<FoundRow> = Key::whole("found.rank", |row| json!(row.rank));
const SCORE: Key<FoundRow> = Key::whole("found.rating_score", |row| json!(row.rating_score));
const ID: Key<FoundRow> = Key::id("found.app_uuid", |row| json!(row.app_uuid));
