//! Row types of the service's statements and their conversions, as an engineer would write them by hand.

use std::collections::BTreeMap;

use labs_schema::Scope;
use labs_schema::time::Time;
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use sqlx::types::Json;
use uuid::Uuid;

#[derive(FromRow)]
pub(crate) struct ListingRow {
    slug: String,
    app_uuid: Uuid,
    name: String,
    tagline: String,
    description: String,
    locale: String,
    #[sqlx(rename = "locales!")]
    locales: Vec<String>,
    vendor_slug: String,
    vendor_name: String,
    version_number: String,
    version_published_at: Option<Time>,
    release_notes: Option<String>,
    #[sqlx(rename = "permissions: _")]
    permissions: Option<Json<Vec<serde_json::Value>>>,
    #[sqlx(rename = "categories: _")]
    categories: Option<Json<Vec<Category>>>,
    #[sqlx(rename = "media: _")]
    media: Option<Json<Vec<Picture>>>,
    #[sqlx(rename = "rating_average!")]
    rating_average: f64,
    rating_count: i32,
    support_url: Option<String>,
    support_email: Option<String>,
    privacy_url: Option<String>,
    website_url: Option<String>,
    terms_url: Option<String>,
    first_published_at: Time,
    published_at: Time,
}

#[derive(Deserialize, Serialize)]
struct Category {
    slug: String,
    name: String,
    primary: bool,
}

#[derive(Deserialize)]
struct Picture {
    media_uuid: Uuid,
    kind: String,
    position: i32,
    alt_text: Option<String>,
    caption: Option<String>,
    media_type: String,
    width: i32,
    height: i32,
    variants: BTreeMap<String, Pixels>,
}

#[derive(Clone, Copy, Deserialize)]
struct Pixels {
    width: i32,
    height: i32,
}

#[derive(Serialize)]
pub(crate) struct Listing {
    slug: String,
    app_uuid: Uuid,
    name: String,
    tagline: String,
    description: String,
    locale: String,
    locales: Vec<String>,
    vendor: Vendor,
    categories: Vec<Category>,
    version: Version,
    permissions: Vec<serde_json::Value>,
    icon: Option<Icon>,
    media: Vec<Medium>,
    rating: Rating,
    links: Links,
    first_published_at: Time,
    published_at: Time,
}

#[derive(Serialize)]
struct Vendor {
    slug: String,
    name: String,
}

#[derive(Serialize)]
struct Version {
    number: String,
    published_at: Time,
    release_notes: Option<String>,
}

#[derive(Serialize)]
pub(crate) struct Icon {
    pub(crate) media_uuid: Uuid,
    pub(crate) media_type: String,
    pub(crate) width: i32,
    pub(crate) height: i32,
    pub(crate) alt_text: Option<String>,
}

#[derive(Serialize)]
struct Medium {
    uuid: Uuid,
    kind: String,
    position: i32,
    alt_text: Option<String>,
    caption: Option<String>,
    media_type: String,
    width: i32,
    height: i32,
    variants: Vec<Variant>,
}

#[derive(Serialize)]
struct Variant {
    name: &'static str,
    width: i32,
    height: i32,
}

#[derive(Serialize)]
struct Rating {
    average: Option<f64>,
    count: i32,
}

#[derive(Serialize)]
struct Links {
    support_url: Option<String>,
    support_email: Option<String>,
    privacy_url: Option<String>,
    website_url: Option<String>,
    terms_url: Option<String>,
}

