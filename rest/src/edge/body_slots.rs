//! Places of what callers let the service wait for: bodies that do not come with their heads, and uploads, each of which is
//! held in memory whole until it is answered. Whoever finds no place waits for one, and everybody has a share only.
//!
//! A share alone would let four who use up theirs keep out everybody else. So a second place is given only while more
//! than half are free, and whoever has the fewest is next when one becomes free.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

/// How long somebody waits for a place.
const PATIENCE: Duration = Duration::from_secs(5);
/// How many may wait for each place of an account's share.
const WAITING_FOR_EACH: usize = 2;

/// How many places there are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlotLimits {
    /// In all.
    pub(crate) all: usize,
    /// For one network.
    pub(crate) of_network: usize,
    /// For one account.
    pub(crate) of_account: usize,
}

/// Whose place it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SlotHolder {
    /// The network that the request comes from.
    pub(crate) network: String,
    /// The account that asks; the network again where nobody is known.
    pub(crate) account: String,
}

/// All places, and who holds or awaits one.
pub(crate) struct BodySlots {
    most: SlotLimits,
    patience: Duration,
    room: Mutex<Occupancy>,
}

#[derive(Default)]
struct Occupancy {
    held: Vec<SlotHolder>,
    /// In the order in which they came.
    waiting: Vec<Waiter>,
}

struct Waiter {
    holder: SlotHolder,
    told: oneshot::Sender<()>,
}

/// A place, until it is dropped.
pub(crate) struct BodySlot<'p> {
    places: &'p BodySlots,
    holder: SlotHolder,
}

/// A place among those who wait. One that was told and left all the same gives up what it was given.
struct Turn<'p> {
    places: &'p BodySlots,
    holder: SlotHolder,
    told: oneshot::Receiver<()>,
}

impl SlotHolder {
    /// One of whom the network alone is known.
    pub(crate) fn network(network: &str) -> Self {
        Self { network: network.to_owned(), account: network.to_owned() }
    }
}

impl BodySlots {
    /// So many places: whoever sends slowly must not keep everybody else from sending.
    pub(crate) fn new(most: SlotLimits) -> Self {
        Self { most, patience: PATIENCE, room: Mutex::default() }
    }

    /// A place for one more of somebody's; none when none became free in time, or too many of theirs wait already.
    pub(crate) async fn take(&self, holder: SlotHolder) -> Option<BodySlot<'_>> {
        let turn = {
            let mut room = self.room();
            room.waiting.retain(|waiter| !waiter.told.is_closed());
            if room.fits(&holder, &self.most) {
                room.held.push(holder.clone());
                return Some(BodySlot { places: self, holder });
            }
            let own = room.waiting.iter().filter(|waiter| waiter.holder.account == holder.account).count();
            if own >= self.most.of_account.saturating_mul(WAITING_FOR_EACH) {
                return None;
            }
            let (told, turn) = oneshot::channel();
            room.waiting.push(Waiter { holder: holder.clone(), told });
            Turn { places: self, holder, told: turn }
        };
        tokio::time::timeout(self.patience, turn.come()).await.ok()
    }

    fn room(&self) -> MutexGuard<'_, Occupancy> {
        self.room.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives up a place, and gives what is free to those who wait.
    fn leave(&self, holder: &SlotHolder) {
        let mut room = self.room();
        if let Some(at) = room.held.iter().position(|other| other == holder) {
            room.held.swap_remove(at);
        }
        while let Some(next) = room.next(&self.most) {
            if next.told.send(()).is_ok() {
                room.held.push(next.holder);
            }
        }
    }
}

impl Occupancy {
    /// Whether there is a place for one more of somebody's.
    fn fits(&self, holder: &SlotHolder, most: &SlotLimits) -> bool {
        let own = self.count_held_by(holder);
        let of_network = self.held.iter().filter(|other| other.network == holder.network).count();
        let is_roomy = |held: usize, most: usize| held < if own == 0 { most } else { most / 2 };
        own < most.of_account && is_roomy(self.held.len(), most.all) && is_roomy(of_network, most.of_network)
    }

    fn count_held_by(&self, holder: &SlotHolder) -> usize {
        self.held.iter().filter(|other| other.account == holder.account).count()
    }

    /// Whoever has the fewest places of those for whom there is one, and of several, whoever waits longest.
    fn next(&mut self, most: &SlotLimits) -> Option<Waiter> {
        let fitting = self.waiting.iter().enumerate().filter(|(_, waiter)| self.fits(&waiter.holder, most));
        let (at, _) = fitting.min_by_key(|(at, waiter)| (self.count_held_by(&waiter.holder), *at))?;
        Some(self.waiting.remove(at))
    }
}

impl Drop for BodySlot<'_> {
    fn drop(&mut self) {
        self.places.leave(&self.holder);
    }
}

