//! Usage counts: requests and refusals per account and operation, scopes that each machine client needs, outcomes per
//! operation, and callers of deprecated elements. Counted in memory on every request and written in batches every few
//! seconds.
//!
//! The counts serve statistics and support, never budgets: if a process is killed, unwritten counts are lost.

mod answers;
mod deprecated;
mod refusals;

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sqlx::PgPool;
use uuid::Uuid;

use crate::fault::Fault;

pub use answers::AnswerKind;
use answers::Answers;
use deprecated::DeprecatedCalls;
pub use refusals::Refusal;
use refusals::Refusals;

/// Maximum number of accounts counted separately between two writes. Anonymous clients count as accounts, so a client
/// with many addresses must not fill the memory: further accounts are counted together.
const MOST_ACCOUNTS: usize = 10_000;
/// Account for all accounts above that number.
const OTHERS: &str = "network:others";

/// Counts since the last write. One lock, held for a few lookups.
#[derive(Default)]
pub struct Usage(Mutex<Counts>);

type Counter = HashMap<String, u64>;
type Accounts = HashMap<String, Counter>;

#[derive(Default)]
struct Counts {
    /// Account → operation → requests.
    requests: Accounts,
    /// Refused requests.
    refusals: Refusals,
    /// Machine client → scope → requests that needed it.
    scopes: HashMap<Uuid, Counter>,
    /// Callers of deprecated elements.
    deprecated: DeprecatedCalls,
    /// Operation → outcomes.
    answers: HashMap<String, Answers>,
}

impl Usage {
    /// Counts a request of an account (for example `partner:<uuid>`). `operation` is its id in the contract.
    pub fn note(&self, account: &str, operation: &str) {
        add(&mut self.counts().requests, account, operation, 1);
    }

    /// Counts a request that was refused, and keeps its id.
    pub fn note_refusal(&self, refusal: Refusal, request_id: &str) {
        self.counts().refusals.note(refusal, request_id);
    }

    /// Counts a request of a machine client that needed a scope and had it.
    pub fn note_scope(&self, client_uuid: Uuid, scope: &str) {
        count(self.counts().scopes.entry(client_uuid).or_default(), scope, 1);
    }

    /// Counts a request that used a deprecated element, by account and machine client; without an account for a request
    /// without a token.
    pub fn note_deprecated(&self, deprecation_uuid: Uuid, account: Option<&str>, client_uuid: Option<Uuid>) {
        self.counts().deprecated.note(deprecation_uuid, account, client_uuid);
    }

    /// Counts an answer and its duration.
    pub fn note_answer(&self, operation: &str, kind: AnswerKind, took: Duration) {
        let mut counts = self.counts();
        match counts.answers.get_mut(operation) {
            Some(known) => known.note(kind, took),
            None => counts.answers.entry(operation.to_owned()).or_default().note(kind, took),
        }
    }

    /// Writes the counts. Returns the number of written rows. Counts that cannot be written are kept for the next time.
    ///
    /// # Errors
    /// [`crate::fault::Code::Unavailable`] if the database does not answer.
    pub async fn flush(&self, pool: &PgPool) -> Result<u64, Fault> {
        let mut taken = std::mem::take(&mut *self.counts());
        let written = taken.write(pool).await;
        if written.is_err() {
            self.counts().merge(taken);
        }
        written
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counts {
    /// Writes one kind of counts after the other and clears each after it is written.
    async fn write(&mut self, pool: &PgPool) -> Result<u64, Fault> {
        write_activity(pool, &self.requests).await?;
        let mut rows = write_requests(pool, &self.requests).await?;
        self.requests.clear();
        rows += answers::write(pool, &self.answers).await?;
        self.answers.clear();
        rows += self.refusals.write(pool).await?;
        self.refusals = Refusals::default();
        rows += write_scopes(pool, &self.scopes).await?;
        self.scopes.clear();
        rows += self.deprecated.write(pool).await?;
        self.deprecated = DeprecatedCalls::default();
        Ok(rows)
    }

    fn merge(&mut self, other: Self) {
        merge(&mut self.requests, other.requests);
        self.refusals.merge(other.refusals);
        for (client_uuid, scopes) in other.scopes {
            let known = self.scopes.entry(client_uuid).or_default();
            scopes.into_iter().for_each(|(scope, uses)| count(known, &scope, uses));
        }
        self.deprecated.merge(other.deprecated);
        for (operation, answers) in other.answers {
            self.answers.entry(operation).or_default().merge(&answers);
        }
    }
}

fn merge(accounts: &mut Accounts, others: Accounts) {
    for (account, operations) in others {
        operations.into_iter().for_each(|(operation, times)| add(accounts, &account, &operation, times));
    }
}

fn add(accounts: &mut Accounts, account: &str, operation: &str, times: u64) {
    match accounts.get_mut(account) {
        Some(counter) => count(counter, operation, times),
        None => {
            let account = if accounts.len() < MOST_ACCOUNTS { account } else { OTHERS };
            count(accounts.entry(account.to_owned()).or_default(), operation, times);
        }
    }
}

fn count(counter: &mut Counter, name: &str, times: u64) {
    match counter.get_mut(name) {
        Some(known) => *known += times,
        None => {
            counter.insert(name.to_owned(), times);
        }
    }
}

/// Writes rows in the order of their keys, so that two replicas that write the same rows cannot deadlock.
async fn write_requests(pool: &PgPool, accounts: &Accounts) -> Result<u64, Fault> {
    if accounts.is_empty() {
        return Ok(0);
    }
    let (accounts, operations, requests) = columns(accounts);
    let done = sqlx::query!(
        "insert into request_usage as known (day, account, operation, requests)
         select (labs_now() at time zone 'UTC')::date, account, operation, requests
           from unnest($1::text[], $2::text[], $3::bigint[]) as counted (account, operation, requests)
          order by account, operation
         on conflict (day, account, operation)
         do update set requests = known.requests + excluded.requests, last_at = excluded.last_at",
        &accounts as &[&str],
        &operations as &[&str],
        &requests,
    )
    .execute(pool)
    .await?;
    Ok(done.rows_affected())
}

/// Marks partners that called as active today, unless they are already marked. Skips locked rows: the transaction that
/// holds the lock marks them, or the next write does.
async fn write_activity(pool: &PgPool, accounts: &Accounts) -> Result<(), Fault> {
    let partner = |account: &String| account.strip_prefix("partner:").and_then(|uuid| uuid.parse().ok());
    let partners: Vec<Uuid> = accounts.keys().filter_map(partner).collect();
    if partners.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        "update partner_activity set active_at = labs_now() where partner_uuid = any (array (
             select partner_uuid from partner_activity
              where partner_uuid = any($1) and active_at < date_trunc('day', labs_now(), 'UTC')
                for no key update skip locked))",
        &partners,
    )
    .execute(pool)
    .await?;
    Ok(())
}

