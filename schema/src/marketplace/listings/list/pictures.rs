//! The pictures of a listing, as they were published.

use async_graphql::InputObject;
use serde::Serialize;
use serde_json::json;

use crate::core::list::{Bound, Condition, FixedOrder, Key, ListQuery, Select};
use crate::marketplace::listings::store::PictureRow;
use crate::marketplace::media::MediaKind;

/// What the list is narrowed to. The contract describes each field.
#[derive(Debug, Default, InputObject, Serialize)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct ListingMediaFilter {
    kind: Option<Vec<MediaKind>>,
}

/// The pictures of a listing.
#[derive(Debug, Serialize)]
pub(in crate::marketplace::listings) struct OfListing {
    /// Of which one.
    pub(in crate::marketplace::listings) slug: String,
    /// Which of them.
    pub(in crate::marketplace::listings) filter: ListingMediaFilter,
}

static SHOWN_PICTURES: Select<PictureRow> = Select::new(
    "lm.media_uuid, lm.kind, lm.position, nullif(lm.alt_text, '') as alt_text, nullif(lm.caption, '') as caption,
     m.media_type, m.width, m.height, m.variants, m.renditions",
    "listing as l join listing_media as lm using (app_uuid) join media as m using (media_uuid)",
);

/// The list of a visible listing's pictures: icon, banner, screenshots in their order.
pub(in crate::marketplace::listings) static PICTURES: ListQuery<OfListing, PictureRow, FixedOrder> = ListQuery {
    operation: "marketplace_listings_list_media",
    select: &SHOWN_PICTURES,
    within: &[
        Condition { sql: "l.slug = {}", value: |of| Some(of.slug.as_str().into()) },
        Condition { sql: "l.visible", value: |_| Some(Bound::Nothing) },
    ],
    conditions: &[Condition { sql: "lm.kind = any({})", value: |of| Bound::words(of.filter.kind.as_ref()) }],
    order: |FixedOrder| const { &[RANK, POSITION, ID] },
};

const RANK: Key<PictureRow> = Key::whole("case lm.kind when 'ICON' then 0 when 'BANNER' then 1 else 2 end", |row| {
    json!(match row.kind {
        MediaKind::Icon => 0,
        MediaKind::Banner => 1,
        MediaKind::Screenshot => 2,
    })
});
const POSITION: Key<PictureRow> = Key::whole("lm.position", |row| json!(row.position));
const ID: Key<PictureRow> = Key::id("lm.media_uuid", |row| json!(row.media_uuid));
