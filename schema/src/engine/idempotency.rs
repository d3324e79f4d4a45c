//! A repeated request answers as the first did (specification: decisions, Answers, `Idempotency-Key`).
//!
//! The key and the sealed answer are written in the transaction of the effect: both are there or neither.

use aws_lc_rs::digest;
use bytes::Bytes;

use super::{IdempotencyKey, RootField};
use crate::ask::Ask;
use crate::fault::{Code, Fault};

/// What the stored answer is sealed for.
const PURPOSE: &str = "idempotent-answer";

/// What the request's hash is made unguessable for.
const REQUEST: &str = "idempotent-request";

/// What a key is good for.
pub(super) enum Claim {
    /// The first request with this key: do it.
    First(Slot),
    /// The answer of the first request.
    Replay(Bytes),
}

/// The place where the answer will be kept.
pub(super) struct Slot {
    principal: String,
    operation: String,
    key: String,
    fingerprint: [u8; 32],
}

/// Claims a key for this transaction. Of several at once, one gets it and the others are told to wait.
pub(super) async fn claim(ask: &Ask, root: &RootField, key: &IdempotencyKey) -> Result<Claim, Fault> {
    let principal = match &ask.caller.principal {
        Some(principal) => principal.uuid.to_string(),
        None => format!("network:{}", ask.caller.address),
    };
    // A plain hash of a body that holds a password could be guessed at by whoever has a copy of the table.
    let fingerprint = ask.services.key.mac(REQUEST, &key.fingerprint);
    let slot = Slot { principal, operation: root.name.clone(), key: key.key.clone(), fingerprint };
    let mut conn = ask.db.conn().await?;
    let locked = sqlx::query_scalar!(r#"select pg_try_advisory_xact_lock($1) as "locked!""#, slot.lock_number())
        .fetch_one(&mut *conn)
        .await?;
    if !locked {
        return Err(Fault::new(
            Code::IdempotencyInProgress,
            "A request with this Idempotency-Key is still running. Repeat it in a moment.",
        )
        .retry_after(1));
    }
    let stored = sqlx::query!(
        "select request_sha256, answer_sealed from idempotency_key
          where principal = $1 and operation = $2 and key = $3 and created_at > labs_now() - interval '24 hours'",
        slot.principal,
        slot.operation,
        slot.key,
    )
    .fetch_optional(&mut *conn)
    .await?;
    match stored {
        None => Ok(Claim::First(slot)),
        Some(stored) if stored.request_sha256 != slot.fingerprint => Err(Fault::new(
            Code::IdempotencyKeyReused,
            "This Idempotency-Key was used for another request. Send the same content again, or choose a new key.",
        )),
        Some(stored) => {
            let body = ask.services.key.open(PURPOSE, &stored.answer_sealed).map_err(Fault::internal)?;
            Ok(Claim::Replay(Bytes::copy_from_slice(&body)))
        }
    }
}

impl Slot {
    /// Keeps the answer.
    pub(super) async fn keep(self, ask: &Ask, body: &[u8]) -> Result<(), Fault> {
        let sealed = ask.services.key.seal(PURPOSE, body);
        sqlx::query!(
            "insert into idempotency_key (principal, operation, key, request_sha256, answer_sealed, created_at)
             values ($1, $2, $3, $4, $5, labs_now())
             on conflict (principal, operation, key)
             do update set request_sha256 = excluded.request_sha256, answer_sealed = excluded.answer_sealed, created_at = excluded.created_at",
            self.principal,
            self.operation,
            self.key,
            self.fingerprint.as_slice(),
            sealed,
        )
        .execute(&mut *ask.db.conn().await?)
        .await?;
        Ok(())
    }

    fn lock_number(&self) -> i64 {
        let text = format!("idempotency\n{}\n{}\n{}", self.principal, self.operation, self.key);
        let digest = digest::digest(&digest::SHA256, text.as_bytes());
        digest.as_ref().iter().take(8).fold(0, |number, byte| (number << 8) | i64::from(*byte))
    }
}
