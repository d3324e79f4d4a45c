//! Audited reads that share a transaction.
//!
//! A record in the transaction of its answer costs an audited read more than the read itself: BEGIN, the record, COMMIT.
//! Reads of one thing that are asked at the same moment are therefore read in one transaction, by one statement where
//! they go by a loader, their records written by one statement, and all answered after its COMMIT (docs/decisions.md#audit). While the records of
//! some are written, the next are read. Whoever is refused, or meets anything unusual, is asked again alone, and so is
//! everybody when the shared transaction fails: nobody pays for another.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::join_all;
use tokio::sync::oneshot;

use super::audit::AuditEntry;
use super::{Answer, Call, Engine};
use crate::core::context::Loaders;
use crate::core::db::{Db, TransactionOptions};
use crate::core::fault::Fault;
use crate::core::trace;

/// How a call ended.
type Outcome = Result<Answer, Fault>;

/// How a call that was read will have ended, once its record is committed.
pub(super) type Settling = oneshot::Receiver<Outcome>;

impl Engine {
    /// Whether a call may share its transaction: it leaves a record, and its read is quick (`@batched`).
    pub(super) fn may_share(call: &Call) -> bool {
        let root = call.root();
        root.is_audited && !root.is_mutation && root.is_batched && call.precondition.is_none()
    }

    /// Answers a call in a transaction that it shares with whoever asks now.
    ///
    /// # Errors
    /// What it would be refused with alone.
    pub(super) async fn share(&self, call: Call) -> Outcome {
        let engine = self.clone();
        let together = move |calls| {
            let engine = engine.clone();
            async move { Ok(engine.read_together(calls).await) }
        };
        let Some(settling) = self.0.audited_reads.get(call, together).await? else { return Err(unsettled()) };
        settling.await.unwrap_or_else(|_| Err(unsettled()))
    }

    /// Begins to settle calls together, and ends as soon as they are read.
    async fn read_together(&self, calls: Vec<Call>) -> Vec<Option<Settling>> {
        let (tellers, settling): (Vec<_>, Vec<_>) = calls.iter().map(|_| oneshot::channel()).unzip();
        let (reading, are_read) = oneshot::channel();
        let (engine, request_ids) = (self.clone(), calls.iter().map(|call| call.caller().request_id.clone()));
        let request_ids: Vec<String> = request_ids.collect();
        tokio::spawn(trace::apart(async move {
            let outcomes = engine.settle_together(calls, reading).await;
            for ((teller, outcome), request_id) in tellers.into_iter().zip(outcomes).zip(request_ids) {
                // Who has gone away meanwhile wants no answer.
                if let Err(Err(fault)) = teller.send(outcome) {
                    fault.log(&request_id, "a request failed after its caller had gone");
                }
            }
        }));
        // Nothing is ever sent: what was held while they were being read is dropped.
        let _ = are_read.await;
        settling.into_iter().map(Some).collect()
    }

    async fn settle_together(&self, calls: Vec<Call>, reading: oneshot::Sender<()>) -> Vec<Outcome> {
        let mut answers = Vec::new();
        if calls.len() > 1 {
            answers = match self.attempt_together(&calls, reading).await {
                Ok(answers) => answers,
                Err(fault) => return self.refuse_together(&calls, &fault).await,
            };
        }
        answers.resize_with(calls.len(), || None);
        let settled = answers.into_iter().zip(calls).map(async |(answer, call)| match answer {
            Some(answer) => Ok(answer),
            None => self.settle_apart(call).await,
        });
        join_all(settled).await
    }

    /// Nobody's turn comes when there is no connection: that is known at once for all.
    async fn refuse_together(&self, calls: &[Call], fault: &Fault) -> Vec<Outcome> {
        let refused = calls.iter().map(async |call| self.refuse(&call.admission, &call.variables, fault.clone()).await);
        join_all(refused).await.into_iter().map(Err).collect()
    }

    /// Everybody's answer when the transaction was committed; nobody's when it failed on its way.
    ///
    /// # Errors
    /// When it did not even begin.
    async fn attempt_together(
        &self,
        calls: &[Call],
        reading: oneshot::Sender<()>,
    ) -> Result<Vec<Option<Answer>>, Fault> {
        let db = Db::settling(self.0.for_transactions.clone(), TransactionOptions::default());
        drop(db.conn().await?);
        let loaders = Loaders::default();
        // What broke for one breaks for those after it as well, and the transaction with it.
        let answers = join_all(calls.iter().map(async |call| {
            let cx = Arc::new(self.context(call, db.clone()).sharing(&loaders));
            let walked = AssertUnwindSafe(self.walk(call, &cx)).catch_unwind().await;
            let outcome = walked.unwrap_or_else(|_| Err(super::panicked()));
            outcome
                .inspect_err(|fault| fault.log(&call.caller().request_id, "a shared read failed and is run separately"))
                .ok()
        }))
        .await;
        drop(reading);
        let entries: Vec<AuditEntry> =
            calls.iter().zip(&answers).filter_map(|(call, answer)| self.entry(call, answer)).collect();
        match self.commit_together(&db, &entries).await {
            Ok(()) => Ok(answers),
            Err(fault) => {
                tracing::warn!(cause = fault.for_log(), "reads that shared a transaction are run separately");
                self.roll_back(&db).await;
                Ok(Vec::new())
            }
        }
    }

    /// The record of a call that was answered.
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

fn unsettled() -> Fault {
    Fault::internal("a shared read has no result")
}
