//! Slots for work that depends on the caller's speed: bodies that arrive after their heads, and uploads, which are kept
//! in memory until the response. A caller without a free slot waits for one, and each caller has a limited share.
//!
//! With shares alone, four callers that use all of their slots could block all others. So a caller gets a second slot
//! only while more than half are free, and a freed slot goes to the waiting caller with the fewest slots.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

/// Maximum wait for a slot.
const PATIENCE: Duration = Duration::from_secs(5);
/// Maximum number of waiters per slot of an account's share.
const WAITING_FOR_EACH: usize = 2;

/// Maximum numbers of slots.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlotLimits {
    /// In total.
    pub(crate) all: usize,
    /// Per network.
    pub(crate) of_network: usize,
    /// Per account.
    pub(crate) of_account: usize,
}

/// The holder of a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SlotHolder {
    /// Network of the request.
    pub(crate) network: String,
    /// Account of the caller; the network if the caller is anonymous.
    pub(crate) account: String,
}

/// All slots, their holders and waiters.
pub(crate) struct BodySlots {
    most: SlotLimits,
    patience: Duration,
    occupancy: Mutex<Occupancy>,
}

#[derive(Default)]
struct Occupancy {
    held: Vec<SlotHolder>,
    /// In the order of arrival.
    waiting: Vec<Waiter>,
}

struct Waiter {
    holder: SlotHolder,
    signal: oneshot::Sender<()>,
}

/// A slot, released on drop.
pub(crate) struct BodySlot<'p> {
    places: &'p BodySlots,
    holder: SlotHolder,
}

/// A position in the queue. If a waiter was notified and is cancelled, the slot assigned to it is released.
struct QueueEntry<'p> {
    places: &'p BodySlots,
    holder: SlotHolder,
    signal: oneshot::Receiver<()>,
}

impl SlotHolder {
    /// Creates a holder that is known only by its network.
    pub(crate) fn network(network: &str) -> Self {
        Self { network: network.to_owned(), account: network.to_owned() }
    }
}

impl BodySlots {
    /// Creates this number of slots: callers that send slowly must not block all others.
    pub(crate) fn new(most: SlotLimits) -> Self {
        Self { most, patience: PATIENCE, occupancy: Mutex::default() }
    }

    /// Takes a slot for a holder; none if no slot became free in time, or too many waiters of the account are already
    /// in the queue.
    pub(crate) async fn acquire(&self, holder: SlotHolder) -> Option<BodySlot<'_>> {
        let turn = {
            let mut occupancy = self.lock_occupancy();
            occupancy.waiting.retain(|waiter| !waiter.signal.is_closed());
            if occupancy.fits(&holder, &self.most) {
                occupancy.held.push(holder.clone());
                return Some(BodySlot { places: self, holder });
            }
            let own = occupancy.waiting.iter().filter(|waiter| waiter.holder.account == holder.account).count();
            if own >= self.most.of_account.saturating_mul(WAITING_FOR_EACH) {
                return None;
            }
            let (signal, turn) = oneshot::channel();
            occupancy.waiting.push(Waiter { holder: holder.clone(), signal });
            QueueEntry { places: self, holder, signal: turn }
        };
        tokio::time::timeout(self.patience, turn.wait()).await.ok()
    }

    fn lock_occupancy(&self) -> MutexGuard<'_, Occupancy> {
        self.occupancy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Releases a slot, and assigns free slots to waiters.
    fn leave(&self, holder: &SlotHolder) {
        let mut occupancy = self.lock_occupancy();
        if let Some(at) = occupancy.held.iter().position(|other| other == holder) {
            occupancy.held.swap_remove(at);
        }
        while let Some(next) = occupancy.next_waiter(&self.most) {
            if next.signal.send(()).is_ok() {
                occupancy.held.push(next.holder);
            }
        }
    }
}

impl Occupancy {
    /// Whether a slot is available for this holder.
    fn fits(&self, holder: &SlotHolder, most: &SlotLimits) -> bool {
        let own = self.count_held_by(holder);
        let of_network = self.held.iter().filter(|other| other.network == holder.network).count();
        let is_roomy = |held: usize, most: usize| held < if own == 0 { most } else { most / 2 };
        own < most.of_account && is_roomy(self.held.len(), most.all) && is_roomy(of_network, most.of_network)
    }

    fn count_held_by(&self, holder: &SlotHolder) -> usize {
        self.held.iter().filter(|other| other.account == holder.account).count()
    }

    /// Removes the next waiter for whom a slot is available: the one with the fewest slots, then the longest wait.
    fn next_waiter(&mut self, most: &SlotLimits) -> Option<Waiter> {
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

impl<'p> QueueEntry<'p> {
    async fn wait(mut self) -> BodySlot<'p> {
        // The sender is kept until it has sent.
        let _ = (&mut self.signal).await;
        BodySlot { places: self.places, holder: self.holder.clone() }
    }
}

impl Drop for QueueEntry<'_> {
    fn drop(&mut self) {
        self.signal.close();
        if self.signal.try_recv().is_ok() {
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

    fn acquire<'p>(places: &'p BodySlots, network: &str, account: &str) -> Option<BodySlot<'p>> {
        places.acquire(of(network, account)).now_or_never().flatten()
    }

