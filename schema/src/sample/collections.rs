//! Sample collections of listings by staff.

use super::data::{CollectionData, Data};
use super::past::{Past, id};
use super::rows::{CollectionEntryRow, CollectionRow, Rows};
use super::works::by_locale;

/// Days between the creation of a collection and its first publication.
const PREPARED_DAYS: i64 = 20;
/// Seconds per day.
const DAY: i64 = 86_400;

/// Adds the collections of the existing listings.
pub(super) fn add(data: &'static Data, past: Past, rows: &mut Rows) {
    for (collection, position) in data.collections.iter().zip(1..) {
        let row = row(past, collection, position);
        let held = collection.apps.iter().filter_map(|slug| rows.listings.iter().find(|listing| listing.slug == *slug));
        rows.collection_listings.extend(held.zip(1..).map(|(listing, position)| CollectionEntryRow {
            collection_uuid: row.collection_uuid,
            app_uuid: listing.app_uuid,
            position,
        }));
        rows.collections.push(row);
    }
}

fn row(past: Past, collection: &'static CollectionData, position: i32) -> CollectionRow {
    let in_days = |days: i64| past.now().plus_seconds(days * DAY);
    let created_at = in_days((collection.from_days - PREPARED_DAYS).min(-1));
    CollectionRow {
        collection_uuid: id(created_at, &collection.slug),
        slug: &collection.slug,
        titles: by_locale(&collection.titles),
        descriptions: by_locale(&collection.descriptions),
        position,
        shown_from: in_days(collection.from_days),
        shown_until: collection.until_days.map(in_days),
        created_at,
    }
}
