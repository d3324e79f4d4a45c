//! The list of a vendor page's pictures, for the team and for staff.

use serde_json::json;
use uuid::Uuid;

use super::store::ImageRow;
use crate::core::list::{Bound, Condition, FixedOrder, Key, ListQuery, Lookup, Select, Statements};

/// Pictures, with where each is to be seen.
static IMAGE: Select<ImageRow> = Select::new(
    "image_uuid, kind, alt_text, media_type, width, height, size_bytes, sha256, object_key, variants, created_at,
     in_draft, is_published",
    "partner_image_shown",
);

/// Every picture of a partner's draft, and every one that readers see: four at most.
pub(super) static SHOWN: Lookup<ImageRow> = Lookup::new(&IMAGE, &["partner_uuid = {}", "in_draft or is_published"]);

/// A list of a partner's pictures.
pub(crate) type ImageList = ListQuery<Uuid, ImageRow, FixedOrder>;

/// The list of a partner's pictures for its team.
pub(super) static IMAGES: ImageList = list_for("partner_imagery_list");

/// The same for staff.
pub(crate) static IMAGES_FOR_STAFF: ImageList = list_for("admin_profiles_list_imagery");

/// By kind.
const fn list_for(operation: &'static str) -> ImageList {
    ListQuery {
        operation,
        select: &IMAGE,
        within: &[
            Condition { sql: "partner_uuid = {}", value: |partner_uuid| Some(Bound::Id(*partner_uuid)) },
            Condition { sql: "in_draft or is_published", value: |_| Some(Bound::Nothing) },
        ],
        conditions: &[],
        order: |_| const { &[KIND, ID] },
    }
}

const KIND: Key<ImageRow> = Key::text("kind", |row| json!(row.kind));
const ID: Key<ImageRow> = Key::id("image_uuid", |row| json!(row.image_uuid));

/// What is asked of pictures in words that the compiler has not checked.
pub(in crate::partner) static STATEMENTS: [&dyn Statements; 3] = [&IMAGES, &IMAGES_FOR_STAFF, &SHOWN];
