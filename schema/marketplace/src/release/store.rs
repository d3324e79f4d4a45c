//! SQL statements that take a snapshot or publish one.

use std::collections::{BTreeMap, HashMap};

use labs_core::actor::Actor;
use labs_core::db::Db;
use labs_core::fault::Fault;
use serde::Deserialize;
use sqlx::types::Json;
use uuid::Uuid;

use super::snapshot::Snapshot;

/// Name of a category in one locale.
pub(super) struct CategoryRow {
    pub(super) category_uuid: Uuid,
    pub(super) slug: String,
    pub(super) name: String,
}

/// Properties of a media item that a view needs.
pub(super) struct MediaRow {
    pub(super) media_uuid: Uuid,
    pub(super) media_type: String,
    pub(super) width: i32,
    pub(super) height: i32,
    pub(super) variants: Json<BTreeMap<String, Size>>,
}

/// Width and height of a size.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Size {
    pub(super) width: i32,
    pub(super) height: i32,
}

/// Publishes a version: supersedes the former version, returns lower scheduled versions to the approved state, lists
/// the app, and writes the listing from the approved snapshot. Ratings are kept. The caller has locked the app and
/// checked the rules.
pub(crate) async fn publish(db: &Db, actor: Actor, app_uuid: Uuid, version_uuid: Uuid) -> Result<(), Fault> {
    let submission_uuid = get_approved(db, version_uuid)
        .await?
        .ok_or_else(|| Fault::internal(format!("the version {version_uuid} was approved without a submission")))?;
    set_superseded(db, actor, app_uuid).await?;
    set_published(db, actor, app_uuid, version_uuid).await?;
    set_overtaken(db, actor, version_uuid).await?;
    upsert_listing(db, app_uuid, version_uuid, submission_uuid).await?;
    delete_listing_parts(db, app_uuid).await?;
    insert_listing_parts(db, app_uuid, submission_uuid).await
}

