//! Sample profiles of the partners with their pictures: three published ones and one draft.

use std::num::NonZero;
use std::thread::available_parallelism;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use labs_blocking::BlockingPool;
use labs_core::fault::Fault;
use labs_core::time::Time;
use labs_media::image::{PictureKind, Processed, process_sizes};
use labs_media::store::MediaStore;
use labs_pictures::draw::{self, Look, Scene};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::data::{Data, LookData, PartnerData, ProfileData};
use super::past::{Past, id};
use super::pictures::{AT_ONCE, Kept, keep};
use super::rows::{PageImageRow, PageRow, bytes};
use super::teams::partner_uuid;
use super::words::profile_alternatives;

/// Scene of the banners.
const BANNER: Scene = Scene::Board;

/// Returns every profile, and the pictures of the published ones. All pictures are on disk when this returns, so the
/// rows may follow.
pub(super) async fn all(
    store: &MediaStore,
    data: &'static Data,
    past: Past,
) -> Result<(Vec<PageRow>, Vec<PageImageRow>), Fault> {
    let lane = BlockingPool::new(available_parallelism().map_or(1, NonZero::get), AT_ONCE);
    let pages = stream::iter(&data.profiles).map(|page| make(&lane, store, data, past, page));
    let made: Vec<(PageRow, Vec<PageImageRow>)> = pages.buffered(AT_ONCE).try_collect().await?;
    let (pages, images): (Vec<_>, Vec<_>) = made.into_iter().unzip();
    Ok((pages, images.into_iter().flatten().collect()))
}

async fn make(
    lane: &BlockingPool,
    store: &MediaStore,
    data: &'static Data,
    past: Past,
    page: &'static ProfileData,
) -> Result<(PageRow, Vec<PageImageRow>), Fault> {
    let partner = data.partner(&page.partner).ok_or_else(|| Fault::internal("a page of no partner"))?;
    let mut images = Vec::new();
    if let Some(look) = &page.look {
        let drawn_at = published_at(past, page, 0);
        for (kind, alt_text) in ["LOGO", "BANNER"].into_iter().zip(profile_alternatives(default_locale(page))) {
            let kept = keep(lane, store, move || draw(&partner.company, look, kind)).await?;
            images.push(image_row(past, partner, kept, (kind, alt_text, drawn_at)));
        }
    }
    Ok((row(past, partner, page, &images), images))
}

fn draw(company: &str, look: &LookData, kind: &str) -> Result<Processed, Fault> {
    let words = look.words();
    let look = Look { colours: look.colours, words: &words };
    let (upload, kind) = match kind {
        "LOGO" => (draw::icon(company, &look), PictureKind::Icon),
        _ => (draw::screenshot(company, &look, BANNER), PictureKind::Banner),
    };
    process_sizes(&upload.map_err(Fault::internal)?, kind).map_err(Fault::internal)
}

fn default_locale(page: &ProfileData) -> &str {
    page.texts.first().map_or("en", |text| &text.locale)
}

/// Returns the time when a profile was first (0) or last (1) published.
fn published_at(past: Past, page: &ProfileData, turn: usize) -> Time {
    let days = page.days.get(turn).copied().unwrap_or_default();
    past.days(days, &format!("page of {} {days}", page.partner))
}

fn row(past: Past, partner: &PartnerData, page: &'static ProfileData, images: &[PageImageRow]) -> PageRow {
    let said = page
        .texts
        .iter()
        .map(|text| (text.locale.clone(), json!({ "tagline": text.tagline, "description": text.description })));
    let texts: Map<String, Value> = said.collect();
    let website_url = format!("https://{}", partner.domain);
    let image =
        |kind: &str| images.iter().find(|image| image.kind == kind).map(|image: &PageImageRow| image.image_uuid);
    let (logo_uuid, banner_uuid): (Option<Uuid>, Option<Uuid>) = (image("LOGO"), image("BANNER"));
    let snapshot = json!({
        "default_locale": default_locale(page), "texts": texts, "website_url": website_url,
        "languages": page.languages, "regions": page.regions, "logo_uuid": logo_uuid, "banner_uuid": banner_uuid,
    });
    let is_published = logo_uuid.is_some();
    let last = published_at(past, page, 1);
    PageRow {
        partner_uuid: partner_uuid(past, partner),
        default_locale: default_locale(page),
        texts: Value::Object(texts),
        website_url,
        languages: &page.languages,
        regions: &page.regions,
        state: if is_published { "PUBLISHED" } else { "UNPUBLISHED" },
        state_changed_at: last,
        snapshot: is_published.then_some(snapshot),
        first_published_at: is_published.then(|| published_at(past, page, 0)),
        published_at: is_published.then_some(last),
        created_at: published_at(past, page, 0),
    }
}

fn image_row(
    past: Past,
    partner: &'static PartnerData,
    kept: Kept,
    (kind, alt_text, created_at): (&'static str, &str, Time),
) -> PageImageRow {
    let Kept { drawn, key, variants, renditions } = kept;
    PageImageRow {
        image_uuid: id(created_at, &format!("{kind} of {}", partner.slug)),
        partner_uuid: partner_uuid(past, partner),
        kind,
        alt_text: alt_text.to_owned(),
        media_type: drawn.media_type,
        width: drawn.width,
        height: drawn.height,
        size_bytes: drawn.bytes.len(),
        sha256: bytes(key.digest()),
        object_key: key.name(),
        variants,
        renditions,
        created_at,
    }
}
