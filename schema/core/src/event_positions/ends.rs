//! Ends of lists in memory, so that a poll that finds no new event reads nothing from the database.
//!
//! The sealer's job reads the new positions of all lists ([`KnownEnds::refresh`]) on every replica. If a client has
//! read a list to its end and no event of the list has received a position since, the next page is empty.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sqlx::PgPool;
use tokio::time::Instant;
use uuid::Uuid;

use super::rules::{EventList, EventPosition};
use super::store::{self, PositionRow, READING};
use crate::fault::Fault;

/// Time since the last reading of positions after which nothing is answered from memory.
const FRESH: Duration = Duration::from_millis(500);
/// Maximum number of cursors at the end of one list, and of all lists. Beyond it, the cursors of the list, or all
/// cursors, are forgotten, and the next poll with each reads the database again.
const MOST_OF_LIST: usize = 32;
const MOST: usize = 50_000;

/// Ends of lists that clients have read.
#[derive(Default)]
pub struct KnownEnds(Mutex<Contents>);

/// Partner, and a cursor with which it has read a list to its end.
type EndCursor = (Uuid, String);

#[derive(Default)]
struct Contents {
    /// Last position that was read, of all lists, and the start of that reading.
    read: Option<(EventPosition, Instant)>,
    /// Cursors at the end of each list. A cursor belongs to one filter.
    ends: HashMap<(EventList, Uuid), HashSet<EndCursor>>,
    /// Number of cursors.
    count: usize,
}

impl KnownEnds {
    /// Whether the partner may read the list about a partner or app, and the cursor is at its end: no event that the
    /// cursor's filter selects has a later position.
    pub(crate) fn is_end(&self, list: (EventList, Uuid), partner_uuid: Uuid, cursor: &str) -> bool {
        let contents = self.contents();
        contents.read.is_some_and(|(_, read_at)| read_at.elapsed() < FRESH)
            && contents.ends.get(&list).is_some_and(|ends| ends.contains(&(partner_uuid, cursor.to_owned())))
    }

    /// Returns the last position that was read, for [`Self::note`].
    pub(crate) fn last_read(&self) -> Option<EventPosition> {
        self.contents().read.map(|(last, _)| last)
    }

    /// Notes a cursor at the end of a list that was read from the database after `last_read`. It is ignored if positions
    /// were read in the meantime, because one of them may belong to the list.
    pub(crate) fn note(
        &self,
        list: (EventList, Uuid),
        partner_uuid: Uuid,
        cursor: &str,
        last_read: Option<EventPosition>,
    ) {
        let mut contents = self.contents();
        if last_read.is_some() && contents.read.map(|(last, _)| last) == last_read {
            contents.insert(list, (partner_uuid, cursor.to_owned()));
        }
    }

    /// Reads the positions that were assigned since the last reading, and forgets the ends of their lists.
    ///
    /// # Errors
    /// If the database does not answer.
    pub async fn refresh(&self, pool: &PgPool) -> Result<(), Fault> {
        loop {
            let started_at = Instant::now();
            let Some(known) = self.last_read() else {
                let last = store::get_last(pool).await?.unwrap_or_default();
                *self.contents() = Contents { read: Some((last, started_at)), ..Contents::default() };
                return Ok(());
            };
            let rows = store::list_from(pool, known.place).await?;
            let is_last = rows.len() < READING;
            self.contents().apply(known, &rows, started_at);
            if is_last {
                return Ok(());
            }
        }
    }

    fn contents(&self) -> MutexGuard<'_, Contents> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Contents {
    fn insert(&mut self, list: (EventList, Uuid), end: EndCursor) {
        if self.count >= MOST {
            self.ends.clear();
            self.count = 0;
        }
        if self.ends.get(&list).is_some_and(|ends| ends.len() >= MOST_OF_LIST) {
            self.forget(list);
        }
        if self.ends.entry(list).or_default().insert(end) {
            self.count += 1;
        }
    }

    fn forget(&mut self, list: (EventList, Uuid)) {
        self.count -= self.ends.remove(&list).map_or(0, |ends| ends.len());
    }

    /// Applies the events from the last position on. If another event is at that position, or none, the database was
    /// restored; then all ends are forgotten, and the next reading starts again.
    fn apply(&mut self, known: EventPosition, rows: &[PositionRow], started_at: Instant) {
        let at = |row: &PositionRow| EventPosition { place: row.place, event_uuid: row.event_uuid };
        let new = match rows.split_first() {
            _ if known.place == 0 => rows,
            Some((first, new)) if at(first) == known => new,
            _ => {
                *self = Self::default();
                return;
            }
        };
        for row in new {
            for list in row.source.lists() {
                self.forget((*list, row.about_uuid));
            }
        }
        self.read = Some((rows.last().map_or(known, at), started_at));
    }
}

