//! Checkers of histories: whether the operations of concurrent clients have an order that explains every response and
//! respects real time (linearizability).

use std::collections::{BTreeMap, BTreeSet};

/// Time since the start of a history, in nanoseconds.
pub(super) type Moment = u64;

/// An operation on a register or a set. Each written value is unique.
#[derive(Clone, Debug)]
pub(super) struct Operation<T> {
    /// Client that sent it.
    #[expect(dead_code, reason = "the description of an anomaly shows it")]
    pub(super) client: usize,
    /// Time before the request.
    pub(super) start: Moment,
    /// Time after the response; `None` if there was none, so that the outcome is unknown.
    pub(super) end: Option<Moment>,
    /// Kind of the operation, with its value.
    pub(super) action: Action<T>,
}

/// Kind of an operation.
#[derive(Clone, Debug)]
pub(super) enum Action<T> {
    /// Wrote a value to a register, or added it to a set.
    Write(u64),
    /// Read the register or the set.
    Read(T),
}

/// The operations on one value of a register: from the earliest end to the latest start of one of them, if that order
/// holds, some operation on the value must take effect in the whole span, so no other value can be current within it.
#[derive(Clone, Copy, Debug)]
struct Zone {
    value: u64,
    first_end: Moment,
    last_start: Moment,
}

impl Zone {
    fn is_forward(&self) -> bool {
        self.first_end < self.last_start
    }

    fn bounds(&self) -> (Moment, Moment) {
        (self.first_end.min(self.last_start), self.first_end.max(self.last_start))
    }
}

/// Returns why a history of a register is not linearizable; `None` if it is. The algorithm is that of Gibbons and Korach
/// ("Testing Shared Memories", 1997) for unique values: zones of different values may not overlap if both are forward,
/// and a backward zone may not lie within a forward one. The register has the value 0 before the history.
pub(super) fn find_register_anomaly(history: &[Operation<u64>]) -> Option<String> {
    let mut writes = BTreeMap::from([(0, (0, Some(0)))]);
    for operation in history {
        if let Action::Write(value) = operation.action {
            writes.insert(value, (operation.start, operation.end));
        }
    }
    let mut zones = BTreeMap::<u64, Zone>::new();
    for (value, (start, end)) in &writes {
        let first_end = end.unwrap_or(Moment::MAX);
        zones.insert(*value, Zone { value: *value, first_end, last_start: *start });
    }
    for operation in history {
        let (Action::Read(value), Some(end)) = (&operation.action, operation.end) else { continue };
        let Some(zone) = zones.get_mut(value) else {
            return Some(format!("no operation wrote the value read by {operation:?}"));
        };
        if end < writes[value].0 {
            return Some(format!("{operation:?} read a value before it was written"));
        }
        zone.first_end = zone.first_end.min(end);
        zone.last_start = zone.last_start.max(operation.start);
    }
    // A write without a response without a reader need not have happened.
    let zones: Vec<Zone> = zones.into_values().filter(|zone| zone.first_end < Moment::MAX).collect();
    let (mut forward, backward): (Vec<Zone>, Vec<Zone>) = zones.iter().partition(|zone| zone.is_forward());
    forward.sort_by_key(Zone::bounds);
    for pair in forward.windows(2) {
        if pair[1].bounds().0 < pair[0].bounds().1 {
            return Some(format!("the values {} and {} were both current: {pair:?}", pair[0].value, pair[1].value));
        }
    }
    for zone in backward {
        let (low, high) = zone.bounds();
        let around = forward.iter().find(|outer| outer.bounds().0 < low && high < outer.bounds().1);
        if let Some(outer) = around {
            return Some(format!(
                "the value {} was current while {} was: {zone:?}, {outer:?}",
                zone.value, outer.value
            ));
        }
    }
    None
}

/// Returns why a history of a set that only grows is not linearizable; `None` if it is. Each read has every element whose
/// addition ended before the read began, none whose addition began after the read ended, and everything that a read
/// before it had.
pub(super) fn find_set_anomaly(history: &[Operation<BTreeSet<u64>>]) -> Option<String> {
    let adds: BTreeMap<u64, (Moment, Option<Moment>)> = history
        .iter()
        .filter_map(|operation| match operation.action {
            Action::Write(value) => Some((value, (operation.start, operation.end))),
            Action::Read(_) => None,
        })
        .collect();
    let reads: Vec<(&Operation<_>, &BTreeSet<u64>, Moment)> = history
        .iter()
        .filter_map(|operation| match &operation.action {
            Action::Read(elements) => Some((operation, elements, operation.end?)),
            Action::Write(_) => None,
        })
        .collect();
    for (operation, elements, end) in &reads {
        let lost = adds.iter().find(|(value, (_, added))| {
            added.is_some_and(|added| added < operation.start) && !elements.contains(value)
        });
        if let Some((value, _)) = lost {
            return Some(format!("{operation:?} lacks {value}"));
        }
        let early = elements.iter().find(|value| adds.get(value).is_none_or(|(start, _)| end < start));
        if let Some(value) = early {
            return Some(format!("{operation:?} has {value} before it was added"));
        }
    }
    for (later, elements, _) in &reads {
        let gone = reads.iter().find(|(_, before, end)| *end < later.start && !before.is_subset(elements));
        if let Some((earlier, ..)) = gone {
            return Some(format!("{later:?} lacks what {earlier:?} had"));
        }
    }
    None
}

