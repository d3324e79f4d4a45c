//! The pages of a search, one statement for each order.

use serde_json::json;
use sqlx::types::Json;
use uuid::Uuid;

use super::Filter;
use crate::db::Db;
use crate::fault::Fault;
use crate::marketplace::listings::rules::Order;
use crate::marketplace::listings::types::{ListingCategory, ListingIcon, ListingRating, ListingSummary, ListingVendor};
use crate::page::{Keys, Window};
use crate::time::Time;

/// A listing that was found, with what its place in the order depends on.
pub(in crate::marketplace::listings) struct FoundRow {
    slug: String,
    app_uuid: Uuid,
    name: String,
    tagline: String,
    locale: String,
    vendor_slug: String,
    vendor_name: String,
    categories: Option<Json<Vec<ListingCategory>>>,
    icon: Option<Json<ListingIcon>>,
    rating_average: f64,
    rating_count: i32,
    version_number: String,
    published_at: Time,
    /// How well the words fit, in millionths, so that a cursor holds it exactly; 0 under another order.
    rank: i32,
    /// The name as it is compared; empty under another order.
    sort_name: String,
    /// Tells this state of the shop window from another.
    pub(in crate::marketplace::listings) stamp: String,
}

impl FoundRow {
    /// The cursor's keys under this order.
    pub(in crate::marketplace::listings) fn keys(&self, order: Order) -> Keys {
        let uuid = json!(self.app_uuid);
        match order {
            Order::Relevance => vec![json!(self.rank), uuid],
            Order::NewestFirst => vec![json!(self.published_at), uuid],
            Order::ByName => vec![json!(self.sort_name), uuid],
            Order::BestFirst => vec![json!(hundredths(self.rating_average)), json!(self.rating_count), uuid],
        }
    }
}

impl From<FoundRow> for ListingSummary {
    fn from(row: FoundRow) -> Self {
        Self {
            slug: row.slug,
            app_uuid: row.app_uuid,
            name: row.name,
            tagline: row.tagline,
            locale: row.locale,
            vendor: ListingVendor { slug: row.vendor_slug, name: row.vendor_name },
            categories: row.categories.map(|categories| categories.0).unwrap_or_default(),
            icon: row.icon.map(|icon| icon.0),
            rating: ListingRating::new(row.rating_average, row.rating_count),
            version_number: row.version_number,
            published_at: row.published_at,
        }
    }
}

/// An average of stars, which has two decimals, as a whole number that a cursor holds exactly.
fn hundredths(average: f64) -> i64 {
    #[expect(clippy::cast_possible_truncation, reason = "an average of stars is between 0 and 5")]
    let hundredths = (average * 100.0).round() as i64;
    hundredths
}

