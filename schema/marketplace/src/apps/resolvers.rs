//! Resolvers of apps.

mod types;

use labs_core::context::RequestContext;
use labs_core::describe::Created;
use labs_core::entitlement::Allowance;
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::locale::preference;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::List;
use labs_core::slug::SlugAttempts;
use uuid::Uuid;

use super::list::{APPS, AppFilter, AppSort, CHOICE, OwnApps};
use super::rules::{self, draft};
use super::store::{self, AppRow, Event};

pub(super) use types::{App, SelectableCategory};
use types::{AppCategories, AppCategoriesPut, AppCategory, AppCreate, AppUpdate};

/// Page size of the category tree, which usually fits on one page.
const CATEGORIES_A_PAGE: i32 = 100;

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![
    marketplace_apps_list,
    marketplace_apps_get,
    marketplace_apps_list_selectable_categories,
    marketplace_apps_create,
    marketplace_apps_update,
    marketplace_apps_delete,
    marketplace_apps_put_categories,
];

/// List apps.
#[operation(query, access = "marketplace.apps")]
async fn marketplace_apps_list(
    cx: &RequestContext,
    filter: Option<AppFilter>,
    sort: Option<AppSort>,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<App>, Fault> {
    let own = OwnApps { partner_uuid: cx.owner()?.uuid(), filter: filter.unwrap_or_default() };
    let request = PageRequest::new(sort, limit, cursor);
    Ok(APPS.page(cx, &own, &request).await?.map(|row| Ok(show(cx, row)))?.list())
}

/// Get an app.
#[operation(query, access = "marketplace.apps")]
async fn marketplace_apps_get(cx: &RequestContext, app_uuid: Uuid) -> Result<App, Fault> {
    load_app(cx, app_uuid).await
}

/// List selectable categories.
#[operation(query, access = "marketplace.apps")]
async fn marketplace_apps_list_selectable_categories(
    cx: &RequestContext,
    locale: Option<String>,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<SelectableCategory>, Fault> {
    let request = PageRequest::new(None, limit.or(Some(CATEGORIES_A_PAGE)), cursor);
    Ok(CHOICE.page(cx, &preference(locale), &request).await?.list())
}

/// Create an app.
#[operation(mutation, access = "marketplace.apps:write")]
async fn marketplace_apps_create(cx: &RequestContext, body: AppCreate) -> Result<Created<App>, Fault> {
    let owner = cx.owner()?;
    let (mut draft, slug) = draft::new_draft(body.into())?;
    let allowance = Allowance::lock(&cx.db, owner, "apps").await?;
    allowance.check(store::count_apps(&cx.db, owner).await?, 1)?;
    let app_uuid = cx.new_uuid();
    let mut attempts = SlugAttempts::new(&cx.db, slug, cx.new_uuid());
    let made = loop {
        draft.slug = attempts.next_slug().await?;
        let made = store::insert_app(&cx.db, owner, app_uuid, &draft, event(cx)?).await?;
        if let Some(made) = attempts.end(made.ok_or_else(|| draft::err_slug_taken(&draft.slug))).await? {
            break made;
        }
    };
    Ok(Created::new(made.app_uuid, show(cx, made)))
}

/// Update an app.
#[operation(mutation, access = "marketplace.apps:write")]
async fn marketplace_apps_update(cx: &RequestContext, app_uuid: Uuid, body: AppUpdate) -> Result<App, Fault> {
    let present = lock_app(cx, app_uuid, body.default_locale.as_deref()).await?;
    let after = draft::merge(&present.draft, body.into())?;
    draft::ensure_slug_movable(&present.draft, &after, present.fixed)?;
    draft::ensure_locale_movable(&after, &present.locales)?;
    let fields = draft::changed_fields(&present.draft, &after);
    if !fields.is_empty() {
        let written = store::set_draft(&cx.db, app_uuid, &present.locale, &after, &fields, event(cx)?).await?;
        written.ok_or_else(|| draft::err_slug_taken(&after.slug))?;
    }
    load_app(cx, app_uuid).await
}

/// Delete an app.
#[operation(mutation, access = "marketplace.apps:write")]
async fn marketplace_apps_delete(cx: &RequestContext, app_uuid: Uuid) -> Result<bool, Fault> {
    let present = lock_app(cx, app_uuid, None).await?;
    let versions = store::lock_version_states(&cx.db, app_uuid).await?;
    rules::ensure_deletable(present.state, present.fixed.was_published, &versions)?;
    store::delete(&cx.db, cx.owner()?, app_uuid).await?;
    Ok(true)
}

/// Replace an app's categories.
#[operation(mutation, access = "marketplace.apps:write")]
async fn marketplace_apps_put_categories(
    cx: &RequestContext,
    app_uuid: Uuid,
    body: AppCategoriesPut,
) -> Result<AppCategories, Fault> {
    let present = lock_app(cx, app_uuid, None).await?;
    let further = body.further_category_uuids.unwrap_or_default();
    let chosen = rules::categories::read_choice(body.primary_category_uuid, &further)?;
    let known = store::get_selectable(&cx.db, &present.draft.default_locale, &chosen).await?;
    rules::categories::ensure_selectable(&chosen, |uuid| known.iter().any(|row| row.category_uuid == uuid))?;
    if chosen != present.category_uuids {
        store::put_categories(&cx.db, app_uuid, &chosen, event(cx)?).await?;
    }
    let in_order = chosen.iter().filter_map(|uuid| known.iter().find(|row| row.category_uuid == *uuid));
    let categories = (0..).zip(in_order).map(|(position, row)| AppCategory::of(row.clone(), position)).collect();
    Ok(AppCategories { categories })
}

/// Builds an entry for an app's history with the caller as actor.
pub(crate) fn event(cx: &RequestContext) -> Result<Event, Fault> {
    let principal = cx.principal()?;
    Ok(Event { event_uuid: cx.new_uuid(), actor_kind: principal.kind.name(), actor_uuid: principal.uuid })
}

/// Loads the app in the form that its owner sees.
pub(crate) async fn load_app(cx: &RequestContext, app_uuid: Uuid) -> Result<App, Fault> {
    Ok(show(cx, store::get(&cx.db, cx.owner()?, app_uuid).await?.ok_or_else(err_not_found)?))
}

fn show(cx: &RequestContext, row: AppRow) -> App {
    App::of(row, cx.may("marketplace.apps:write"))
}

/// Locks the app for a change and loads its texts in this locale, if there are any.
pub(crate) async fn lock_app(
    cx: &RequestContext,
    app_uuid: Uuid,
    locale: Option<&str>,
) -> Result<store::CurrentApp, Fault> {
    let owner = cx.owner()?;
    store::lock(&cx.db, owner, app_uuid).await?.ok_or_else(err_not_found)?;
    store::get_current(&cx.db, owner, app_uuid, locale).await?.ok_or_else(err_not_found)
}

fn err_not_found() -> Fault {
    Fault::not_found("app")
}
