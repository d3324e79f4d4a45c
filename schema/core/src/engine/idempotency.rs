//! Idempotency keys: a repeated request gets the answer of the first one (docs/decisions/api.md#idempotency-keys).
//!
//! The key and the sealed answer are written in the transaction of the effect, so both exist or neither.

use aws_lc_rs::digest;
use bytes::Bytes;
use sqlx::PgConnection;
use uuid::Uuid;

use super::{IdempotencyKey, RootField};
use crate::context::{CreatedId, RequestContext, WrittenAnswer};
use crate::fault::{Code, Fault};

/// Purpose under which the stored answer is sealed.
const PURPOSE: &str = "idempotent-answer";

/// Purpose of the MAC that replaces the request's hash, so that it cannot be guessed.
const REQUEST: &str = "idempotent-request";

/// Purpose of the MAC that replaces the caller's id if the row must not identify the caller.
const UNATTRIBUTED: &str = "idempotent-caller";

/// Result of claiming a key.
pub(super) enum KeyClaim {
    /// This is the first request with the key; it is executed.
    First(ClaimedKey),
    /// Stored answer of the first request.
    Replay(WrittenAnswer),
}

/// Claimed key under which the answer will be stored.
#[derive(Clone)]
pub(crate) struct ClaimedKey {
    principal: String,
    operation: String,
    key: String,
    fingerprint: [u8; 32],
}

/// Claims a key for this transaction. Of several concurrent requests one gets it; the others are asked to retry.
pub(super) async fn claim(cx: &RequestContext, root: &RootField, key: &IdempotencyKey) -> Result<KeyClaim, Fault> {
    let slot = ClaimedKey::of(cx, root, key);
    let mut conn = cx.db.conn().await?;
    slot.lock(&mut conn).await?;
    let stored = slot.load_stored(&mut conn).await?;
    match stored {
        Some(stored) => stored.open(cx).map(KeyClaim::Replay),
        None => Ok(KeyClaim::First(slot)),
    }
}

/// Looks a key up and defers its claim to the transaction's first statement, so that no connection is held while a file
/// is processed before that. Of several concurrent requests one gets the key; the others are asked to retry or get its
/// answer.
pub(super) async fn claim_later(
    cx: &RequestContext,
    root: &RootField,
    key: &IdempotencyKey,
) -> Result<KeyClaim, Fault> {
    let slot = ClaimedKey::of(cx, root, key);
    let stored = slot.load_stored(&mut *cx.db.outside_transaction().conn().await?).await?;
    match stored {
        Some(stored) => stored.open(cx).map(KeyClaim::Replay),
        None => {
            cx.db.claim_first(slot.clone()).await?;
            Ok(KeyClaim::First(slot))
        }
    }
}

/// Stored answer of a first request.
struct StoredAnswer {
    sealed: Vec<u8>,
    created_uuid: Option<Uuid>,
    created_code: Option<String>,
}

impl StoredAnswer {
    fn open(self, cx: &RequestContext) -> Result<WrittenAnswer, Fault> {
        let body = cx.services.key.open(PURPOSE, &self.sealed).map_err(Fault::internal)?;
        let created = self.created_uuid.map(CreatedId::Uuid).or(self.created_code.map(CreatedId::Code));
        Ok(WrittenAnswer { body: Bytes::copy_from_slice(&body), created, next_cursor: None })
    }
}

fn err_in_progress() -> Fault {
    let detail = "A request with this Idempotency-Key is still in progress. Repeat it in a moment.";
    Fault::new(Code::IdempotencyInProgress, detail).retry_after(1)
}

impl ClaimedKey {
    fn of(cx: &RequestContext, root: &RootField, key: &IdempotencyKey) -> Self {
        let principal = match &cx.caller.principal {
            Some(principal) if key.unattributed => {
                hex::encode(cx.services.key.mac(UNATTRIBUTED, principal.uuid.as_bytes()))
            }
            Some(principal) => principal.uuid.to_string(),
            None => format!("network:{}", cx.caller.address),
        };
        // An attacker with a copy of the table could guess a password from a plain hash of the body.
        let fingerprint = cx.services.key.mac(REQUEST, &key.fingerprint);
        Self { principal, operation: root.name.clone(), key: key.key.clone(), fingerprint }
    }