impl<'p> Turn<'p> {
    async fn come(mut self) -> BodySlot<'p> {
        // The other end is kept until it has told.
        let _ = (&mut self.told).await;
        BodySlot { places: self.places, holder: self.holder.clone() }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.told.close();
        if self.told.try_recv().is_ok() {
            self.places.leave(&self.holder);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use proptest::prelude::*;

    use super::*;

    const UPLOADS: SlotLimits = SlotLimits { all: 24, of_network: 12, of_account: 4 };

    fn of(network: &str, account: &str) -> SlotHolder {
        SlotHolder { network: network.to_owned(), account: account.to_owned() }
    }

    fn take<'p>(places: &'p BodySlots, network: &str, account: &str) -> Option<BodySlot<'p>> {
        places.take(of(network, account)).now_or_never().flatten()
    }

    #[tokio::test]
    async fn four_accounts_of_one_network_that_take_all_they_can_leave_places_for_others() {
        let places = BodySlots::new(UPLOADS);
        let mut held = Vec::new();
        for account in ["a", "b", "c", "d"].repeat(UPLOADS.of_account) {
            held.extend(take(&places, "one", account));
        }
        assert_eq!(held.len(), 6, "one each, and further ones of half of the network's");
        for account in ["e", "f", "g", "h", "i", "j"] {
            held.push(take(&places, "one", account).expect("the first place of an account"));
        }
        assert!(take(&places, "one", "k").is_none(), "the network has its share");
        assert!(take(&places, "two", "l").is_some(), "and no more");
        drop(held);
        assert!(places.room().held.is_empty());
    }

    #[tokio::test]
    async fn an_account_has_its_share_however_many_networks_it_comes_from() {
        let places = BodySlots::new(UPLOADS);
        let held: Vec<_> =
            ["one", "two", "three", "four", "five"].iter().filter_map(|at| take(&places, at, "a")).collect();
        assert_eq!(held.len(), UPLOADS.of_account);
    }

    #[tokio::test]
    async fn whoever_has_none_is_next_before_whoever_waits_longer_for_another() {
        let places = BodySlots::new(SlotLimits { all: 2, of_network: 2, of_account: 2 });
        let mut held = vec![take(&places, "one", "a").unwrap(), take(&places, "two", "b").unwrap()];
        let mut greedy = Box::pin(places.take(of("one", "a")));
        let mut modest = Box::pin(places.take(of("three", "c")));
        assert!(futures_util::poll!(greedy.as_mut()).is_pending());
        assert!(futures_util::poll!(modest.as_mut()).is_pending());
        held.pop();
        assert!(futures_util::poll!(greedy.as_mut()).is_pending());
        let place = modest.await.expect("the place that became free");
        drop((place, held));
        assert!(greedy.await.is_some());
        assert!(places.room().waiting.is_empty() && places.room().held.is_empty());
    }

    #[tokio::test]
    async fn whoever_waits_too_long_gets_none_and_too_many_are_told_at_once() {
        let mut places = BodySlots::new(SlotLimits { all: 1, of_network: 1, of_account: 1 });
        places.patience = Duration::from_millis(1);
        let held = take(&places, "one", "a").unwrap();
        assert!(places.take(of("one", "a")).await.is_none(), "after a while");
        drop(held);
        places.patience = PATIENCE;
        let held = take(&places, "one", "a").unwrap();
        let mut crowd: Vec<_> = (0..2).map(|_| Box::pin(places.take(of("one", "a")))).collect();
        for waiting in &mut crowd {
            assert!(futures_util::poll!(waiting.as_mut()).is_pending());
        }
        let refused = places.take(of("one", "a")).now_or_never();
        assert!(refused.is_some_and(|place| place.is_none()), "the third is told at once");
        drop((crowd, held));
        assert!(take(&places, "one", "a").is_some(), "whoever left while waiting holds nothing");
    }

    proptest! {
        /// Whatever comes, waits and goes, nobody has more than their share, and no place is lost.
        #[test]
        fn nobody_ever_has_more_than_their_share(steps in prop::collection::vec((0..6u8, 0..4u8), 1..120)) {
            let most = SlotLimits { all: 8, of_network: 6, of_account: 3 };
            let places = BodySlots::new(most);
            let (mut held, mut waiting) = (Vec::new(), Vec::new());
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
            let _entered = runtime.enter();
            for (who, step) in steps {
                match step {
                    0 | 1 => waiting.push(Box::pin(places.take(of(&(who % 2).to_string(), &who.to_string())))),
                    2 if !waiting.is_empty() => drop(waiting.swap_remove(usize::from(who) % waiting.len())),
                    _ => drop(held.pop()),
                }
                waiting.retain_mut(|turn| match turn.as_mut().now_or_never() {
                    Some(place) => { held.extend(place); false }
                    None => true,
                });
                let room = places.room();
                prop_assert_eq!(room.held.len(), held.len(), "every place that is given is somebody's");
                prop_assert!(held.len() <= most.all);
                for who in 0..6u8 {
                    prop_assert!(room.held.iter().filter(|holder| holder.account == who.to_string()).count() <= most.of_account);
                    let network = (who % 2).to_string();
                    prop_assert!(room.held.iter().filter(|holder| holder.network == network).count() <= most.of_network);
                }
            }
            drop((held, waiting));
            prop_assert!(places.room().held.is_empty());
        }
    }
}
