//! One listing by its slug.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::get;
use labs_schema::Engine;
use labs_schema::time::Time;
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use sqlx::types::Json as Column;
use uuid::Uuid;

use super::{Bearer, Refusal};
use crate::cases::{Caller, Case};
use crate::load;

/// A listing, a different one each time. Its bar is higher, because the service shares statements between concurrent
/// requests.
pub(crate) static CASE: Case = Case {
    name: "marketplace_listings_get",
    bar: 1.2,
    caller: Caller::Partner,
    route: "/v1/marketplace/public/listings/{slug}",
    handler: || get(listing),
    request: |numbers, at| {
        load::get(&format!("/v1/marketplace/public/listings/app-{}", 1 + at.drawn() % numbers.apps), None)
    },
    varying: &[],
};

/// One listing by its slug, in a locale. The service loads several listings at once; this is the same statement for
/// one, as in a dedicated handler.
const LISTING: &str = r#"
select l.slug, l.app_uuid, t.name, t.tagline, t.description, t.locale,
       array(select o.locale from listing_translation as o where o.app_uuid = l.app_uuid
              order by o.locale <> l.default_locale, o.locale) as locales,
       p.slug as vendor_slug, p.company_name as vendor_name, p.verified_at is not null as vendor_verified,
       l.version_number, v.published_at as version_published_at, v.manifest -> 'permissions' as permissions,
       coalesce(locale_text(v.release_notes, $2), v.release_notes ->> l.default_locale) as release_notes,
       (select json_agg(json_build_object('slug', c.slug, 'primary', lc.position = 0, 'name',
                   coalesce(locale_text(c.names, $2), c.names ->> 'en', c.slug)) order by lc.position)
          from listing_category as lc
          join category as c on c.category_uuid = lc.category_uuid
          join category_place as place on place.category_uuid = lc.category_uuid and place.shown
         where lc.app_uuid = l.app_uuid) as categories,
       (select json_agg(json_build_object('media_uuid', m.media_uuid, 'kind', lm.kind, 'position', lm.position,
                   'alt_text', coalesce(locale_text(lm.alt_texts, $2), nullif(lm.alt_text, '')),
                   'caption', coalesce(locale_text(lm.captions, $2), nullif(lm.caption, '')),
                   'media_type', m.media_type, 'width', m.width, 'height', m.height, 'variants', m.variants,
                   'renditions', m.renditions) order by lm.kind, lm.position)
          from listing_media as lm
          join media as m on m.media_uuid = lm.media_uuid
         where lm.app_uuid = l.app_uuid) as media,
       l.rating_average, l.rating_count, l.support_url, l.support_email, l.privacy_url, l.website_url, l.terms_url,
       l.first_published_at, l.published_at
  from listing as l
  join partner as p on p.partner_uuid = l.partner_uuid
  join app_version as v on v.version_uuid = l.version_uuid
 cross join lateral (
       select o.name, o.tagline, o.description, o.locale from listing_translation as o
        where o.app_uuid = l.app_uuid
        order by locale_rank(o.locale, $2), o.locale = l.default_locale desc
        limit 1) as t
 where l.slug = $1 and l.visible"#;

async fn listing(
    State(engine): State<Engine>,
    bearer: Bearer,
    Path(slug): Path<String>,
) -> Result<Json<Listing>, Refusal> {
    bearer.require("storefront")?;
    let query = sqlx::query_as::<_, ListingRow>(LISTING).bind(slug).bind(None::<String>);
    let row = query.fetch_optional(engine.pool()).await?.ok_or(Refusal(StatusCode::NOT_FOUND))?;
    Ok(Json(row.listing(&engine.services().settings.pictures_url)))
}

