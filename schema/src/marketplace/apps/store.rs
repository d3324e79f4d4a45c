//! Every statement about apps.

mod categories;
mod draft;

use std::collections::HashMap;

use ::dataloader::BatchFn;
use ::dataloader::cached::Loader;
use serde::Deserialize;
use serde_json::json;
use sqlx::query_as;
use sqlx::types::Json;
use uuid::Uuid;

use crate::batch::by_key;
use crate::db::Db;
use crate::fault::Fault;
use crate::page::{Keys, Window};
use crate::paged;
use crate::principal::Owner;
use crate::time::Time;

pub(super) use categories::{SelectableRow, categories_put, selectable_get, selectable_page};
pub(in crate::marketplace) use draft::{Event, event_insert, lock};
pub(super) use draft::{Present, app_count, app_insert, delete, present_get, set_draft, version_states_lock};

/// An app with the texts of its default locale and everything of which it has few: one row, one statement.
#[derive(Clone, Debug)]
pub(crate) struct AppRow {
    pub(crate) app_uuid: Uuid,
    pub(crate) slug: String,
    pub(crate) name: String,
    pub(crate) name_sorted: String,
    pub(crate) tagline: String,
    pub(crate) description: String,
    pub(crate) default_locale: String,
    pub(crate) state: String,
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
    pub(crate) latest_state: Option<String>,
    pub(crate) latest_created_at: Option<Time>,
    pub(crate) live_uuid: Option<Uuid>,
    pub(crate) live_number: Option<String>,
    pub(crate) live_at: Option<Time>,
}

/// A category that an app has chosen, named in the app's default locale.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct CategoryRow {
    pub(crate) category_uuid: Uuid,
    pub(crate) slug: String,
    pub(crate) name: String,
    pub(crate) position: i32,
}

