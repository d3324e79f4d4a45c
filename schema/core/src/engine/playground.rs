//! Staff members' own queries: the same schema, guards and audit, with the limits that external text needs
//! (docs/decisions/engine.md#bounds-of-staff-queries).

mod answer;
mod asked;
mod literals;
mod measure;
mod nesting;
mod omitted;
mod run;
mod variables;

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use async_graphql::parser::types::ExecutableDocument;
use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

pub use self::answer::describe_fault;
use self::answer::respond;
use self::asked::AuditedField;
use super::operation::{is_mutation, only_operation, root_fields};
use super::{Engine, RootField, prepare};
use crate::access::Access;
use crate::context::{AuditNotes, Caller};
use crate::fault::{Code, Fault, FieldError};
use crate::principal::{Principal, PrincipalType};
use crate::scope::Scope;

/// Longest query text, in bytes.
const LONGEST_TEXT: usize = 16 * 1024;
/// Maximum number of root fields of a query, including aliases and fields of fragments.
const MOST_ROOTS: usize = 20;
/// Pointer of an error in the text of the query.
const QUERY: &str = "/query";

/// Stack size in bytes of the thread that polls [`Engine::run_query`]: far more than the parser needs for accepted
/// texts.
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
    /// `{"data": …}`, with `"errors": […]` if a field was rejected. The `extensions` of an error have the members of a
    /// problem document.
    pub body: Bytes,
}

/// Knowledge of the REST API about a root field: its endpoint, the limits of its arguments beyond their types, the form
/// of its errors, and the caller's budgets.
pub trait RestApi: Send + Sync {
    /// Returns the problem document of a fault; of this root field, if the fault has one.
    fn problem(&self, fault: &Fault, root: Option<&str>, request_id: &str) -> serde_json::Value;

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
    /// Root fields by response name.
    roots: HashMap<String, String>,
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
            self.note_primary(&caller);
            let response = match ran {
                Ok(response) => response?,
                Err(_) => {
                    let fault = super::err_panicked();
                    return Err(self.refuse_all(&caller, &checked.audited_fields(), &HashMap::new(), fault).await);
                }
            };
            respond(&response, |fault, key| {
                let root = key.and_then(|key| checked.roots.get(key));
                rest.problem(fault, root.map(String::as_str), &caller.request_id)
            })
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
        let written = parse_document(exploration)?;
        let mut document = written.clone();
        omitted::remove_missing(&mut document, &exploration.variables);
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
        let (mut audited, mut breaches, mut misfits) = (Vec::new(), Vec::new(), Vec::new());
        for field in &roots {
            let mut arguments = asked::arguments(field, operation, &exploration.variables);
            if let Some(signature) = self.0.plan.signatures.get(field.name.node.as_str()) {
                misfits.extend(variables::find_argument_errors(signature, &arguments));
                arguments = signature.coerce(arguments);
            }
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
            let validated = prepare::validate(&self.0.plan.playground, written).await;
            verdict = validated.map_err(|breaches| err_invalid(breaches.join(" ")));
        }
        if verdict.is_ok() {
            let errors = variables::find_errors(&self.0.plan.types, operation, &exploration.variables);
            let errors = if errors.is_empty() { misfits } else { errors };
            verdict = if errors.is_empty() { Ok(()) } else { Err(Fault::invalid(errors)) };
        }
        if verdict.is_ok() && !breaches.is_empty() {
            verdict = Err(Fault::invalid(breaches));
        }
        let roots =
            roots.iter().map(|field| (field.response_key().node.to_string(), field.name.node.to_string())).collect();
        let checked = CheckedQuery { document, writes, audited, edges, roots };
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
    Fault::invalid(vec![FieldError::at(QUERY, "QUERY", message)])
}
