//! The list of a profile's images, for the team and for staff.

use labs_core::list::{Condition, FixedOrder, Key, ListQuery, Lookup, Select, SqlValue, Statements};
use serde_json::json;
use uuid::Uuid;

use super::store::ImageRow;

/// Columns of images, and whether each is in the draft or published.
static IMAGE: Select<ImageRow> = Select::new(
    "image_uuid, kind, alt_text, media_type, width, height, size_bytes, sha256, object_key, variants, created_at,
     in_draft, is_published",
    "partner_image_shown",
);

/// Lookup of all images in a partner's draft and in its published profile: four at most.
pub(super) static SHOWN: Lookup<ImageRow> = Lookup::new(&IMAGE, &["partner_uuid = {}", "in_draft or is_published"]);

/// A list query of a partner's images.
pub(super) type ImageList = ListQuery<Uuid, ImageRow, FixedOrder>;

/// List query of a partner's images for its team.
pub(super) static IMAGES: ImageList = list_for("partner_imagery_list");

/// List query of a partner's images for staff.
pub static IMAGES_FOR_STAFF: ImageList = list_for("admin_profiles_list_imagery");

/// Builds the list query, by kind.
const fn list_for(operation: &'static str) -> ImageList {
    ListQuery {
        operation,
        select: &IMAGE,
        within: &[
            Condition { sql: "partner_uuid = {}", value: |partner_uuid| Some(SqlValue::Id(*partner_uuid)) },
            Condition { sql: "in_draft or is_published", value: |_| Some(SqlValue::Nothing) },
        ],
        conditions: &[],
        order: |_| const { &[KIND, ID] },
    }
}

const KIND: Key<ImageRow> = Key::text("kind", |row| json!(row.kind));
const ID: Key<ImageRow> = Key::id("image_uuid", |row| json!(row.image_uuid));

/// Run-time SQL statements of images, which the compiler does not check.
pub(in crate::partner) static STATEMENTS: [&dyn Statements; 3] = [&IMAGES, &IMAGES_FOR_STAFF, &SHOWN];
