//! Audited reads that share a transaction.
//!
//! A record in the transaction of its answer costs an audited read more than the read itself: BEGIN, the record, COMMIT.
//! Reads of one thing that are asked at the same moment are therefore read one after the other in one transaction, their
//! records written by one statement, and all answered after its COMMIT (specification: platform, Group separation; the
//! record is in the transaction of the answer, and without it there is none). Whoever is refused, or meets anything
//! unusual, is asked again alone, and so is everybody when the shared transaction fails: nobody pays for another.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;
use futures_util::future::join_all;

use super::audit::Entry;
use super::{Answer, Call, Engine};
use crate::db::Db;
use crate::fault::Fault;

/// How a call ended.
pub(super) type Outcome = Result<Answer, Fault>;

impl Engine {
    /// Whether a call may share its transaction: it reads one thing, which is quick, and leaves a record.
    pub(super) fn may_share(call: &Call) -> bool {
        let root = &call.question.root;
        root.is_audited && !root.is_mutation && call.precondition.is_none() && root.name.ends_with("_get")
    }

    /// Answers a call in a transaction that it shares with whoever asks now.
    ///
    /// # Errors
    /// What it would be refused with alone.
    pub(super) async fn share(&self, call: Call) -> Outcome {
        let engine = self.clone();
        let together = move |calls| {
            let engine = engine.clone();
            async move { Ok(engine.settle_together(calls).await) }
        };
        let outcome = self.0.audited_reads.get(call, together).await?;
        outcome.unwrap_or_else(|| Err(Fault::internal("a shared read has no outcome")))
    }

    async fn settle_together(&self, calls: Vec<Call>) -> Vec<Option<Outcome>> {
        let mut answers = Vec::new();
        if calls.len() > 1 {
            answers = match self.attempt_together(&calls).await {
                Ok(answers) => answers,
                Err(fault) => return self.refuse_together(&calls, &fault).await,
            };
        }
        answers.resize_with(calls.len(), || None);
        let settled = answers.into_iter().zip(calls).map(async |(answer, call)| match answer {
            Some(answer) => Ok(answer),
            None => self.settle_apart(call).await,
        });
        join_all(settled).await.into_iter().map(Some).collect()
    }

    /// Nobody's turn comes when there is no connection: that is known at once for all.
    async fn refuse_together(&self, calls: &[Call], fault: &Fault) -> Vec<Option<Outcome>> {
        let refused = calls
            .iter()
            .map(async |call| self.refuse(&call.question.root, &call.caller, &call.variables, fault.clone()).await);
        join_all(refused).await.into_iter().map(|fault| Some(Err(fault))).collect()
    }

    /// Everybody's answer when the transaction was committed; nobody's when it failed on its way.
    ///
    /// # Errors
    /// When it did not even begin.
    async fn attempt_together(&self, calls: &[Call]) -> Result<Vec<Option<Answer>>, Fault> {
        let db = Db::within(self.0.pool.clone(), "begin isolation level read committed".to_owned());
        drop(db.conn().await?);
        let (mut answers, mut entries) = (Vec::with_capacity(calls.len()), Vec::with_capacity(calls.len()));
        for call in calls {
            let ask = self.context(call, db.clone());
            let walked = AssertUnwindSafe(self.walk(call, &ask)).catch_unwind().await;
            let failed =
                !matches!(&walked, Ok(Ok(_))) && !matches!(&walked, Ok(Err(fault)) if !fault.code().is_failure());
            let answer = walked.ok().and_then(Result::ok);
            if let Some(answer) = &answer {
                let mut entry = Entry::of_call(&call.question.root, &call.caller, &call.variables, self.now());
                entry.complete(&answer.body, &answer.extras.noted);
                entries.push(entry);
            }
            answers.push(answer);
            // What broke once breaks for those who follow as well.
            if failed {
                break;
            }
        }
        match self.commit_together(&db, &entries).await {
            Ok(()) => Ok(answers),
            Err(fault) => {
                tracing::debug!(code = fault.code().name(), "reads that shared a transaction are asked alone");
                self.roll_back(&db).await;
                Ok(Vec::new())
            }
        }
    }

    async fn commit_together(&self, db: &Db, entries: &[Entry]) -> Result<(), Fault> {
        if !entries.is_empty() {
            Entry::write_all(entries, &mut *db.conn().await?).await?;
        }
        super::settle::commit(db).await
    }
}
