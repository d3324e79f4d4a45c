//! What fits the words of a search best, first.
//!
//! What is ranked is bounded, so that a word which everything has costs no more than one that little has: the newest
//! thousand listings that have the words in their name, the newest thousand that have them anywhere, and those that, or whose
//! vendor, is called so as a whole. Words are taken to be common when a fifth of the newest listings has them; then the
//! listings are looked through from the newest on, else the index of words tells which have them.

use serde_json::json;

use super::{
    FoundRow, IN_CATEGORY, IN_LANGUAGE, OF_PARTNER, OF_VERIFIED, RATED, SEARCH, Search, VISIBLE, shown,
    text_of_the_listing,
};
use crate::core::list::{Condition, FixedOrder, Key, ListQuery, Select};

/// Listings by how well they fit. Conditions narrow what is ranked. What was ranked comes in order out of its relation, so
/// that only the listings of the page are looked at.
static RANKED: Select<FoundRow> = Select::around(
    shown!("found.rank"),
    "(with passing as not materialized (select l.app_uuid, l.published_at from listing as l",
    concat!(
        "), query as materialized (select * from listing_terms(({}::text[])[2])), words as materialized (
          select count(*) filter (where newest.search @@ query.terms) * 5 >= count(*) as are_common
            from query cross join (select d.search from listing as l join listing_document as d using (app_uuid)
                  where l.visible order by l.published_at desc, l.app_uuid desc limit 200) as newest)
      select hit.app_uuid, max(fit.rank) as rank
        from query cross join words cross join lateral (
          (select l.app_uuid, d.search from listing_document as d
            cross join lateral (select * from passing where passing.app_uuid = d.app_uuid offset 0) as l
            where ts_filter(d.search, '{a}') @@ coalesce(query.named || query.offered, query.named, query.offered)
            order by l.published_at desc, l.app_uuid desc limit 1000)
          union all
          (select l.app_uuid, d.search from listing_document as d
            cross join lateral (select * from passing where passing.app_uuid = d.app_uuid offset 0) as l
            where ts_filter(d.search, '{a}') @@ query.terms order by l.published_at desc, l.app_uuid desc limit 1000)
          union all
          (select l.app_uuid, d.search from listing_document as d
            cross join lateral (select * from passing where passing.app_uuid = d.app_uuid offset 0) as l
            where not words.are_common and d.search @@ query.terms
            order by l.published_at desc, l.app_uuid desc limit 1000)
          union all
          (select l.app_uuid, d.search from passing as l cross join lateral (select * from listing_document as d
                 where d.app_uuid = l.app_uuid and d.search @@ query.terms offset 0) as d
            where words.are_common order by l.published_at desc, l.app_uuid desc limit 1000)) as hit
        cross join lateral (
          select listing_fit(hit.search, query.whole, query.beginning, query.named, query.offered) as rank offset 0) as fit
       group by hit.app_uuid order by rank desc, app_uuid desc) as found join listing as l using (app_uuid)",
        text_of_the_listing!()
    ),
);

/// What is found, by how well it fits.
pub(super) static FITTING: ListQuery<Search, FoundRow, FixedOrder> = ListQuery {
    operation: SEARCH,
    select: &RANKED,
    within: &[Condition::given(|of| Some(of.texts())), VISIBLE],
    conditions: &[IN_CATEGORY, OF_PARTNER, OF_VERIFIED, RATED, IN_LANGUAGE],
    order: |FixedOrder| const { &[RANK.descending(), ID.descending()] },
};

const RANK: Key<FoundRow> = Key::whole("found.rank", |row| json!(row.rank));
const ID: Key<FoundRow> = Key::id("found.app_uuid", |row| json!(row.app_uuid));