#[derive(FromRow)]
struct ListingRow {
    slug: String,
    app_uuid: Uuid,
    name: String,
    tagline: String,
    description: String,
    locale: String,
    locales: Vec<String>,
    vendor_slug: String,
    vendor_name: String,
    vendor_verified: bool,
    version_number: String,
    version_published_at: Option<Time>,
    release_notes: Option<String>,
    permissions: Option<Column<Vec<serde_json::Value>>>,
    categories: Option<Column<Vec<Category>>>,
    media: Option<Column<Vec<Picture>>>,
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

/// A category of a listing.
#[derive(Deserialize, Serialize)]
pub(super) struct Category {
    slug: String,
    name: String,
    primary: bool,
}

#[derive(Deserialize)]
struct Picture {
    kind: String,
    position: i32,
    caption: Option<String>,
    variants: BTreeMap<String, Pixels>,
    #[serde(flatten)]
    icon: IconRow,
}

/// Icon of a listing as stored.
#[derive(Deserialize)]
pub(super) struct IconRow {
    media_uuid: Uuid,
    media_type: String,
    width: i32,
    height: i32,
    alt_text: Option<String>,
    renditions: Vec<Rendition>,
}

#[derive(Clone, Copy, Deserialize)]
struct Pixels {
    width: i32,
    height: i32,
}

#[derive(Deserialize)]
struct Rendition {
    object_key: String,
    media_type: String,
    width: i32,
    height: i32,
}

#[derive(Serialize)]
struct Listing {
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

/// Partner that offers an app.
#[derive(Serialize)]
pub(super) struct Vendor {
    pub(super) slug: String,
    pub(super) name: String,
    pub(super) verified: bool,
}

#[derive(Serialize)]
struct Version {
    number: String,
    published_at: Time,
    release_notes: Option<String>,
}

/// Icon of a listing.
#[derive(Serialize)]
pub(super) struct Icon {
    media_uuid: Uuid,
    media_type: String,
    width: i32,
    height: i32,
    alt_text: Option<String>,
    sources: Vec<Source>,
}

#[derive(Serialize)]
struct Source {
    url: String,
    width: i32,
    height: i32,
    media_type: String,
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
    sources: Vec<Source>,
}

#[derive(Serialize)]
struct Variant {
    name: &'static str,
    width: i32,
    height: i32,
}

/// Rating of a listing.
#[derive(Serialize)]
pub(super) struct Rating {
    average: Option<f64>,
    count: i32,
}

impl Rating {
    pub(super) fn new(average: f64, count: i32) -> Self {
        Self { average: Some(average).filter(|_| count > 0), count }
    }
}

#[derive(Serialize)]
struct Links {
    support_url: Option<String>,
    support_email: Option<String>,
    privacy_url: Option<String>,
    website_url: Option<String>,
    terms_url: Option<String>,
}

impl ListingRow {
    fn listing(self, pictures_url: &str) -> Listing {
        let pictures = self.media.map(|media| media.0).unwrap_or_default().into_iter();
        let (icons, media): (Vec<_>, Vec<_>) = pictures.partition(|picture| picture.kind == "ICON");
        Listing {
            slug: self.slug,
            app_uuid: self.app_uuid,
            name: self.name,
            tagline: self.tagline,
            description: self.description,
            locale: self.locale,
            locales: self.locales,
            vendor: Vendor { slug: self.vendor_slug, name: self.vendor_name, verified: self.vendor_verified },
            categories: self.categories.map(|categories| categories.0).unwrap_or_default(),
            version: Version {
                number: self.version_number,
                published_at: self.version_published_at.unwrap_or(self.published_at),
                release_notes: self.release_notes,
            },
            permissions: self.permissions.map(|permissions| permissions.0).unwrap_or_default(),
            icon: icons.into_iter().next().map(|picture| picture.icon.icon(pictures_url)),
            media: media.into_iter().map(|picture| picture.medium(pictures_url)).collect(),
            rating: Rating::new(self.rating_average, self.rating_count),
            links: Links {
                support_url: self.support_url,
                support_email: self.support_email,
                privacy_url: self.privacy_url,
                website_url: self.website_url,
                terms_url: self.terms_url,
            },
            first_published_at: self.first_published_at,
            published_at: self.published_at,
        }
    }
}

impl IconRow {
    /// Converts to the public form, with URLs below `pictures_url`.
    pub(super) fn icon(self, pictures_url: &str) -> Icon {
        Icon {
            media_uuid: self.media_uuid,
            media_type: self.media_type,
            width: self.width,
            height: self.height,
            alt_text: self.alt_text,
            sources: self.renditions.into_iter().filter_map(|rendition| rendition.source(pictures_url)).collect(),
        }
    }
}

impl Rendition {
    fn source(self, pictures_url: &str) -> Option<Source> {
        let ending = match self.media_type.as_str() {
            "image/png" => "png",
            "image/jpeg" => "jpg",
            "image/webp" => "webp",
            _ => return None,
        };
        let url = format!("{pictures_url}/{}.{ending}", self.object_key);
        Some(Source { url, width: self.width, height: self.height, media_type: self.media_type })
    }
}

impl Picture {
    fn medium(self, pictures_url: &str) -> Medium {
        let Icon { media_uuid, media_type, width, height, alt_text, sources } = self.icon.icon(pictures_url);
        let mut last = Pixels { width, height };
        let variants = ["ORIGINAL", "LARGE", "MEDIUM", "SMALL"].map(|name| {
            last = self.variants.get(name).copied().unwrap_or(last);
            Variant { name, width: last.width, height: last.height }
        });
        let (kind, position, caption) = (self.kind, self.position, self.caption);
        let variants = variants.into();
        Medium { uuid: media_uuid, kind, position, alt_text, caption, media_type, width, height, variants, sources }
    }
}
