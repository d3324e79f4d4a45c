//! Shared transactions for audited reads.
//!
//! A record in the same transaction costs an audited read more than the read itself: BEGIN, the record, COMMIT.
//! Concurrent reads of one kind are therefore read in one transaction, by one statement if they use a loader. One
//! statement writes their records, and all are answered after the COMMIT
//! (docs/decisions/audit.md#shared-transactions-of-audited-reads). While the records of one batch are written, the next
//! batch is read. A call that is rejected or fails is run again alone. If the shared transaction fails, every call is
//! run again alone, so that no call suffers from another.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::join_all;
use tokio::sync::oneshot;

use super::audit::AuditEntry;
use super::{Answer, Call, Engine};
use crate::context::Loaders;
use crate::db::{Db, TransactionOptions};
use crate::fault::Fault;
use crate::trace;

/// Outcome of a call.
type Outcome = Result<Answer, Fault>;

/// Outcome of a call that has been read, available once its record is committed.
pub(super) type PendingOutcome = oneshot::Receiver<Outcome>;

impl Engine {
    /// Whether a call may share a transaction: it leaves an audit record and its read is fast (`@batched`).
    pub(super) fn may_share(call: &Call) -> bool {
        let root = call.root();
        root.is_audited && !root.is_mutation && root.is_batched && call.precondition.is_none()
    }

    /// Answers a call in a transaction shared with concurrent calls.
    ///
    /// # Errors
    /// The same fault that the call would get alone.
    pub(super) async fn share(&self, call: Call) -> Outcome {
        let engine = self.clone();
        let together = move |calls| {
            let engine = engine.clone();
            async move { Ok(engine.read_together(calls).await) }
        };
        let Some(settling) = self.0.audited_reads.get(call, together).await? else { return Err(err_unsettled()) };
        settling.await.unwrap_or_else(|_| Err(err_unsettled()))
    }

    /// Starts a shared transaction. Returns as soon as the calls have been read; their outcomes follow.
    async fn read_together(&self, calls: Vec<Call>) -> Vec<Option<PendingOutcome>> {
        let (tellers, settling): (Vec<_>, Vec<_>) = calls.iter().map(|_| oneshot::channel()).unzip();
        let (reading, are_read) = oneshot::channel();
        let (engine, request_ids) = (self.clone(), calls.iter().map(|call| call.caller().request_id.clone()));
        let request_ids: Vec<String> = request_ids.collect();
        tokio::spawn(trace::detached(async move {
            let outcomes = engine.settle_together(calls, reading).await;
            for ((teller, outcome), request_id) in tellers.into_iter().zip(outcomes).zip(request_ids) {
                // The caller may have left; then only its fault is logged.
                if let Err(Err(fault)) = teller.send(outcome) {
                    fault.log(&request_id, "a request failed after its client had disconnected");
                }
            }
        }));
        // No value is ever sent; the sender is dropped when all calls have been read.
        let _ = are_read.await;
        settling.into_iter().map(Some).collect()
    }

    async fn settle_together(&self, calls: Vec<Call>, reading: oneshot::Sender<()>) -> Vec<Outcome> {
        let mut answers = Vec::new();
        if calls.len() > 1 {
            answers = match self.attempt_batch(&calls, reading).await {
                Ok(answers) => answers,
                Err(fault) => return self.refuse_batch(&calls, &fault).await,
            };
        }
        answers.resize_with(calls.len(), || None);
        let settled = answers.into_iter().zip(calls).map(async |(answer, call)| match answer {
            Some(answer) => Ok(answer),
            None => self.settle_apart(call).await,
        });
        join_all(settled).await
    }

    /// Rejects all calls at once if no connection is available.
    async fn refuse_batch(&self, calls: &[Call], fault: &Fault) -> Vec<Outcome> {
        let refused = calls.iter().map(async |call| self.refuse(&call.admission, &call.variables, fault.clone()).await);
        join_all(refused).await.into_iter().map(Err).collect()
    }

    /// Returns the answers after the commit: `None` for a call that failed, and an empty list if the transaction
    /// failed.
    ///
    /// # Errors
    /// If the transaction could not begin.
    async fn attempt_batch(&self, calls: &[Call], reading: oneshot::Sender<()>) -> Result<Vec<Option<Answer>>, Fault> {
        let db = Db::for_transaction(self.0.for_transactions.clone(), TransactionOptions::default());
        drop(db.conn().await?);
        let loaders = Loaders::default();
        // A statement that fails also breaks the later calls and the transaction.
        let answers = join_all(calls.iter().map(async |call| {
            let cx = Arc::new(self.context(call, db.clone()).with_shared_loaders(&loaders));
            let walked = AssertUnwindSafe(self.walk(call, &cx)).catch_unwind().await;
            let outcome = walked.unwrap_or_else(|_| Err(super::err_panicked()));
            outcome
                .inspect_err(|fault| {
                    fault.log(
                        &call.caller().request_id,
                        "a read in a shared transaction failed; it runs again separately",
                    );
                })
                .ok()
        }))
        .await;
        drop(reading);
        let entries: Vec<AuditEntry> =
            calls.iter().zip(&answers).filter_map(|(call, answer)| self.entry(call, answer)).collect();
        match self.commit_together(&db, &entries).await {
            Ok(()) => Ok(answers),
            Err(fault) => {
                tracing::warn!(
                    cause = fault.for_log(),
                    "a transaction shared by several reads failed; each read runs again separately"
                );
                self.roll_back(&db).await;
                Ok(Vec::new())
            }
        }
    }

    /// Creates the record of an answered call.
    fn entry(&self, call: &Call, answer: &Option<Answer>) -> Option<AuditEntry> {
        let answer = answer.as_ref()?;
        let mut entry = AuditEntry::of_call(call.root(), call.caller(), &call.variables, self.services());
        entry.complete(answer.created.as_ref(), &answer.extras.noted);
        Some(entry)
    }

    async fn commit_together(&self, db: &Db, entries: &[AuditEntry]) -> Result<(), Fault> {
        if !entries.is_empty() {
            AuditEntry::write_all(entries, &mut *db.conn().await?).await?;
        }
        db.commit().await
    }
}

fn err_unsettled() -> Fault {
    Fault::internal("a read in a shared transaction has no result")
}