    #[tokio::test]
    async fn four_greedy_accounts_leave_slots_for_other_networks() {
        let places = BodySlots::new(UPLOADS);
        let mut held = Vec::new();
        for account in ["a", "b", "c", "d"].repeat(UPLOADS.of_account) {
            held.extend(acquire(&places, "one", account));
        }
        assert_eq!(held.len(), 6, "one each, and further ones of half of the network's");
        for account in ["e", "f", "g", "h", "i", "j"] {
            held.push(acquire(&places, "one", account).expect("the first place of an account"));
        }
        assert!(acquire(&places, "one", "k").is_none(), "the network has its share");
        assert!(acquire(&places, "two", "l").is_some(), "and no more");
        drop(held);
        assert!(places.lock_occupancy().held.is_empty());
    }

    #[tokio::test]
    async fn account_limit_applies_across_networks() {
        let places = BodySlots::new(UPLOADS);
        let held: Vec<_> =
            ["one", "two", "three", "four", "five"].iter().filter_map(|at| acquire(&places, at, "a")).collect();
        assert_eq!(held.len(), UPLOADS.of_account);
    }

    #[tokio::test]
    async fn waiter_without_slot_precedes_older_waiter_with_slot() {
        let places = BodySlots::new(SlotLimits { all: 2, of_network: 2, of_account: 2 });
        let mut held = vec![acquire(&places, "one", "a").unwrap(), acquire(&places, "two", "b").unwrap()];
        let mut greedy = Box::pin(places.acquire(of("one", "a")));
        let mut modest = Box::pin(places.acquire(of("three", "c")));
        assert!(futures_util::poll!(greedy.as_mut()).is_pending());
        assert!(futures_util::poll!(modest.as_mut()).is_pending());
        held.pop();
        assert!(futures_util::poll!(greedy.as_mut()).is_pending());
        let place = modest.await.expect("the place that became free");
        drop((place, held));
        assert!(greedy.await.is_some());
        assert!(places.lock_occupancy().waiting.is_empty() && places.lock_occupancy().held.is_empty());
    }

    #[tokio::test]
    async fn waiter_times_out_and_excess_waiters_are_rejected_immediately() {
        let mut places = BodySlots::new(SlotLimits { all: 1, of_network: 1, of_account: 1 });
        places.patience = Duration::from_millis(1);
        let held = acquire(&places, "one", "a").unwrap();
        assert!(places.acquire(of("one", "a")).await.is_none(), "after a while");
        drop(held);
        places.patience = PATIENCE;
        let held = acquire(&places, "one", "a").unwrap();
        let mut crowd: Vec<_> = (0..2).map(|_| Box::pin(places.acquire(of("one", "a")))).collect();
        for waiting in &mut crowd {
            assert!(futures_util::poll!(waiting.as_mut()).is_pending());
        }
        let refused = places.acquire(of("one", "a")).now_or_never();
        assert!(refused.is_some_and(|place| place.is_none()), "the third is told at once");
        drop((crowd, held));
        assert!(acquire(&places, "one", "a").is_some(), "whoever left while waiting holds nothing");
    }

    proptest! {
        /// In any sequence of requests, no account exceeds its share, and no slot is lost.
        #[test]
        fn no_account_or_network_exceeds_its_slots(steps in prop::collection::vec((0..6u8, 0..4u8), 1..120)) {
            let most = SlotLimits { all: 8, of_network: 6, of_account: 3 };
            let places = BodySlots::new(most);
            let (mut held, mut waiting) = (Vec::new(), Vec::new());
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
            let _entered = runtime.enter();
            for (who, step) in steps {
                match step {
                    0 | 1 => waiting.push(Box::pin(places.acquire(of(&(who % 2).to_string(), &who.to_string())))),
                    2 if !waiting.is_empty() => drop(waiting.swap_remove(usize::from(who) % waiting.len())),
                    _ => drop(held.pop()),
                }
                waiting.retain_mut(|turn| match turn.as_mut().now_or_never() {
                    Some(place) => { held.extend(place); false }
                    None => true,
                });
                let occupancy = places.lock_occupancy();
                prop_assert_eq!(occupancy.held.len(), held.len(), "every place that is given is somebody's");
                prop_assert!(held.len() <= most.all);
                for who in 0..6u8 {
                    prop_assert!(occupancy.held.iter().filter(|holder| holder.account == who.to_string()).count() <= most.of_account);
                    let network = (who % 2).to_string();
                    prop_assert!(occupancy.held.iter().filter(|holder| holder.network == network).count() <= most.of_network);
                }
            }
            drop((held, waiting));
            prop_assert!(places.lock_occupancy().held.is_empty());
        }
    }
}