async fn write_scopes(pool: &PgPool, clients: &HashMap<Uuid, Counter>) -> Result<u64, Fault> {
    if clients.is_empty() {
        return Ok(0);
    }
    let (mut uuids, mut names, mut uses) = (Vec::new(), Vec::new(), Vec::new());
    for (client_uuid, scopes) in clients {
        for (scope, times) in scopes {
            uuids.push(*client_uuid);
            names.push(scope.as_str());
            uses.push(to_i64(*times));
        }
    }
    let done = sqlx::query!(
        "insert into client_scope_use as known (client_uuid, scope, uses)
         select client_uuid, scope, counted.uses
           from unnest($1::uuid[], $2::text[], $3::bigint[]) as counted (client_uuid, scope, uses)
           join machine_client using (client_uuid)
          order by client_uuid, scope
         on conflict (client_uuid, scope)
         do update set uses = known.uses + excluded.uses, last_used_at = excluded.last_used_at",
        &uuids,
        &names as &[&str],
        &uses,
    )
    .execute(pool)
    .await?;
    Ok(done.rows_affected())
}

/// Converts the counts to columns of a table.
fn columns(accounts: &Accounts) -> (Vec<&str>, Vec<&str>, Vec<i64>) {
    let mut columns = (Vec::new(), Vec::new(), Vec::new());
    for (account, operations) in accounts {
        for (operation, times) in operations {
            columns.0.push(account.as_str());
            columns.1.push(operation.as_str());
            columns.2.push(to_i64(*times));
        }
    }
    columns
}

fn to_i64(times: u64) -> i64 {
    i64::try_from(times).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(usage: &Usage, account: &str, operation: &str) -> Option<u64> {
        usage.counts().requests.get(account).and_then(|operations| operations.get(operation)).copied()
    }

    #[test]
    fn requests_are_counted_by_account_and_operation() {
        let usage = Usage::default();
        usage.note("partner:a", "marketplace_apps_list");
        usage.note("partner:a", "marketplace_apps_list");
        usage.note("partner:b", "marketplace_apps_list");
        assert_eq!(times(&usage, "partner:a", "marketplace_apps_list"), Some(2));
        assert_eq!(times(&usage, "partner:b", "marketplace_apps_list"), Some(1));
        assert_eq!(times(&usage, "partner:b", "marketplace_apps_get"), None);
    }

    #[test]
    fn usage_counters_limit_number_of_accounts() {
        let usage = Usage::default();
        for number in 0..MOST_ACCOUNTS + 50 {
            usage.note(&format!("network:{number}"), "system_health_get");
        }
        assert_eq!(usage.counts().requests.len(), MOST_ACCOUNTS + 1);
        assert_eq!(times(&usage, OTHERS, "system_health_get"), Some(50));
        usage.note("network:7", "system_health_get");
        assert_eq!(times(&usage, "network:7", "system_health_get"), Some(2));
    }

    #[test]
    fn unwritten_counts_are_added_to_later_counts() {
        let usage = Usage::default();
        usage.note("partner:a", "marketplace_apps_list");
        usage.note_scope(Uuid::nil(), "marketplace.apps");
        usage.note_deprecated(Uuid::nil(), Some("partner:a"), None);
        let taken = std::mem::take(&mut *usage.counts());
        usage.note("partner:a", "marketplace_apps_list");
        usage.note_scope(Uuid::nil(), "marketplace.apps");
        usage.note_deprecated(Uuid::nil(), Some("partner:a"), None);
        usage.counts().merge(taken);
        assert_eq!(times(&usage, "partner:a", "marketplace_apps_list"), Some(2));
        assert_eq!(usage.counts().scopes[&Uuid::nil()]["marketplace.apps"], 2);
        assert_eq!(usage.counts().deprecated.times(Uuid::nil(), Some("partner:a"), None), Some(2));
    }
}
