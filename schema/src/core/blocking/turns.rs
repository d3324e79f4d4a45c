//! Turns of accounts: limits the number of expensive reads of one account that run at the same time, so that an account
//! at its full rate leaves processors for all others.

use std::collections::HashMap;
use std::num::NonZero;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum reads of an account that wait for a turn.
const WAITING: usize = 32;

/// Turns for one kind of expensive read.
#[derive(Debug)]
pub(crate) struct AccountTurns {
    of_each: usize,
    lanes: Mutex<HashMap<String, Weak<Lane>>>,
}

/// Turns of one account. It exists while a read of the account runs or waits.
#[derive(Debug)]
struct Lane {
    /// One permit per running or waiting read.
    places: Arc<Semaphore>,
    /// One permit per running read.
    turns: Arc<Semaphore>,
}

/// Right to run one read. Dropping it passes the turn to the next read of the account.
#[derive(Debug)]
pub(crate) struct Turn {
    _turn: OwnedSemaphorePermit,
    _place: OwnedSemaphorePermit,
    _lane: Arc<Lane>,
}

impl Default for AccountTurns {
    /// Each account gets half of the machine's processors, and at least one.
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
        Self::with_turns(processors / 2)
    }
}

impl AccountTurns {
    fn with_turns(of_each: usize) -> Self {
        Self { of_each: of_each.clamp(1, 1_000), lanes: Mutex::default() }
    }

    /// Waits for a turn of this account. Returns `None` immediately if too many reads of the account wait.
    pub(crate) async fn take(&self, account: &str) -> Option<Turn> {
        let lane = self.lane(account);
        let place = Arc::clone(&lane.places).try_acquire_owned().ok()?;
        let turn = Arc::clone(&lane.turns).acquire_owned().await.ok()?;
        Some(Turn { _turn: turn, _place: place, _lane: lane })
    }

    fn lane(&self, account: &str) -> Arc<Lane> {
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lane) = lanes.get(account).and_then(Weak::upgrade) {
            return lane;
        }
        lanes.retain(|_, lane| lane.strong_count() > 0);
        let permits = |number| Arc::new(Semaphore::new(number));
        let lane = Arc::new(Lane { places: permits(self.of_each + WAITING), turns: permits(self.of_each) });
        lanes.insert(account.to_owned(), Arc::downgrade(&lane));
        lane
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::Poll;

    use futures_util::poll;

    use super::*;

    #[tokio::test]
    async fn account_waits_for_its_own_turn_only() {
        let turns = AccountTurns::with_turns(1);
        let running = turns.take("a").await.unwrap();
        let mut second = pin!(turns.take("a"));
        assert!(poll!(&mut second).is_pending());
        assert!(turns.take("b").await.is_some(), "another account is not delayed");
        drop(running);
        assert!(second.await.is_some());
    }

    #[tokio::test]
    async fn full_queue_is_refused_and_has_room_after_a_cancelled_wait() {
        let turns = AccountTurns::with_turns(1);
        let _running = turns.take("a").await.unwrap();
        let mut waiting: Vec<_> = (0..WAITING).map(|_| Box::pin(turns.take("a"))).collect();
        for wait in &mut waiting {
            assert!(poll!(wait).is_pending());
        }
        assert!(matches!(poll!(pin!(turns.take("a"))), Poll::Ready(None)));
        waiting.pop();
        assert!(poll!(pin!(turns.take("a"))).is_pending());
    }

    #[tokio::test]
    async fn idle_accounts_are_forgotten() {
        let turns = AccountTurns::with_turns(1);
        for account in ["a", "b", "c"] {
            drop(turns.take(account).await);
        }
        assert_eq!(turns.lanes.lock().unwrap().len(), 1);
    }
}
