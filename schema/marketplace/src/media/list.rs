//! Queries for the media of an app's draft: lookup by id, and the list with its filter.

use std::collections::BTreeMap;

use labs_core::describe::InputType;
use labs_core::list::{Condition, FixedOrder, Key, ListQuery, Lookup, Select, SqlValue, Statements};
use labs_core::time::Time;
use labs_shared::images::Size;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::types::Json;
use uuid::Uuid;

use super::rules::MediaKind;

/// A media item in the draft of an app.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(super) struct MediaRow {
    pub(super) media_uuid: Uuid,
    pub(super) app_uuid: Uuid,
    pub(super) kind: MediaKind,
    pub(super) position: i32,
    pub(super) alt_text: String,
    pub(super) caption: String,
    pub(super) alt_texts: Json<BTreeMap<String, String>>,
    pub(super) captions: Json<BTreeMap<String, String>>,
    pub(super) media_type: String,
    pub(super) width: i32,
    pub(super) height: i32,
    pub(super) size_bytes: i64,
    pub(super) sha256: Vec<u8>,
    pub(super) object_key: String,
    pub(super) variants: Json<BTreeMap<String, Size>>,
    pub(super) created_at: Time,
    /// Sort key in listing order: icon, banner, screenshots.
    pub(super) rank: i32,
}

impl MediaRow {
    /// Returns the original size.
    pub(super) fn original(&self) -> Size {
        Size {
            object_key: self.object_key.clone(),
            media_type: self.media_type.clone(),
            width: self.width,
            height: self.height,
            size_bytes: self.size_bytes,
        }
    }
}

/// Media of apps.
static PICTURES: Select<MediaRow> = Select::new(
    "media.media_uuid, media.app_uuid, media.kind, media.position, media.alt_text, media.caption, media.alt_texts,
     media.captions, media.media_type, media.width, media.height, media.size_bytes, media.sha256, media.object_key, media.variants, media.created_at,
     case media.kind when 'ICON' then 0 when 'BANNER' then 1 else 2 end as rank",
    "media join app using (app_uuid)",
);

/// Looks up a media item in the draft of a partner's app.
pub(super) static OWN: Lookup<MediaRow> = Lookup::new(
    &PICTURES,
    &["app.partner_uuid = {}", "app.app_uuid = {}", "media.media_uuid = {}", "media.removed_at is null"],
);

/// Looks up the media items of one kind in the draft of a partner's app, unordered.
pub(super) static OF_A_KIND: Lookup<MediaRow> = Lookup::new(
    &PICTURES,
    &["app.partner_uuid = {}", "app.app_uuid = {}", "media.kind = {}", "media.removed_at is null"],
);

/// Looks up a media item by id, for any owner.
pub(super) static BY_ID: Lookup<MediaRow> = Lookup::new(&PICTURES, &["media.media_uuid = {}"]);

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, Deserialize, Serialize, InputType)]
pub(super) struct MediaFilter {
    kind: Option<Vec<MediaKind>>,
}

/// Parameters of the media list of a partner's app.
#[derive(Debug, Serialize)]
pub(super) struct OwnPictures {
    /// Owner of the app.
    pub(super) partner_uuid: Uuid,
    /// UUID of the app.
    pub(super) app_uuid: Uuid,
    /// Filter of the list.
    pub(super) filter: MediaFilter,
}

/// List of an app's media: icon, banner, then screenshots in order.
pub(super) static OF_AN_APP: ListQuery<OwnPictures, MediaRow, FixedOrder> = ListQuery {
    operation: "marketplace_media_list",
    select: &PICTURES,
    within: &[
        Condition { sql: "app.partner_uuid = {}", value: |of| Some(of.partner_uuid.into()) },
        Condition { sql: "media.app_uuid = {}", value: |of| Some(of.app_uuid.into()) },
        Condition { sql: "media.removed_at is null", value: |_| Some(SqlValue::Nothing) },
    ],
    conditions: &[Condition { sql: "media.kind = any({})", value: |of| SqlValue::words(of.filter.kind.as_ref()) }],
    order: |FixedOrder| const { &[RANK, POSITION, ID] },
};

const ID: Key<MediaRow> = Key::id("media.media_uuid", |row| json!(row.media_uuid));
const POSITION: Key<MediaRow> = Key::whole("media.position", |row| json!(row.position));
const RANK: Key<MediaRow> =
    Key::whole("case media.kind when 'ICON' then 0 when 'BANNER' then 1 else 2 end", |row| json!(row.rank));

/// SQL statements of media that are assembled at run time, so the compiler does not check them.
pub(crate) static STATEMENTS: [&dyn Statements; 4] = [&OF_AN_APP, &OWN, &OF_A_KIND, &BY_ID];
