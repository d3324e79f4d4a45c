//! A partner's apps: the first page, and a write of one with `If-Match`.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, patch};
use http::{HeaderValue, Method};
use labs_schema::Engine;
use labs_schema::time::Time;
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use sqlx::types::Json as Column;
use uuid::Uuid;

use super::{Bearer, List, Page, Refusal, fresh_uuid};
use crate::cases::{Caller, Case};
use crate::load;
use crate::statements::Statement;

/// The first page of the partner's apps.
pub(crate) static LIST: Case = Case {
    name: "marketplace_apps_list",
    bar: 0.9,
    caller: Caller::Partner,
    route: "/v1/marketplace/apps",
    handler: || get(list),
    request: |_, _| load::get("/v1/marketplace/apps", None),
    varying: &[],
};

/// A change of a tagline. Each connection has a separate app, so that no connection waits for another's row, and sends
/// the entity tag of its previous response.
pub(crate) static UPDATE: Case = Case {
    name: "marketplace_apps_update (If-Match)",
    bar: 0.9,
    caller: Caller::Partner,
    route: "/v1/marketplace/apps/{uuid}",
    handler: || patch(update),
    request: |numbers, at| {
        let path = format!("/v1/marketplace/apps/0198aaaa-0000-7000-8000-{:012x}", numbers.own_app(at.connection));
        let body = format!(r#"{{"tagline":"Takes orders, edition {}"}}"#, at.n);
        let mut request = load::request(Method::PATCH, &path, None, Some(("application/json", body.into())))?;
        if let Some(etag) = at.etag {
            request.headers_mut().insert(header::IF_MATCH, HeaderValue::from_str(etag)?);
        }
        Ok(request)
    },
    varying: &["updated_at"],
};

static PAGE: Statement = Statement::with(&[
    // The staff list of a partner's apps selects more columns.
    "live.published_at as live_at from app",
    "where (app.partner_uuid = $1) order by app.created_at desc, app.app_uuid desc limit 21",
]);
static ONE: Statement = Statement::with(&[
    "live.published_at as live_at from app",
    "where (app.partner_uuid = $1) and (app.app_uuid = $2)",
]);
static DRAFT: Statement = Statement::with(&["select app.slug, app.default_locale, app.state", "\"was_published!\""]);
static SET_DRAFT: Statement = Statement::with(&["update app set slug = $2", "'UPDATED'"]);
/// Statements of this file.
#[cfg(test)]
pub(crate) static STATEMENTS: [&Statement; 4] = [&PAGE, &ONE, &DRAFT, &SET_DRAFT];

/// Locks an app for a change and reads its revision.
const LOCK: &str = "select updated_at from app where app_uuid = $1 and partner_uuid = $2 for update";

async fn list(State(engine): State<Engine>, bearer: Bearer) -> Result<Json<List<App>>, Refusal> {
    bearer.require("marketplace.apps")?;
    let query = sqlx::query_as(PAGE.text()?).bind(bearer.0.partner_uuid);
    let mut rows: Vec<AppRow> = query.fetch_all(engine.pool()).await?;
    let page = Page::cut(&mut rows, |row| format!("{}~{}", row.created_at, row.app_uuid));
    Ok(Json(List { data: rows.into_iter().map(App::from).collect(), page }))
}

#[derive(Deserialize)]
struct Change {
    tagline: String,
}

async fn update(
    State(engine): State<Engine>,
    bearer: Bearer,
    Path(uuid): Path<Uuid>,
    headers: HeaderMap,
    Json(change): Json<Change>,
) -> Result<Response, Refusal> {
    bearer.require("marketplace.apps:write")?;
    let owner = bearer.0.partner_uuid;
    let mut transaction = engine.pool().begin().await?;
    let query = sqlx::query_scalar(LOCK).bind(uuid).bind(owner);
    let revision: Option<Time> = query.fetch_optional(&mut *transaction).await?;
    let revision = revision.ok_or(Refusal(StatusCode::NOT_FOUND))?;
    if headers.get(header::IF_MATCH).is_some_and(|expected| expected.as_bytes() != etag(revision).as_bytes()) {
        return Err(Refusal(StatusCode::PRECONDITION_FAILED));
    }
    let query = sqlx::query_as(DRAFT.text()?).bind(uuid).bind(owner).bind(None::<String>);
    let draft: DraftRow = query.fetch_one(&mut *transaction).await?;
    sqlx::query(SET_DRAFT.text()?)
        .bind(uuid)
        .bind(draft.slug)
        .bind(draft.default_locale)
        .bind(draft.support_email)
        .bind(draft.support_url)
        .bind(draft.privacy_url)
        .bind(draft.website_url)
        .bind(draft.terms_url)
        .bind(draft.locale)
        .bind(draft.name)
        .bind(change.tagline)
        .bind(draft.description)
        .bind(fresh_uuid())
        .bind("MACHINE_CLIENT")
        .bind(bearer.0.uuid)
        .bind(["tagline"].as_slice())
        .execute(&mut *transaction)
        .await?;
    let query = sqlx::query_as(ONE.text()?).bind(owner).bind(uuid);
    let row: AppRow = query.fetch_one(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(([(header::ETAG, etag(row.updated_at))], Json(App::from(row))).into_response())
}

fn etag(revision: Time) -> String {
    format!("\"{}\"", revision.0.as_microsecond())
}

#[derive(FromRow)]
struct DraftRow {
    slug: String,
    default_locale: String,
    support_email: Option<String>,
    support_url: Option<String>,
    privacy_url: Option<String>,
    website_url: Option<String>,
    terms_url: Option<String>,
    locale: String,
    name: String,
    description: String,
}

#[derive(FromRow)]
struct AppRow {
    app_uuid: Uuid,
    slug: String,
    name: String,
    tagline: String,
    description: String,
    default_locale: String,
    state: String,
    state_reason: Option<String>,
    support_email: Option<String>,
    support_url: Option<String>,
    privacy_url: Option<String>,
    website_url: Option<String>,
    terms_url: Option<String>,
    created_at: Time,
    updated_at: Time,
    categories: Option<Column<Vec<ChosenRow>>>,
    icon_uuid: Option<Uuid>,
    icon_media_type: Option<String>,
    icon_width: Option<i32>,
    icon_height: Option<i32>,
    icon_alt_text: Option<String>,
    latest_uuid: Option<Uuid>,
    latest_number: Option<String>,
    latest_state: Option<String>,
    latest_created_at: Option<Time>,
    live_uuid: Option<Uuid>,
    live_number: Option<String>,
    live_at: Option<Time>,
}

#[derive(Deserialize)]
struct ChosenRow {
    category_uuid: Uuid,
    slug: String,
    name: String,
    position: i32,
}

#[derive(Serialize)]
struct App {
    uuid: Uuid,
    slug: String,
    name: String,
    tagline: String,
    description: String,
    default_locale: String,
    state: String,
    state_reason: Option<String>,
    support_email: Option<String>,
    support_url: Option<String>,
    privacy_url: Option<String>,
    website_url: Option<String>,
    terms_url: Option<String>,
    categories: Vec<Chosen>,
    icon: Option<Icon>,
    latest_version: Option<Latest>,
    published_version: Option<Live>,
    created_at: Time,
    updated_at: Time,
    allowed_actions: &'static [&'static str],
}

#[derive(Serialize)]
struct Chosen {
    uuid: Uuid,
    slug: String,
    name: String,
    primary: bool,
}

#[derive(Serialize)]
struct Icon {
    media_uuid: Uuid,
    media_type: String,
    width: i32,
    height: i32,
    alt_text: Option<String>,
}

#[derive(Serialize)]
struct Latest {
    uuid: Uuid,
    number: String,
    state: String,
    created_at: Time,
}

#[derive(Serialize)]
struct Live {
    uuid: Uuid,
    number: String,
    published_at: Time,
}

/// Actions of an owner who may write.
fn actions(state: &str) -> &'static [&'static str] {
    match state {
        "DRAFT" => &["archive"],
        "LISTED" => &["unlist", "archive"],
        "UNLISTED" => &["relist", "archive"],
        _ => &[],
    }
}

