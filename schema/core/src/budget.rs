//! Daily budget of an account: exact across replicas and restarts, without a statement per request.
//!
//! A replica takes a lease of some requests from the account's row and spends it in memory. Leased requests count as
//! spent, so the limit is never exceeded. A crash loses the requests that the replica holds, at most two leases; a
//! clean stop returns the rest (docs/decisions/edge.md#daily-budgets). The next lease of a large budget is taken before
//! the current one ends, so that no request waits for it.
//!
//! Staff can reset a day's budget. Requests leased before the reset belong to the earlier budget. They can be spent
//! until the replica learns about the reset, within a second, and are then discarded, not returned. So the requests
//! admitted on a day never exceed those booked before the reset plus one whole budget after it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex as StdMutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use sqlx::PgPool;
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use crate::fault::{Fault, SpentBudget};
use crate::principal::Budget;
use crate::time::Time;

/// Largest lease, in requests.
const LARGEST_LEASE: u64 = 500;
/// Smallest lease whose successor is taken in advance, when a quarter of the lease is left.
const SMALLEST_AHEAD: u64 = 100;
/// Maximum time that a request waits for its budget. Slightly longer than the wait for a connection: requests of one
/// account wait for one another, and their waits must not add up.
const PATIENCE: Duration = Duration::from_secs(4);
/// Number of accounts in memory above which accounts without leased requests are evicted.
const MANY_ACCOUNTS: usize = 50_000;

/// Remaining daily budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Daily {
    /// Requests per day.
    pub limit: u64,
    /// Remaining requests, as far as this replica knows.
    pub remaining: u64,
    /// Seconds until the next UTC day begins.
    pub reset: u64,
}

/// Leases of every account on this replica.
pub struct Budgets {
    pool: PgPool,
    leases: StdMutex<HashMap<String, Arc<Mutex<Lease>>>>,
}

#[derive(Default)]
struct Lease {
    /// Days since 1970 in UTC.
    day: i64,
    limit: u64,
    granted: u64,
    left: u64,
    /// Number of resets of the day before the lease was taken.
    resets: i32,
    /// The next lease, being taken.
    ahead: Option<JoinHandle<Result<Option<BudgetLease>, Fault>>>,
}

/// Lease granted by the account's row.
struct BudgetLease {
    day: i64,
    /// Requests granted to all replicas for the whole day.
    granted: u64,
    requests: u64,
    resets: i32,
}

impl Budgets {
    /// Creates budgets that are booked in this database.
    #[must_use]
    pub fn new(pool: PgPool) -> Self {
        Self { pool, leases: StdMutex::default() }
    }

    /// Spends one request.
    ///
    /// # Errors
    /// [`crate::Code::RateLimited`] if the daily budget is spent; [`crate::Code::Unavailable`] if the service cannot
    /// read the budget. In doubt a request is rejected.
    pub fn spend<'a>(&'a self, budget: &'a Budget, now: Time) -> BoxFuture<'a, Result<Daily, (Fault, Option<Daily>)>> {
        async move {
            let unknown =
                |_| Err((Fault::unavailable("The remaining daily budget could not be read. Try again."), None));
            tokio::time::timeout(PATIENCE, self.spend_one(budget, now)).await.unwrap_or_else(unknown)
        }
        .boxed()
    }

    async fn spend_one(&self, budget: &Budget, now: Time) -> Result<Daily, (Fault, Option<Daily>)> {
        let slot = self.slot(&budget.account);
        let mut lease = slot.lock().await;
        if !lease.is_of(budget, now) {
            self.give_back(&budget.account, &mut lease).await;
            *lease = Lease { day: day_of(now), limit: budget.daily_requests, ..Lease::default() };
        }
        let is_needed = lease.left == 0;
        self.add_ahead(&budget.account, &mut lease, is_needed).await;
        if lease.left == 0 {
            self.take(&budget.account, &mut lease).await.map_err(|fault| (fault, None))?;
        }
        if lease.left == 0 {
            return Err((err_spent(&lease, now), Some(lease.daily(now))));
        }
        lease.left -= 1;
        if lease.ends_soon() {
            lease.ahead = Some(tokio::spawn(take_part(self.pool.clone(), budget.account.clone(), lease.limit)));
        }
        Ok(lease.daily(now))
    }

