//! Transaction of a request: begun, retried and ended only in this module.

use std::sync::Arc;

use super::{Answer, Call, Engine, IdempotencyKey, audit, idempotency};
use crate::context::{AuditNotes, RequestContext};
use crate::db::{Db, TransactionOptions};
use crate::fault::{Code, Fault, Settlement};

/// Maximum number of attempts of a transaction that conflicts with others (SQLSTATE 40001, 40P01).
const ATTEMPTS: usize = 4;

impl Engine {
    /// Runs the transaction and retries it after a conflict with another transaction.
    pub(super) async fn settle(&self, call: Call) -> Result<Answer, Fault> {
        let (root, mut attempt) = (call.root(), 1);
        loop {
            let mut noted = AuditNotes::default();
            match self.attempt(&call, &mut noted).await {
                Err(fault) if fault.settlement() == Settlement::Retryable && attempt < ATTEMPTS => attempt += 1,
                Err(fault) if fault.code() == Code::AuditUnavailable => return Err(fault),
                Err(fault) if fault.settlement() == Settlement::Kept && root.is_audited => return Err(fault),
                Err(fault) => {
                    return Err(self.refuse_with_notes(root, call.caller(), &call.variables, &noted, fault).await);
                }
                Ok(answer) => return Ok(answer),
            }
        }
    }

    /// Runs one attempt. The resolver's notes for the audit record outlive it, even if it fails.
    async fn attempt(&self, call: &Call, noted: &mut AuditNotes) -> Result<Answer, Fault> {
        let root = call.root();
        let entry =
            root.is_audited.then(|| audit::AuditEntry::of_call(root, call.caller(), &call.variables, self.services()));
        let is_entrance = call.caller().principal.is_none();
        let lane = if is_entrance { &self.0.for_entrances } else { &self.0.for_transactions };
        let db = Db::for_transaction(lane.clone(), terms(call, entry.as_ref()));
        let cx = Arc::new(self.context(call, db.clone()));
        let mut outcome = self.walk(call, &cx).await;
        *noted = match &mut outcome {
            Ok(answer) => std::mem::take(&mut answer.extras.noted),
            Err(_) => cx.take_extras().noted,
        };
        let keep = outcome.as_ref().err().is_some_and(|fault| fault.settlement() == Settlement::Kept);
        if outcome.is_err() && !keep {
            self.roll_back(&db).await;
            return outcome;
        }
        if let Some(mut entry) = entry {
            match &outcome {
                Ok(answer) => entry.complete(answer.created.as_ref(), noted),
                Err(fault) => entry.fail(fault, noted),
            }
            entry.write(&mut *db.conn().await?).await.map_err(|error| audit::err_unavailable(&error))?;
            db.commit().await.map_err(err_audit_commit)?;
        } else {
            db.commit().await?;
        }
        outcome
    }

    /// Runs everything between BEGIN and COMMIT except the audit record.
    pub(super) async fn walk(&self, call: &Call, cx: &Arc<RequestContext>) -> Result<Answer, Fault> {
        let claim = match &call.idempotency {
            None => None,
            Some(key) => match claim(call, cx, key).await? {
                idempotency::KeyClaim::Replay(written) => {
                    return Ok(Answer { replayed: true, ..Answer::of(written, cx.take_extras()) });
                }
                idempotency::KeyClaim::First(slot) => Some(slot),
            },
        };
        if let Some(precondition) = &call.precondition {
            let present = self.execute(&precondition.operation, &precondition.variables, cx).await?;
            if !(precondition.holds)(&present.body) {
                return Err(Fault::precondition_failed());
            }
        }
        let written = self.execute(&call.admission.operation, &call.variables, cx).await?;
        cx.ensure_compared()?;
        if let Some(slot) = claim {
            slot.keep(cx, &written).await?;
        }
        Ok(Answer::of(written, cx.take_extras()))
    }

    pub(super) async fn roll_back(&self, db: &Db) {
        if let Err(fault) = db.rollback().await {
            tracing::warn!(
                cause = fault.for_log(),
                "a rollback failed; the database rolls back when the connection closes"
            );
        }
    }

    pub(super) fn now(&self) -> crate::time::Time {
        self.0.services.clock.now()
    }
}

/// Claims the call's key: at once, or with the first statement if slow work comes before it, such as processing a file
/// or hashing the password of an anonymous client.
async fn claim(call: &Call, cx: &RequestContext, key: &IdempotencyKey) -> Result<idempotency::KeyClaim, Fault> {
    let root = call.root();
    let works_first = call.attachment.is_some() || cx.caller.principal.is_none();
    if works_first { idempotency::claim_later(cx, root, key).await } else { idempotency::claim(cx, root, key).await }
}

/// Returns the options of the transaction. A conditional write uses one snapshot, so that it restarts if another
/// transaction changes the row. A captured write names the audit record under which the capture triggers store changes.
fn terms(call: &Call, entry: Option<&audit::AuditEntry>) -> TransactionOptions {
    let terms = if call.precondition.is_some() {
        TransactionOptions::of_mode("isolation level repeatable read")
    } else {
        TransactionOptions::default()
    };
    match entry.filter(|_| call.root().is_mutation) {
        Some(entry) => terms.with("labs.audit_record", entry.record_uuid()),
        None => terms,
    }
}

/// Converts the fault of a failed commit of an audited call. The record was rolled back as well, and a call without a
/// record must not be answered. A conflict from a deferred constraint is a rejection like any other. If the result of
/// the commit is unknown, the fault does not mention the record.
fn err_audit_commit(fault: Fault) -> Fault {
    let tells_all = matches!(fault.settlement(), Settlement::Retryable | Settlement::Unknown);
    if tells_all || fault.code() == Code::Conflict { fault } else { audit::err_unavailable(&fault) }
}
