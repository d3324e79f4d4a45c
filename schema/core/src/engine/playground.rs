//! Staff members' own queries: the same schema, guards and audit, with the limits that external text needs
//! (docs/decisions/engine.md#bounds-of-staff-queries).

mod answer;
mod asked;
mod literals;
mod measure;
mod nesting;

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use async_graphql::parser::types::ExecutableDocument;
use async_graphql::{Response, Value, Variables};
use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use self::answer::{fault_of, is_beneath, is_shown, log_causes, respond, worst_error};
use self::asked::AuditedField;
use super::operation::{is_mutation, only_operation, root_fields};
use super::{Engine, RootField, audit, prepare};
use crate::access::Access;
use crate::context::{AnswerExtras, AuditNotes, Caller, FollowedEdges, RequestContext};
use crate::db::{Db, TransactionOptions};
use crate::fault::{Code, Fault, FieldError, Settlement};
use crate::principal::{Principal, PrincipalType};
use crate::scope::Scope;

/// Longest query text, in bytes.
const LONGEST_TEXT: usize = 16 * 1024;
/// Maximum number of root fields of a query, including aliases and fields of fragments.
const MOST_ROOTS: usize = 20;
/// Maximum run time of a query.
const DEADLINE: Duration = Duration::from_secs(2);
/// Additional time for a database statement, so that the deadline of the query comes first.
const GRACE: Duration = Duration::from_millis(100);

/// Stack size in bytes of the thread that polls [`Engine::run_query`]: far more than the parser needs for accepted texts.
pub const STACK_BYTES: usize = 8 * 1024 * 1024;

/// Query of a staff member.
pub struct PlaygroundQuery {
    /// Text of the query.
    pub query: String,
    /// Variables of the query.
    pub variables: serde_json::Map<String, serde_json::Value>,
}

/// Answer to a staff member's query: a GraphQL response with data and errors.
pub struct PlaygroundResponse {
    /// `{"data": …}`, with `"errors": […]` if a field was rejected.
    pub body: Bytes,
}

/// Knowledge of the REST API about a root field: its endpoint, the limits of its arguments beyond their types, and the
/// caller's budgets.
pub trait RestApi: Send + Sync {
    /// Spends one request for each root field of a query after the first. The HTTP request itself has already spent
    /// one.
    ///
    /// # Errors
    /// [`Code::RateLimited`]; [`Code::Unavailable`] if the daily budget cannot be read.
    fn spend_further<'a>(&'a self, principal: &'a Principal, requests: u32) -> BoxFuture<'a, Result<(), Fault>>;

    /// Returns the method and path of the REST operation of a root field: `GET /v1/…`.
    fn endpoint(&self, root: &str) -> Option<String>;

    /// Converts the arguments of a root field to the form of a REST request: each filter under its own name.
    fn as_requested(
        &self,
        root: &str,
        arguments: serde_json::Map<String, serde_json::Value>,
    ) -> serde_json::Map<String, serde_json::Value>;

    /// Lists the limits that these arguments violate; empty for a root field without limits.
    fn breaches(&self, root: &str, arguments: &serde_json::Map<String, serde_json::Value>) -> Vec<FieldError>;
}

/// Query that passed every check.
struct CheckedQuery {
    document: ExecutableDocument,
    writes: bool,
    audited: Vec<AuditedField>,
    /// Root fields that read the same as the edges that the query follows.
    edges: Vec<RootField>,
}

impl CheckedQuery {
    /// Lists what leaves an audit record if the query is rejected: its audited root fields, and each edge once.
    fn audited_fields(&self) -> Vec<AuditedField> {
        let edges = self.edges.iter().filter(|edge| edge.is_audited).cloned().map(AuditedField::edge);
        self.audited.iter().cloned().chain(edges).collect()
    }
}

