//! Media items of a listing, as published.

use labs_core::describe::InputType;
use labs_core::list::{Condition, FixedOrder, Key, ListQuery, Select, SqlValue};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::listings::store::PictureRow;
use crate::media::MediaKind;

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, Deserialize, Serialize, InputType)]
pub(crate) struct ListingMediaFilter {
    kind: Option<Vec<MediaKind>>,
}

/// Parameters of a listing's media.
#[derive(Debug, Serialize)]
pub(in crate::listings) struct OfListing {
    /// Slug of the listing.
    pub(in crate::listings) slug: String,
    pub(in crate::listings) filter: ListingMediaFilter,
    /// Locale of the texts.
    pub(in crate::listings) locale: Option<String>,
}

static SHOWN_PICTURES: Select<PictureRow> = Select::new(
    "lm.media_uuid, lm.kind, lm.position, coalesce(locale_text(lm.alt_texts, {}::text), nullif(lm.alt_text, '')) as alt_text,
     coalesce(locale_text(lm.captions, {}), nullif(lm.caption, '')) as caption, m.media_type, m.width, m.height, m.variants, m.renditions",
    "listing as l join listing_media as lm using (app_uuid) join media as m using (media_uuid)",
);

/// List of a visible listing's media: icon, banner, then screenshots in order.
pub(in crate::listings) static PICTURES: ListQuery<OfListing, PictureRow, FixedOrder> = ListQuery {
    operation: "marketplace_listings_list_media",
    select: &SHOWN_PICTURES,
    within: &[
        Condition::given(|of| Some(SqlValue::Text(of.locale.clone().unwrap_or_default()))),
        Condition { sql: "l.slug = {}", value: |of| Some(of.slug.as_str().into()) },
        Condition { sql: "l.visible", value: |_| Some(SqlValue::Nothing) },
    ],
    conditions: &[Condition { sql: "lm.kind = any({})", value: |of| SqlValue::words(of.filter.kind.as_ref()) }],
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
