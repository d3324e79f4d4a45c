//! Budgets of requests: per second and per day (docs/decisions/edge.md#request-budgets). Every response states the
//! remaining budget, including errors and anonymous responses.

mod unattributed;

use std::collections::HashMap;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use governor::clock::QuantaInstant;
use governor::clock::{Clock as _, DefaultClock};
use governor::middleware::{NoOpMiddleware, StateInformationMiddleware};
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};
use labs_core::Fault;
use labs_core::budget::{Budgets, Daily};
use labs_core::fault::SpentBudget;
use labs_core::principal::Budget;
use labs_core::time::Time;
use moka::sync::Cache;
use tower_governor::GovernorError;
use tower_governor::governor::{GovernorConfigBuilder, SharedRateLimiter};
use tower_governor::key_extractor::KeyExtractor;

use super::server::Peer;
use crate::contract::Operation;

type Limiter = RateLimiter<String, DefaultKeyedStateStore<String>, DefaultClock, StateInformationMiddleware>;

/// Budgets of anonymous callers, and of operations that an attacker could use to guess secrets.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Requests per second of one network without a token.
    pub anonymous_per_second: u32,
    /// Requests per day of one network without a token.
    pub anonymous_per_day: u64,
    /// Public media requests per second of one network: a page has dozens.
    pub pictures_per_second: u32,
    /// Attempts per minute of one network at each of sign-in, second factor, token, registration, refresh and reset.
    pub attempts_per_minute: u32,
}

/// The remaining budget, as in every response.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    /// Burst budget in requests per second.
    pub limit: u32,
    /// Remaining requests of the burst budget.
    pub remaining: u32,
    /// Seconds until the burst budget is full again.
    pub reset: u64,
    /// Daily budget.
    pub daily: Daily,
}

/// An operation with limited attempts, and the network of the caller.
type Attempt = (String, IpAddr);

/// Key by network, as a layer would use it. The operation is known only after routing, so the limiter is called
/// directly.
#[derive(Clone, Debug)]
struct ByNetwork;

impl KeyExtractor for ByNetwork {
    type Key = Attempt;

    fn extract<T>(&self, request: &http::Request<T>) -> Result<Attempt, GovernorError> {
        let peer = request.extensions().get::<Peer>().ok_or(GovernorError::UnableToExtractKey)?;
        Ok((request.uri().path().to_owned(), super::address::network(peer.0)))
    }
}

/// The part of its network's budgets that an anonymous request spends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spending {
    /// The burst budget and the daily budget.
    Whole,
    /// Only the burst budget. Requests of others in the network must not block a sign-in or a refresh for a day;
    /// operations that an attacker could use to guess secrets have separate budgets. Probes of health and readiness do
    /// not spend the daily budget either: an orchestrator would interpret an error as an unhealthy process.
    SecondAlone,
}

impl Spending {
    /// Returns the budgets that an operation spends.
    #[must_use]
    pub fn of(operation: &Operation) -> Self {
        if operation.is_entrance() || operation.probe().is_some() { Self::SecondAlone } else { Self::Whole }
    }
}

/// All limiters of this replica.
pub struct RateLimiters {
    limits: Limits,
    bursts: RwLock<HashMap<u32, Arc<Limiter>>>,
    attempts: SharedRateLimiter<Attempt, NoOpMiddleware<QuantaInstant>>,
    anonymous_days: Cache<(IpAddr, i64), Arc<std::sync::atomic::AtomicU64>>,
}

