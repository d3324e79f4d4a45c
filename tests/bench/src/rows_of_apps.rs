//! Row types of an app and their conversions.

use labs_schema::time::Time;
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use sqlx::types::Json;
use uuid::Uuid;

use crate::rows::Icon;

#[derive(FromRow)]
pub(crate) struct AppRow {
    pub(crate) app_uuid: Uuid,
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
    pub(crate) created_at: Time,
    updated_at: Time,
    categories: Option<Json<Vec<ChosenRow>>>,
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
pub(crate) struct App {
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
}

#[derive(Serialize)]
struct Chosen {
    uuid: Uuid,
    slug: String,
    name: String,
    primary: bool,
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

impl From<AppRow> for App {
    fn from(row: AppRow) -> Self {
        let latest = row.latest_uuid.zip(row.latest_number).zip(row.latest_state.zip(row.latest_created_at));
        let icon = row.icon_uuid.zip(row.icon_media_type).zip(row.icon_width.zip(row.icon_height));
        let chosen = row.categories.map(|categories| categories.0).unwrap_or_default();
        Self {
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
            categories: chosen
                .into_iter()
                .map(|row| Chosen {
                    uuid: row.category_uuid,
                    slug: row.slug,
                    name: row.name,
                    primary: row.position == 0,
                })
                .collect(),
            icon: icon.map(|((media_uuid, media_type), (width, height))| Icon {
                media_uuid,
                media_type,
                width,
                height,
                alt_text: row.icon_alt_text.filter(|text| !text.is_empty()),
            }),
            latest_version: latest.map(|((uuid, number), (state, created_at))| Latest {
                uuid,
                number,
                state,
                created_at,
            }),
            published_version: row
                .live_uuid
                .zip(row.live_number)
                .zip(row.live_at)
                .map(|((uuid, number), published_at)| Live { uuid, number, published_at }),
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

#[derive(FromRow)]
pub(crate) struct DraftRow {
    pub(crate) slug: String,
    pub(crate) default_locale: String,
    pub(crate) support_email: Option<String>,
    pub(crate) support_url: Option<String>,
    pub(crate) privacy_url: Option<String>,
    pub(crate) website_url: Option<String>,
    pub(crate) terms_url: Option<String>,
    pub(crate) locale: String,
    pub(crate) name: String,
    pub(crate) description: String,
}
