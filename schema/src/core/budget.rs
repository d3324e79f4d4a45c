//! The daily budget of an account: exact across replicas and restarts, without a statement per request.
//!
//! A replica takes a lease of some requests from the account's row and spends it in memory. What is leased
//! counts as spent, so the limit is never over-granted; a crash loses what a replica holds, two leases at most, and a
//! clean stop gives the rest back (docs/decisions.md#budgets). The next lease of a large budget is taken before
//! the present one ends, so that no request waits for it.
//!
//! Staff may make a day's budget whole again. What was leased before belongs to the budget before: it may be spent
//! until the replica hears of the reset, within a second, and is forgotten then rather than given back. So what is let
//! through on a day is never more than all that was booked before the reset and the whole budget after it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex as StdMutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use sqlx::PgPool;
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use crate::core::fault::{Fault, SpentBudget};
use crate::core::principal::Budget;
use crate::core::time::Time;

/// The largest lease, in requests.
const LARGEST_LEASE: u64 = 500;
/// The smallest lease whose successor is taken ahead, when a quarter of it is left.
const SMALLEST_AHEAD: u64 = 100;
/// How long a request waits for what is left. A little longer than a connection is waited for: those of one account wait
/// for one another, and must not do so one after the other.
const PATIENCE: Duration = Duration::from_secs(4);
/// Accounts held in memory; above it, those that have nothing leased are forgotten.
const MANY_ACCOUNTS: usize = 50_000;

/// What is left of a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Daily {
    /// Requests per day.
    pub limit: u64,
    /// Requests left, as far as this replica knows.
    pub remaining: u64,
    /// Seconds until the next day begins (UTC).
    pub reset: u64,
}

/// Every account's lease on this replica.
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
    /// Resets of the day before it was taken.
    resets: i32,
    /// The next one, on its way.
    ahead: Option<JoinHandle<Result<Option<Taken>, Fault>>>,
}

/// What the account's row gave.
struct Taken {
    day: i64,
    /// Of the whole day, to all replicas.
    granted: u64,
    requests: u64,
    resets: i32,
}

impl Budgets {
    /// Budgets booked in this database.
    #[must_use]
    pub fn new(pool: PgPool) -> Self {
        Self { pool, leases: StdMutex::default() }
    }

    /// Spends one request.
    ///
    /// # Errors
    /// [`crate::Code::RateLimited`] when the day's budget is spent, [`crate::Code::Unavailable`] when the service cannot
    /// know: a request is refused rather than let through.
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
            return Err((spent(&lease, now), Some(lease.daily(now))));
        }
        lease.left -= 1;
        if lease.ends_soon() {
            lease.ahead = Some(tokio::spawn(take_part(self.pool.clone(), budget.account.clone(), lease.limit)));
        }
        Ok(lease.daily(now))
    }

    /// What is left, spending nothing. Before this replica's first request of the day the whole limit is
    /// assumed unless the row says otherwise.
    ///
    /// # Errors
    /// [`crate::Code::Unavailable`] when the database is away.
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

    /// What is left as far as this replica knows, without a statement: the whole limit before its first request of the day.
    pub async fn look(&self, budget: &Budget, now: Time) -> Daily {
        let slot = self.slot(&budget.account);
        let lease = slot.lock().await;
        if lease.is_of(budget, now) {
            return lease.daily(now);
        }
        Daily { limit: budget.daily_requests, remaining: budget.daily_requests, reset: reset(now) }
    }

    /// Gives every unused lease back. For a clean stop.
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

    /// Takes the next lease. Who meets another replica that takes the day's first one does not see its row yet, and asks
    /// once more; only then there is nothing left.
    async fn take(&self, account: &str, lease: &mut Lease) -> Result<(), Fault> {
        for _ in 0..2 {
            if self.try_take(account, lease).await? {
                return Ok(());
            }
        }
        lease.granted = lease.limit;
        Ok(())
    }

    /// Whether there was something to take. Whoever goes away while it waits leaves it to the next.
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
        // What is left goes back to where it came from, though this replica's clock may be of another day.
        lease.day = taken.day;
        Ok(true)
    }

    /// Adds the lease that was taken ahead, if it is there; whoever needs it waits for it. One from after midnight
    /// or a reset goes back, because what it would be added to is of another budget.
    async fn add_ahead(&self, account: &str, lease: &mut Lease, is_needed: bool) {
        let Some(ahead) = lease.ahead.as_mut().filter(|ahead| is_needed || ahead.is_finished()) else { return };
        // Whoever goes away while it waits leaves it to the next.
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
            // Whoever has nothing left finds out what is wrong.
            Ok(Err(_)) | Err(_) => {}
        }
    }

    /// Gives the rest back, with what was taken ahead.
    async fn give_back(&self, account: &str, lease: &mut Lease) {
        self.add_ahead(account, lease, true).await;
        let left = std::mem::take(&mut lease.left);
        self.put_back(account, lease.day, left, lease.resets).await;
    }

    /// Gives requests back, though whoever asked for it goes away.
    async fn put_back(&self, account: &str, day: i64, left: u64, resets: i32) {
        if left > 0 {
            drop(tokio::spawn(put_part_back(self.pool.clone(), account.to_owned(), day, left, resets)).await);
        }
    }
}

/// Gives requests back, unless the budget that they were taken from is not the one in force any more.
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
        tracing::warn!(cause = %error, "a lease could not be returned; its remainder counts as used");
    }
}

/// Takes the next part of an account's day, if any is left. The database's clock names the day.
async fn take_part(pool: PgPool, account: String, limit: u64) -> Result<Option<Taken>, Fault> {
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
    Ok(row.map(|row| Taken {
        day: i64::from(row.day),
        granted: u64::try_from(row.granted).unwrap_or_default(),
        requests: u64::try_from(row.taken).unwrap_or_default(),
        resets: row.resets,
    }))
}

/// How much of a day's requests a lease is.
fn part_of(limit: u64) -> u64 {
    (limit / 100).clamp(1, LARGEST_LEASE)
}

impl Lease {
    /// Whether it was taken from the budget that is in force: of this day, of this limit, and not from before a reset
    /// that is known by now.
    fn is_of(&self, budget: &Budget, now: Time) -> bool {
        let is_former = budget.reset.day == self.day && self.resets < budget.reset.count;
        self.day == day_of(now) && self.limit == budget.daily_requests && !is_former
    }

    /// Whether anything would be lost with it.
    fn holds(&self) -> bool {
        self.left > 0 || self.ahead.is_some()
    }

    /// Whether the next one is to be taken now. Small ones are not worth it.
    fn ends_soon(&self) -> bool {
        let part = part_of(self.limit);
        part >= SMALLEST_AHEAD && self.left < part / 4 && self.granted < self.limit && self.ahead.is_none()
    }

    fn daily(&self, now: Time) -> Daily {
        Daily { limit: self.limit, remaining: self.limit.saturating_sub(self.granted) + self.left, reset: reset(now) }
    }
}

fn spent(lease: &Lease, now: Time) -> Fault {
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