/// Asks for whole apps with the macro named; the tail narrows and orders them.
macro_rules! apps {
    ($run:ident!($($head:tt)*), $($tail:literal)+; $($argument:expr),* $(,)?) => {
        $run!(
            $($head)*
            r#"select app.app_uuid, app.slug, words.name, lower(unaccent(words.name)) as "name_sorted!",
                      words.tagline, words.description, app.default_locale, app.state, app.state_reason,
                      app.support_email, app.support_url, app.privacy_url, app.website_url, app.terms_url,
                      app.created_at, app.updated_at, chosen.categories as "categories?: Json<Vec<CategoryRow>>",
                      icon.media_uuid as "icon_uuid?", icon.media_type as "icon_media_type?", icon.width as "icon_width?",
                      icon.height as "icon_height?", icon.alt_text as "icon_alt_text?",
                      latest.version_uuid as "latest_uuid?", latest.number as "latest_number?",
                      latest.state as "latest_state?", latest.created_at as "latest_created_at?",
                      live.version_uuid as "live_uuid?", live.number as "live_number?", live.published_at as "live_at?"
                 from app
                 join app_translation as words on words.app_uuid = app.app_uuid and words.locale = app.default_locale
                 left join lateral (
                      select json_agg(json_build_object('category_uuid', category.category_uuid, 'slug', category.slug,
                                 'position', app_category.position, 'name', coalesce(
                                     category.names ->> app.default_locale,
                                     category.names ->> split_part(app.default_locale, '-', 1),
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
                 left join app_version as live on live.app_uuid = app.app_uuid and live.state = 'PUBLISHED'
                where "# $(+ $tail)+,
            $($argument),*
        )
    };
}

/// One app of a partner.
pub(crate) async fn get(db: &Db, owner: Owner, app_uuid: Uuid) -> Result<Option<AppRow>, Fault> {
    Ok(apps!(query_as!(AppRow,), "app.partner_uuid = $1 and app.app_uuid = $2"; owner.uuid(), app_uuid)
        .fetch_optional(&mut *db.conn().await?)
        .await?)
}

/// What a list is narrowed to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    pub(crate) state: Option<Vec<String>>,
    pub(crate) q: Option<String>,
    pub(crate) category_uuid: Option<Uuid>,
    pub(crate) created_at_from: Option<Time>,
    pub(crate) created_at_until: Option<Time>,
}

/// The orders a list can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    NewestFirst,
    OldestFirst,
    ByName,
    LastChangedFirst,
}

impl AppRow {
    /// The cursor's keys under this order.
    pub(crate) fn keys(&self, order: Order) -> Keys {
        let first = match order {
            Order::NewestFirst | Order::OldestFirst => json!(self.created_at),
            Order::ByName => json!(self.name_sorted),
            Order::LastChangedFirst => json!(self.updated_at),
        };
        vec![first, json!(self.app_uuid)]
    }
}

/// A page of a partner's apps under the filter; `$after` are the cursor's keys and `$tail` places the page.
macro_rules! filtered {
    ($window:ident, $db:ident, $owner:ident, $filter:ident, $after:expr, $tail:literal) => {
        apps!(
            paged!($window, $db, AppRow,),
            r#"app.partner_uuid = $1 and ($2::text[] is null or app.state = any($2))
                  and ($3::text is null or strpos(lower(words.name), lower($3)) > 0
                       or strpos(app.slug, lower($3)) > 0 or strpos(lower(words.tagline), lower($3)) > 0)
                  and ($4::uuid is null or exists (
                       select from app_category as choice where choice.app_uuid = app.app_uuid and choice.category_uuid = $4))
                  and app.created_at >= coalesce($5, '-infinity'::timestamptz)
                  and app.created_at < coalesce($6, 'infinity'::timestamptz)
                "# $tail;
            $owner.uuid(), $filter.state.as_deref() as _, $filter.q.as_deref(), $filter.category_uuid,
            $filter.created_at_from as Option<Time>, $filter.created_at_until as Option<Time>,
            $after, $window.key::<Uuid>(1)?,
        )
    };
}

/// A page of a partner's apps.
pub(super) async fn page(
    db: &Db,
    owner: Owner,
    filter: &Filter,
    order: Order,
    window: &Window,
) -> Result<Vec<AppRow>, Fault> {
    Ok(match order {
        Order::NewestFirst => filtered!(window, db, owner, filter, window.key::<Time>(0)? as Option<Time>, "
            and (app.created_at, app.app_uuid) < (coalesce($7, 'infinity'::timestamptz), coalesce($8, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
          order by app.created_at desc, app.app_uuid desc"),
        Order::OldestFirst => filtered!(window, db, owner, filter, window.key::<Time>(0)? as Option<Time>, "
            and (app.created_at, app.app_uuid) > (coalesce($7, '-infinity'::timestamptz), coalesce($8, '00000000-0000-0000-0000-000000000000'::uuid))
          order by app.created_at, app.app_uuid"),
        Order::ByName => filtered!(window, db, owner, filter, window.key::<String>(0)?, "
            and (lower(unaccent(words.name)), app.app_uuid) > (coalesce($7, ''), coalesce($8, '00000000-0000-0000-0000-000000000000'::uuid))
          order by lower(unaccent(words.name)), app.app_uuid"),
        Order::LastChangedFirst => filtered!(window, db, owner, filter, window.key::<Time>(0)? as Option<Time>, "
            and (app.updated_at, app.app_uuid) < (coalesce($7, 'infinity'::timestamptz), coalesce($8, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
          order by app.updated_at desc, app.app_uuid desc"),
    }?)
}

/// The id of an app that is looked up for staff, whoever owns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct AppKey(pub(crate) Uuid);

/// Apps by id, many in one statement, each once a request. For fields that lead to an app from elsewhere; what a
/// partner asks goes by [`get`], which demands its owner.
pub(crate) type AppLoader = Loader<AppKey, Result<Option<AppRow>, Fault>, AppBatch>;

/// Fetches the apps of a batch.
pub(crate) struct AppBatch(Db);

/// A loader for one request.
pub(crate) fn loader(db: Db) -> AppLoader {
    Loader::new(AppBatch(db))
}

impl AppBatch {
    async fn fetch(&self, keys: &[AppKey]) -> Result<Vec<AppRow>, Fault> {
        let uuids: Vec<Uuid> = keys.iter().map(|key| key.0).collect();
        Ok(apps!(query_as!(AppRow,), "app.app_uuid = any($1)"; &uuids).fetch_all(&mut *self.0.conn().await?).await?)
    }
}

impl BatchFn<AppKey, Result<Option<AppRow>, Fault>> for AppBatch {
    async fn load(&mut self, keys: &[AppKey]) -> HashMap<AppKey, Result<Option<AppRow>, Fault>> {
        by_key(keys, self.fetch(keys).await, |row| AppKey(row.app_uuid))
    }
}
