//! SQL statements of vendors. None of them depends on the caller.

use std::collections::BTreeMap;

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::time::Time;
use labs_shared::images::{PartnerImageKind, Size, StoredObject, StoredRow};
use serde::Deserialize;
use sqlx::types::Json;
use uuid::Uuid;

/// Profile of a vendor in one locale, with data about its visible listings.
pub(super) struct VendorRow {
    pub(super) slug: String,
    pub(super) company_name: String,
    pub(super) verified: bool,
    pub(super) tagline: String,
    pub(super) description: String,
    pub(super) locale: String,
    pub(super) locales: Vec<String>,
    pub(super) website_url: Option<String>,
    pub(super) languages: Json<Vec<String>>,
    pub(super) regions: Json<Vec<String>>,
    pub(super) imagery: Option<Json<Vec<ImageRow>>>,
    pub(super) listings_count: i32,
    pub(super) rating_average: f64,
    pub(super) rating_count: i32,
    pub(super) first_published_at: Time,
    pub(super) published_at: Time,
}

/// Image of a profile.
#[derive(Deserialize)]
pub(super) struct ImageRow {
    pub(super) image_uuid: Uuid,
    pub(super) kind: PartnerImageKind,
    pub(super) alt_text: Option<String>,
    #[serde(flatten)]
    pub(super) original: Size,
    pub(super) variants: BTreeMap<String, Size>,
    pub(super) renditions: Vec<Size>,
}

/// Loads the published profile of the partner with this slug, in the best locale: the requested one, else its language,
/// else the profile's default locale. Returns `None` unless the profile is published and the partner is active.
pub(super) async fn get(db: &Db, slug: &str, locale: Option<&str>) -> Result<Option<VendorRow>, Fault> {
    Ok(sqlx::query_as!(
        VendorRow,
        r#"select p.slug, p.company_name, p.verified_at is not null as "verified!", t.locale as "locale!", t.tagline as "tagline!",
                  t.description as "description!",
                  array(select key from jsonb_object_keys(f.snapshot -> 'texts') as key
                         order by key <> f.snapshot ->> 'default_locale', key) as "locales!",
                  f.snapshot ->> 'website_url' as website_url, f.snapshot -> 'languages' as "languages!: _",
                  f.snapshot -> 'regions' as "regions!: _",
                  (select json_agg(to_jsonb(i) || jsonb_build_object('alt_text', coalesce(
                           nullif(case i.kind when 'LOGO' then t.logo_alt_text else t.banner_alt_text end, ''),
                           nullif(i.alt_text, '')))
                                   order by i.kind desc)
                     from partner_image as i
                    where i.partner_uuid = p.partner_uuid and i.image_uuid in
                          ((f.snapshot ->> 'logo_uuid')::uuid, (f.snapshot ->> 'banner_uuid')::uuid)
                  ) as "imagery: _",
                  shown.listings as "listings_count!", shown.ratings as "rating_count!", shown.average as "rating_average!",
                  f.first_published_at as "first_published_at!", f.published_at as "published_at!"
             from partner as p
             join partner_profile as f on f.partner_uuid = p.partner_uuid and f.state = 'PUBLISHED'
            cross join lateral (
                  select count(*)::integer as listings, coalesce(sum(l.rating_count), 0)::integer as ratings,
                         coalesce(round(sum(l.rating_sum) / nullif(sum(l.rating_count), 0), 2), 0)::float8 as average
                    from listing as l where l.partner_uuid = p.partner_uuid and l.visible) as shown
            cross join lateral (
                  select key as locale, value ->> 'tagline' as tagline, value ->> 'description' as description,
                         value ->> 'logo_alt_text' as logo_alt_text, value ->> 'banner_alt_text' as banner_alt_text
                    from jsonb_each(f.snapshot -> 'texts')
                   order by locale_rank(key, $2),
                            key = f.snapshot ->> 'default_locale' desc
                   limit 1) as t
            where p.slug = $1 and p.state = 'ACTIVE'"#,
        slug,
        locale
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Loads the location of the published profile image of this kind, for the partner with this slug.
pub(super) async fn get_stored(db: &Db, slug: &str, kind: &str) -> Result<Option<StoredObject>, Fault> {
    let row = sqlx::query!(
        r#"select i.image_uuid, i.sha256, i.object_key, i.media_type, i.width, i.height, i.size_bytes,
                  i.variants as "variants: Json<BTreeMap<String, Size>>"
             from partner as p
             join partner_profile as f on f.partner_uuid = p.partner_uuid and f.state = 'PUBLISHED'
             join partner_image as i on i.partner_uuid = p.partner_uuid
              and i.image_uuid = (f.snapshot ->> (lower(i.kind) || '_uuid'))::uuid
            where p.slug = $1 and p.state = 'ACTIVE' and i.kind = $2"#,
        slug,
        kind
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    Ok(row.map(|row| {
        let stored = StoredRow {
            sha256: row.sha256,
            object_key: row.object_key,
            media_type: row.media_type,
            width: row.width,
            height: row.height,
            size_bytes: row.size_bytes,
            variants: row.variants,
        };
        stored.of(row.image_uuid)
    }))
}
