//! Fair pool for CPU-bound work: networks and accounts take turns.
//!
//! A [`BlockingPool`](super::BlockingPool) is first come, first served, so one caller who floods it delays everyone. In
//! this pool the waiter whose last turn is the oldest is next, first by network, then by account. A caller with a
//! single task therefore waits only for the running one, however many others wait.
use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use super::BlockingError;

/// Number of turns after which a network or account is forgotten and counts as new.
const REMEMBERED: u64 = 256;

/// Owner of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkOwner {
    /// Network of the owner.
    pub network: IpAddr,
    /// Account of the owner.
    pub account: String,
}

/// Maximum numbers of waiting tasks.
#[derive(Clone, Copy, Debug)]
pub struct QueueLimits {
    /// In total.
    pub all: usize,
    /// Per network.
    pub of_network: usize,
    /// Per account.
    pub of_account: usize,
}

/// Bounded, fair access to the blocking threads. Cheap to clone; clones share the bounds.
#[derive(Clone, Debug)]
pub struct FairBlockingPool(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    most: QueueLimits,
    queue: Mutex<Queue>,
}

#[derive(Debug)]
struct Queue {
    free: usize,
    /// In order of arrival.
    waiting: Vec<Waiter>,
    taken: u64,
    networks: LastServed<IpAddr>,
    accounts: LastServed<String>,
}

#[derive(Debug)]
struct Waiter {
    party: WorkOwner,
    sender: oneshot::Sender<FairPermit>,
}

/// A turn. Dropping it passes the turn to the next waiter.
#[derive(Debug)]
struct FairPermit(Arc<Inner>);

impl FairBlockingPool {
    /// Creates a pool in which `permits` tasks can run, with these limits for waiting tasks.
    pub fn new(permits: usize, most: QueueLimits) -> Self {
        let queue = Queue {
            free: permits.max(1),
            waiting: Vec::new(),
            taken: 0,
            networks: LastServed::default(),
            accounts: LastServed::default(),
        };
        Self(Arc::new(Inner { most, queue: Mutex::new(queue) }))
    }

    /// Runs `work` on a blocking thread when its owner's turn comes.
    ///
    /// If the future is dropped while it waits, it leaves the queue. Work that has started runs to completion and holds
    /// its turn until then, so that abandoned calls cannot exceed the bound.
    ///
    /// # Errors
    /// [`BlockingError::Overloaded`] immediately if a limit for the account, the network or the total is reached;
    /// [`BlockingError::Broken`] if `work` panicked.
    pub async fn run<T, W>(&self, party: WorkOwner, work: W) -> Result<T, BlockingError>
    where
        T: Send + 'static,
        W: FnOnce() -> T + Send + 'static,
    {
        let turn = self.begin(party)?.await.map_err(|_| BlockingError::Broken)?;
        tokio::task::spawn_blocking(move || {
            let result = work();
            drop(turn);
            result
        })
        .await
        .map_err(|_| BlockingError::Broken)
    }

    /// Enters the queue. The receiver resolves when the turn comes.
    fn begin(&self, party: WorkOwner) -> Result<oneshot::Receiver<FairPermit>, BlockingError> {
        let (sender, turn) = oneshot::channel();
        let mut queue = self.0.queue();
        if queue.free > 0 {
            queue.free -= 1;
            queue.note(&party);
            drop(queue);
            // The caller holds the receiver, so sending succeeds.
            let _ = sender.send(FairPermit(Arc::clone(&self.0)));
            return Ok(turn);
        }
        queue.waiting.retain(|waiter| !waiter.sender.is_closed());
        let (of_network, of_account) = queue.waiting.iter().fold((0, 0), |(networks, accounts), waiter| {
            let is_of_network = waiter.party.network == party.network;
            let is_of_account = waiter.party.account == party.account;
            (networks + usize::from(is_of_network), accounts + usize::from(is_of_account))
        });
        let most = &self.0.most;
        if queue.waiting.len() >= most.all || of_network >= most.of_network || of_account >= most.of_account {
            return Err(BlockingError::Overloaded);
        }
        queue.waiting.push(Waiter { party, sender });
        Ok(turn)
    }
}