impl Engine {
    /// Answers a staff member's own query within the limits that apply to every request. It computes in the polling
    /// thread and must be polled to completion.
    ///
    /// # Errors
    /// [`Code::Unauthenticated`]. [`Code::ScopeMissing`] if the caller is not a staff member, lacks the scope of a
    /// field, or requests introspection without any scope of the operator's domain. [`Code::RateLimited`] if the
    /// remaining budget is smaller than the number of root fields. [`Code::ValidationFailed`] if the text violates a
    /// limit or the schema, or an argument is out of range. [`Code::AuditUnavailable`].
    pub fn run_query<'a>(
        &'a self,
        caller: Arc<Caller>,
        exploration: PlaygroundQuery,
        rest: &'a dyn RestApi,
    ) -> BoxFuture<'a, Result<PlaygroundResponse, Fault>> {
        async move {
            let principal =
                caller.principal.clone().ok_or_else(|| Fault::new(Code::Unauthenticated, "Sign in first."))?;
            if principal.kind != PrincipalType::StaffUser {
                return Err(Fault::scope("labs.admin"));
            }
            let checked = self.check(&caller, &principal, &exploration, rest).await?;
            // Not in a separate task, which would compute on the runtime that serves the connections.
            let ran = AssertUnwindSafe(self.run_checked(&caller, exploration, &checked)).catch_unwind().await;
            match ran {
                Ok(explored) => explored,
                Err(_) => Err(self
                    .refuse_all(&caller, &checked.audited_fields(), &HashMap::new(), super::err_panicked())
                    .await),
            }
        }
        .boxed()
    }

    async fn check(
        &self,
        caller: &Arc<Caller>,
        principal: &Principal,
        exploration: &PlaygroundQuery,
        rest: &dyn RestApi,
    ) -> Result<CheckedQuery, Fault> {
        let document = parse_document(exploration)?;
        let operation = &only_operation(&document).ok_or_else(|| err_invalid("Send exactly one operation."))?.node;
        // Measured before any other code follows fragments: they can double with each line or be recursive.
        let measured =
            measure::measure(&self.0.plan.nested, &document, operation, &exploration.variables).map_err(err_invalid)?;
        let writes = is_mutation(operation);
        let roots = root_fields(&document, operation);
        if roots.len() > MOST_ROOTS {
            let asked = roots.len();
            return Err(err_invalid(format!(
                "The query selects {asked} root fields. The maximum is {MOST_ROOTS}. Send several queries."
            )));
        }
        if writes && roots.len() > 1 {
            return Err(err_invalid("Send one write at a time: select one root field of a mutation."));
        }
        if let Some(name) = asked::find_duplicate_name(&roots) {
            return Err(err_invalid(format!("Two root fields have the name `{name}`. Give each one its own alias.")));
        }
        if asked::is_steered(&document, &operation.selection_set.node) {
            return Err(err_invalid(
                "Directives are not allowed on root fields. Omit the fields that you do not need.",
            ));
        }
        let further = u32::try_from(roots.len().saturating_sub(1)).unwrap_or(u32::MAX);
        let mut verdict = rest.spend_further(principal, further).await;
        let (mut audited, mut breaches) = (Vec::new(), Vec::new());
        for field in &roots {
            let arguments = asked::arguments(field, operation, &exploration.variables);
            let arguments = rest.as_requested(&field.name.node, arguments);
            let key = field.response_key().node.to_string();
            let (root, may) = self.guard_root(caller, &field.name.node, rest);
            verdict = verdict.and(may);
            breaches.extend(rest.breaches(&field.name.node, &arguments));
            audited.extend(root.map(|root| AuditedField { root, key, arguments }));
        }
        let edges: Vec<RootField> =
            measured.reads.iter().filter_map(|root| self.0.plan.roots.get(root)).cloned().collect();
        verdict = verdict.and_then(|()| edges.iter().try_for_each(|edge| Self::guard(edge.access, caller)));
        if verdict.is_ok() {
            let validated = prepare::validate(&self.0.plan.playground, document.clone()).await;
            verdict = validated.map_err(|breaches| err_invalid(breaches.join(" ")));
        }
        // Type errors are reported by the schema itself.
        if verdict.is_ok() && !breaches.is_empty() {
            verdict = Err(Fault::invalid(breaches));
        }
        let checked = CheckedQuery { document, writes, audited, edges };
        match verdict {
            Ok(()) => Ok(checked),
            Err(fault) => Err(self.refuse_all(caller, &checked.audited_fields(), &HashMap::new(), fault).await),
        }
    }

    /// Records the rejection of every audited field of a query, with the notes under its key. Returns the fault, or
    /// [`Code::AuditUnavailable`] if it cannot be recorded.
    async fn refuse_all(
        &self,
        caller: &Arc<Caller>,
        audited: &[AuditedField],
        noted_at: &HashMap<String, AuditNotes>,
        fault: Fault,
    ) -> Fault {
        let nothing = AuditNotes::default();
        for asked in audited {
            let noted = noted_at.get(&asked.key).unwrap_or(&nothing);
            let told = self.refuse_with_notes(&asked.root, caller, &asked.arguments, noted, fault.clone()).await;
            if told.code() == Code::AuditUnavailable {
                return told;
            }
        }
        fault
    }

    /// Guards one root field. Returns the field to record if it is audited, and whether it may be called.
    fn guard_root(
        &self,
        caller: &Arc<Caller>,
        name: &str,
        rest: &dyn RestApi,
    ) -> (Option<RootField>, Result<(), Fault>) {
        if name == "__typename" {
            return (None, Ok(()));
        }
        if name.starts_with("__") {
            let may_look = caller
                .principal
                .as_ref()
                .is_some_and(|principal| principal.scopes.minimal().into_iter().any(Scope::is_admin));
            return (None, if may_look { Ok(()) } else { Err(Fault::scope("labs.admin.overview")) });
        }
        let Some(root) = self.0.plan.roots.get(name) else {
            return (None, Err(err_invalid(format!("The schema has no root field `{name}`."))));
        };
        let at_its_door = || rest.endpoint(name).unwrap_or_else(|| "the REST API".to_owned());
        let verdict = match root.access {
            Access::Cookie | Access::Client => {
                Err(err_invalid(format!("`{name}` takes a credential that the playground does not send.")))
            }
            // Sign-in and similar operations have separate budgets, which only their REST endpoints spend.
            Access::Public if root.is_mutation => {
                Err(err_invalid(format!("`{name}` is a public write operation. Call {}.", at_its_door())))
            }
            access => Self::guard(access, caller).and_then(|()| {
                let refusal = || err_invalid(format!("`{name}` returns a file. Call {}.", at_its_door()));
                if root.is_file { Err(refusal()) } else { Ok(()) }
            }),
        };
        (root.is_audited.then(|| root.clone()), verdict)
    }

    async fn run_checked(
        &self,
        caller: &Arc<Caller>,
        exploration: PlaygroundQuery,
        checked: &CheckedQuery,
    ) -> Result<PlaygroundResponse, Fault> {
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
        let mut request = async_graphql::Request::new("")
            .variables(Variables::from_json(serde_json::Value::Object(exploration.variables.clone())))
            .data(Arc::clone(&cx));
        request.set_parsed_query(checked.document.clone());
        let response = limit_time(self.0.plan.playground.execute(request)).await;
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
    ) -> Result<PlaygroundResponse, Fault> {
        let (nothing, asked) = (AuditNotes::default(), &checked.audited);
        for (asked, mut entry) in asked.iter().zip(entries) {
            let noted = noted_at.get(&asked.key).unwrap_or(&nothing);
            // A field with a partial answer counts as answered, even if some of its subfields were rejected.
            match response.errors.iter().find(|error| is_beneath(error, &asked.key)) {
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
            Ok(()) => respond(&response.data, &response.errors),
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
        (response, entries): (Response, Vec<audit::AuditEntry>),
        noted_at: &HashMap<String, AuditNotes>,
    ) -> Result<PlaygroundResponse, Fault> {
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
        respond(&Value::Null, &response.errors)
    }
}

/// Runs a query within the deadline. On a busy machine the database can abort the statement first, which counts as the
/// deadline.
async fn limit_time(query: impl Future<Output = Response>) -> Response {
    let was_ended = |response: &Response| worst_error(response).is_some_and(|fault| fault.code() == Code::QueryTimeout);
    let answered = tokio::time::timeout(DEADLINE, query).await.ok();
    answered.filter(|response| !was_ended(response)).unwrap_or_else(|| {
        let slow = Fault::query_timeout("The query ran longer than 2 seconds and was aborted. Select fewer fields.");
        let error = async_graphql::Error::from(slow).into_server_error(async_graphql::Pos::default());
        Response::from_errors(vec![error])
    })
}

/// Parses the query. Rejects U+0000, which no text column can store, because it would fail both the statement and its
/// audit record.
fn parse_document(exploration: &PlaygroundQuery) -> Result<ExecutableDocument, Fault> {
    if exploration.query.len() > LONGEST_TEXT {
        return Err(err_invalid("The query is longer than 16 KB. Shorten it."));
    }
    let variables = serde_json::to_string(&exploration.variables).map_err(Fault::internal)?;
    if [&exploration.query, &variables].iter().any(|text| text.contains('\0') || text.contains("\\u0000")) {
        return Err(err_invalid("The character U+0000 cannot be stored. Remove it."));
    }
    nesting::check(&exploration.query).map_err(err_invalid)?;
    let read = async_graphql::parser::parse_query(&exploration.query);
    let mut document = read.map_err(|error| err_invalid(error.to_string()))?;
    literals::normalize(&mut document);
    Ok(document)
}

fn err_invalid(message: impl Into<String>) -> Fault {
    Fault::invalid(vec![FieldError::at("/query", "QUERY", message)])
}