impl From<AppRow> for App {
    fn from(row: AppRow) -> Self {
        let latest = row.latest_uuid.zip(row.latest_number).zip(row.latest_state.zip(row.latest_created_at));
        let icon = row.icon_uuid.zip(row.icon_media_type).zip(row.icon_width.zip(row.icon_height));
        let live = row.live_uuid.zip(row.live_number).zip(row.live_at);
        let chosen = row.categories.map(|categories| categories.0).unwrap_or_default().into_iter();
        let chosen = chosen.map(|row| Chosen {
            uuid: row.category_uuid,
            slug: row.slug,
            name: row.name,
            primary: row.position == 0,
        });
        Self {
            allowed_actions: actions(&row.state),
            uuid: row.app_uuid,
            slug: row.slug,
            name: row.name,
            tagline: row.tagline,
            description: row.description,
            default_locale: row.default_locale,
            state: row.state,
            state_reason: row.state_reason,
            support_email: row.support_email,
            support_url: row.support_url,
            privacy_url: row.privacy_url,
            website_url: row.website_url,
            terms_url: row.terms_url,
            categories: chosen.collect(),
            icon: icon.map(|((media_uuid, media_type), (width, height))| {
                let alt_text = row.icon_alt_text.filter(|text| !text.is_empty());
                Icon { media_uuid, media_type, width, height, alt_text }
            }),
            latest_version: latest.map(|((uuid, number), (state, created_at))| Latest {
                uuid,
                number,
                state,
                created_at,
            }),
            published_version: live.map(|((uuid, number), published_at)| Live { uuid, number, published_at }),
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}