/// Returns the submission with which a version was approved.
async fn get_approved(db: &Db, version_uuid: Uuid) -> Result<Option<Uuid>, Fault> {
    Ok(sqlx::query_scalar!(
        "select submission_uuid
         from submission
         where version_uuid = $1 and state = 'APPROVED'
         order by submitted_at desc, submission_uuid desc
         limit 1",
        version_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// A separate statement, executed before the new version is published: the index allows only one published version at
/// any time.
async fn set_superseded(db: &Db, actor: Actor, app_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "with former as (
             update app_version
             set state = 'SUPERSEDED', state_changed_at = labs_now(), updated_at = labs_now()
             where app_uuid = $1 and state = 'PUBLISHED'
             returning version_uuid, number
         )
         insert into app_event (event_uuid, app_uuid, kind, actor_kind, actor_uuid, detail)
         select labs_uuid(), $1, 'VERSION_SUPERSEDED', $2, $3,
             jsonb_build_object('version_uuid', version_uuid, 'number', number)
         from former",
        app_uuid,
        actor.kind,
        actor.uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

async fn set_published(db: &Db, actor: Actor, app_uuid: Uuid, version_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "with version as (
             update app_version
             set state = 'PUBLISHED', published_at = labs_now(), publish_at = null, state_changed_at = labs_now(),
                 updated_at = labs_now()
             where version_uuid = $2
             returning version_uuid, number
         ), app as (
             update app
             set state = 'LISTED', state_reason = null, state_changed_at = labs_now(), updated_at = labs_now()
             where app_uuid = $1 and state <> 'LISTED'
         )
         insert into app_event (event_uuid, app_uuid, kind, actor_kind, actor_uuid, detail)
         select labs_uuid(), $1, 'VERSION_PUBLISHED', $3, $4,
             jsonb_build_object('version_uuid', version_uuid, 'number', number)
         from version",
        app_uuid,
        version_uuid,
        actor.kind,
        actor.uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Cancels the schedule of versions that are lower than this published version, because they could never be published.
async fn set_overtaken(db: &Db, actor: Actor, version_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "with overtaken as (
             update app_version as v
             set state = 'APPROVED', publish_at = null, state_changed_at = labs_now(), updated_at = labs_now()
             from app_version as live
             where live.version_uuid = $1 and v.app_uuid = live.app_uuid and v.state = 'SCHEDULED'
                 and v.precedence < live.precedence
             returning v.app_uuid, v.version_uuid, v.number, live.number as by_number
         )
         insert into app_event (event_uuid, app_uuid, kind, actor_kind, actor_uuid, detail)
         select labs_uuid(), app_uuid, 'VERSION_OVERTAKEN', $2, $3,
             jsonb_build_object('version_uuid', version_uuid, 'number', number, 'by_number', by_number)
         from overtaken",
        version_uuid,
        actor.kind,
        actor.uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Writes the row of the listing and records the change for the caches.
async fn upsert_listing(db: &Db, app_uuid: Uuid, version_uuid: Uuid, submission_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "with former as (select visible from listing where app_uuid = $1),
         listed as (
             insert into listing (app_uuid, partner_uuid, slug, version_uuid, version_number, default_locale,
                 support_url, support_email, privacy_url, website_url, terms_url, published_at, first_published_at)
             select a.app_uuid, a.partner_uuid, a.slug, v.version_uuid, v.number, s.snapshot ->> 'default_locale',
                 links.*, labs_now(), labs_now()
             from app as a
             join app_version as v on v.app_uuid = a.app_uuid and v.version_uuid = $2
             join submission as s on s.submission_uuid = $3
             cross join jsonb_to_record(s.snapshot -> 'links') as links
                 (support_url text, support_email text, privacy_url text, website_url text, terms_url text)
             where a.app_uuid = $1
             on conflict on constraint listing_pkey do update
             set partner_uuid = excluded.partner_uuid, slug = excluded.slug, version_uuid = excluded.version_uuid,
                 version_number = excluded.version_number, default_locale = excluded.default_locale,
                 support_url = excluded.support_url, support_email = excluded.support_email,
                 privacy_url = excluded.privacy_url, website_url = excluded.website_url,
                 terms_url = excluded.terms_url, published_at = excluded.published_at, visible = true,
                 updated_at = labs_now()
             returning app_uuid, slug, visible
         )
         insert into listing_change (app_uuid, slug, change)
         select app_uuid, slug, case when (select visible from former) then 'CHANGED' else 'PUBLISHED' end
         from listed
         where visible",
        app_uuid,
        version_uuid,
        submission_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

async fn delete_listing_parts(db: &Db, app_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "with texts as (delete from listing_translation where app_uuid = $1),
         categories as (delete from listing_category where app_uuid = $1)
         delete from listing_media where app_uuid = $1",
        app_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Writes the categories and media of the listing. A deleted category or media item is omitted, because it has no
/// content. The statement waits for a concurrent deletion of a category.
async fn insert_listing_parts(db: &Db, app_uuid: Uuid, submission_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "with taken as (select snapshot from submission where submission_uuid = $2),
         texts as (
             insert into listing_translation (app_uuid, locale, name, tagline, description)
             select $1, t.*
             from taken
             cross join jsonb_to_recordset(snapshot -> 'texts') as t
                 (locale text, name text, tagline text, description text)
         ), categories as (
             insert into listing_category (app_uuid, category_uuid, position)
             select $1, c.category_uuid, chosen.place - 1
             from taken
             cross join jsonb_array_elements_text(snapshot -> 'categories') with ordinality as chosen (value, place)
             join category as c on c.category_uuid = chosen.value::uuid
             for key share of c
         )
         insert into listing_media (app_uuid, media_uuid, kind, position, alt_text, caption, alt_texts, captions)
         select $1, shown.media_uuid, shown.kind, shown.position, shown.alt_text, shown.caption,
             coalesce(shown.alt_texts, '{}'), coalesce(shown.captions, '{}')
         from taken
         cross join jsonb_to_recordset(snapshot -> 'media') as shown
             (media_uuid uuid, kind text, position integer, alt_text text, caption text, alt_texts jsonb, captions jsonb)
         join media as m on m.media_uuid = shown.media_uuid",
        app_uuid,
        submission_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Loads the current draft with one of its versions.
pub(crate) async fn get_draft(db: &Db, app_uuid: Uuid, version_uuid: Uuid) -> Result<Option<Snapshot>, Fault> {
    let snapshot = sqlx::query_scalar!(
        r#"select jsonb_build_object(
             'slug', a.slug, 'default_locale', a.default_locale,
             'texts', coalesce((
                 select jsonb_agg(to_jsonb(t) - 'app_uuid' - 'updated_at' order by t.locale <> a.default_locale, t.locale)
                 from app_translation as t
                 where t.app_uuid = a.app_uuid), '[]'),
             'links', jsonb_build_object('support_url', a.support_url, 'support_email', a.support_email,
                 'privacy_url', a.privacy_url, 'website_url', a.website_url, 'terms_url', a.terms_url),
             'categories', coalesce((
                 select jsonb_agg(c.category_uuid order by c.position)
                 from app_category as c
                 where c.app_uuid = a.app_uuid), '[]'),
             'media', coalesce((
                 select jsonb_agg(to_jsonb(m) order by array_position(array['ICON', 'BANNER', 'SCREENSHOT'], m.kind),
                     m.position)
                 from (
                     select media_uuid, kind, alt_text, caption, alt_texts, captions,
                         row_number() over (partition by kind order by position, media_uuid) as position
                     from media
                     where app_uuid = a.app_uuid and removed_at is null) as m), '[]'),
             'version', jsonb_build_object('version_uuid', v.version_uuid, 'number', v.number,
                 'release_notes', v.release_notes, 'manifest', v.manifest)
         ) as "snapshot!: Json<Snapshot>"
         from app as a
         join app_version as v on v.app_uuid = a.app_uuid
         where a.app_uuid = $1 and v.version_uuid = $2"#,
        app_uuid,
        version_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    Ok(snapshot.map(|snapshot| snapshot.0))
}

/// Loads the published listing as a snapshot; `None` if the app was never published.
pub(crate) async fn get_live(db: &Db, app_uuid: Uuid) -> Result<Option<Snapshot>, Fault> {
    let snapshot = sqlx::query_scalar!(
        r#"select jsonb_build_object(
             'slug', l.slug, 'default_locale', l.default_locale,
             'texts', coalesce((
                 select jsonb_agg(to_jsonb(t) - 'app_uuid' - 'search' order by t.locale <> l.default_locale, t.locale)
                 from listing_translation as t
                 where t.app_uuid = l.app_uuid), '[]'),
             'links', jsonb_build_object('support_url', l.support_url, 'support_email', l.support_email,
                 'privacy_url', l.privacy_url, 'website_url', l.website_url, 'terms_url', l.terms_url),
             'categories', coalesce((
                 select jsonb_agg(c.category_uuid order by c.position)
                 from listing_category as c
                 where c.app_uuid = l.app_uuid), '[]'),
             'media', coalesce((
                 select jsonb_agg(to_jsonb(m) - 'app_uuid'
                     order by array_position(array['ICON', 'BANNER', 'SCREENSHOT'], m.kind), m.position)
                 from listing_media as m
                 where m.app_uuid = l.app_uuid), '[]'),
             'version', jsonb_build_object('version_uuid', v.version_uuid, 'number', v.number,
                 'release_notes', v.release_notes, 'manifest', v.manifest)
         ) as "snapshot!: Json<Snapshot>"
         from listing as l
         join app_version as v on v.version_uuid = l.version_uuid
         where l.app_uuid = $1"#,
        app_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    Ok(snapshot.map(|snapshot| snapshot.0))
}

/// Returns the names of these categories in a locale, else in its language, else in English, else their slugs.
pub(super) async fn get_categories(
    db: &Db,
    categories: &[Uuid],
    locale: &str,
) -> Result<HashMap<Uuid, CategoryRow>, Fault> {
    let rows = sqlx::query_as!(
        CategoryRow,
        r#"select category_uuid, slug,
               coalesce(locale_text(names, $2), names ->> 'en', slug) as "name!"
         from category
         where category_uuid = any($1)"#,
        categories,
        locale
    )
    .fetch_all(&mut *db.conn().await?)
    .await?;
    Ok(rows.into_iter().map(|row| (row.category_uuid, row)).collect())
}

/// Returns the properties of these media items.
pub(super) async fn get_media(db: &Db, media: &[Uuid]) -> Result<HashMap<Uuid, MediaRow>, Fault> {
    let rows = sqlx::query_as!(
        MediaRow,
        r#"select media_uuid, media_type, width, height, variants as "variants: Json<BTreeMap<String, Size>>"
         from media
         where media_uuid = any($1)"#,
        media
    )
    .fetch_all(&mut *db.conn().await?)
    .await?;
    Ok(rows.into_iter().map(|row| (row.media_uuid, row)).collect())
}

/// Returns whether a media item of a version's approved snapshot was deleted.
pub(crate) async fn lacks_media(db: &Db, version_uuid: Uuid) -> Result<bool, Fault> {
    let Some(submission_uuid) = get_approved(db, version_uuid).await? else { return Ok(true) };
    Ok(sqlx::query_scalar!(
        r#"select exists (
             select from submission as s
             cross join jsonb_to_recordset(s.snapshot -> 'media') as shown (media_uuid uuid)
             where s.submission_uuid = $1
                 and not exists (select from media as m where m.media_uuid = shown.media_uuid)) as "lacks!""#,
        submission_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Returns the published version that blocks another one, because its number is not lower.
pub(crate) async fn get_conflicting(db: &Db, version_uuid: Uuid) -> Result<Option<String>, Fault> {
    Ok(sqlx::query_scalar!(
        "select live.number
         from app_version as v
         join app_version as live on live.app_uuid = v.app_uuid and live.state = 'PUBLISHED'
         where v.version_uuid = $1 and live.precedence >= v.precedence",
        version_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Returns the scheduled versions that are due and may be published, earliest first. It omits the versions in
/// `put_off`. A version waits while its app or partner is suspended.
pub(super) async fn due_page(db: &Db, put_off: &[Uuid]) -> Result<Vec<Uuid>, Fault> {
    Ok(sqlx::query_scalar!(
        "select v.version_uuid
         from app_version as v
         join app as a on a.app_uuid = v.app_uuid
         join partner as p on p.partner_uuid = a.partner_uuid
         where v.state = 'SCHEDULED' and v.publish_at <= labs_now() and v.version_uuid <> all($1)
             and a.state in ('DRAFT', 'LISTED', 'UNLISTED') and p.state in ('ACTIVE', 'CLOSING')
             and not exists (
                 select from app_version as live
                 where live.app_uuid = v.app_uuid and live.state = 'PUBLISHED' and live.precedence >= v.precedence)
         order by v.publish_at, v.precedence
         limit 100",
        put_off
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Locks a due version with its app, and its partner against a suspension, and returns the app. Returns `None` if
/// another transaction has locked one of them, or if the version is not due any more.
pub(super) async fn lock_due(db: &Db, version_uuid: Uuid) -> Result<Option<Uuid>, Fault> {
    Ok(sqlx::query_scalar!(
        "select a.app_uuid
         from app_version as v
         join app as a on a.app_uuid = v.app_uuid
         join partner as p on p.partner_uuid = a.partner_uuid
         where v.version_uuid = $1 and v.state = 'SCHEDULED' and v.publish_at <= labs_now()
             and a.state in ('DRAFT', 'LISTED', 'UNLISTED') and p.state in ('ACTIVE', 'CLOSING')
         for no key update of a, v skip locked
         for share of p skip locked",
        version_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}
