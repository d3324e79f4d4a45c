//! Requests that only read and leave no audit record: on a read replica if allowed, and in turns with other reads of
//! the same account.

use std::sync::Arc;

use super::{Answer, Call, Engine};
use crate::db::{Db, Freshness, ReadLanes};
use crate::fault::Fault;

impl Engine {
    /// Whether a read replica may answer a call.
    #[must_use]
    pub fn may_lag(&self, call: &Call) -> bool {
        call.may_lag && call.root().may_lag && self.0.services.read_replicas.is_some()
    }

    /// Returns the database handle for a request that only reads.
    fn reading_db(&self, call: &Call, freshness: Freshness) -> Db {
        let replicas = self.0.services.read_replicas.clone().map(|replicas| {
            let before = replicas.seen_before(call.caller());
            (replicas, before)
        });
        let lanes = ReadLanes::new(self.0.for_reads.clone(), replicas, freshness);
        let principal = call.caller().principal.as_deref();
        Db::for_read(match principal {
            Some(principal) => lanes.with_account(self.0.read_turns.taker(&principal.budget.account)),
            None => lanes,
        })
    }

    /// Runs a call without an audit record: on a read replica if allowed, otherwise or after a replica's failure on the
    /// primary.
    pub(super) async fn read(&self, call: &Call) -> Result<Answer, Fault> {
        if self.may_lag(call) {
            let db = self.reading_db(call, Freshness::Recent);
            match db.limit_time(self.read_from(call, &db)).await {
                Err(fault) if fault.code().is_failure() && db.has_lagged() => {
                    tracing::warn!(
                        cause = fault.for_log(),
                        "a read replica did not answer; the primary is used instead"
                    );
                    if let Some(replicas) = &self.0.services.read_replicas {
                        replicas.note_failure();
                    }
                }
                outcome => return outcome,
            }
        }
        self.read_from(call, &self.reading_db(call, Freshness::Present)).await
    }

    async fn read_from(&self, call: &Call, db: &Db) -> Result<Answer, Fault> {
        let cx = Arc::new(self.context(call, db.clone()));
        let written = self.execute(&call.admission.operation, &call.variables, &cx).await;
        db.note_answer(call.caller());
        let written = written?;
        db.release().await;
        Ok(Answer { lagged: db.has_lagged(), ..Answer::of(written, cx.take_extras()) })
    }
}
