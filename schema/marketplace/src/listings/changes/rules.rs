//! Position of a client in the change feed, and the content of a page.

use std::collections::HashSet;

use labs_core::fault::{Code, Fault};
use labs_core::time::Time;
use labs_core::words::words;
use serde_json::{Value, json};
use uuid::Uuid;

words! {
    /// Kinds of changes of a listing.
    pub enum ListingChangeKind {
        /// The listing appeared on the storefront, or another version of it was published.
        Published = "PUBLISHED",
        /// Content of the listing changed.
        Changed = "CHANGED",
        /// The listing left the storefront.
        Gone = "GONE",
    }
}

/// Position in the feed, with the entry that a client has seen there. Before the first entry the values are 0 and the
/// nil UUID.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FeedPosition {
    pub(super) place: i64,
    pub(super) entry_uuid: Uuid,
}

/// Progress of a client in the feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    /// Initial read of all visible listings up to this app; the client then continues after `from`.
    Filling { from: FeedPosition, after: Uuid },
    /// All changes up to this position.
    Following(FeedPosition),
}

impl Position {
    /// Returns the values of the position for a cursor.
    pub(super) fn values(self) -> Vec<Value> {
        match self {
            Self::Filling { from, after } => vec![json!(from.place), json!(from.entry_uuid), json!(after)],
            Self::Following(at) => vec![json!(at.place), json!(at.entry_uuid)],
        }
    }

    /// Reads a position from the values of a cursor. Returns `None` for other values.
    pub(super) fn read(values: &[Value]) -> Option<Self> {
        let uuid = |value: &Value| value.as_str().and_then(|text| Uuid::parse_str(text).ok());
        match values {
            [place, entry] => Some(Self::Following(FeedPosition { place: place.as_i64()?, entry_uuid: uuid(entry)? })),
            [place, entry, after] => {
                let from = FeedPosition { place: place.as_i64()?, entry_uuid: uuid(entry)? };
                Some(Self::Filling { from, after: uuid(after)? })
            }
            _ => None,
        }
    }

    /// Returns the position after which the changes begin.
    pub(super) const fn place(self) -> FeedPosition {
        match self {
            Self::Filling { from, .. } => from,
            Self::Following(at) => at,
        }
    }
}

/// Rejects a position whose entry was deleted or differs from the entry that the client has seen.
///
/// # Errors
/// [`Code::CursorExpired`].
pub(super) fn ensure_known(asked: FeedPosition, kept: Option<Uuid>, first_kept: Option<i64>) -> Result<(), Fault> {
    let is_known = match asked.place {
        0 => first_kept.is_none_or(|first| first == 1),
        _ => kept == Some(asked.entry_uuid),
    };
    if is_known {
        return Ok(());
    }
    let detail = "This cursor is too old or belongs to another database. Read everything again without `cursor`.";
    Err(Fault::new(Code::CursorExpired, detail))
}

/// Sealed change.
#[derive(Clone, Debug)]
pub(super) struct ChangeRow {
    pub(super) app_uuid: Uuid,
    pub(super) slug: String,
    pub(super) change: ListingChangeKind,
    pub(super) changed_at: Time,
}

/// Returns each app once, ordered by its latest change. If one of several changes is a publication, the result keeps
/// it.
pub(super) fn latest_of_each(rows: Vec<ChangeRow>) -> Vec<ChangeRow> {
    let is_publication = |row: &&ChangeRow| row.change == ListingChangeKind::Published;
    let published: HashSet<Uuid> = rows.iter().filter(is_publication).map(|row| row.app_uuid).collect();
    let mut seen = HashSet::new();
    let mut latest: Vec<ChangeRow> = rows.into_iter().rev().filter(|row| seen.insert(row.app_uuid)).collect();
    latest.reverse();
    for row in &mut latest {
        if row.change == ListingChangeKind::Changed && published.contains(&row.app_uuid) {
            row.change = ListingChangeKind::Published;
        }
    }
    latest
}

#[cfg(test)]
mod tests {
    use super::*;
    use ListingChangeKind::{Changed, Gone, Published};

    #[test]
    fn position_round_trips_through_cursor() {
        let at = FeedPosition { place: 7, entry_uuid: Uuid::from_u128(1) };
        for position in [Position::Following(at), Position::Filling { from: at, after: Uuid::from_u128(2) }] {
            assert_eq!(Position::read(&position.values()), Some(position));
        }
        assert_eq!(Position::read(&[json!(1)]), None);
        assert_eq!(Position::read(&[json!("1"), json!("x")]), None);
    }

    #[test]
    fn feed_position_is_verified_by_its_entry() {
        let at = FeedPosition { place: 7, entry_uuid: Uuid::from_u128(1) };
        assert!(ensure_known(at, Some(Uuid::from_u128(1)), Some(3)).is_ok());
        assert!(ensure_known(at, Some(Uuid::from_u128(2)), Some(3)).is_err(), "another database's");
        assert!(ensure_known(at, None, Some(9)).is_err(), "no longer kept");
        let begun = FeedPosition::default();
        assert!(ensure_known(begun, None, None).is_ok() && ensure_known(begun, None, Some(1)).is_ok());
        assert!(ensure_known(begun, None, Some(2)).is_err(), "the first ones are gone");
    }

    #[test]
    fn each_app_is_reported_once_with_its_last_change() {
        let row = |app: u128, change| ChangeRow {
            app_uuid: Uuid::from_u128(app),
            slug: String::new(),
            change,
            changed_at: Time(jiff::Timestamp::UNIX_EPOCH),
        };
        let told = |rows: &[(u128, ListingChangeKind)]| -> Vec<(u128, ListingChangeKind)> {
            let rows = rows.iter().map(|(app, change)| row(*app, *change)).collect();
            latest_of_each(rows).into_iter().map(|row| (row.app_uuid.as_u128(), row.change)).collect()
        };
        assert_eq!(told(&[(1, Published), (2, Gone), (1, Changed)]), [(2, Gone), (1, Published)]);
        assert_eq!(told(&[(2, Changed), (1, Changed), (2, Changed)]), [(1, Changed), (2, Changed)]);
        assert_eq!(told(&[(1, Published), (1, Gone)]), [(1, Gone)]);
    }
}