    /// Returns the remaining budget without spending a request. Before this replica's first request of the day it reads
    /// the account's row; without a row the whole limit remains.
    ///
    /// # Errors
    /// [`crate::Code::Unavailable`] if the database does not answer.
    pub async fn peek(&self, budget: &Budget, now: Time) -> Result<Daily, Fault> {
        let slot = self.slot(&budget.account);
        let lease = slot.lock().await;
        if lease.is_of(budget, now) {
            return Ok(lease.daily(now));
        }
        drop(lease);
        let granted = sqlx::query_scalar!(
            "select granted from daily_budget where account = $1 and day = (labs_now() at time zone 'UTC')::date",
            budget.account
        )
        .fetch_optional(&self.pool)
        .await?
        .unwrap_or_default();
        let remaining = budget.daily_requests.saturating_sub(u64::try_from(granted).unwrap_or_default());
        Ok(Daily { limit: budget.daily_requests, remaining, reset: reset(now) })
    }

    /// Returns the remaining budget as far as this replica knows, without a statement. Before its first request of the
    /// day that is the whole limit.
    pub async fn look(&self, budget: &Budget, now: Time) -> Daily {
        let slot = self.slot(&budget.account);
        let lease = slot.lock().await;
        if lease.is_of(budget, now) {
            return lease.daily(now);
        }
        Daily { limit: budget.daily_requests, remaining: budget.daily_requests, reset: reset(now) }
    }

    /// Returns every unused lease. Used for a clean stop.
    pub fn settle(&self) -> BoxFuture<'_, ()> {
        async move {
            let slots: Vec<_> = self.leases.lock().unwrap_or_else(PoisonError::into_inner).drain().collect();
            for (account, slot) in slots {
                self.give_back(&account, &mut *slot.lock().await).await;
            }
        }
        .boxed()
    }

    fn slot(&self, account: &str) -> Arc<Mutex<Lease>> {
        let mut leases = self.leases.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = leases.get(account) {
            return Arc::clone(slot);
        }
        if leases.len() >= MANY_ACCOUNTS {
            leases.retain(|_, slot| Arc::strong_count(slot) > 1 || slot.try_lock().is_ok_and(|lease| lease.holds()));
        }
        Arc::clone(leases.entry(account.to_owned()).or_default())
    }

    /// Takes the next lease. If another replica inserts the day's first row at the same moment, the statement does not
    /// see it yet, so a second attempt follows. Only if both find nothing, the budget is spent.
    async fn take(&self, account: &str, lease: &mut Lease) -> Result<(), Fault> {
        for _ in 0..2 {
            if self.try_take(account, lease).await? {
                return Ok(());
            }
        }
        lease.granted = lease.limit;
        Ok(())
    }

    /// Returns whether requests were left to take. If the caller is cancelled while it waits, the lease remains for the
    /// next caller.
    async fn try_take(&self, account: &str, lease: &mut Lease) -> Result<bool, Fault> {
        let limit = lease.limit;
        let ahead =
            lease.ahead.get_or_insert_with(|| tokio::spawn(take_part(self.pool.clone(), account.to_owned(), limit)));
        let came = ahead.await;
        lease.ahead = None;
        let Some(taken) = came.map_err(Fault::internal)?? else { return Ok(false) };
        lease.granted = taken.granted;
        lease.left = taken.requests;
        lease.resets = taken.resets;
        // Unused requests return to the day of the row, even if this replica's clock shows another day.
        lease.day = taken.day;
        Ok(true)
    }

    /// Adds the lease that was taken in advance, if it has arrived; waits for it if `is_needed`. If it belongs to
    /// another day or was taken after a reset, it is returned, because it belongs to another budget.
    async fn add_ahead(&self, account: &str, lease: &mut Lease, is_needed: bool) {
        let Some(ahead) = lease.ahead.as_mut().filter(|ahead| is_needed || ahead.is_finished()) else { return };
        // If the caller is cancelled here, the lease remains for the next caller.
        let came = ahead.await;
        lease.ahead = None;
        match came {
            Ok(Ok(Some(taken))) if (taken.day, taken.resets) == (lease.day, lease.resets) => {
                lease.granted = taken.granted;
                lease.left += taken.requests;
            }
            Ok(Ok(Some(taken))) => {
                self.put_back(account, taken.day, taken.requests, taken.resets).await;
            }
            Ok(Ok(None)) => lease.granted = lease.limit,
            // If no requests are left, the caller's own attempt reports the error.
            Ok(Err(_)) | Err(_) => {}
        }
    }

    /// Returns the rest of the lease, including the lease taken in advance.
    async fn give_back(&self, account: &str, lease: &mut Lease) {
        self.add_ahead(account, lease, true).await;
        let left = std::mem::take(&mut lease.left);
        self.put_back(account, lease.day, left, lease.resets).await;
    }

    /// Returns requests in a separate task, which completes even if the caller is cancelled.
    async fn put_back(&self, account: &str, day: i64, left: u64, resets: i32) {
        if left > 0 {
            drop(tokio::spawn(put_part_back(self.pool.clone(), account.to_owned(), day, left, resets)).await);
        }
    }
}

