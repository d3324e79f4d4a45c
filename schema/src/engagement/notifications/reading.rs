//! How much of their news a person has read: all up to a moment, and some of what came later.

use jiff::Timestamp;
use uuid::Uuid;

use crate::core::time::Time;

/// Most news that are kept as read one by one. Beyond that the oldest count as unread again.
const MOST: usize = 2000;
/// The bytes tell of whole hundreds, so that their length tells nothing about somebody who reads along.
const STEP: usize = 100;
/// Bytes of a moment, and of an id.
const MOMENT: usize = 8;
const ID: usize = 16;

/// How much is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reading {
    /// All up to this moment; nothing where there is none.
    pub(super) until: Option<Time>,
    /// What is read of what came later.
    pub(super) read: Vec<Uuid>,
}

/// What a person says they have read.
#[derive(Clone, Copy, Debug)]
pub(super) enum Marked<'a> {
    /// Marks all current notifications.
    All,
    /// Some of it. What is not among their news says nothing.
    Some(&'a [Uuid]),
}

impl Reading {
    /// How much is read, once this is read too, and how many news are not; `news` is all that there is now.
    pub(super) fn after(&self, marked: Marked<'_>, news: &[(Uuid, Time)]) -> (Self, usize) {
        let is_marked = |uuid: &Uuid| match marked {
            Marked::All => true,
            Marked::Some(ids) => ids.contains(uuid),
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

    /// The bytes that are sealed.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let moment = self.until.map_or(i64::MIN, |until| until.0.as_microsecond());
        let mut bytes = moment.to_be_bytes().to_vec();
        bytes.extend(self.read.iter().flat_map(|uuid| uuid.into_bytes()));
        bytes.resize(MOMENT + ID * self.read.len().max(1).next_multiple_of(STEP), 0);
        bytes
    }

    /// What such bytes say; nothing is read where they are others.
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
    fn all_is_one_moment() {
        let (reading, unread) = Reading::default().after(Marked::All, &news(&[3, 2, 1]));
        assert_eq!((reading, unread), (Reading { until: until(3), read: Vec::new() }, 0));
        assert_eq!(Reading::default().after(Marked::All, &[]), (Reading::default(), 0));
    }

    #[test]
    fn some_are_kept_one_by_one_until_those_before_them_are_read() {
        let all = news(&[4, 3, 2, 1]);
        let (reading, unread) = Reading::default().after(Marked::Some(&[id(3), id(9)]), &all);
        assert_eq!((&reading, unread), (&Reading { until: None, read: vec![id(3)] }, 3));
        let (again, unread) = reading.after(Marked::Some(&[id(3)]), &all);
        assert_eq!((&again, unread), (&reading, 3));
        let (reading, unread) = reading.after(Marked::Some(&[id(1), id(2)]), &all);
        assert_eq!((&reading, unread), (&Reading { until: until(3), read: Vec::new() }, 1));
        let (reading, unread) = reading.after(Marked::All, &all);
        assert_eq!((reading.until, unread), (until(4), 0));
    }

    #[test]
    fn what_happened_at_one_moment_is_read_one_by_one() {
        let at_once = [(id(1), until(7).unwrap()), (id(2), until(7).unwrap())];
        let (reading, unread) = Reading::default().after(Marked::Some(&[id(2)]), &at_once);
        assert_eq!((reading, unread), (Reading { until: None, read: vec![id(2)] }, 1));
    }

    #[test]
    fn what_ended_leaves_nothing_behind() {
        let reading = Reading { until: until(5), read: vec![id(8), id(9)] };
        let (reading, unread) = reading.after(Marked::Some(&[]), &news(&[9, 7, 4]));
        assert_eq!((reading, unread), (Reading { until: until(5), read: vec![id(9)] }, 1));
    }

    #[test]
    fn bytes_tell_the_same_and_their_length_nothing() {
        let few = Reading { until: until(5), read: vec![id(8)] };
        let many = Reading { until: None, read: (1..=100).map(id).collect() };
        for reading in [&few, &many, &Reading::default()] {
            assert_eq!(Reading::from_bytes(&reading.to_bytes()), *reading);
            assert_eq!(reading.to_bytes().len(), MOMENT + ID * STEP);
        }
        assert_eq!(Reading::from_bytes(b"short"), Reading::default());
    }
}
