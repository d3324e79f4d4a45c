//! A repeated request answers as the first did (docs/decisions.md#answers).
//!
//! The key and the sealed answer are written in the transaction of the effect: both are there or neither.

use aws_lc_rs::digest;
use bytes::Bytes;
use sqlx::PgConnection;
use uuid::Uuid;

use super::{IdempotencyKey, RootField};
use crate::core::context::{Created, RequestContext, Written};
use crate::core::fault::{Code, Fault};

/// What the stored answer is sealed for.
const PURPOSE: &str = "idempotent-answer";

/// What the request's hash is made unguessable for.
const REQUEST: &str = "idempotent-request";

/// What the name of a caller is derived for whom the row must not name.
const UNATTRIBUTED: &str = "idempotent-caller";

/// What a key is good for.
pub(super) enum Claim {
    /// The first request with this key: do it.
    First(ClaimedKey),
    /// The answer of the first request.
    Replay(Written),
}

/// The place where the answer will be kept.
#[derive(Clone)]
pub(crate) struct ClaimedKey {
    principal: String,
    operation: String,
    key: String,
    fingerprint: [u8; 32],
}

/// Claims a key for this transaction. Of several at once, one gets it and the others are told to wait.
pub(super) async fn claim(cx: &RequestContext, root: &RootField, key: &IdempotencyKey) -> Result<Claim, Fault> {
    let slot = ClaimedKey::of(cx, root, key);
    let mut conn = cx.db.conn().await?;
    slot.hold(&mut conn).await?;
    let stored = slot.load_stored(&mut conn).await?;
    match stored {
        Some(stored) => stored.open(cx).map(Claim::Replay),
        None => Ok(Claim::First(slot)),
    }
}

/// Looks a key up and leaves its claim to the transaction's first statement: whoever works on a file before that holds
/// no connection meanwhile. Of several at once, one gets it, and the others are told to wait or answered as it was.
pub(super) async fn claim_later(cx: &RequestContext, root: &RootField, key: &IdempotencyKey) -> Result<Claim, Fault> {
    let slot = ClaimedKey::of(cx, root, key);
    let stored = slot.load_stored(&mut *cx.db.aside().conn().await?).await?;
    match stored {
        Some(stored) => stored.open(cx).map(Claim::Replay),
        None => {
            cx.db.claim_first(slot.clone()).await?;
            Ok(Claim::First(slot))
        }
    }
}

/// The answer of a first request, as it is kept.
struct Stored {
    sealed: Vec<u8>,
    created_uuid: Option<Uuid>,
    created_code: Option<String>,
}

impl Stored {
    fn open(self, cx: &RequestContext) -> Result<Written, Fault> {
        let body = cx.services.key.open(PURPOSE, &self.sealed).map_err(Fault::internal)?;
        let created = self.created_uuid.map(Created::Uuid).or(self.created_code.map(Created::Code));
        Ok(Written { body: Bytes::copy_from_slice(&body), created, next_cursor: None })
    }
}

fn in_progress() -> Fault {
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
        // A plain hash of a body that holds a password could be guessed at by whoever has a copy of the table.
        let fingerprint = cx.services.key.mac(REQUEST, &key.fingerprint);
        Self { principal, operation: root.name.clone(), key: key.key.clone(), fingerprint }
    }

    /// Claims the key in a transaction that has just begun.
    ///
    /// # Errors
    /// [`Code::IdempotencyInProgress`] while another request holds the key, and, to be tried again, when one was answered
    /// since the key was looked up; [`Code::IdempotencyKeyReused`].
    pub(crate) async fn take(&self, conn: &mut PgConnection) -> Result<(), Fault> {
        self.hold(conn).await?;
        if self.load_stored(conn).await?.is_none() {
            return Ok(());
        }
        Err(in_progress().retryable())
    }

    /// Keeps everybody else from the key until the transaction ends.
    async fn hold(&self, conn: &mut PgConnection) -> Result<(), Fault> {
        let locked = sqlx::query_scalar!(r#"select pg_try_advisory_xact_lock($1) as "locked!""#, self.lock_number())
            .fetch_one(conn)
            .await?;
        if locked { Ok(()) } else { Err(in_progress()) }
    }

    /// The answer of the first request with this key.
    async fn load_stored(&self, conn: &mut PgConnection) -> Result<Option<Stored>, Fault> {
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
            stored => Ok(stored.map(|stored| Stored {
                sealed: stored.answer_sealed,
                created_uuid: stored.created_uuid,
                created_code: stored.created_code,
            })),
        }
    }

    /// Keeps the answer, for which the key was taken: nobody else writes its row. A row of an answer that is over may still
    /// be there. Which columns are unique is left open, since the next version parts the table by time.
    pub(super) async fn keep(self, cx: &RequestContext, written: &Written) -> Result<(), Fault> {
        let sealed = cx.services.key.seal(PURPOSE, &written.body);
        let (created_uuid, created_code) = match &written.created {
            Some(Created::Uuid(uuid)) => (Some(*uuid), None),
            Some(Created::Code(code)) => (None, Some(code.as_str())),
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