    /// Claims the key in a transaction that has just begun.
    ///
    /// # Errors
    /// [`Code::IdempotencyInProgress`] while another request holds the key; also, as retryable, if a request with the
    /// key was answered since the lookup. [`Code::IdempotencyKeyReused`] if the key belongs to another request.
    pub(crate) async fn take(&self, conn: &mut PgConnection) -> Result<(), Fault> {
        self.lock(conn).await?;
        if self.load_stored(conn).await?.is_none() {
            return Ok(());
        }
        Err(err_in_progress().mark_retryable())
    }

    /// Locks the key until the transaction ends.
    async fn lock(&self, conn: &mut PgConnection) -> Result<(), Fault> {
        let locked = sqlx::query_scalar!(r#"select pg_try_advisory_xact_lock($1) as "locked!""#, self.lock_number())
            .fetch_one(conn)
            .await?;
        if locked { Ok(()) } else { Err(err_in_progress()) }
    }

    /// Loads the answer of the first request with this key.
    async fn load_stored(&self, conn: &mut PgConnection) -> Result<Option<StoredAnswer>, Fault> {
        let stored = sqlx::query!(
            "select request_sha256, answer_sealed, created_uuid, created_code from idempotency_key
              where principal = $1 and operation = $2 and key = $3 and created_at > labs_now() - interval '24 hours'",
            self.principal,
            self.operation,
            self.key,
        )
        .fetch_optional(conn)
        .await?;
        match stored {
            Some(stored) if stored.request_sha256 != self.fingerprint => Err(Fault::new(
                Code::IdempotencyKeyReused,
                "This Idempotency-Key was used for another request. Send the original content again, or choose a new \
                 key.",
            )),
            stored => Ok(stored.map(|stored| StoredAnswer {
                sealed: stored.answer_sealed,
                created_uuid: stored.created_uuid,
                created_code: stored.created_code,
            })),
        }
    }

    /// Stores the answer under the claimed key, which no other request can write. A row with an expired answer can
    /// still exist. The statement does not depend on a unique constraint, because the next version partitions the table
    /// by time.
    pub(super) async fn keep(self, cx: &RequestContext, written: &WrittenAnswer) -> Result<(), Fault> {
        let sealed = cx.services.key.seal(PURPOSE, &written.body);
        let (created_uuid, created_code) = match &written.created {
            Some(CreatedId::Uuid(uuid)) => (Some(*uuid), None),
            Some(CreatedId::Code(code)) => (None, Some(code.as_str())),
            None => (None, None),
        };
        sqlx::query!(
            "with renewed as (
                 update idempotency_key
                    set request_sha256 = $4, answer_sealed = $5, created_uuid = $6, created_code = $7, created_at = labs_now()
                  where principal = $1 and operation = $2 and key = $3
                 returning true
             )
             insert into idempotency_key
                    (principal, operation, key, request_sha256, answer_sealed, created_uuid, created_code, created_at)
             select $1, $2, $3, $4, $5, $6, $7, labs_now() where not exists (select from renewed)",
            self.principal,
            self.operation,
            self.key,
            self.fingerprint.as_slice(),
            sealed,
            created_uuid,
            created_code,
        )
        .execute(&mut *cx.db.conn().await?)
        .await?;
        Ok(())
    }

    fn lock_number(&self) -> i64 {
        let text = format!("idempotency\n{}\n{}\n{}", self.principal, self.operation, self.key);
        let digest = digest::digest(&digest::SHA256, text.as_bytes());
        digest.as_ref().iter().take(8).fold(0, |number, byte| (number << 8) | i64::from(*byte))
    }
}