impl From<ListingRow> for Listing {
    fn from(row: ListingRow) -> Self {
        let pictures = row.media.map(|media| media.0).unwrap_or_default().into_iter();
        let (icons, media): (Vec<_>, Vec<_>) = pictures.partition(|picture| picture.kind == "ICON");
        let icon = icons.into_iter().next();
        Self {
            slug: row.slug,
            app_uuid: row.app_uuid,
            name: row.name,
            tagline: row.tagline,
            description: row.description,
            locale: row.locale,
            locales: row.locales,
            vendor: Vendor { slug: row.vendor_slug, name: row.vendor_name },
            categories: row.categories.map(|categories| categories.0).unwrap_or_default(),
            version: Version {
                number: row.version_number,
                published_at: row.version_published_at.unwrap_or(row.published_at),
                release_notes: row.release_notes,
            },
            permissions: row.permissions.map(|permissions| permissions.0).unwrap_or_default(),
            icon: icon.map(|Picture { media_uuid, media_type, width, height, alt_text, .. }| Icon {
                media_uuid,
                media_type,
                width,
                height,
                alt_text,
            }),
            media: media.into_iter().map(Medium::from).collect(),
            rating: Rating {
                average: Some(row.rating_average).filter(|_| row.rating_count > 0),
                count: row.rating_count,
            },
            links: Links {
                support_url: row.support_url,
                support_email: row.support_email,
                privacy_url: row.privacy_url,
                website_url: row.website_url,
                terms_url: row.terms_url,
            },
            first_published_at: row.first_published_at,
            published_at: row.published_at,
        }
    }
}

impl From<Picture> for Medium {
    fn from(picture: Picture) -> Self {
        let mut last = Pixels { width: picture.width, height: picture.height };
        let variants = ["ORIGINAL", "LARGE", "MEDIUM", "SMALL"].map(|name| {
            last = picture.variants.get(name).copied().unwrap_or(last);
            Variant { name, width: last.width, height: last.height }
        });
        Self {
            uuid: picture.media_uuid,
            kind: picture.kind,
            position: picture.position,
            alt_text: picture.alt_text,
            caption: picture.caption,
            media_type: picture.media_type,
            width: picture.width,
            height: picture.height,
            variants: variants.into(),
        }
    }
}

#[derive(FromRow)]
pub(crate) struct ClientRow {
    client_uuid: Uuid,
    client_id: String,
    partner_uuid: Option<Uuid>,
    company_name: Option<String>,
    name: String,
    contact_email: Option<String>,
    allowed_scopes: Vec<String>,
    allowed_networks: Vec<String>,
    state: String,
    created_at: Time,
    updated_at: Time,
    last_used_at: Option<Time>,
    secrets: Json<Vec<serde_json::Value>>,
    used_scopes: Json<Vec<serde_json::Value>>,
}

#[derive(Serialize)]
pub(crate) struct Client {
    uuid: Uuid,
    client_id: String,
    name: String,
    contact_email: Option<String>,
    partner_uuid: Option<Uuid>,
    company_name: Option<String>,
    allowed_scopes: Vec<String>,
    used_scopes: Vec<serde_json::Value>,
    unused_scopes: Vec<String>,
    allowed_networks: Vec<String>,
    state: String,
    created_at: Time,
    updated_at: Time,
    last_used_at: Option<Time>,
    secrets: Vec<serde_json::Value>,
}

impl From<ClientRow> for Client {
    fn from(row: ClientRow) -> Self {
        let used = row.used_scopes.0.iter().filter_map(|used| Scope::parse(used.get("scope")?.as_str()?));
        let used: Vec<Scope> = used.collect();
        let is_used = |name: &str| Scope::parse(name).is_some_and(|scope| used.iter().any(|used| scope.grants(*used)));
        Self {
            company_name: row.company_name,
            unused_scopes: row.allowed_scopes.iter().filter(|name| !is_used(name)).cloned().collect(),
            uuid: row.client_uuid,
            client_id: row.client_id,
            name: row.name,
            contact_email: row.contact_email,
            partner_uuid: row.partner_uuid,
            allowed_scopes: row.allowed_scopes,
            used_scopes: row.used_scopes.0,
            allowed_networks: row.allowed_networks,
            state: row.state,
            created_at: row.created_at,
            updated_at: row.updated_at,
            last_used_at: row.last_used_at,
            secrets: row.secrets.0,
        }
    }
}
