//! Limits of unattributed operations (`x-unattributed`; docs/decisions/edge.md#limits-of-unattributed-operations): they
//! spend nothing that another principal can observe.

use std::net::IpAddr;

use governor::clock::{Clock as _, DefaultClock};
use labs_core::Fault;
use labs_core::budget::Budgets;
use labs_core::fault::SpentBudget;
use labs_core::principal::Principal;
use labs_core::time::Time;

use super::{Allowance, RateLimiters, err_burst_spent, seconds};

impl RateLimiters {
    /// Spends one unattributed request (`x-unattributed`) from a separate limit of the caller, which is as large as the
    /// account's burst budget and kept in this replica's memory until it is full again. Team members and machine
    /// clients share the account's budgets and see the remainder, so these budgets are not spent. The response shows
    /// them unchanged, with a full burst budget, because reading it would spend it
    /// (docs/decisions/edge.md#limits-of-unattributed-operations).
    ///
    /// # Errors
    /// [`Code::RateLimited`], [`Code::Unavailable`] if the daily budget cannot be read.
    pub async fn spend_unattributed(
        &self,
        budgets: &Budgets,
        principal: &Principal,
        now: Time,
    ) -> Result<Allowance, (Fault, Option<Allowance>)> {
        let (budget, limit) = (&principal.budget, principal.budget.burst_per_second);
        let whole = |daily| Allowance { limit, remaining: limit, reset: 1, daily };
        match self.burst(limit).check_key(&format!("unattributed:{}", principal.uuid)) {
            Ok(_) => Ok(whole(budgets.peek(budget, now).await.map_err(|fault| (fault, None))?)),
            Err(refused) => {
                let wait = seconds(refused.wait_time_from(DefaultClock::default().now()));
                let detail = format!(
                    "The limit of {limit} personal requests (votes, follows and similar) per second is exceeded. \
                     Wait {wait} s. This limit applies to your account only and does not use your partner's budgets."
                );
                // A flood of requests causes no SQL statement.
                let allowance = whole(budgets.look(budget, now).await);
                Err((Fault::rate_limited(SpentBudget::Burst, wait, detail), Some(allowance)))
            }
        }
    }

    /// Spends one request with an invalid token at an unattributed operation. It has a separate limit of the network:
    /// if it spent the budget that others of the network see, an expired token would reveal a vote.
    ///
    /// # Errors
    /// [`Code::RateLimited`].
    pub fn spend_unattributed_refusal(
        &self,
        network: IpAddr,
        now: Time,
    ) -> Result<Allowance, (Fault, Option<Allowance>)> {
        let limit = self.limits.anonymous_per_second;
        let allowance = self.peek_anonymous(network, now);
        match self.burst(limit).check_key(&format!("unattributed:{network}")) {
            Ok(_) => Ok(allowance),
            Err(refused) => {
                let wait = seconds(refused.wait_time_from(DefaultClock::default().now()));
                Err((err_burst_spent(limit, wait), Some(allowance)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;
    use crate::front::budget::{Limits, Spending};

    #[test]
    fn rejected_tokens_have_separate_hidden_network_limit() {
        let limits =
            Limits { anonymous_per_second: 2, anonymous_per_day: 9, pictures_per_second: 2, attempts_per_minute: 30 };
        let (meter, network) = (RateLimiters::new(limits), IpAddr::V4(Ipv4Addr::LOCALHOST));
        let now = Time("2026-11-22T12:00:00Z".parse().unwrap());
        let refused = || meter.spend_unattributed_refusal(network, now);
        for _ in 0..2 {
            assert_eq!(refused().map(|left| (left.remaining, left.daily.remaining)).ok(), Some((2, 9)));
        }
        let (spent, shown) = refused().unwrap_err();
        assert_eq!(spent.spent_budget(), Some(SpentBudget::Burst));
        assert_eq!(shown.map(|left| (left.remaining, left.daily.remaining)), Some((2, 9)));
        let called =
            meter.spend_anonymous(network, Spending::Whole, now).map(|left| (left.remaining, left.daily.remaining));
        assert_eq!(called.ok(), Some((1, 8)), "others of the network see nothing of it");
    }
}
