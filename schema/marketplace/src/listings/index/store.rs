//! SQL statements of the index of listings.

use std::collections::BTreeMap;

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::time::Time;
use sqlx::types::Json;
use uuid::Uuid;

/// Properties of a visible listing.
#[derive(Clone, Debug)]
pub(super) struct FactsRow {
    pub(super) app_uuid: Uuid,
    pub(super) partner_uuid: Uuid,
    pub(super) vendor_slug: String,
    pub(super) vendor_name: String,
    pub(super) is_verified: bool,
    pub(super) published_at: Time,
    /// 0 without ratings.
    pub(super) average: f64,
    pub(super) category_uuids: Vec<Uuid>,
    pub(super) locales: Vec<String>,
}

/// An active category whose ancestors are all active.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CategoryRow {
    pub(super) slug: String,
    pub(super) parent_slug: Option<String>,
    /// Names by locale.
    pub(super) names: Json<BTreeMap<String, String>>,
    /// Locales of names and descriptions.
    pub(super) locales: Vec<String>,
    /// Synonyms of the names, as stored. They decide which search terms find the listings.
    pub(super) also_called: serde_json::Value,
    pub(super) category_uuid: Uuid,
    /// Ids of this category and its descendants.
    pub(super) subtree: Vec<Uuid>,
}

/// A change of the storefront.
pub(super) struct Change {
    /// Its position. `None` shortly after the commit.
    pub(super) place: Option<i64>,
    pub(super) app_uuid: Uuid,
}

/// Returns the last assigned position; 0 if there is none.
pub(super) async fn last_place(db: &Db) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(r#"select coalesce(max(place), 0) as "place!" from listing_change"#)
        .fetch_one(&mut *db.conn().await?)
        .await?)
}

/// Maximum number of changes with a position in one reading.
pub(super) const CHANGES: usize = 1_000;