impl RateLimiters {
    /// Creates limiters with full budgets.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        let many = positive(limits.attempts_per_minute);
        let minute = GovernorConfigBuilder::default()
            .period(Duration::from_secs(60) / many.get())
            .burst_size(many.get())
            .key_extractor(ByNetwork)
            .finish();
        let minute = minute.map_or_else(
            || Arc::new(RateLimiter::keyed(Quota::per_minute(many))),
            |minute| Arc::clone(minute.limiter()),
        );
        Self {
            limits,
            bursts: RwLock::default(),
            attempts: minute,
            anonymous_days: Cache::builder().max_capacity(100_000).time_to_live(Duration::from_secs(90_000)).build(),
        }
    }

    /// Spends one request of an account.
    ///
    /// # Errors
    /// [`Code::RateLimited`] with the name of the budget, [`Code::Unavailable`] if the daily budget cannot be read.
    pub async fn spend(
        &self,
        budgets: &Budgets,
        budget: &Budget,
        now: Time,
    ) -> Result<Allowance, (Fault, Option<Allowance>)> {
        let limiter = self.burst(budget.burst_per_second);
        match limiter.check_key(&budget.account) {
            Ok(state) => {
                let remaining = state.remaining_burst_capacity();
                let whole = |daily| Allowance { limit: budget.burst_per_second, remaining, reset: 1, daily };
                match budgets.spend(budget, now).await {
                    Ok(daily) => Ok(whole(daily)),
                    Err((fault, daily)) => Err((fault, daily.map(whole))),
                }
            }
            Err(refused) => {
                let wait = seconds(refused.wait_time_from(DefaultClock::default().now()));
                let daily = budgets.peek(budget, now).await.ok();
                let allowance =
                    daily.map(|daily| Allowance { limit: budget.burst_per_second, remaining: 0, reset: wait, daily });
                Err((err_burst_spent(budget.burst_per_second, wait), allowance))
            }
        }
    }

    /// Spends further requests of an account, for a request that counts as several. It spends at most the rest of a
    /// full burst budget, because otherwise a large query could never run.
    ///
    /// # Errors
    /// [`Code::RateLimited`] with the name of the budget, [`Code::Unavailable`] if the daily budget cannot be read.
    pub async fn spend_further(
        &self,
        budgets: &Budgets,
        (budget, requests): (&Budget, u32),
        now: Time,
    ) -> Result<Option<Allowance>, (Fault, Option<Allowance>)> {
        let limit = budget.burst_per_second;
        let Some(of_second) = NonZeroU32::new(requests.min(limit.saturating_sub(1))) else { return Ok(None) };
        let remaining = match self.burst(limit).check_key_n(&budget.account, of_second) {
            Ok(Ok(state)) => state.remaining_burst_capacity(),
            Ok(Err(refused)) => {
                let wait = seconds(refused.wait_time_from(DefaultClock::default().now()));
                let allowance = Allowance { limit, remaining: 0, reset: wait, daily: budgets.look(budget, now).await };
                return Err((err_burst_spent(limit, wait), Some(allowance)));
            }
            Err(_) => return Err((err_burst_spent(limit, 1), None)),
        };
        let whole = |daily| Allowance { limit, remaining, reset: 1, daily };
        let mut allowance = None;
        for _ in 0..requests {
            match budgets.spend(budget, now).await {
                Ok(daily) => allowance = Some(whole(daily)),
                Err((fault, daily)) => return Err((fault, daily.map(whole))),
            }
        }
        Ok(allowance)
    }

    /// Spends one request of a network without a token. The budget is in this replica's memory: an anonymous request
    /// must not cost an SQL statement.
    ///
    /// # Errors
    /// [`Code::RateLimited`] with the name of the budget.
    pub fn spend_anonymous(
        &self,
        network: IpAddr,
        spending: Spending,
        now: Time,
    ) -> Result<Allowance, (Fault, Option<Allowance>)> {
        let (limit, per_day) = (self.limits.anonymous_per_second, self.limits.anonymous_per_day);
        let day = now.unix().div_euclid(86_400);
        let used = self.anonymous_days.get_with((network, day), Arc::default);
        let reset = (86_400 - now.unix().rem_euclid(86_400)).unsigned_abs();
        let daily = |used: u64| Daily { limit: per_day, remaining: per_day.saturating_sub(used), reset };
        match self.burst(limit).check_key(&format!("network:{network}")) {
            Ok(state) => {
                let remaining = state.remaining_burst_capacity();
                if spending == Spending::SecondAlone {
                    let daily = daily(used.load(std::sync::atomic::Ordering::Relaxed));
                    return Ok(Allowance { limit, remaining, reset: 1, daily });
                }
                let used = used.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                let allowance = Allowance { limit, remaining, reset: 1, daily: daily(used.saturating_add(1)) };
                if used >= per_day { Err((err_day_spent(per_day, reset), Some(allowance))) } else { Ok(allowance) }
            }
            Err(refused) => {
                let wait = seconds(refused.wait_time_from(DefaultClock::default().now()));
                let used = used.load(std::sync::atomic::Ordering::Relaxed);
                Err((
                    err_burst_spent(limit, wait),
                    Some(Allowance { limit, remaining: 0, reset: wait, daily: daily(used) }),
                ))
            }
        }
    }

    /// Spends one public media request. The network's other budgets are not affected.
    ///
    /// # Errors
    /// [`Code::RateLimited`] with the time to wait.
    pub fn spend_picture(&self, network: IpAddr, now: Time) -> Result<Allowance, (Fault, Option<Allowance>)> {
        let limit = self.limits.pictures_per_second;
        let daily = self.peek_anonymous(network, now).daily;
        match self.burst(limit).check_key(&format!("pictures:{network}")) {
            Ok(state) => Ok(Allowance { limit, remaining: state.remaining_burst_capacity(), reset: 1, daily }),
            Err(refused) => {
                let wait = seconds(refused.wait_time_from(DefaultClock::default().now()));
                Err((err_burst_spent(limit, wait), Some(Allowance { limit, remaining: 0, reset: wait, daily })))
            }
        }
    }

    /// Spends one message of an agent. The network's budgets are not affected and show nothing, because the message may
    /// be a vote (docs/decisions/agents.md#budgets).
    ///
    /// # Errors
    /// [`Code::RateLimited`] with the time to wait.
    pub fn spend_message(&self, network: IpAddr, now: Time) -> Result<(), (Fault, Option<Allowance>)> {
        let limit = self.limits.anonymous_per_second;
        match self.burst(limit).check_key(&format!("messages:{network}")) {
            Ok(_) => Ok(()),
            Err(refused) => {
                let wait = seconds(refused.wait_time_from(DefaultClock::default().now()));
                Err((err_burst_spent(limit, wait), Some(self.peek_anonymous(network, now))))
            }
        }
    }

    /// Returns the remaining budget of a network without spending. The burst budget is reported as full, because
    /// reading it would spend it.
    #[must_use]
    pub fn peek_anonymous(&self, network: IpAddr, now: Time) -> Allowance {
        let (limit, per_day) = (self.limits.anonymous_per_second, self.limits.anonymous_per_day);
        let used = self.anonymous_days.get(&(network, now.unix().div_euclid(86_400)));
        let used = used.map_or(0, |used| used.load(std::sync::atomic::Ordering::Relaxed));
        let reset = (86_400 - now.unix().rem_euclid(86_400)).unsigned_abs();
        let daily = Daily { limit: per_day, remaining: per_day.saturating_sub(used), reset };
        Allowance { limit, remaining: limit, reset: 1, daily }
    }

    /// Spends one attempt at an operation that an attacker could use to guess secrets (`x-attempts`;
    /// docs/decisions/edge.md#request-budgets).
    ///
    /// # Errors
    /// [`Code::RateLimited`] with the time to wait.
    pub fn spend_attempt(&self, operation: &Operation, network: IpAddr) -> Result<(), Fault> {
        if !operation.counts_attempts {
            return Ok(());
        }
        match self.attempts.check_key(&(operation.id.clone(), network)) {
            Ok(_) => Ok(()),
            Err(refused) => {
                let wait = seconds(refused.wait_time_from(DefaultClock::default().now()));
                let detail = format!("Your network made too many attempts. Wait {wait} seconds, then try again.");
                Err(Fault::rate_limited(SpentBudget::Burst, wait, detail))
            }
        }
    }

    /// Removes accounts whose budgets are full again.
    pub fn evict_idle(&self) {
        for limiter in self.bursts.read().unwrap_or_else(PoisonError::into_inner).values() {
            limiter.retain_recent();
        }
        self.attempts.retain_recent();
    }

    /// Returns the limiter of a limit: each limiter has one quota.
    fn burst(&self, per_second: u32) -> Arc<Limiter> {
        if let Some(limiter) = self.bursts.read().unwrap_or_else(PoisonError::into_inner).get(&per_second) {
            return Arc::clone(limiter);
        }
        let mut bursts = self.bursts.write().unwrap_or_else(PoisonError::into_inner);
        let made = || Arc::new(RateLimiter::keyed(Quota::per_second(positive(per_second))).with_middleware());
        Arc::clone(bursts.entry(per_second).or_insert_with(made))
    }
}

