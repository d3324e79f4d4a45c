//! Records of the data that readers have seen, so that no reader gets older data from this process.
//!
//! The data of one replica never gets older, so a process reads from the same replica as long as that one is fresh. A
//! reader could see older data only after a change from the primary to a replica, or from one replica to another. The
//! process records the moment of that change by its own clock, and uses the new replica only when that one shows
//! everything that was committed before this moment.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use ipnet::IpNet;
use moka::sync::Cache;

use super::OLDEST;
use crate::context::Caller;

/// Readers that are remembered. Each is forgotten after [`OLDEST`], because no replica is used that is older.
const MOST: u64 = 200_000;

/// Who reads: an account, and the network of every request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Reader {
    Account(String),
    Network(IpNet),
}

impl Reader {
    fn all_of(caller: &Caller) -> impl Iterator<Item = Self> {
        let account = caller.principal.as_deref().map(|principal| Self::Account(principal.budget.account.clone()));
        account.into_iter().chain([Self::Network(caller.network())])
    }
}

/// Moments at which the primary last answered each reader.
pub(super) struct SeenMoments(Cache<Reader, Instant>);

impl Default for SeenMoments {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(MOST).time_to_live(OLDEST).build())
    }
}

impl SeenMoments {
    /// Records that the primary has answered a caller.
    pub(super) fn note(&self, caller: &Caller) {
        for reader in Reader::all_of(caller) {
            // The time is read under the lock of the entry, so that no earlier moment replaces a later one.
            self.0.entry(reader).and_upsert_with(|_| Instant::now());
        }
    }

    /// Returns the moment that a replica must show for this caller; `None` if every fresh one may answer.
    pub(super) fn of(&self, caller: &Caller) -> Option<Instant> {
        Reader::all_of(caller).filter_map(|reader| self.0.get(&reader)).max()
    }
}

/// The replica that this process reads from. Each process starts with a random one.
pub(super) struct ChosenReplica(Mutex<Choice>);

/// State of the choice.
#[derive(Clone, Copy)]
pub(super) struct Choice {
    /// Index of the replica.
    pub(super) index: usize,
    /// Moment that the replica must show, because another one was used until then.
    pub(super) shows: Option<Instant>,
    /// Number of times that a read was answered elsewhere than by the replica chosen before it.
    pub(super) departures: u64,
}

impl ChosenReplica {
    /// Creates the choice of a replica.
    pub(super) fn new(index: usize) -> Self {
        Self(Mutex::new(Choice { index, shows: None, departures: 0 }))
    }

    fn locked(&self) -> MutexGuard<'_, Choice> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn now(&self) -> Choice {
        *self.locked()
    }

    /// Chooses another replica instead of one that cannot be used.
    pub(super) fn change(&self, from: usize, to: usize) {
        let mut choice = self.locked();
        // Another request may have changed it.
        if choice.index == from {
            *choice = Choice { index: to, shows: Some(Instant::now()), departures: choice.departures + 1 };
        }
    }

    /// Records that the primary answers a read instead of the chosen replica.
    pub(super) fn depart(&self) {
        self.locked().departures += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;
    use crate::context::{Channel, Credentials};

    fn caller(address: [u8; 4]) -> Caller {
        Caller {
            principal: None,
            address: IpAddr::V4(Ipv4Addr::from(address)),
            user_agent: None,
            request_id: String::new(),
            channel: Channel::Rest,
            credentials: Credentials::default(),
            takes_csv: false,
        }
    }

    #[test]
    fn answer_of_primary_is_recorded_for_its_network_only() {
        let (moments, one, other) = (SeenMoments::default(), caller([192, 0, 2, 1]), caller([192, 0, 2, 2]));
        let before = Instant::now();
        moments.note(&one);
        assert!(moments.of(&one).is_some_and(|moment| moment >= before));
        assert_eq!(moments.of(&other), None);
    }

    #[test]
    fn changed_choice_must_show_the_moment_of_the_change() {
        let chosen = ChosenReplica::new(0);
        assert!(chosen.now().shows.is_none());
        chosen.change(0, 1);
        let changed = chosen.now();
        assert!(changed.index == 1 && changed.shows.is_some() && changed.departures == 1);
        // A second request that saw the former choice changes nothing.
        chosen.change(0, 2);
        assert!(chosen.now().index == 1 && chosen.now().departures == 1);
        chosen.depart();
        assert_eq!(chosen.now().departures, 2);
    }
}