/// One statement of the search. `found` tells what the words are in, `name` and the keys of the order are worked out where
/// the listings are. LIMIT takes no bind parameter, so there is one for each size of page.
macro_rules! found {
    ($db:expr, $filter:expr, limit: $limit:literal, found: [$($found:literal),+], filters: [$($filters:literal),+],
     name: $name:literal, from: $from:literal, after: $after:literal, order: $order:literal $(, $key:expr)*) => {
        sqlx::query_as!(
            FoundRow,
            r#"with query as materialized (
                   select listing_query(coalesce($1::text, 'en'), $2::text) || coalesce(
                       listing_query(coalesce($1, 'en'), $3::text) && to_tsquery('labs_simple', $4::text), '') as terms),
               place as materialized (select category_uuid, path from category_place where shown),
               chosen as materialized (
                   select place.category_uuid from place join category as c on c.category_uuid = any(place.path)
                    where c.slug = any($5::text[])),
               found as materialized ("# $(+ $found)+ + r#"),
               page as (
                   select l.app_uuid, l.partner_uuid, l.slug, l.version_number, l.default_locale, l.published_at,
                       l.rating_average, l.rating_count, "# + $name + " from " + $from + r#"
                    where "# $(+ $filters)+ + " and " + $after + " order by " + $order + $limit + r#")
               select l.slug as "slug!", l.app_uuid as "app_uuid!", t.name, t.tagline, t.locale,
                   p.slug as vendor_slug, p.company_name as vendor_name, l.version_number as "version_number!",
                   l.published_at as "published_at!", l.rating_average as "rating_average!",
                   l.rating_count as "rating_count!", l.rank as "rank!", l.sort_name as "sort_name!",
                   (select concat_ws('.', (select max(position) from listing_change), count(*), sum(xmin::text::bigint))
                      from category) as "stamp!",
                   (select json_agg(json_build_object('slug', c.slug, 'primary', lc.position = 0, 'name',
                           coalesce(c.names ->> $1, c.names ->> split_part($1, '-', 1), c.names ->> 'en', c.slug))
                           order by lc.position)
                      from listing_category as lc join category as c using (category_uuid)
                      join place using (category_uuid) where lc.app_uuid = l.app_uuid) as "categories: _",
                   (select json_build_object('media_uuid', m.media_uuid, 'media_type', m.media_type, 'width', m.width,
                           'height', m.height, 'alt_text', nullif(lm.alt_text, ''))
                      from listing_media as lm join media as m using (media_uuid)
                     where lm.app_uuid = l.app_uuid and lm.kind = 'ICON' limit 1) as "icon: _"
                from page as l
                join partner as p using (partner_uuid)
               cross join lateral (
                   select o.name, o.tagline, o.locale from listing_translation as o where o.app_uuid = l.app_uuid
                    order by o.locale = $1 desc, o.locale = split_part($1, '-', 1) desc,
                             o.locale = l.default_locale desc limit 1) as t
               order by "# + $order,
            $filter.locale,
            $filter.words.as_ref().map(|words| words.all.as_str()),
            $filter.words.as_ref().map(|words| words.settled.as_str()),
            $filter.words.as_ref().and_then(|words| words.beginning.as_deref()),
            $filter.categories.as_deref(),
            $filter.partner,
            $filter.rating_from,
            $filter.languages.as_deref()
            $(, $key)*
        )
        .fetch_all(&mut *$db.conn().await?)
        .await
    };
}

/// The statement for the size of the page.
macro_rules! sized {
    ($window:expr, $db:expr, $filter:expr, $($rest:tt)*) => {
        if $window.limit <= 20 {
            found!($db, $filter, limit: " limit 21", $($rest)*)
        } else {
            found!($db, $filter, limit: " limit 101", $($rest)*)
        }
    };
}