/// A change of a voter's own vote.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vote {
    /// Time before the request.
    pub(super) start: Moment,
    /// Time after the response; `None` if there was none.
    pub(super) end: Option<Moment>,
    /// Whether the voter voted or withdrew the vote.
    pub(super) counts: bool,
}

/// A count of votes that a client read.
#[derive(Clone, Copy, Debug)]
pub(super) struct CountRead {
    /// Time before the request.
    pub(super) start: Moment,
    /// Time after the response.
    pub(super) end: Moment,
    /// The number of votes in it.
    pub(super) count: i64,
}

/// Returns a read of the number of votes that no order of the votes explains; `None` if there is none. Each voter sends one
/// change after the other, each different from the one before. A vote certainly counts in a read if it ended before the
/// read began and its voter did not begin another change before the read ended. It cannot count if no order has it.
pub(super) fn find_count_anomaly(voters: &[Vec<Vote>], reads: &[CountRead]) -> Option<String> {
    reads.iter().find_map(|read| {
        let (mut least, mut most) = (0, 0);
        for votes in voters {
            let before = votes.iter().rposition(|vote| vote.end.is_some_and(|end| end < read.start));
            // The last change before the read, and all that may have taken effect since.
            let possible = votes[before.unwrap_or(0)..].iter().take_while(|vote| vote.start < read.end);
            let possible = possible.map(|vote| vote.counts).chain(before.is_none().then_some(false));
            let counts: Vec<i64> = possible.map(i64::from).collect();
            least += counts.iter().min().copied().unwrap_or(0);
            most += counts.iter().max().copied().unwrap_or(0);
        }
        let is_possible = (least..=most).contains(&read.count);
        (!is_possible).then(|| format!("{read:?} is not within {least} to {most}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(value: u64, start: Moment, end: impl Into<Option<Moment>>) -> Operation<u64> {
        Operation { client: 0, start, end: end.into(), action: Action::Write(value) }
    }

    fn read(value: u64, start: Moment, end: Moment) -> Operation<u64> {
        Operation { client: 1, start, end: Some(end), action: Action::Read(value) }
    }

    #[test]
    fn explainable_histories_of_register_have_no_anomaly() {
        for history in [
            vec![],
            vec![read(0, 1, 2), write(1, 3, 6), read(0, 4, 5), read(1, 4, 7), read(1, 8, 9)],
            vec![write(1, 1, 10), write(2, 2, 9), read(2, 11, 12)],
            vec![write(1, 1, None), read(0, 2, 3), read(1, 4, 5), write(2, 6, 7), read(2, 8, 9)],
            vec![write(1, 1, None), read(0, 2, 3), read(0, 4, 5)],
        ] {
            assert_eq!(find_register_anomaly(&history), None, "{history:?}");
        }
    }

    #[test]
    fn stale_lost_and_foreign_values_of_register_are_found() {
        for history in [
            // A read that goes back.
            vec![write(1, 1, 2), read(1, 3, 4), read(0, 5, 6)],
            // A read that lacks the client's own write.
            vec![write(1, 1, 2), write(2, 3, 4), read(1, 5, 6)],
            // Two values in turns.
            vec![write(1, 1, 20), write(2, 1, 20), read(1, 2, 3), read(2, 4, 5), read(1, 6, 7)],
            // A value from the future, and one without a write.
            vec![read(1, 1, 2), write(1, 3, 4)],
            vec![read(9, 1, 2)],
            // A write of unknown outcome that took effect and is gone again.
            vec![write(1, 1, None), read(1, 2, 3), read(0, 4, 5)],
        ] {
            assert!(find_register_anomaly(&history).is_some(), "{history:?}");
        }
    }

    #[test]
    fn lost_early_and_vanished_elements_of_set_are_found() {
        let add = |value, start, end| Operation { client: 0, start, end, action: Action::Write(value) };
        let read = |elements: &[u64], start, end| {
            let elements = elements.iter().copied().collect::<BTreeSet<u64>>();
            Operation { client: 1, start, end: Some(end), action: Action::Read(elements) }
        };
        let good = [add(1, 1, Some(4)), read(&[], 2, 3), read(&[1], 2, 5), add(2, 6, None), read(&[1, 2], 7, 8)];
        assert_eq!(find_set_anomaly(&good), None);
        for history in [
            vec![add(1, 1, Some(2)), read(&[], 3, 4)],
            vec![read(&[1], 1, 2), add(1, 3, Some(4))],
            vec![add(1, 1, None), read(&[1], 2, 3), read(&[], 4, 5)],
        ] {
            assert!(find_set_anomaly(&history).is_some(), "{history:?}");
        }
    }
    #[test]
    fn lost_and_double_votes_are_found() {
        let vote = |start, end, counts| Vote { start, end, counts };
        let voters =
            [vec![vote(1, Some(2), true), vote(5, Some(8), false), vote(9, None, true)], vec![vote(3, Some(4), true)]];
        let read = |start, end, count| CountRead { start, end, count };
        let good = [read(0, 1, 0), read(1, 3, 1), read(4, 5, 2), read(6, 7, 1), read(6, 7, 2), read(10, 11, 1)];
        assert_eq!(find_count_anomaly(&voters, &[&good[..], &[read(10, 11, 2)]].concat()), None);
        for wrong in [read(3, 4, 0), read(5, 6, 0), read(4, 5, 3), read(6, 7, 0), read(9, 10, 3), read(10, 11, 0)] {
            assert!(find_count_anomaly(&voters, &[wrong]).is_some(), "{wrong:?}");
        }
    }
}
