//! SQL statements that create an app, change its draft and delete it.

use labs_core::db::Db;
use labs_core::fault::{Fault, constraint_of};
use labs_core::principal::Owner;
use labs_core::time::Time;
use labs_shared::states::AppState;
use serde_json::Value;
use sqlx::types::Json;
use uuid::Uuid;

use super::AppRow;
use crate::apps::rules::draft::{Draft, SlugConstraints};
use crate::versions::AppVersionState;

/// Actor of an entry in an app's history. The statement adds the kind of event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    /// UUID of the object.
    pub(crate) event_uuid: Uuid,
    /// Kind of actor, for example `PARTNER_USER`.
    pub(crate) actor_kind: &'static str,
    /// UUID of the user or machine client.
    pub(crate) actor_uuid: Uuid,
}

/// Current state of an app, as a change needs it.
#[derive(Clone, Debug)]
pub(crate) struct CurrentApp {
    /// Current draft.
    pub(crate) draft: Draft,
    /// Locale of the texts in `draft`.
    pub(crate) locale: String,
    /// All locales with texts.
    pub(crate) locales: Vec<String>,
    /// Conditions that make the slug immutable.
    pub(crate) fixed: SlugConstraints,
    /// Current state.
    pub(crate) state: AppState,
    /// Chosen categories, the primary category first.
    pub(crate) category_uuids: Vec<Uuid>,
}

