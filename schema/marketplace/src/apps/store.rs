//! SQL statements of apps.

mod categories;
mod draft;
mod life;

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::list::{Lookup, Select, Statements};
use labs_core::principal::Owner;
use labs_core::time::Time;
use labs_shared::states::AppState;
use serde::Deserialize;
use sqlx::types::Json;
use uuid::Uuid;

use crate::versions::AppVersionState;

pub(super) use categories::{get_selectable, put_categories};
pub(super) use draft::{CurrentApp, count_apps, delete, get_current, insert_app, lock_version_states, set_draft};
pub(crate) use draft::{Event, insert_event, lock};
pub(super) use life::{count_archived_drafts, set_state, take_slug};

/// App with the texts of its default locale and its small related lists, loaded as one row by one statement.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(crate) struct AppRow {
    pub(crate) app_uuid: Uuid,
    pub(crate) slug: String,
    pub(crate) name: String,
    pub(crate) name_sorted: String,
    pub(crate) tagline: String,
    pub(crate) description: String,
    pub(crate) default_locale: String,
    pub(crate) state: AppState,
    pub(crate) state_reason: Option<String>,
    pub(crate) support_email: Option<String>,
    pub(crate) support_url: Option<String>,
    pub(crate) privacy_url: Option<String>,
    pub(crate) website_url: Option<String>,
    pub(crate) terms_url: Option<String>,
    pub(crate) created_at: Time,
    pub(crate) updated_at: Time,
    pub(crate) categories: Option<Json<Vec<CategoryRow>>>,
    pub(crate) icon_uuid: Option<Uuid>,
    pub(crate) icon_media_type: Option<String>,
    pub(crate) icon_width: Option<i32>,
    pub(crate) icon_height: Option<i32>,
    pub(crate) icon_alt_text: Option<String>,
    pub(crate) latest_uuid: Option<Uuid>,
    pub(crate) latest_number: Option<String>,
    pub(crate) latest_state: Option<AppVersionState>,
    pub(crate) latest_created_at: Option<Time>,
    pub(crate) live_uuid: Option<Uuid>,
    pub(crate) live_number: Option<String>,
    pub(crate) live_at: Option<Time>,
}

/// Category that an app has chosen, named in the app's default locale.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct CategoryRow {
    pub(crate) category_uuid: Uuid,
    pub(crate) slug: String,
    pub(crate) name: String,
    pub(crate) position: i32,
}

/// Columns of a complete app.
macro_rules! whole_columns {
    () => {
        "app.app_uuid, app.slug, words.name, name_order(words.name) as name_sorted, words.tagline, words.description,
     app.default_locale, app.state, app.state_reason, app.support_email, app.support_url, app.privacy_url,
     app.website_url, app.terms_url, app.created_at, app.updated_at, chosen.categories,
     icon.media_uuid as icon_uuid, icon.media_type as icon_media_type, icon.width as icon_width,
     icon.height as icon_height, icon.alt_text as icon_alt_text,
     latest.version_uuid as latest_uuid, latest.number as latest_number, latest.state as latest_state,
     latest.created_at as latest_created_at,
     live.version_uuid as live_uuid, live.number as live_number, live.published_at as live_at"
    };
}

/// Relations of a complete app. Laterals look up related rows for each app of the page, and never join whole tables.
macro_rules! whole_relations {
    () => {
        "app
     cross join lateral (
          select * from app_translation as own
           where own.app_uuid = app.app_uuid and own.locale = app.default_locale limit 1) as words
     left join lateral (
          select json_agg(json_build_object('category_uuid', category.category_uuid, 'slug', category.slug,
                     'position', app_category.position, 'name', coalesce(
                         locale_text(category.names, app.default_locale),
                         category.names ->> 'en', category.slug)) order by app_category.position) as categories
            from app_category join category using (category_uuid)
           where app_category.app_uuid = app.app_uuid) as chosen on true
     left join lateral (
          select media_uuid, media_type, width, height, alt_text from media
           where media.app_uuid = app.app_uuid and kind = 'ICON' and removed_at is null
           order by position desc, media_uuid desc limit 1) as icon on true
     left join lateral (
          select version_uuid, number, version.state, version.created_at from app_version as version
           where version.app_uuid = app.app_uuid
           order by version.created_at desc, version.version_uuid desc limit 1) as latest on true
     left join lateral (
          select * from app_version as own where own.app_uuid = app.app_uuid and own.state = 'PUBLISHED' limit 1) as live
          on true"
    };
}

pub(super) use {whole_columns, whole_relations};

/// Complete apps, for every list and lookup.
pub(super) static WHOLE: Select<AppRow> = Select::new(whole_columns!(), whole_relations!());

/// Looks up one app of a partner.
static OWN: Lookup<AppRow> = Lookup::new(&WHOLE, &["app.partner_uuid = {}", "app.app_uuid = {}"]);

/// SQL statements of apps that are assembled at run time, so the compiler does not check them.
pub(crate) static STATEMENTS: [&dyn Statements; 11] = [
    &super::list::APPS,
    &super::list::CHOICE,
    &super::events::HISTORY,
    &super::events::FOLLOWED,
    &super::events::HISTORY_FOR_STAFF,
    &super::administration::APPS_OF_ALL,
    &super::administration::APPS_OF_ONE,
    &super::administration::BY_ID,
    &super::administration::APP,
    &super::administration::APPS_OF_EACH,
    &OWN,
];

/// Returns whether the partner exists.
pub(super) async fn partner_exists(db: &Db, partner_uuid: Uuid) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(r#"select exists (select from partner where partner_uuid = $1) as "exists!""#, partner_uuid)
        .fetch_one(&mut *db.conn().await?)
        .await?)
}

/// Loads one app of a partner.
pub(super) async fn get(db: &Db, owner: Owner, app_uuid: Uuid) -> Result<Option<AppRow>, Fault> {
    OWN.fetch_one(db, [owner.uuid().into(), app_uuid.into()]).await
}
