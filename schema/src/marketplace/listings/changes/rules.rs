//! Where a follower stands, and what a page tells it.

use std::collections::HashSet;

use serde_json::{Value, json};
use uuid::Uuid;

use crate::core::fault::{Code, Fault};
use crate::core::time::Time;
use crate::core::words::words;

words! {
    /// What happened to a listing.
    pub(in crate::marketplace) enum ListingChangeKind {
        /// It came on the storefront, or a version of it did.
        Published = "PUBLISHED",
        /// Something that it shows is different.
        Changed = "CHANGED",
        /// It left the storefront.
        Gone = "GONE",
    }
}

/// A place in the feed, with the entry that a follower has seen there. Before the first one it is 0 and nil.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) place: i64,
    pub(super) entry_uuid: Uuid,
}

/// How far a follower has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    /// Everything on show up to this app; then it goes on behind the place.
    Filling { from: Place, after: Uuid },
    /// Every change up to the place.
    Following(Place),
}

impl Position {
    /// As it stands in a cursor.
    pub(super) fn values(self) -> Vec<Value> {
        match self {
            Self::Filling { from, after } => vec![json!(from.place), json!(from.entry_uuid), json!(after)],
            Self::Following(at) => vec![json!(at.place), json!(at.entry_uuid)],
        }
    }

    /// What a cursor says; `None` where it says something else.
    pub(super) fn read(values: &[Value]) -> Option<Self> {
        let uuid = |value: &Value| value.as_str().and_then(|text| Uuid::parse_str(text).ok());
        match values {
            [place, entry] => Some(Self::Following(Place { place: place.as_i64()?, entry_uuid: uuid(entry)? })),
            [place, entry, after] => {
                let from = Place { place: place.as_i64()?, entry_uuid: uuid(entry)? };
                Some(Self::Filling { from, after: uuid(after)? })
            }
            _ => None,
        }
    }

    /// The place behind which its changes begin.
    pub(super) const fn place(self) -> Place {
        match self {
            Self::Filling { from, .. } => from,
            Self::Following(at) => at,
        }
    }
}

/// Refuses a place at which there is another entry than the follower has seen, or none any more.
///
/// # Errors
/// [`Code::CursorExpired`].
pub(super) fn ensure_known(asked: Place, kept: Option<Uuid>, first_kept: Option<i64>) -> Result<(), Fault> {
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

/// A change that was sealed.
#[derive(Clone, Debug)]
pub(super) struct ChangeRow {
    pub(super) app_uuid: Uuid,
    pub(super) slug: String,
    pub(super) change: ListingChangeKind,
    pub(super) changed_at: Time,
}

/// What a page tells of each app once, in the order of their latest changes; a publication among several is not lost.
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
    fn a_position_survives_its_cursor() {
        let at = Place { place: 7, entry_uuid: Uuid::from_u128(1) };
        for position in [Position::Following(at), Position::Filling { from: at, after: Uuid::from_u128(2) }] {
            assert_eq!(Position::read(&position.values()), Some(position));
        }
        assert_eq!(Position::read(&[json!(1)]), None);
        assert_eq!(Position::read(&[json!("1"), json!("x")]), None);
    }

    #[test]
    fn a_place_is_known_by_the_entry_that_was_there() {
        let at = Place { place: 7, entry_uuid: Uuid::from_u128(1) };
        assert!(ensure_known(at, Some(Uuid::from_u128(1)), Some(3)).is_ok());
        assert!(ensure_known(at, Some(Uuid::from_u128(2)), Some(3)).is_err(), "another database's");
        assert!(ensure_known(at, None, Some(9)).is_err(), "no longer kept");
        let begun = Place::default();
        assert!(ensure_known(begun, None, None).is_ok() && ensure_known(begun, None, Some(1)).is_ok());
        assert!(ensure_known(begun, None, Some(2)).is_err(), "the first ones are gone");
    }

    #[test]
    fn each_app_is_told_once_by_what_happened_last() {
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
