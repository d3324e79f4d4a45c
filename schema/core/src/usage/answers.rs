//! Outcomes per operation: number, result and duration. Not counted per account.

use std::collections::HashMap;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};
use sqlx::PgPool;
use sqlx::types::Json;

use crate::fault::Fault;

/// Outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerKind {
    /// The request succeeded.
    Good,
    /// The request was invalid.
    ClientError,
    /// The request was rejected because a budget was spent.
    Refusal,
    /// The service failed.
    ServerError,
}

/// Counts of an operation. The fields are the columns of `operation_day`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Answers {
    pub(super) requests: u64,
    client_errors: u64,
    server_errors: u64,
    refusals: u64,
    microseconds: u64,
    up_to_5: u64,
    up_to_10: u64,
    up_to_25: u64,
    up_to_50: u64,
    up_to_100: u64,
    up_to_250: u64,
    up_to_500: u64,
    up_to_1000: u64,
    up_to_5000: u64,
    longer: u64,
}

impl Answers {
    /// Counts one answer.
    pub(super) fn note(&mut self, kind: AnswerKind, took: Duration) {
        self.requests += 1;
        self.microseconds += u64::try_from(took.as_micros()).unwrap_or_default();
        match kind {
            AnswerKind::Good => {}
            AnswerKind::ClientError => self.client_errors += 1,
            AnswerKind::Refusal => self.refusals += 1,
            AnswerKind::ServerError => self.server_errors += 1,
        }
        *self.class(took) += 1;
    }

    /// Adds other counts.
    pub(super) fn merge(&mut self, other: &Self) {
        self.requests += other.requests;
        self.client_errors += other.client_errors;
        self.server_errors += other.server_errors;
        self.refusals += other.refusals;
        self.microseconds += other.microseconds;
        self.up_to_5 += other.up_to_5;
        self.up_to_10 += other.up_to_10;
        self.up_to_25 += other.up_to_25;
        self.up_to_50 += other.up_to_50;
        self.up_to_100 += other.up_to_100;
        self.up_to_250 += other.up_to_250;
        self.up_to_500 += other.up_to_500;
        self.up_to_1000 += other.up_to_1000;
        self.up_to_5000 += other.up_to_5000;
        self.longer += other.longer;
    }

    fn class(&mut self, took: Duration) -> &mut u64 {
        match took.as_micros() {
            0..=5_000 => &mut self.up_to_5,
            5_001..=10_000 => &mut self.up_to_10,
            10_001..=25_000 => &mut self.up_to_25,
            25_001..=50_000 => &mut self.up_to_50,
            50_001..=100_000 => &mut self.up_to_100,
            100_001..=250_000 => &mut self.up_to_250,
            250_001..=500_000 => &mut self.up_to_500,
            500_001..=1_000_000 => &mut self.up_to_1000,
            1_000_001..=5_000_000 => &mut self.up_to_5000,
            _ => &mut self.longer,
        }
    }
}

/// Adds the counts to today's rows, in the order of their keys, so that two replicas cannot deadlock.
pub(super) async fn write(pool: &PgPool, answers: &HashMap<String, Answers>) -> Result<u64, Fault> {
    if answers.is_empty() {
        return Ok(0);
    }
    let rows = answers.iter().map(|(operation, counted)| {
        let mut row = Map::from_iter([("operation".to_owned(), Value::from(operation.as_str()))]);
        if let Value::Object(columns) = serde_json::to_value(counted).map_err(Fault::internal)? {
            row.extend(columns);
        }
        Ok(Value::Object(row))
    });
    let rows = rows.collect::<Result<Vec<Value>, Fault>>()?;
    let done = sqlx::query!(
        "insert into operation_day as known
             (day, operation, requests, client_errors, server_errors, refusals, microseconds, up_to_5, up_to_10, up_to_25,
              up_to_50, up_to_100, up_to_250, up_to_500, up_to_1000, up_to_5000, longer)
         select (labs_now() at time zone 'UTC')::date, counted.*
           from jsonb_to_recordset($1) as counted (
                operation text, requests bigint, client_errors bigint, server_errors bigint, refusals bigint,
                microseconds bigint, up_to_5 bigint, up_to_10 bigint, up_to_25 bigint, up_to_50 bigint, up_to_100 bigint,
                up_to_250 bigint, up_to_500 bigint, up_to_1000 bigint, up_to_5000 bigint, longer bigint)
          order by counted.operation
         on conflict (day, operation) do update
            set requests = known.requests + excluded.requests,
                client_errors = known.client_errors + excluded.client_errors,
                server_errors = known.server_errors + excluded.server_errors,
                refusals = known.refusals + excluded.refusals,
                microseconds = known.microseconds + excluded.microseconds,
                up_to_5 = known.up_to_5 + excluded.up_to_5,
                up_to_10 = known.up_to_10 + excluded.up_to_10,
                up_to_25 = known.up_to_25 + excluded.up_to_25,
                up_to_50 = known.up_to_50 + excluded.up_to_50,
                up_to_100 = known.up_to_100 + excluded.up_to_100,
                up_to_250 = known.up_to_250 + excluded.up_to_250,
                up_to_500 = known.up_to_500 + excluded.up_to_500,
                up_to_1000 = known.up_to_1000 + excluded.up_to_1000,
                up_to_5000 = known.up_to_5000 + excluded.up_to_5000,
                longer = known.longer + excluded.longer",
        Json(rows) as _,
    )
    .execute(pool)
    .await?;
    Ok(done.rows_affected())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn response_is_counted_once_by_outcome_and_duration() {
        let mut answers = Answers::default();
        answers.note(AnswerKind::Good, Duration::from_millis(5));
        answers.note(AnswerKind::ClientError, Duration::from_micros(5_001));
        answers.note(AnswerKind::Refusal, Duration::from_millis(1));
        answers.note(AnswerKind::ServerError, Duration::from_secs(9));
        let mut twice = answers.clone();
        twice.merge(&answers);
        assert_eq!((answers.requests, answers.up_to_5, answers.up_to_10, answers.longer), (4, 2, 1, 1));
        assert_eq!((answers.client_errors, answers.refusals, answers.server_errors), (1, 1, 1));
        assert_eq!((twice.requests, twice.up_to_5, twice.microseconds), (8, 4, 2 * answers.microseconds));
    }
}