impl Inner {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for FairPermit {
    fn drop(&mut self) {
        let next = self.0.queue().next();
        if let Some(next) = next {
            // If the waiter has left, sending fails and drops the permit, which passes the turn to the next waiter.
            let _ = next.sender.send(FairPermit(Arc::clone(&self.0)));
        }
    }
}

impl Queue {
    /// Selects the next waiter; frees the turn if none waits. Networks take turns, then the accounts of a network.
    /// Tasks of one account run in order of arrival.
    fn next(&mut self) -> Option<Waiter> {
        self.waiting.retain(|waiter| !waiter.sender.is_closed());
        let order =
            |waiter: &Waiter| (self.networks.last(&waiter.party.network), self.accounts.last(&waiter.party.account));
        let next = self.waiting.iter().enumerate().min_by_key(|(at, waiter)| (order(waiter), *at)).map(|(at, _)| at);
        let Some(next) = next.map(|at| self.waiting.remove(at)) else {
            self.free += 1;
            return None;
        };
        self.note(&next.party);
        Some(next)
    }

    fn note(&mut self, party: &WorkOwner) {
        self.taken += 1;
        self.networks.note(party.network, self.taken);
        self.accounts.note(party.account.clone(), self.taken);
    }
}

/// Turn number at which each network or account was last served.
#[derive(Debug)]
struct LastServed<K>(HashMap<K, u64>);

impl<K> Default for LastServed<K> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<K: Eq + Hash> LastServed<K> {
    fn last(&self, whose: &K) -> u64 {
        self.0.get(whose).copied().unwrap_or_default()
    }

