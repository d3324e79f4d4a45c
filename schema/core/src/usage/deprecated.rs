//! Callers of deprecated elements, with request counts.

use std::collections::HashMap;

use sqlx::PgPool;
use uuid::Uuid;

use super::to_i64;
use crate::fault::Fault;

/// Account of all requests without a token.
const ANONYMOUS: &str = "anonymous";

/// Caller → deprecation → requests.
#[derive(Default)]
pub(super) struct DeprecatedCalls(HashMap<Caller, HashMap<Uuid, u64>>);

#[derive(Clone, PartialEq, Eq, Hash)]
struct Caller {
    account: String,
    /// The machine client; `None` for a user.
    client_uuid: Option<Uuid>,
}

impl Caller {
    fn new(account: Option<&str>, client_uuid: Option<Uuid>) -> Self {
        Self { account: account.unwrap_or(ANONYMOUS).to_owned(), client_uuid }
    }
}

impl DeprecatedCalls {
    pub(super) fn note(&mut self, deprecation_uuid: Uuid, account: Option<&str>, client_uuid: Option<Uuid>) {
        let counter = self.0.entry(Caller::new(account, client_uuid)).or_default();
        *counter.entry(deprecation_uuid).or_default() += 1;
    }

    pub(super) fn merge(&mut self, other: Self) {
        for (caller, requests) in other.0 {
            let known = self.0.entry(caller).or_default();
            requests.into_iter().for_each(|(uuid, times)| *known.entry(uuid).or_default() += times);
        }
    }

    /// Writes the counts. Deprecations deleted since are skipped. Rows are written in the order of their keys, so that
    /// two replicas that write the same rows cannot deadlock.
    pub(super) async fn write(&self, pool: &PgPool) -> Result<u64, Fault> {
        if self.0.is_empty() {
            return Ok(0);
        }
        let (mut uuids, mut accounts, mut clients, mut requests) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (caller, counted) in &self.0 {
            for (uuid, times) in counted {
                uuids.push(*uuid);
                accounts.push(caller.account.as_str());
                clients.push(caller.client_uuid);
                requests.push(to_i64(*times));
            }
        }
        let done = sqlx::query!(
            "insert into deprecation_use as known (deprecation_uuid, day, account, client_uuid, requests)
             select deprecation_uuid, (labs_now() at time zone 'UTC')::date, account, client_uuid, counted.requests
               from unnest($1::uuid[], $2::text[], $3::uuid[], $4::bigint[])
                    as counted (deprecation_uuid, account, client_uuid, requests)
               join deprecation using (deprecation_uuid)
              order by deprecation_uuid, account, client_uuid
             on conflict (deprecation_uuid, day, account, client_uuid)
             do update set requests = known.requests + excluded.requests, last_at = excluded.last_at",
            &uuids,
            &accounts as &[&str],
            &clients as &[Option<Uuid>],
            &requests,
        )
        .execute(pool)
        .await?;
        Ok(done.rows_affected())
    }

    #[cfg(test)]
    pub(super) fn times(&self, uuid: Uuid, account: Option<&str>, client_uuid: Option<Uuid>) -> Option<u64> {
        self.0.get(&Caller::new(account, client_uuid))?.get(&uuid).copied()
    }
}
