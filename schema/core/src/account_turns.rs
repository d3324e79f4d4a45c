//! Turns of accounts: limits how many reads of one account run on the database at the same time. An account at its full
//! rate, with the most expensive parameters, then leaves connections and processors for all others
//! (docs/decisions/database.md#turns-of-accounts). An account that is alone needs no turns.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};

use crate::fault::{Fault, SpentBudget};

/// Time after the last read of another account from which an account is alone.
const ALONE: Duration = Duration::from_secs(10);

/// Turns of all accounts.
#[derive(Debug)]
pub struct AccountTurns {
    of_each: usize,
    accounts: Mutex<Accounts>,
}

#[derive(Debug)]
struct Accounts {
    permits: HashMap<Arc<str>, Weak<Semaphore>>,
    /// Account of the last read, and the last time when it was another one.
    last: (Arc<str>, Instant),
}

/// Right to run one read. Dropping it passes the turn to the next read of the account. `None` for an account that is
/// alone.
#[derive(Debug)]
pub struct Turn(#[expect(dead_code, reason = "held until the read ends")] Option<OwnedSemaphorePermit>);

/// Account whose reads take turns.
#[derive(Clone, Debug)]
pub struct TurnTaker {
    turns: Arc<AccountTurns>,
    account: Arc<str>,
}

impl AccountTurns {
    /// Creates the turns for a number of connections that reads can use: each account gets half of them, at least one.
    pub(crate) fn of_connections(connections: u32) -> Arc<Self> {
        let of_each = usize::try_from(connections / 2).unwrap_or(1).max(1);
        let accounts = Accounts { permits: HashMap::new(), last: ("".into(), Instant::now()) };
        Arc::new(Self { of_each, accounts: Mutex::new(accounts) })
    }

    /// Returns the handle of one account.
    pub(crate) fn taker(self: &Arc<Self>, account: &str) -> TurnTaker {
        TurnTaker { turns: Arc::clone(self), account: account.into() }
    }

    /// Returns the account's permits; `None` if the account is alone. They exist while a read of the account runs or
    /// waits.
    fn permits(&self, account: &Arc<str>) -> Option<Arc<Semaphore>> {
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        if accounts.last.0 != *account {
            accounts.last = (Arc::clone(account), Instant::now());
        } else if accounts.last.1.elapsed() >= ALONE {
            return None;
        }
        if let Some(permits) = accounts.permits.get(account).and_then(Weak::upgrade) {
            return Some(permits);
        }
        accounts.permits.retain(|_, permits| permits.strong_count() > 0);
        let permits = Arc::new(Semaphore::new(self.of_each));
        accounts.permits.insert(Arc::clone(account), Arc::downgrade(&permits));
        Some(permits)
    }
}

impl TurnTaker {
    /// Waits for a turn of the account, at most this long.
    ///
    /// # Errors
    /// [`crate::fault::Code::RateLimited`] if earlier reads of the account take too long.
    pub async fn take(&self, patience: Duration) -> Result<Turn, Fault> {
        self.wait(&self.turns, patience).await.ok_or_else(err_too_many_reads)
    }

    /// Waits for a turn of the account among other turns, for example those of a read replica. `None` if earlier reads
    /// of the account take too long.
    pub async fn wait(&self, turns: &AccountTurns, patience: Duration) -> Option<Turn> {
        let Some(permits) = turns.permits(&self.account) else { return Some(Turn(None)) };
        let permit = timeout(patience, permits.acquire_owned()).await.ok()?.ok()?;
        Some(Turn(Some(permit)))
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
    use crate::fault::Code;
    use crate::pool_lane::PATIENCE;

    #[tokio::test]
    async fn account_waits_for_its_own_reads_only() {
        let turns = AccountTurns::of_connections(3);
        let (first, other) = (turns.taker("a"), turns.taker("b"));
        let running = first.take(PATIENCE).await.unwrap();
        let mut second = pin!(first.take(PATIENCE));
        assert!(poll!(&mut second).is_pending());
        assert!(other.take(PATIENCE).await.is_ok(), "another account is not delayed");
        drop(running);
        assert!(second.await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn long_wait_is_rate_limited() {
        let turns = AccountTurns::of_connections(2).taker("a");
        let _running = turns.take(PATIENCE).await.unwrap();
        assert_eq!(turns.take(PATIENCE).await.unwrap_err().code(), Code::RateLimited);
    }

    #[tokio::test(start_paused = true)]
    async fn account_alone_needs_no_turn_until_another_reads() {
        let turns = AccountTurns::of_connections(2);
        let (first, other) = (turns.taker("a"), turns.taker("b"));
        drop(first.take(PATIENCE).await);
        tokio::time::advance(ALONE).await;
        let _alone = (first.take(PATIENCE).await.unwrap(), first.take(PATIENCE).await.unwrap());
        drop(other.take(PATIENCE).await);
        let _running = first.take(PATIENCE).await.unwrap();
        assert!(first.take(PATIENCE).await.is_err(), "it takes turns again");
    }

    #[tokio::test]
    async fn idle_accounts_are_forgotten() {
        let turns = AccountTurns::of_connections(10);
        for account in ["a", "b", "c"] {
            drop(turns.taker(account).take(PATIENCE).await);
        }
        assert_eq!(turns.accounts.lock().unwrap().permits.len(), 1);
    }
}
