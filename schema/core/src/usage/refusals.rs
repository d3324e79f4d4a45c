//! Counts of refused requests by account, operation and cause, with the ids of the last requests.

use std::collections::{HashMap, VecDeque};

use sqlx::PgPool;

use super::to_i64;
use crate::fault::{Code, Fault, SpentBudget};

/// Maximum number of combinations counted between two writes. Further combinations are not counted.
const MOST: usize = 10_000;
/// Number of request ids that a row keeps. `write` has it in its statement.
const MOST_IDS: usize = 5;

/// Cause of a refusal: who was refused which operation, and why.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Refusal {
    /// Account of the caller, for example `partner:<uuid>`.
    pub account: String,
    /// Operation id in the contract.
    pub operation: String,
    /// Code of the response.
    pub code: Code,
    /// Spent budget, for a code that names one.
    pub budget: Option<SpentBudget>,
    /// Scope that the caller lacked, for a code that names one.
    pub required_scope: Option<String>,
}

/// Number of refusals with the same cause, and the ids of the last requests, newest last.
#[derive(Debug, Default)]
struct Times {
    refusals: u64,
    request_ids: VecDeque<String>,
}

/// Refusals since the last write.
#[derive(Debug, Default)]
pub(super) struct Refusals(HashMap<Refusal, Times>);

impl Refusals {
    pub(super) fn note(&mut self, refusal: Refusal, request_id: &str) {
        if self.0.len() < MOST || self.0.contains_key(&refusal) {
            self.0.entry(refusal).or_default().add(1, [request_id.to_owned()]);
        }
    }

    /// Adds refusals that were noted before these.
    pub(super) fn merge(&mut self, earlier: Self) {
        for (refusal, times) in earlier.0 {
            let known = self.0.entry(refusal).or_default();
            let later = std::mem::replace(known, times);
            known.add(later.refusals, later.request_ids);
        }
    }

    /// Writes rows in the order of their keys, so that two replicas that write the same rows cannot deadlock.
    pub(super) async fn write(&self, pool: &PgPool) -> Result<u64, Fault> {
        if self.0.is_empty() {
            return Ok(0);
        }
        let (mut accounts, mut operations, mut codes) = (Vec::new(), Vec::new(), Vec::new());
        let (mut budgets, mut scopes, mut refusals, mut ids) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (refusal, times) in &self.0 {
            accounts.push(refusal.account.as_str());
            operations.push(refusal.operation.as_str());
            codes.push(refusal.code.name());
            budgets.push(refusal.budget.map_or("", SpentBudget::name));
            scopes.push(refusal.required_scope.as_deref().unwrap_or_default());
            refusals.push(to_i64(times.refusals));
            ids.push(times.newest_first());
        }
        let done = sqlx::query!(
            "insert into rate_limit_refusal as known
                    (hour, account, operation, code, budget, required_scope, refusals, request_ids)
             select date_trunc('hour', labs_now(), 'UTC'), account, operation, code, budget, required_scope, refusals,
                    string_to_array(ids, ' ')
               from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[])
                    as counted (account, operation, code, budget, required_scope, refusals, ids)
              order by account, operation, code, budget, required_scope
             on conflict (hour, account, operation, code, budget, required_scope)
             do update set refusals = known.refusals + excluded.refusals, last_at = excluded.last_at,
                           request_ids = (excluded.request_ids || known.request_ids)[1:5]",
            &accounts as &[&str],
            &operations as &[&str],
            &codes as &[&str],
            &budgets as &[&str],
            &scopes as &[&str],
            &refusals,
            &ids,
        )
        .execute(pool)
        .await?;
        Ok(done.rows_affected())
    }
}

impl Times {
    fn add(&mut self, refusals: u64, request_ids: impl IntoIterator<Item = String>) {
        self.refusals += refusals;
        self.request_ids.extend(request_ids);
        let surplus = self.request_ids.len().saturating_sub(MOST_IDS);
        self.request_ids.drain(..surplus);
    }

    /// Returns the ids, separated by spaces. An id contains no space.
    fn newest_first(&self) -> String {
        self.request_ids.iter().rev().map(String::as_str).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(account: &str) -> Refusal {
        Refusal {
            account: account.to_owned(),
            operation: "marketplace_apps_list".to_owned(),
            code: Code::ScopeMissing,
            budget: None,
            required_scope: Some("marketplace.apps".to_owned()),
        }
    }

    #[test]
    fn last_five_request_ids_are_kept_newest_first() {
        let (mut later, mut earlier) = (Refusals::default(), Refusals::default());
        for number in 1..4 {
            earlier.note(refusal("partner:a"), &number.to_string());
        }
        for number in 4..8 {
            later.note(refusal("partner:a"), &number.to_string());
        }
        later.merge(earlier);
        let times = &later.0[&refusal("partner:a")];
        assert_eq!((times.refusals, times.newest_first().as_str()), (7, "7 6 5 4 3"));
    }

    #[test]
    fn number_of_causes_is_limited() {
        let mut refusals = Refusals::default();
        for number in 0..MOST + 5 {
            refusals.note(refusal(&format!("partner:{number}")), "id");
        }
        refusals.note(refusal("partner:0"), "id");
        assert_eq!((refusals.0.len(), refusals.0[&refusal("partner:0")].refusals), (MOST, 2));
    }
}