fn positive(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN)
}

fn seconds(wait: Duration) -> u64 {
    wait.as_secs_f64().ceil().max(1.0) as u64
}

fn err_burst_spent(limit: u32, wait: u64) -> Fault {
    let detail = format!(
        "The limit of {limit} requests per second is exceeded. Wait {wait} s, then spread your requests. The \
         X-RateLimit headers show the remaining budget."
    );
    Fault::rate_limited(SpentBudget::Burst, wait, detail)
}

fn err_day_spent(limit: u64, wait: u64) -> Fault {
    let detail = format!("The daily budget of {limit} requests without an access token is spent. Sign in, or wait.");
    Fault::rate_limited(SpentBudget::Daily, wait, detail)
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;
    use crate::contract::Contract;

    #[test]
    fn exhausted_network_daily_budget_does_not_block_sign_in() {
        let limits =
            Limits { anonymous_per_second: 100, anonymous_per_day: 1, pictures_per_second: 2, attempts_per_minute: 30 };
        let (meter, network) = (RateLimiters::new(limits), IpAddr::V4(Ipv4Addr::LOCALHOST));
        let now = Time("2026-11-22T12:00:00Z".parse().unwrap());
        let spend = |spending| meter.spend_anonymous(network, spending, now).map(|left| left.daily.remaining);
        assert_eq!(spend(Spending::SecondAlone).ok(), Some(1));
        assert_eq!(spend(Spending::Whole).ok(), Some(0));
        let (spent, _) = spend(Spending::Whole).unwrap_err();
        assert_eq!((spent.code(), spent.spent_budget()), (labs_core::Code::RateLimited, Some(SpentBudget::Daily)));
        assert_eq!(spend(Spending::SecondAlone).ok(), Some(0));
    }

    #[test]
    fn media_and_api_requests_have_separate_budgets() {
        let limits =
            Limits { anonymous_per_second: 2, anonymous_per_day: 9, pictures_per_second: 2, attempts_per_minute: 30 };
        let (meter, network) = (RateLimiters::new(limits), IpAddr::V4(Ipv4Addr::LOCALHOST));
        let now = Time("2026-11-22T12:00:00Z".parse().unwrap());
        let left = || meter.spend_picture(network, now).map(|left| (left.remaining, left.daily.remaining));
        assert_eq!([left().ok(), left().ok()], [Some((1, 9)), Some((0, 9))]);
        let (spent, _) = left().unwrap_err();
        assert_eq!((spent.code(), spent.spent_budget()), (labs_core::Code::RateLimited, Some(SpentBudget::Burst)));
        let called = meter.spend_anonymous(network, Spending::Whole, now).map(|left| left.remaining);
        assert_eq!(called.ok(), Some(1), "whoever looks at pictures may call");
    }

    #[test]
    fn sign_in_and_probes_do_not_use_daily_budget() {
        let contract = Contract::embedded().unwrap();
        let of = |id: &str| Spending::of(contract.operation(id).unwrap());
        for door in ["auth_sessions_create", "auth_sessions_refresh", "auth_sessions_sign_out", "auth_tokens_issue"] {
            assert_eq!(of(door), Spending::SecondAlone, "{door}");
        }
        for probe in ["system_health_get", "system_readiness_get"] {
            assert_eq!(of(probe), Spending::SecondAlone, "{probe}");
        }
        assert_eq!(of("subscription_public_tiers_list"), Spending::Whole);
    }
}
