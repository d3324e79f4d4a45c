//! Call of an operation, and its answer.

use std::sync::Arc;

use bytes::Bytes;

use super::{Admission, PreparedOperation, Reuse, RootField};
use crate::context::{AnswerExtras, Attachment, Caller, CreatedId, NamesRevision, WrittenAnswer};

/// Request for an operation, with all its input.
#[derive(Clone)]
pub struct Call {
    /// The operation and the admitted caller.
    pub admission: Admission,
    /// The operation's variables, checked against the contract.
    pub variables: serde_json::Map<String, serde_json::Value>,
    /// File in the request.
    pub attachment: Option<Attachment>,
    /// Key with which the caller marks a repeat of the same request.
    pub idempotency: Option<IdempotencyKey>,
    /// Condition on the current representation before a write.
    pub precondition: Option<Precondition>,
    /// Expected revision of a write whose path has no GET; its resolver compares it.
    pub expected: Option<NamesRevision>,
    /// Whether a read replica may answer, if the operation allows it.
    pub may_lag: bool,
}

/// An `Idempotency-Key` (docs/decisions/api.md#idempotency-keys).
#[derive(Clone)]
pub struct IdempotencyKey {
    /// Key as sent.
    pub key: String,
    /// SHA-256 of the request's content.
    pub fingerprint: [u8; 32],
    /// Whether the stored row must not identify the caller, because the operation must stay anonymous.
    pub unattributed: bool,
}

/// A condition on the representation that a write is about to change (`If-Match`).
#[derive(Clone)]
pub struct Precondition {
    /// Operation that returns the current representation.
    pub operation: Arc<PreparedOperation>,
    /// Variables of that operation.
    pub variables: serde_json::Map<String, serde_json::Value>,
    /// Whether the representation equals the one read by the caller.
    pub holds: BytesCondition,
}

impl Call {
    /// Returns the rule by which the answer may be reused.
    #[must_use]
    pub fn reuse(&self) -> Option<&Reuse> {
        self.root().reuse.as_ref()
    }

    pub(super) fn root(&self) -> &RootField {
        &self.admission.operation.root
    }

    pub(super) fn caller(&self) -> &Arc<Caller> {
        &self.admission.caller
    }
}

/// Condition on the bytes of a representation.
pub type BytesCondition = Arc<dyn Fn(&[u8]) -> bool + Send + Sync>;

/// Answer of an operation.
pub struct Answer {
    /// JSON of the root field.
    pub body: Bytes,
    /// Identifier of the created object, if one was created.
    pub created: Option<CreatedId>,
    /// Cursor of the next page, if one exists.
    pub next_cursor: Option<String>,
    /// Parts of the answer in addition to the JSON.
    pub extras: AnswerExtras,
    /// Whether the answer is the stored one of an earlier request with the same key.
    pub replayed: bool,
    /// Whether a read replica may have answered.
    pub lagged: bool,
}

impl Answer {
    /// Creates the answer of a first request.
    pub(super) fn of(written: WrittenAnswer, extras: AnswerExtras) -> Self {
        let WrittenAnswer { body, created, next_cursor } = written;
        Self { body, created, next_cursor, extras, replayed: false, lagged: false }
    }
}
