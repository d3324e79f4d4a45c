//! Turns of accounts: limits how many reads of one account run on the database at the same time. An account at its full
//! rate, with the most expensive parameters, then leaves connections and processors for all others
//! (docs/decisions/database.md#turns-of-accounts).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::core::fault::{Fault, SpentBudget};
use crate::core::pool_lane::PATIENCE;

/// Turns of all accounts.
#[derive(Debug)]
pub(crate) struct AccountTurns {
    of_each: usize,
    accounts: Mutex<HashMap<Arc<str>, Weak<Semaphore>>>,
}

/// Right to run one read. Dropping it passes the turn to the next read of the account.
#[derive(Debug)]
pub(crate) struct Turn {
    _permit: OwnedSemaphorePermit,
}

/// Account whose reads take turns.
#[derive(Clone, Debug)]
pub(crate) struct TurnTaker {
    turns: Arc<AccountTurns>,
    account: Arc<str>,
}

impl AccountTurns {
    /// Creates the turns for a number of connections that reads can use: each account gets half of them, at least one.
    pub(crate) fn of_connections(connections: u32) -> Arc<Self> {
        let of_each = usize::try_from(connections / 2).unwrap_or(1).max(1);
        Arc::new(Self { of_each, accounts: Mutex::default() })
    }

    /// Returns the handle of one account.
    pub(crate) fn taker(self: &Arc<Self>, account: &str) -> TurnTaker {
        TurnTaker { turns: Arc::clone(self), account: account.into() }
    }

    /// Returns the account's permits. They exist while a read of the account runs or waits.
    fn permits(&self, account: &Arc<str>) -> Arc<Semaphore> {
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(permits) = accounts.get(account).and_then(Weak::upgrade) {
            return permits;
        }
        accounts.retain(|_, permits| permits.strong_count() > 0);
        let permits = Arc::new(Semaphore::new(self.of_each));
        accounts.insert(Arc::clone(account), Arc::downgrade(&permits));
        permits
    }
}

impl TurnTaker {
    /// Waits for a turn of the account.
    ///
    /// # Errors
    /// [`crate::core::fault::Code::RateLimited`] if earlier reads of the account take too long.
    pub(crate) async fn take(&self) -> Result<Turn, Fault> {
        let permit = self.turns.permits(&self.account).acquire_owned();
        match timeout(PATIENCE, permit).await {
            Ok(Ok(permit)) => Ok(Turn { _permit: permit }),
            Ok(Err(_)) | Err(_) => Err(err_too_many_reads()),
        }
    }
}

/// The fault for a read that waited too long for other reads of its account.
fn err_too_many_reads() -> Fault {
    let detail =
        "Too many expensive requests of this account run at the same time. Wait 1 s, then send fewer in parallel.";
    Fault::rate_limited(SpentBudget::Burst, 1, detail)
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures_util::poll;

    use super::*;
    use crate::core::fault::Code;

    #[tokio::test]
    async fn account_waits_for_its_own_reads_only() {
        let turns = AccountTurns::of_connections(3);
        let (first, other) = (turns.taker("a"), turns.taker("b"));
        let running = first.take().await.unwrap();
        let mut second = pin!(first.take());
        assert!(poll!(&mut second).is_pending());
        assert!(other.take().await.is_ok(), "another account is not delayed");
        drop(running);
        assert!(second.await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn long_wait_is_rate_limited() {
        let turns = AccountTurns::of_connections(2).taker("a");
        let _running = turns.take().await.unwrap();
        assert_eq!(turns.take().await.unwrap_err().code(), Code::RateLimited);
    }

    #[tokio::test]
    async fn idle_accounts_are_forgotten() {
        let turns = AccountTurns::of_connections(10);
        for account in ["a", "b", "c"] {
            drop(turns.taker(account).take().await);
        }
        assert_eq!(turns.accounts.lock().unwrap().len(), 1);
    }
}