/// Returns requests, unless the budget was reset since they were taken.
async fn put_part_back(pool: PgPool, account: String, day: i64, left: u64, resets: i32) {
    let given = sqlx::query!(
        "update daily_budget set granted = greatest(granted - $2, 0)
          where account = $1 and day = date '1970-01-01' + $3::int and resets = $4",
        account,
        i64::try_from(left).unwrap_or(i64::MAX),
        i32::try_from(day).unwrap_or_default(),
        resets,
    )
    .execute(&pool)
    .await;
    if let Err(error) = given {
        tracing::warn!(cause = %error, "the lease on a daily budget could not be returned; its remainder counts as \
                                        used");
    }
}

/// Takes the next part of an account's day, if any is left. The database's clock determines the day.
async fn take_part(pool: PgPool, account: String, limit: u64) -> Result<Option<BudgetLease>, Fault> {
    let row = sqlx::query!(
        r#"with first as (
             insert into daily_budget (account, day, granted)
             values ($1, (labs_now() at time zone 'UTC')::date, least($2::bigint, $3::bigint))
             on conflict (account, day) do nothing
             returning granted, granted as taken, resets, day
           ), held as (
             select granted from daily_budget
              where account = $1 and day = (labs_now() at time zone 'UTC')::date
                for update
           ), further as (
             update daily_budget set granted = least(held.granted + $2, $3)
               from held
              where account = $1 and day = (labs_now() at time zone 'UTC')::date
                and held.granted < $3 and not exists (select 1 from first)
             returning daily_budget.granted, daily_budget.granted - held.granted as taken, daily_budget.resets,
                       daily_budget.day
           )
           select granted as "granted!", taken as "taken!", resets as "resets!", day - date '1970-01-01' as "day!"
             from first
           union all
           select granted, taken, resets, day - date '1970-01-01' from further"#,
        account,
        i64::try_from(part_of(limit)).unwrap_or(i64::MAX),
        i64::try_from(limit).unwrap_or(i64::MAX),
    )
    .fetch_optional(&pool)
    .await?;
    Ok(row.map(|row| BudgetLease {
        day: i64::from(row.day),
        granted: u64::try_from(row.granted).unwrap_or_default(),
        requests: u64::try_from(row.taken).unwrap_or_default(),
        resets: row.resets,
    }))
}

/// Computes the size of a lease for a daily limit.
fn part_of(limit: u64) -> u64 {
    (limit / 100).clamp(1, LARGEST_LEASE)
}

impl Lease {
    /// Whether the lease belongs to the current budget: same day, same limit, and not from before a known reset.
    fn is_of(&self, budget: &Budget, now: Time) -> bool {
        let is_former = budget.reset.day == self.day && self.resets < budget.reset.count;
        self.day == day_of(now) && self.limit == budget.daily_requests && !is_former
    }

    /// Whether dropping the lease would lose requests.
    fn holds(&self) -> bool {
        self.left > 0 || self.ahead.is_some()
    }

    /// Whether to take the next lease now. Small leases are not taken in advance.
    fn ends_soon(&self) -> bool {
        let part = part_of(self.limit);
        part >= SMALLEST_AHEAD && self.left < part / 4 && self.granted < self.limit && self.ahead.is_none()
    }

    fn daily(&self, now: Time) -> Daily {
        Daily { limit: self.limit, remaining: self.limit.saturating_sub(self.granted) + self.left, reset: reset(now) }
    }
}

fn err_spent(lease: &Lease, now: Time) -> Fault {
    let wait = reset(now);
    let detail = format!(
        "The daily budget of {} requests is spent. It resets at midnight UTC, in {wait} seconds. A larger tier has a \
         larger budget.",
        lease.limit
    );
    Fault::rate_limited(SpentBudget::Daily, wait, detail)
}

fn day_of(now: Time) -> i64 {
    now.unix().div_euclid(86_400)
}

fn reset(now: Time) -> u64 {
    (86_400 - now.unix().rem_euclid(86_400)).unsigned_abs()
}
