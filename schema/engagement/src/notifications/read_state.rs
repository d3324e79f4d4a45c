//! Read state of a user's notifications: all up to a time, and some later ones.

use jiff::Timestamp;
use labs_core::time::Time;
use uuid::Uuid;

/// Largest number of notifications stored as individually read. Beyond it, the oldest count as unread again.
const MOST: usize = 2000;
/// The encoded ids are padded to a multiple of a hundred, so that an observer cannot infer the number of read
/// notifications from the length.
const STEP: usize = 100;
/// Bytes of an encoded time, and of an id.
const MOMENT: usize = 8;
const ID: usize = 16;

/// Read state of notifications.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ReadState {
    /// All notifications up to this time are read; none if absent.
    pub(super) until: Option<Time>,
    /// Later notifications that are read.
    pub(super) read: Vec<Uuid>,
}

/// Notifications that a user marks as read.
#[derive(Clone, Copy, Debug)]
pub(super) enum MarkedRead<'a> {
    /// Marks all current notifications.
    All,
    /// Marks these notifications. Ids that are not among the user's notifications are ignored.
    Some(&'a [Uuid]),
}

impl ReadState {
    /// Returns the new read state and the number of unread notifications; `news` contains all current ones.
    pub(super) fn after(&self, marked: MarkedRead<'_>, news: &[(Uuid, Time)]) -> (Self, usize) {
        let is_marked = |uuid: &Uuid| match marked {
            MarkedRead::All => true,
            MarkedRead::Some(ids) => ids.contains(uuid),
        };
        let is_read =
            |(uuid, at): &(Uuid, Time)| Some(*at) <= self.until || self.read.contains(uuid) || is_marked(uuid);
        let unread: Vec<Time> = news.iter().filter(|one| !is_read(one)).map(|(_, at)| *at).collect();
        let first_unread = unread.iter().min();
        let before = news.iter().map(|(_, at)| *at).filter(|at| first_unread.is_none_or(|first| at < first));
        let until = before.max().max(self.until);
        let later = news.iter().filter(|one| is_read(one) && Some(one.1) > until);
        let mut later: Vec<&(Uuid, Time)> = later.collect();
        later.sort_by_key(|(_, at)| std::cmp::Reverse(*at));
        (Self { until, read: later.into_iter().take(MOST).map(|(uuid, _)| *uuid).collect() }, unread.len())
    }

    /// Encodes the state for encryption.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let moment = self.until.map_or(i64::MIN, |until| until.0.as_microsecond());
        let mut bytes = moment.to_be_bytes().to_vec();
        bytes.extend(self.read.iter().flat_map(|uuid| uuid.into_bytes()));
        bytes.resize(MOMENT + ID * self.read.len().max(1).next_multiple_of(STEP), 0);
        bytes
    }

    /// Decodes the state; invalid bytes mean that all is unread.
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        let Some((moment, ids)) = bytes.split_first_chunk::<MOMENT>() else { return Self::default() };
        let until = Timestamp::from_microsecond(i64::from_be_bytes(*moment)).ok().map(Time);
        let ids = ids.chunks_exact(ID).filter_map(|id| Uuid::from_slice(id).ok());
        Self { until, read: ids.filter(|uuid| !uuid.is_nil()).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn news(moments: &[i64]) -> Vec<(Uuid, Time)> {
        let one = |second: &i64| (id(*second), Time(Timestamp::from_second(*second).unwrap()));
        moments.iter().map(one).collect()
    }

    fn id(second: i64) -> Uuid {
        Uuid::from_u128(u128::try_from(second).unwrap())
    }

    fn until(second: i64) -> Option<Time> {
        Some(Time(Timestamp::from_second(second).unwrap()))
    }

    #[test]
    fn marking_all_as_read_stores_one_moment() {
        let (reading, unread) = ReadState::default().after(MarkedRead::All, &news(&[3, 2, 1]));
        assert_eq!((reading, unread), (ReadState { until: until(3), read: Vec::new() }, 0));
        assert_eq!(ReadState::default().after(MarkedRead::All, &[]), (ReadState::default(), 0));
    }

    #[test]
    fn individually_read_items_are_kept_until_earlier_are_read() {
        let all = news(&[4, 3, 2, 1]);
        let (reading, unread) = ReadState::default().after(MarkedRead::Some(&[id(3), id(9)]), &all);
        assert_eq!((&reading, unread), (&ReadState { until: None, read: vec![id(3)] }, 3));
        let (again, unread) = reading.after(MarkedRead::Some(&[id(3)]), &all);
        assert_eq!((&again, unread), (&reading, 3));
        let (reading, unread) = reading.after(MarkedRead::Some(&[id(1), id(2)]), &all);
        assert_eq!((&reading, unread), (&ReadState { until: until(3), read: Vec::new() }, 1));
        let (reading, unread) = reading.after(MarkedRead::All, &all);
        assert_eq!((reading.until, unread), (until(4), 0));
    }

    #[test]
    fn notifications_of_one_moment_are_read_individually() {
        let at_once = [(id(1), until(7).unwrap()), (id(2), until(7).unwrap())];
        let (reading, unread) = ReadState::default().after(MarkedRead::Some(&[id(2)]), &at_once);
        assert_eq!((reading, unread), (ReadState { until: None, read: vec![id(2)] }, 1));
    }

    #[test]
    fn expired_notifications_are_removed_from_read_state() {
        let reading = ReadState { until: until(5), read: vec![id(8), id(9)] };
        let (reading, unread) = reading.after(MarkedRead::Some(&[]), &news(&[9, 7, 4]));
        assert_eq!((reading, unread), (ReadState { until: until(5), read: vec![id(9)] }, 1));
    }

    #[test]
    fn read_state_round_trips_at_constant_length() {
        let few = ReadState { until: until(5), read: vec![id(8)] };
        let many = ReadState { until: None, read: (1..=100).map(id).collect() };
        for reading in [&few, &many, &ReadState::default()] {
            assert_eq!(ReadState::from_bytes(&reading.to_bytes()), *reading);
            assert_eq!(reading.to_bytes().len(), MOMENT + ID * STEP);
        }
        assert_eq!(ReadState::from_bytes(b"short"), ReadState::default());
    }
}