/// The statement for an order.
///
/// What is ranked by relevance is bounded, so that a word which everything has costs no more than one that little has: the
/// newest thousand texts that have the words in their name, and the newest thousand that have them anywhere. Words are
/// taken to be common when a fifth of the newest texts has them; then the listings are looked through from the newest on,
/// else the index of words tells which have them.
macro_rules! ordered {
    ($window:expr, $db:expr, $filter:expr, $order:expr, filters: $filters:literal) => {
        match $order {
            Order::Relevance => sized!(
                $window,
                $db,
                $filter,
                found: [
                    "select hit.app_uuid, (max(ts_rank(hit.search, query.terms)) * 1000000)::integer as rank
                       from query cross join (
                            select count(*) filter (where newest.search @@ query.terms) * 5 >= count(*) as are_common
                              from query cross join lateral (
                                   select t.search from listing as l join listing_translation as t using (app_uuid)
                                    where l.visible order by l.published_at desc, l.app_uuid desc limit 200) as newest
                            ) as words
                      cross join lateral (
                            (select l.app_uuid, t.search from listing_translation as t cross join lateral (
                                    select l.app_uuid, l.published_at from listing as l where l.app_uuid = t.app_uuid and ",
                    $filters,
                    " offset 0) as l
                              where ts_filter(t.search, '{a}') @@ query.terms
                              order by l.published_at desc, l.app_uuid desc limit 1000)
                            union all
                            (select l.app_uuid, t.search from listing_translation as t cross join lateral (
                                    select l.app_uuid, l.published_at from listing as l where l.app_uuid = t.app_uuid and ",
                    $filters,
                    " offset 0) as l
                              where not words.are_common and t.search @@ query.terms
                              order by l.published_at desc, l.app_uuid desc limit 1000)
                            union all
                            (select l.app_uuid, t.search from listing as l cross join lateral (
                                    select t.search from listing_translation as t
                                     where t.app_uuid = l.app_uuid and t.search @@ query.terms offset 0) as t
                              where words.are_common and ",
                    $filters,
                    " order by l.published_at desc, l.app_uuid desc limit 1000)
                            ) as hit
                      group by hit.app_uuid"
                ],
                filters: ["true"],
                name: "found.rank, '' as sort_name",
                from: "(select app_uuid, rank from found
                         where $9::integer is null or (rank, app_uuid) < ($9, $10::uuid)
                         order by rank desc, app_uuid desc limit 101) as found cross join lateral (
                        select * from listing as one where one.app_uuid = found.app_uuid offset 0) as l",
                after: "true",
                order: "rank desc, app_uuid desc",
                $window.key::<i32>(0)?,
                $window.key::<Uuid>(1)?
            ),
            Order::NewestFirst => sized!(
                $window,
                $db,
                $filter,
                found: ["select distinct t.app_uuid from query join listing_translation as t on t.search @@ query.terms"],
                filters: ["($2 is null or l.app_uuid in (select app_uuid from found)) and ", $filters],
                name: "0 as rank, '' as sort_name",
                from: "listing as l",
                after: "($9::timestamptz is null or (l.published_at, l.app_uuid) < ($9, $10::uuid))",
                order: "published_at desc, app_uuid desc",
                $window.key::<Time>(0)? as Option<Time>,
                $window.key::<Uuid>(1)?
            ),
            Order::ByName => sized!(
                $window,
                $db,
                $filter,
                found: ["select distinct t.app_uuid from query join listing_translation as t on t.search @@ query.terms"],
                filters: ["($2 is null or l.app_uuid in (select app_uuid from found)) and ", $filters],
                name: "0 as rank, named.sort_name",
                from: r#"listing as l cross join lateral (
                    select lower(unaccent(o.name)) collate "C" as sort_name from listing_translation as o
                     where o.app_uuid = l.app_uuid
                     order by o.locale = $1 desc, o.locale = split_part($1, '-', 1) desc,
                              o.locale = l.default_locale desc limit 1) as named"#,
                after: "($9::text is null or (named.sort_name, l.app_uuid) > ($9, $10::uuid))",
                order: "sort_name, app_uuid",
                $window.key::<String>(0)?,
                $window.key::<Uuid>(1)?
            ),
            Order::BestFirst => sized!(
                $window,
                $db,
                $filter,
                found: ["select distinct t.app_uuid from query join listing_translation as t on t.search @@ query.terms"],
                filters: ["($2 is null or l.app_uuid in (select app_uuid from found)) and ", $filters],
                name: "0 as rank, '' as sort_name",
                from: "listing as l",
                after: "($9::bigint is null
                    or (l.rating_average, l.rating_count, l.app_uuid) < ($9 / 100.0::float8, $10::integer, $11::uuid))",
                order: "rating_average desc, rating_count desc, app_uuid desc",
                $window.key::<i64>(0)?,
                $window.key::<i32>(1)?,
                $window.key::<Uuid>(2)?
            ),
        }
    };
}

/// A page of what the filter finds.
pub(in crate::marketplace::listings) async fn page(
    db: &Db,
    filter: &Filter,
    order: Order,
    window: &Window,
) -> Result<Vec<FoundRow>, Fault> {
    let rows = if filter.narrows() {
        ordered!(
            window,
            db,
            filter,
            order,
            filters: "l.visible
            and ($5 is null or exists (
                select from listing_category as lc join chosen using (category_uuid) where lc.app_uuid = l.app_uuid))
            and ($6::text is null or l.partner_uuid = (select partner_uuid from partner where slug = $6))
            and ($7::float8 is null or (l.rating_count > 0 and l.rating_average >= $7))
            and ($8::text[] is null or exists (
                select from listing_translation as o
                  join unnest($8) as language on o.locale = language or starts_with(o.locale, language || '-')
                 where o.app_uuid = l.app_uuid))"
        )
    } else {
        // Filters that may be none keep the planner from knowing how many listings pass, so that it plans each search anew.
        ordered!(
            window,
            db,
            filter,
            order,
            filters: "l.visible and $6::text is null and $7::float8 is null and $8::text[] is null"
        )
    };
    Ok(rows?)
}

#[cfg(test)]
mod tests {
    use super::hundredths;

    #[test]
    fn an_average_comes_back_from_its_hundredths_exactly() {
        for whole in 0..=500_i32 {
            let average: f64 = format!("{}.{:02}", whole / 100, whole % 100).parse().unwrap();
            assert_eq!(hundredths(average), i64::from(whole));
            assert!((f64::from(whole) / 100.0).to_bits() == average.to_bits(), "{average}");
        }
    }
}