/// Returns the next changes after a position, and the committed changes that have no position yet. Positions are
/// assigned after the commit, so a reader that continues after the last one misses no change. One statement reads both,
/// because a change may receive its position between two. Contains no change without a position if the last position
/// precedes `place`: then a read replica answers that is behind.
pub(super) async fn changes_after(db: &Db, place: i64) -> Result<Vec<Change>, Fault> {
    Ok(sqlx::query_as!(
        Change,
        r#"(select place, app_uuid as "app_uuid!" from listing_change where place > $1 order by place limit $2)
         union all
         (select null, app_uuid from listing_change where place is null
             and (select coalesce(max(place), 0) from listing_change) >= $1
           order by transaction_id, position limit 10000)"#,
        place,
        CHANGES as i64
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Returns the next visible listings after an app, in the order of their ids.
pub(super) async fn visible_after(db: &Db, app_uuid: Uuid) -> Result<Vec<Uuid>, Fault> {
    Ok(sqlx::query_scalar!(
        "select app_uuid from listing where visible and app_uuid > $1 order by app_uuid limit 5000",
        app_uuid
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Returns the properties of the visible listings among these.
pub(super) async fn facts_of(db: &Db, app_uuids: &[Uuid]) -> Result<Vec<FactsRow>, Fault> {
    Ok(sqlx::query_as!(
        FactsRow,
        r#"select l.app_uuid, l.partner_uuid, p.slug as vendor_slug, p.company_name as vendor_name,
                  p.verified_at is not null as "is_verified!", l.published_at as "published_at: Time",
                  l.rating_average as average,
                  array(select category_uuid from listing_category as c where c.app_uuid = l.app_uuid)
                      as "category_uuids!",
                  array(select locale from listing_translation as t where t.app_uuid = l.app_uuid) as "locales!"
             from unnest($1::uuid[]) as wanted (app_uuid)
             join listing as l on l.app_uuid = wanted.app_uuid
             join partner as p on p.partner_uuid = l.partner_uuid
            where l.visible"#,
        app_uuids
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Returns the active categories whose ancestors are all active.
pub(super) async fn categories(db: &Db) -> Result<Vec<CategoryRow>, Fault> {
    Ok(sqlx::query_as!(
        CategoryRow,
        r#"with place as materialized (select category_uuid, path from category_place where shown)
           select c.category_uuid, c.slug, c.names as "names: _",
                  (select parent.slug from category as parent where parent.category_uuid = c.parent_uuid) as parent_slug,
                  array(select jsonb_object_keys(c.names) union select jsonb_object_keys(c.descriptions)) as "locales!",
                  array(select below.category_uuid from place as below where c.category_uuid = any(below.path))
                      as "subtree!", c.also_called
             from place join category as c using (category_uuid)"#
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Returns a text that changes with the collections on show, their titles and their listings. They decide which search
/// terms find these listings.
pub(super) async fn collections(db: &Db) -> Result<String, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select concat_ws('.', count(distinct c.collection_uuid), sum(c.xmin::text::bigint), count(held.app_uuid),
                      sum(held.xmin::text::bigint)) as "stamp!"
             from collection as c
             left join collection_listing as held using (collection_uuid)
            where collection_on_show(c.shown_from, c.shown_until)"#
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Listings that match a search term, by the part that matches.
pub(super) struct MatchingApps {
    pub(super) anywhere: Vec<Uuid>,
    pub(super) in_name: Vec<Uuid>,
    /// The whole name of the app or of the partner.
    pub(super) whole_name: Vec<Uuid>,
}

/// Returns the listings that match a search term.
pub(super) async fn matching(db: &Db, words: &str) -> Result<MatchingApps, Fault> {
    Ok(sqlx::query_as!(
        MatchingApps,
        r#"with query as materialized (
               select terms, coalesce(named || offered, named, offered) as whole from listing_terms($1))
           select array(select d.app_uuid from query join listing_document as d on d.search @@ query.terms)
                      as "anywhere!",
                  array(select d.app_uuid from query join listing_document as d
                            on ts_filter(d.search, '{a}') @@ query.terms) as "in_name!",
                  array(select d.app_uuid from query join listing_document as d
                            on ts_filter(d.search, '{a}') @@ query.whole) as "whole_name!""#,
        words
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Returns the listings among these that match a search term.
pub(super) async fn matching_among(db: &Db, words: &str, app_uuids: &[Uuid]) -> Result<MatchingApps, Fault> {
    Ok(sqlx::query_as!(
        MatchingApps,
        r#"with query as materialized (
               select terms, coalesce(named || offered, named, offered) as whole from listing_terms($1)),
           changed as materialized (
               select d.app_uuid, d.search from unnest($2::uuid[]) as changed (app_uuid)
                 join listing_document as d on d.app_uuid = changed.app_uuid)
           select array(select app_uuid from query join changed on search @@ terms) as "anywhere!",
                  array(select app_uuid from query join changed on ts_filter(search, '{a}') @@ terms) as "in_name!",
                  array(select app_uuid from query join changed on ts_filter(search, '{a}') @@ whole) as "whole_name!""#,
        words,
        app_uuids
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Name of a listing in the form in which names are compared.
pub(super) struct SortName {
    pub(super) app_uuid: Uuid,
    pub(super) name: String,
}

/// Returns the names of the visible listings among these, in the best locale for a reader.
pub(super) async fn sort_names(db: &Db, locale: Option<&str>, app_uuids: &[Uuid]) -> Result<Vec<SortName>, Fault> {
    Ok(sqlx::query_as!(
        SortName,
        r#"select l.app_uuid, t.sort_name as name
             from unnest($2::uuid[]) as wanted (app_uuid)
             join listing as l on l.app_uuid = wanted.app_uuid
            cross join lateral (
                  select o.sort_name from listing_translation as o where o.app_uuid = l.app_uuid
                   order by locale_rank(o.locale, coalesce($1::text, '')), o.locale = l.default_locale desc
                   limit 1) as t
            where l.visible"#,
        locale,
        app_uuids
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}