    fn note(&mut self, whose: K, turn: u64) {
        self.0.retain(|_, last| *last + REMEMBERED > turn);
        self.0.insert(whose, turn);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use proptest::prelude::*;

    use super::*;

    const ROOMY: QueueLimits = QueueLimits { all: 100, of_network: 100, of_account: 100 };

    fn party(network: u8, account: &str) -> WorkOwner {
        WorkOwner { network: [192, 0, 2, network].into(), account: account.to_owned() }
    }

    /// Creates a pool whose only turn is taken, and returns the turn.
    fn busy(most: QueueLimits) -> (FairBlockingPool, FairPermit) {
        let turns = FairBlockingPool::new(1, most);
        let turn = turns.begin(party(0, "somebody")).unwrap().try_recv().unwrap();
        (turns, turn)
    }

    /// Returns the order in which the waiters get their turns.
    fn order(mut turn: FairPermit, mut waiting: Vec<(usize, oneshot::Receiver<FairPermit>)>) -> Vec<usize> {
        let mut order = Vec::new();
        while !waiting.is_empty() {
            drop(turn);
            let sender =
                waiting.iter_mut().enumerate().find_map(|(at, (_, sender))| Some((at, sender.try_recv().ok()?)));
            let (at, next) = sender.expect("somebody is told");
            order.push(waiting.remove(at).0);
            turn = next;
        }
        order
    }

    #[test]
    fn new_account_precedes_backlog_of_four_accounts() {
        let (turns, turn) = busy(ROOMY);
        let mut waiting: Vec<_> = Vec::new();
        for account in ["a", "b", "c", "d"] {
            for _ in 0..4 {
                waiting.push((waiting.len(), turns.begin(party(1, account)).unwrap()));
            }
        }
        // After one turn of each of the four, a new caller arrives.
        let mut turn = turn;
        for piece in [0, 4, 8, 12] {
            drop(turn);
            let at = waiting.iter().position(|(at, _)| *at == piece).unwrap();
            turn = waiting.remove(at).1.try_recv().expect("accounts take turns");
        }
        waiting.push((99, turns.begin(party(1, "e")).unwrap()));
        assert_eq!(order(turn, waiting), [99, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15]);
    }

    #[test]
    fn accounts_of_one_network_share_its_turns() {
        let (turns, turn) = busy(ROOMY);
        let parties = [(1, "a"), (1, "b"), (1, "c"), (2, "d"), (2, "d")];
        let waiting = parties.iter().map(|(network, account)| turns.begin(party(*network, account)).unwrap());
        assert_eq!(order(turn, waiting.enumerate().collect()), [0, 3, 1, 4, 2]);
    }

    #[test]
    fn queue_limits_apply_to_account_network_and_total() {
        let (turns, turn) = busy(QueueLimits { all: 5, of_network: 3, of_account: 2 });
        let mut waiting = Vec::new();
        let mut may =
            |network, account| turns.begin(party(network, account)).map(|sender| waiting.push(sender)).is_ok();
        assert_eq!([may(1, "a"), may(1, "a"), may(1, "a"), may(2, "a")], [true, true, false, false]);
        assert_eq!([may(1, "b"), may(1, "c")], [true, false]);
        assert_eq!([may(2, "d"), may(2, "d"), may(3, "e")], [true, true, false]);
        waiting.remove(0);
        assert!(turns.begin(party(3, "e")).is_ok(), "whoever left makes room");
        drop(turn);
    }

    #[test]
    fn turn_of_cancelled_waiter_passes_to_next() {
        let (turns, turn) = busy(ROOMY);
        let (first, second) = (turns.begin(party(1, "a")).unwrap(), turns.begin(party(1, "b")).unwrap());
        let mut third = turns.begin(party(1, "c")).unwrap();
        drop(second);
        drop(turn);
        // The first waiter got its turn and leaves without using it.
        drop(first);
        let turn = third.try_recv().expect("the third is told");
        drop(turn);
        assert_eq!(turns.0.queue().free, 1, "nothing is lost");
    }

    proptest! {
        /// For any sequence of arrivals and departures, no turn is lost or duplicated, and no owner has more waiting
        /// tasks than allowed.
        #[test]
        fn turns_are_not_lost_and_limits_are_kept(steps in prop::collection::vec((0..4u8, 0..3u8), 1..80)) {
            let most = QueueLimits { all: 8, of_network: 5, of_account: 3 };
            let turns = FairBlockingPool::new(2, most);
            let (mut sender, mut held) = (Vec::new(), Vec::new());
            for (who, step) in steps {
                match step {
                    0 | 1 => sender.extend(turns.begin(party(who / 2, &who.to_string()))),
                    _ if who % 2 == 0 && !sender.is_empty() => drop(sender.remove(0)),
                    _ => drop(held.pop()),
                }
                sender.retain_mut(|turn: &mut oneshot::Receiver<FairPermit>| turn.try_recv().map(|turn| held.push(turn)).is_err());
                let queue = turns.0.queue();
                prop_assert!(held.len() + queue.free == 2);
                let living = || queue.waiting.iter().filter(|waiter| !waiter.sender.is_closed());
                prop_assert!(queue.free == 0 || living().count() == 0);
                prop_assert!(living().count() <= most.all);
                for who in 0..4u8 {
                    let own = living().filter(|waiter| waiter.party.account == who.to_string()).count();
                    prop_assert!(own <= most.of_account);
                }
            }
        }
    }

    #[tokio::test]
    async fn abandoned_work_keeps_its_turn_and_panic_releases_it() {
        let turns = FairBlockingPool::new(1, ROOMY);
        let (release, gate) = mpsc::channel::<()>();
        let (began, begun) = oneshot::channel();
        let running = turns.run(party(1, "a"), move || began.send(()).is_ok() && gate.recv().is_ok());
        tokio::select! {
            _ = running => panic!("it waits for the gate"),
            begun = begun => begun.unwrap(),
        }
        let mut next = turns.begin(party(1, "a")).unwrap();
        assert!(next.try_recv().is_err(), "the abandoned work is still under way");
        release.send(()).unwrap();
        drop(next.await.unwrap());
        let broken: Result<(), _> = turns.run(party(1, "a"), || panic!("meant to")).await;
        assert_eq!(broken, Err(BlockingError::Broken));
        assert_eq!(turns.run(party(1, "a"), || 1).await, Ok(1));
    }
}
