//! Making an app, changing its draft, and taking it away again.

use serde_json::Value;
use sqlx::types::Json;
use uuid::Uuid;

use super::AppRow;
use crate::core::db::Db;
use crate::core::fault::{Fault, constraint_of};
use crate::core::principal::Owner;
use crate::core::time::Time;
use crate::marketplace::apps::rules::AppState;
use crate::marketplace::apps::rules::draft::{Draft, Fixed};
use crate::marketplace::versions::AppVersionState;

/// An entry for an app's history: who did it. What was done, the statement says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    /// UUID of the object.
    pub(crate) event_uuid: Uuid,
    /// `PARTNER_USER` for example.
    pub(crate) actor_kind: &'static str,
    /// The person or the program.
    pub(crate) actor_uuid: Uuid,
}

/// An app as a change of it must know it.
#[derive(Clone, Debug)]
pub(crate) struct Present {
    /// What is written now.
    pub(crate) draft: Draft,
    /// The locale of the texts above.
    pub(crate) locale: String,
    /// Every locale that has texts.
    pub(crate) locales: Vec<String>,
    /// What fixes its slug.
    pub(crate) fixed: Fixed,
    /// Where it is.
    pub(crate) state: AppState,
    /// The chosen categories, the primary one first.
    pub(crate) category_uuids: Vec<Uuid>,
}

/// How many apps count against the partner's plan.
pub(crate) async fn app_count(db: &Db, owner: Owner) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from app where partner_uuid = $1 and state <> 'ARCHIVED'"#,
        owner.uuid()
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Makes an app and begins its history; `None` when the slug is taken.
pub(crate) async fn app_insert(
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

/// What was just written, as a read would find it.
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

/// Holds an app of the partner until the transaction ends. What is read of it afterwards is what the last one who
/// held it left. `None` when it is not the partner's.
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

/// What is written now, with the texts of this locale where there are some, else of the default one.
pub(crate) async fn present_get(
    db: &Db,
    owner: Owner,
    app_uuid: Uuid,
    locale: Option<&str>,
) -> Result<Option<Present>, Fault> {
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
    Ok(row.map(|row| Present {
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
        fixed: Fixed { was_published: row.was_published, is_handed_in: row.is_handed_in },
        state: row.state,
        category_uuids: row.category_uuids,
    }))
}

/// Writes a draft over the present one; its texts go to the row that now has the locale `locale`. `None` when the slug
/// is taken. `fields` names what changed, for the history.
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

/// Adds to an app's history, and marks its draft as changed now.
pub(crate) async fn event_insert(
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

/// The states of an app's versions, each held until the transaction ends, so that none is submitted meanwhile.
pub(crate) async fn version_states_lock(db: &Db, app_uuid: Uuid) -> Result<Vec<AppVersionState>, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select state as "state: AppVersionState" from app_version where app_uuid = $1 for update"#,
        app_uuid
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Removes an app with everything that hangs on it.
pub(crate) async fn delete(db: &Db, owner: Owner, app_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!("delete from app where app_uuid = $1 and partner_uuid = $2", app_uuid, owner.uuid())
        .execute(&mut *db.conn().await?)
        .await?;
    Ok(())
}