/// Counts the apps that count against the partner's tier limit.
pub(crate) async fn count_apps(db: &Db, owner: Owner) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from app where partner_uuid = $1 and state <> 'ARCHIVED'"#,
        owner.uuid()
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Inserts an app and its first history entry. Returns `None` if the slug is taken.
pub(crate) async fn insert_app(
    db: &Db,
    owner: Owner,
    app_uuid: Uuid,
    draft: &Draft,
    event: Event,
) -> Result<Option<AppRow>, Fault> {
    let made = sqlx::query_scalar!(
        r#"with made as (
             insert into app (app_uuid, partner_uuid, slug, default_locale, support_email, support_url, privacy_url,
                              website_url, terms_url)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning created_at),
           written as (
             insert into app_translation (app_uuid, locale, name, tagline, description) values ($1, $4, $10, $11, $12)),
           happened as (
             insert into app_event (event_uuid, app_uuid, kind, actor_kind, actor_uuid)
             values ($13, $1, 'CREATED', $14, $15))
           select created_at from made"#,
        app_uuid,
        owner.uuid(),
        draft.slug,
        draft.default_locale,
        draft.support_email,
        draft.support_url,
        draft.privacy_url,
        draft.website_url,
        draft.terms_url,
        draft.name,
        draft.tagline,
        draft.description,
        event.event_uuid,
        event.actor_kind,
        event.actor_uuid,
    )
    .fetch_one(&mut *db.conn().await?)
    .await;
    match made {
        Ok(created_at) => Ok(Some(new_row(app_uuid, draft, created_at))),
        Err(error) if constraint_of(&error) == Some("app_slug_key") => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Builds the row of a new app in the form that a read returns.
fn new_row(app_uuid: Uuid, draft: &Draft, created_at: Time) -> AppRow {
    let draft = draft.clone();
    AppRow {
        app_uuid,
        slug: draft.slug,
        name_sorted: draft.name.to_lowercase(),
        name: draft.name,
        tagline: draft.tagline,
        description: draft.description,
        default_locale: draft.default_locale,
        state: AppState::Draft,
        state_reason: None,
        support_email: draft.support_email,
        support_url: draft.support_url,
        privacy_url: draft.privacy_url,
        website_url: draft.website_url,
        terms_url: draft.terms_url,
        created_at,
        updated_at: created_at,
        categories: None,
        icon_uuid: None,
        icon_media_type: None,
        icon_width: None,
        icon_height: None,
        icon_alt_text: None,
        latest_uuid: None,
        latest_number: None,
        latest_state: None,
        latest_created_at: None,
        live_uuid: None,
        live_number: None,
        live_at: None,
    }
}

/// Locks an app of the partner until the transaction ends, so that later reads see the previous lock holder's changes.
/// Returns `None` if the partner does not own the app.
pub(crate) async fn lock(db: &Db, owner: Owner, app_uuid: Uuid) -> Result<Option<()>, Fault> {
    let locked = sqlx::query!(
        "select app_uuid from app where app_uuid = $1 and partner_uuid = $2 for update",
        app_uuid,
        owner.uuid()
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    Ok(locked.map(drop))
}

/// Loads the current draft, with the texts of this locale if there are any, else of the default locale.
pub(crate) async fn get_current(
    db: &Db,
    owner: Owner,
    app_uuid: Uuid,
    locale: Option<&str>,
) -> Result<Option<CurrentApp>, Fault> {
    let row = sqlx::query!(
        r#"select app.slug, app.default_locale, app.state as "state: AppState", app.support_email, app.support_url,
                  app.privacy_url, app.website_url, app.terms_url, words.locale, words.name, words.tagline, words.description,
                  (select array_agg(locale) from app_translation where app_uuid = $1) as "locales!",
                  (select coalesce(array_agg(category_uuid order by position), '{}') from app_category
                    where app_uuid = $1) as "category_uuids!",
                  exists (select from app_version where app_uuid = $1 and published_at is not null) as "was_published!",
                  exists (select from app_version where app_uuid = $1
                             and state in ('SUBMITTED', 'IN_REVIEW', 'APPROVED', 'SCHEDULED')) as "is_handed_in!"
             from app
             join lateral (
                  select * from app_translation
                   where app_translation.app_uuid = app.app_uuid and locale in ($3, app.default_locale)
                   order by locale = $3 desc nulls last limit 1) as words on true
            where app.app_uuid = $1 and app.partner_uuid = $2"#,
        app_uuid,
        owner.uuid(),
        locale,
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    Ok(row.map(|row| CurrentApp {
        draft: Draft {
            slug: row.slug,
            default_locale: row.default_locale,
            support_email: row.support_email,
            support_url: row.support_url,
            privacy_url: row.privacy_url,
            website_url: row.website_url,
            terms_url: row.terms_url,
            name: row.name,
            tagline: row.tagline,
            description: row.description,
        },
        locale: row.locale,
        locales: row.locales,
        fixed: SlugConstraints { was_published: row.was_published, is_handed_in: row.is_handed_in },
        state: row.state,
        category_uuids: row.category_uuids,
    }))
}

/// Replaces the draft. Its texts go to the row that now has the locale `locale`. Returns `None` if the slug is taken.
/// `fields` names the changed fields, for the history.
pub(crate) async fn set_draft(
    db: &Db,
    app_uuid: Uuid,
    locale: &str,
    draft: &Draft,
    fields: &[&str],
    event: Event,
) -> Result<Option<()>, Fault> {
    let written = sqlx::query!(
        r#"with changed as (
             update app set slug = $2, default_locale = $3, support_email = $4, support_url = $5, privacy_url = $6,
                            website_url = $7, terms_url = $8, updated_at = labs_now()
              where app_uuid = $1),
           written as (
             update app_translation set locale = $3, name = $10, tagline = $11, description = $12,
                                        updated_at = labs_now()
              where app_uuid = $1 and locale = $9)
           insert into app_event (event_uuid, app_uuid, kind, actor_kind, actor_uuid, detail)
           values ($13, $1, 'UPDATED', $14, $15, jsonb_build_object('fields', $16::text[]))"#,
        app_uuid,
        draft.slug,
        draft.default_locale,
        draft.support_email,
        draft.support_url,
        draft.privacy_url,
        draft.website_url,
        draft.terms_url,
        locale,
        draft.name,
        draft.tagline,
        draft.description,
        event.event_uuid,
        event.actor_kind,
        event.actor_uuid,
        fields as &[&str],
    )
    .execute(&mut *db.conn().await?)
    .await;
    match written {
        Ok(_) => Ok(Some(())),
        Err(error) if constraint_of(&error) == Some("app_slug_key") => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Adds an entry to an app's history and sets the draft's time of change.
pub(crate) async fn insert_event(
    db: &Db,
    app_uuid: Uuid,
    kind: &str,
    detail: Value,
    event: Event,
) -> Result<(), Fault> {
    sqlx::query!(
        "with touched as (update app set updated_at = labs_now() where app_uuid = $2)
         insert into app_event (event_uuid, app_uuid, kind, actor_kind, actor_uuid, detail)
         values ($1, $2, $3, $4, $5, $6)",
        event.event_uuid,
        app_uuid,
        kind,
        event.actor_kind,
        event.actor_uuid,
        Json(detail) as Json<Value>,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Returns the states of an app's versions and locks each version until the transaction ends, so that none is submitted
/// in between.
pub(crate) async fn lock_version_states(db: &Db, app_uuid: Uuid) -> Result<Vec<AppVersionState>, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select state as "state: AppVersionState" from app_version where app_uuid = $1 for update"#,
        app_uuid
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Deletes an app with all dependent rows.
pub(crate) async fn delete(db: &Db, owner: Owner, app_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!("delete from app where app_uuid = $1 and partner_uuid = $2", app_uuid, owner.uuid())
        .execute(&mut *db.conn().await?)
        .await?;
    Ok(())
}
