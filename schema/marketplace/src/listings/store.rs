//! SQL statements of listings. None of them depends on the caller.

mod corrections;
mod preview;
mod related;

use std::collections::BTreeMap;

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::time::Time;
use labs_shared::images::{self, MediaVariant, Size, StoredObject};
use serde::Deserialize;
use sqlx::types::Json;
use uuid::Uuid;

use super::types::{
    Listing, ListingCategory, ListingIcon, ListingLinks, ListingMedia, ListingRating, ListingVendor, ListingVersion,
};
use crate::media::MediaKind;
use crate::public_pictures::PictureSource;
use crate::versions::AppPermission;

pub(super) use corrections::get_substitute;
pub(crate) use preview::{ListingStage, listing_of};
pub(super) use related::related_page;

/// Key of a listing: its slug and the requested locale.
pub(crate) struct ListingKey {
    pub(super) slug: String,
    pub(super) locale: Option<String>,
}

/// Row of a listing, flat where possible.
pub(crate) struct ListingRow {
    /// Position of the key in the request, from 1.
    place: i64,
    /// Requested locale.
    reader: Option<String>,
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
    permissions: Option<Json<Vec<AppPermission>>>,
    categories: Option<Json<Vec<ListingCategory>>>,
    media: Option<Json<Vec<PictureRow>>>,
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

/// Media item of a listing.
#[derive(Deserialize, sqlx::FromRow)]
pub(super) struct PictureRow {
    pub(super) media_uuid: Uuid,
    pub(super) kind: MediaKind,
    pub(super) position: i32,
    alt_text: Option<String>,
    caption: Option<String>,
    media_type: String,
    width: i32,
    height: i32,
    #[sqlx(json)]
    variants: BTreeMap<String, Pixels>,
    #[sqlx(json)]
    renditions: Vec<Size>,
}

/// Width and height of a rendition.
#[derive(Deserialize)]
struct Pixels {
    width: i32,
    height: i32,
}

/// Loads visible listings, each in the best locale: the requested one, else its language, else the listing's default
/// locale. The result has one entry for each key, `None` if no listing matches. This is the busiest statement of the
/// service. It depends on slugs and locales alone, so concurrent requests share it.
pub(super) async fn get_each(db: &Db, keys: Vec<ListingKey>) -> Result<Vec<Option<ListingRow>>, Fault> {
    let mut found: Vec<Option<ListingRow>> = std::iter::repeat_with(|| None).take(keys.len()).collect();
    let (slugs, locales): (Vec<String>, Vec<Option<String>>) =
        keys.into_iter().map(|key| (key.slug, key.locale)).unzip();
    let rows = sqlx::query_as!(
        ListingRow,
        r#"select asked.place as "place!", asked.locale as reader, l.slug as "slug!", l.app_uuid, t.name, t.tagline, t.description, t.locale,
               array(select o.locale from listing_translation as o where o.app_uuid = l.app_uuid
                      order by o.locale <> l.default_locale, o.locale) as "locales!",
               p.slug as vendor_slug, p.company_name as vendor_name,
               p.verified_at is not null as "vendor_verified!", l.version_number,
               v.published_at as version_published_at, v.manifest -> 'permissions' as "permissions: _",
               coalesce(locale_text(v.release_notes, asked.locale),
                   v.release_notes ->> l.default_locale) as release_notes,
               (select json_agg(json_build_object('slug', c.slug, 'primary', lc.position = 0, 'name',
                           coalesce(locale_text(c.names, asked.locale),
                               c.names ->> 'en', c.slug)) order by lc.position)
                  from listing_category as lc
                  join category as c on c.category_uuid = lc.category_uuid
                  join category_place as place on place.category_uuid = lc.category_uuid and place.shown
                 where lc.app_uuid = l.app_uuid) as "categories: _",
               (select json_agg(json_build_object('media_uuid', m.media_uuid, 'kind', lm.kind,
                           'position', lm.position,
                           'alt_text', coalesce(locale_text(lm.alt_texts, asked.locale), nullif(lm.alt_text, '')),
                           'caption', coalesce(locale_text(lm.captions, asked.locale), nullif(lm.caption, '')),
                           'media_type', m.media_type,
                           'width', m.width, 'height', m.height, 'variants', m.variants,
                           'renditions', m.renditions)
                       order by lm.kind, lm.position)
                  from listing_media as lm
                  join media as m on m.media_uuid = lm.media_uuid
                 where lm.app_uuid = l.app_uuid) as "media: _",
               l.rating_average as "rating_average!", l.rating_count, l.support_url, l.support_email, l.privacy_url,
               l.website_url, l.terms_url, l.first_published_at, l.published_at
          from unnest($1::text[], $2::text[]) with ordinality as asked (slug, locale, place)
          join listing as l on l.slug = asked.slug and l.visible
          join partner as p on p.partner_uuid = l.partner_uuid
          join app_version as v on v.version_uuid = l.version_uuid
         cross join lateral (
               select o.name, o.tagline, o.description, o.locale from listing_translation as o
                where o.app_uuid = l.app_uuid
                order by locale_rank(o.locale, asked.locale),
                         o.locale = l.default_locale desc
                limit 1) as t"#,
        &slugs,
        &locales as &[Option<String>]
    )
    .fetch_all(&mut *db.conn().await?)
    .await?;
    for row in rows {
        let place = usize::try_from(row.place - 1).ok().and_then(|place| found.get_mut(place));
        if let Some(place) = place {
            *place = Some(row);
        }
    }
    Ok(found)
}

impl ListingRow {
    /// Converts the row to the public form, with image URLs below `pictures_url`.
    pub(crate) fn into_view(self, pictures_url: &str) -> Listing {
        let row = self;
        let pictures = row.media.map(|media| media.0).unwrap_or_default().into_iter();
        let permissions = row.permissions.map(|permissions| permissions.0).unwrap_or_default().into_iter();
        let (icons, media): (Vec<_>, Vec<_>) = pictures.partition(|picture| picture.kind == MediaKind::Icon);
        Listing {
            slug: row.slug,
            app_uuid: row.app_uuid,
            name: row.name,
            tagline: row.tagline,
            description: row.description,
            locale: row.locale,
            locales: row.locales,
            vendor: ListingVendor { slug: row.vendor_slug, name: row.vendor_name, verified: row.vendor_verified },
            categories: row.categories.map(|categories| categories.0).unwrap_or_default(),
            version: ListingVersion {
                number: row.version_number,
                published_at: row.version_published_at.unwrap_or(row.published_at),
                release_notes: row.release_notes,
            },
            permissions: permissions.map(|permission| permission.for_reader(row.reader.as_deref())).collect(),
            icon: icons.into_iter().next().map(|picture| picture.icon(pictures_url)),
            media: media.into_iter().map(|picture| picture.into_view(pictures_url)).collect(),
            rating: ListingRating::new(row.rating_average, row.rating_count),
            links: ListingLinks {
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

impl PictureRow {
    fn icon(self, pictures_url: &str) -> ListingIcon {
        let PictureRow { media_uuid, media_type, width, height, alt_text, renditions, .. } = self;
        let sources = PictureSource::all(pictures_url, renditions);
        ListingIcon { media_uuid, media_type, width, height, alt_text, sources }
    }

    /// Converts the row to the public form, with image URLs below `pictures_url`.
    pub(super) fn into_view(self, pictures_url: &str) -> ListingMedia {
        let original = Pixels { width: self.width, height: self.height };
        let sizes = images::sizes(&original, &self.variants);
        ListingMedia {
            uuid: self.media_uuid,
            kind: self.kind,
            position: self.position,
            variants: sizes.map(|(name, size)| MediaVariant { name, width: size.width, height: size.height }).into(),
            sources: PictureSource::all(pictures_url, self.renditions),
            alt_text: self.alt_text,
            caption: self.caption,
            media_type: self.media_type,
            width: self.width,
            height: self.height,
        }
    }
}

/// Returns whether a listing with this slug is visible.
pub(super) async fn is_visible(db: &Db, slug: &str) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(r#"select exists (select from listing where slug = $1 and visible) as "visible!""#, slug)
        .fetch_one(&mut *db.conn().await?)
        .await?)
}

/// Media item of a visible listing, and its location in the object storage.
pub(super) struct ListedPicture {
    /// Location of the content.
    pub(super) stored: StoredObject,
    /// File name without extension: the kind, with the position if there are several (`icon`, `screenshot-2`).
    pub(super) called: String,
}

/// Loads a media item of a visible listing.
pub(super) async fn get_media(db: &Db, slug: &str, media_uuid: Uuid) -> Result<Option<ListedPicture>, Fault> {
    let row = sqlx::query!(
        r#"select lm.kind, lm.position, m.sha256, m.object_key, m.media_type, m.width, m.height, m.size_bytes,
               m.variants as "variants: Json<BTreeMap<String, Size>>"
          from listing as l
          join listing_media as lm on lm.app_uuid = l.app_uuid
          join media as m on m.media_uuid = lm.media_uuid
         where l.slug = $1 and l.visible and lm.media_uuid = $2"#,
        slug,
        media_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    Ok(row.map(|row| ListedPicture {
        called: match row.kind.as_str() {
            "SCREENSHOT" => format!("screenshot-{}", row.position),
            kind => kind.to_lowercase(),
        },
        stored: StoredObject {
            media_uuid,
            sha256: row.sha256,
            original: Size {
                object_key: row.object_key,
                media_type: row.media_type,
                width: row.width,
                height: row.height,
                size_bytes: row.size_bytes,
            },
            copies: row.variants.0,
        },
    }))
}
