//! Execution of a checked query, and its end: commit, or rollback with the records of the rejection.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use async_graphql::{Response, Value, Variables};

use super::super::answer_meter::AnswerMeter;
use super::super::{Engine, RootField, audit};
use super::answer::{concerns, fault_of, is_shown, log_causes, worst_error};
use super::asked::AuditedField;
use super::{CheckedQuery, PlaygroundQuery};
use crate::context::{AnswerExtras, AuditNotes, Caller, FollowedEdges, RequestContext};
use crate::db::{Db, TransactionOptions};
use crate::fault::{Code, Fault, Settlement};

/// Maximum run time of a query.
const DEADLINE: Duration = Duration::from_secs(2);
/// Error of a query whose answer does not fit.
const TOO_LARGE: &str = "The answer is larger than 8 MB. Select fewer fields, or lower `limit`.";
/// Additional time for a database statement, so that the deadline of the query comes first.
const GRACE: Duration = Duration::from_millis(100);

impl Engine {
    /// Executes a query that passed every check.
    pub(super) async fn run_checked(
        &self,
        caller: &Arc<Caller>,
        exploration: PlaygroundQuery,
        checked: &CheckedQuery,
    ) -> Result<Response, Fault> {
        let entry_of =
            |asked: &AuditedField| audit::AuditEntry::of_call(&asked.root, caller, &asked.arguments, self.services());
        let entries: Vec<audit::AuditEntry> = checked.audited.iter().map(entry_of).collect();
        // The deadline aborts computation in this process; the database aborts its statements slightly later.
        let mut terms = TransactionOptions::default().with("statement_timeout", (DEADLINE + GRACE).as_millis());
        if let Some(entry) = entries.first().filter(|_| checked.writes) {
            terms = terms.with("labs.audit_record", entry.record_uuid());
        }
        let db = Db::for_transaction(self.0.for_transactions.clone(), terms);
        // The wait for a connection does not count against the query's time.
        drop(db.conn().await?);
        let services = Arc::clone(&self.0.services);
        let edges = checked.edges.iter().map(|edge| edge.name.clone()).collect();
        let cx = RequestContext::new(Arc::clone(caller), db.clone(), self.now(), services, None).with_edges(edges);
        let cx = Arc::new(cx);
        let meter = Arc::new(AnswerMeter::default());
        let mut request = async_graphql::Request::new("")
            .variables(Variables::from_json(serde_json::Value::Object(exploration.variables.clone())))
            .data(Arc::clone(&cx))
            .data(Arc::clone(&meter));
        request.set_parsed_query(checked.document.clone());
        let mut response = limit_time(self.0.plan.playground.execute(request)).await;
        if meter.is_exceeded() {
            response = fail_whole(super::err_invalid(TOO_LARGE));
        }
        let AnswerExtras { noted_at, followed, .. } = cx.take_extras();
        log_causes(&response.errors, &caller.request_id);
        match worst_error(&response) {
            Some(fault) if checked.writes || fault.code().is_failure() => {
                self.refuse_failed(&db, (caller, checked), fault, (response, entries), &noted_at).await
            }
            _ => {
                let told = self.followed_records(caller, checked, &followed);
                self.commit_query(&db, (caller, checked), (response, entries, told), &noted_at).await
            }
        }
    }

    /// Creates the audit records of the edges that returned objects: one per root field that reads the same objects,
    /// with their ids as its argument.
    fn followed_records(
        &self,
        caller: &Arc<Caller>,
        checked: &CheckedQuery,
        followed: &FollowedEdges,
    ) -> Vec<audit::AuditEntry> {
        let of_edge = |edge: &RootField| {
            let (argument, uuids) = followed.get(edge.name.as_str()).filter(|_| edge.is_audited)?;
            let arguments = serde_json::Map::from_iter([((*argument).to_owned(), serde_json::json!(uuids))]);
            Some(audit::AuditEntry::of_call(edge, caller, &arguments, self.services()))
        };
        checked.edges.iter().filter_map(of_edge).collect()
    }