#[cfg(test)]
mod tests {
    use super::super::rules::EventSource;
    use super::*;

    fn position(place: i64) -> EventPosition {
        EventPosition { place, event_uuid: Uuid::from_u128(place.unsigned_abs().into()) }
    }

    fn row(place: i64, source: EventSource, about: u128) -> PositionRow {
        let EventPosition { place, event_uuid } = position(place);
        PositionRow { place, event_uuid, source, about_uuid: Uuid::from_u128(about) }
    }

    const OWNER: Uuid = Uuid::from_u128(9);

    fn about(list: EventList, about: u128) -> (EventList, Uuid) {
        (list, Uuid::from_u128(about))
    }

    /// Returns ends that were read up to position 5, with a cursor of the owner at the end of each list.
    fn known(lists: &[(EventList, Uuid)]) -> KnownEnds {
        let known = KnownEnds::default();
        known.contents().read = Some((position(5), Instant::now()));
        lists.iter().for_each(|list| known.note(*list, OWNER, "end", Some(position(5))));
        known
    }

    #[tokio::test(start_paused = true)]
    async fn end_is_known_only_to_its_partner_by_its_cursor_while_fresh() {
        let own = about(EventList::App, 1);
        let ends = known(&[own]);
        assert!(ends.is_end(own, OWNER, "end"));
        assert!(!ends.is_end(own, OWNER, "earlier"), "another cursor");
        assert!(!ends.is_end(own, Uuid::from_u128(8), "end"), "another partner");
        assert!(!ends.is_end(about(EventList::Account, 1), OWNER, "end"), "another list");
        tokio::time::advance(FRESH).await;
        assert!(!ends.is_end(own, OWNER, "end"), "too old");
    }

    #[tokio::test(start_paused = true)]
    async fn new_event_ends_knowledge_of_its_lists_only() {
        let all = [EventList::Account, EventList::Subscription, EventList::App];
        for (source, gone) in [
            (EventSource::Account, &all[..1]),
            (EventSource::Staff, &all[..1]),
            (EventSource::Subscription, &all[..2]),
            (EventSource::App, &all[2..]),
        ] {
            let ends = known(&all.map(|list| about(list, 1)));
            ends.contents().apply(position(5), &[row(5, EventSource::App, 2), row(6, source, 1)], Instant::now());
            for list in all {
                let is_known = ends.is_end(about(list, 1), OWNER, "end");
                assert_eq!(is_known, !gone.contains(&list), "{source:?} {list:?}");
            }
            assert_eq!(ends.contents().count, all.len() - gone.len());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn end_read_before_new_positions_is_not_noted() {
        let (ends, own) = (known(&[]), about(EventList::App, 1));
        let last_read = ends.last_read();
        ends.contents().apply(position(5), &[row(5, EventSource::App, 2), row(6, EventSource::App, 1)], Instant::now());
        ends.note(own, OWNER, "before", last_read);
        assert!(!ends.is_end(own, OWNER, "before"));
        ends.note(own, OWNER, "after", ends.last_read());
        assert!(ends.is_end(own, OWNER, "after"));
    }

    #[tokio::test(start_paused = true)]
    async fn restored_database_clears_known_ends() {
        let own = about(EventList::App, 1);
        for rows in [vec![], vec![PositionRow { event_uuid: Uuid::nil(), ..row(5, EventSource::App, 2) }]] {
            let ends = known(&[own]);
            ends.contents().apply(position(5), &rows, Instant::now());
            assert!(!ends.is_end(own, OWNER, "end") && ends.last_read().is_none());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn number_of_known_ends_is_bounded() {
        let ends = known(&[]);
        for number in 0..MOST_OF_LIST * 3 {
            ends.note(about(EventList::App, 1), OWNER, &number.to_string(), ends.last_read());
        }
        assert!(ends.contents().count <= MOST_OF_LIST);
        for number in 0..MOST + 10 {
            ends.note(about(EventList::App, number as u128), OWNER, "end", ends.last_read());
        }
        let contents = ends.contents();
        assert!(contents.count <= MOST);
        assert_eq!(contents.count, contents.ends.values().map(HashSet::len).sum::<usize>());
    }
}
