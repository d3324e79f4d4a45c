//! Versions that an app had on the storefront.

use labs_core::list::{Condition, FixedOrder, Key, ListQuery, Select, SqlValue};
use labs_core::time::Time;
use serde::Serialize;
use serde_json::json;
use sqlx::types::Json;
use uuid::Uuid;

use crate::versions::AppPermission;

/// Published version, with the permissions of the version before it.
#[derive(sqlx::FromRow)]
pub(in crate::listings) struct ReleaseRow {
    version_uuid: Uuid,
    pub(in crate::listings) number: String,
    pub(in crate::listings) published_at: Time,
    pub(in crate::listings) is_current: bool,
    pub(in crate::listings) locale: Option<String>,
    pub(in crate::listings) release_notes: Option<String>,
    pub(in crate::listings) permissions: Option<Json<Vec<AppPermission>>>,
    pub(in crate::listings) former_permissions: Option<Json<Vec<AppPermission>>>,
}

/// Parameters of a listing's versions, for a reader.
#[derive(Debug, Serialize)]
pub(in crate::listings) struct OfReader {
    /// Slug of the listing.
    pub(in crate::listings) slug: String,
    /// Locale of the release notes.
    pub(in crate::listings) locale: Option<String>,
}

/// Release notes are in the given locale, else in its language, else in the default locale that the listing had when
/// the version was approved. Release notes are required in that locale.
static LIVE: Select<ReleaseRow> = Select::new(
    "v.version_uuid, v.number, v.published_at, v.version_uuid = l.version_uuid as is_current, notes.locale,
     notes.release_notes, v.manifest -> 'permissions' as permissions, former.permissions as former_permissions",
    "listing as l join app_version as v on v.app_uuid = l.app_uuid and v.state in ('PUBLISHED', 'SUPERSEDED')
     left join lateral (
         select s.snapshot ->> 'default_locale' as locale from submission as s
          where s.version_uuid = v.version_uuid and s.state = 'APPROVED'
          order by s.submitted_at desc, s.submission_uuid desc limit 1) as own on true
     left join lateral (
         select n.locale, n.release_notes from jsonb_each_text(v.release_notes) as n (locale, release_notes)
          where locale_rank(n.locale, {}::text) is not null or n.locale = coalesce(own.locale, l.default_locale)
          order by locale_rank(n.locale, {}) limit 1) as notes on true
     left join lateral (
         select f.manifest -> 'permissions' as permissions from app_version as f
          where f.app_uuid = v.app_uuid and f.state in ('PUBLISHED', 'SUPERSEDED')
            and (f.published_at, f.version_uuid) < (v.published_at, v.version_uuid)
          order by f.published_at desc, f.version_uuid desc limit 1) as former on true",
);

/// Current and former published versions of a visible listing, newest first.
pub(in crate::listings) static RELEASES: ListQuery<OfReader, ReleaseRow, FixedOrder> = ListQuery {
    operation: "marketplace_listings_list_versions",
    select: &LIVE,
    within: &[
        Condition::given(|of| Some(SqlValue::Text(of.locale.clone().unwrap_or_default()))),
        Condition { sql: "l.slug = {}", value: |of| Some(of.slug.as_str().into()) },
        Condition { sql: "l.visible", value: |_| Some(SqlValue::Nothing) },
    ],
    conditions: &[],
    order: |FixedOrder| const { &[PUBLISHED.descending(), ID.descending()] },
};

const PUBLISHED: Key<ReleaseRow> = Key::moment("v.published_at", |row| json!(row.published_at));
const ID: Key<ReleaseRow> = Key::id("v.version_uuid", |row| json!(row.version_uuid));