    /// Commits the query with a record for each audited field, including rejected fields.
    async fn commit_query(
        &self,
        db: &Db,
        (caller, checked): (&Arc<Caller>, &CheckedQuery),
        (response, entries, followed): (Response, Vec<audit::AuditEntry>, Vec<audit::AuditEntry>),
        noted_at: &HashMap<String, AuditNotes>,
    ) -> Result<Response, Fault> {
        let (nothing, asked) = (AuditNotes::default(), &checked.audited);
        for (asked, mut entry) in asked.iter().zip(entries) {
            let noted = noted_at.get(&asked.key).unwrap_or(&nothing);
            // A field with a partial answer counts as answered, even if some of its subfields were rejected.
            match response.errors.iter().find(|error| concerns(error, &asked.key)) {
                Some(error) if !is_shown(&response.data, &asked.key) => entry.fail(&fault_of(error), noted),
                _ => entry.complete(None, noted),
            }
            entry.write(&mut *db.conn().await?).await.map_err(|error| audit::err_unavailable(&error))?;
        }
        if !followed.is_empty() {
            let written = audit::AuditEntry::write_all(&followed, &mut *db.conn().await?).await;
            written.map_err(|error| audit::err_unavailable(&error))?;
        }
        let asked = checked.audited_fields();
        match db.commit().await {
            Ok(()) => Ok(response),
            Err(fault) if asked.is_empty() => Err(fault),
            // A conflict from a deferred constraint is a rejection like any other.
            Err(fault) if fault.code() == Code::Conflict => Err(self.refuse_all(caller, &asked, noted_at, fault).await),
            Err(fault) if fault.settlement() == Settlement::Unknown => Err(fault),
            Err(fault) => Err(audit::err_unavailable(&fault)),
        }
    }

    /// Rolls back a rejected write or a failed query, except for writes that the rejection keeps on purpose (a failed
    /// password attempt counts). Every audited field leaves its record.
    async fn refuse_failed(
        &self,
        db: &Db,
        (caller, checked): (&Arc<Caller>, &CheckedQuery),
        fault: Fault,
        (mut response, entries): (Response, Vec<audit::AuditEntry>),
        noted_at: &HashMap<String, AuditNotes>,
    ) -> Result<Response, Fault> {
        if fault.settlement() == Settlement::Kept {
            let nothing = AuditNotes::default();
            for (asked, mut entry) in checked.audited.iter().zip(entries) {
                entry.fail(&fault, noted_at.get(&asked.key).unwrap_or(&nothing));
                entry.write(&mut *db.conn().await?).await.map_err(|error| audit::err_unavailable(&error))?;
            }
            db.commit().await?;
        } else {
            self.roll_back(db).await;
            let told = self.refuse_all(caller, &checked.audited_fields(), noted_at, fault).await;
            if told.code() == Code::AuditUnavailable {
                return Err(told);
            }
        }
        response.data = Value::Null;
        Ok(response)
    }
}

/// Runs a query within the deadline. On a busy machine the database can abort the statement first, which counts as the
/// deadline.
async fn limit_time(query: impl Future<Output = Response>) -> Response {
    let was_ended = |response: &Response| worst_error(response).is_some_and(|fault| fault.code() == Code::QueryTimeout);
    let answered = tokio::time::timeout(DEADLINE, query).await.ok();
    answered.filter(|response| !was_ended(response)).unwrap_or_else(|| {
        let slow = Fault::query_timeout("The query ran longer than 2 seconds and was aborted. Select fewer fields.");
        fail_whole(slow)
    })
}

/// Returns the response of a query that fails as a whole.
fn fail_whole(fault: Fault) -> Response {
    let error = async_graphql::Error::from(fault).into_server_error(async_graphql::Pos::default());
    Response::from_errors(vec![error])
}
