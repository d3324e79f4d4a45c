//! A staff member's own query: the same schema, guards and audit, with the defences that text from
//! outside needs (specification: decisions, Audit; design: security, Known traps).

mod asked;
mod measure;

use std::sync::Arc;
use std::time::Duration;

use async_graphql::{Response, Value, Variables};
use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use self::asked::Asked;
use super::question::{Shape, is_mutation, only_operation, root_fields};
use super::{Engine, RootField, audit, prepare};
use crate::access::Access;
use crate::ask::{Ask, Caller, Extras, Noted};
use crate::db::Db;
use crate::fault::{Code, Fault, FieldError};
use crate::principal::PrincipalType;

/// Longest query text, in bytes.
const LONGEST_TEXT: usize = 16 * 1024;
/// How long a query may run.
const DEADLINE: Duration = Duration::from_secs(2);

/// What staff sent.
pub struct Exploration {
    /// The query's text.
    pub query: String,
    /// Its variables.
    pub variables: serde_json::Map<String, serde_json::Value>,
}

/// What they are answered: a GraphQL response, with errors when `data` is null.
pub struct Explored {
    /// `{"data": …}` or `{"data": null, "errors": […]}`.
    pub body: Bytes,
}

/// A query that passed every check.
struct Checked {
    document: async_graphql::parser::types::ExecutableDocument,
    shape: Shape,
    writes: bool,
    audited: Vec<Asked>,
}

impl Engine {
    /// Answers a staff member's own query.
    ///
    /// # Errors
    /// [`Code::Unauthenticated`], [`Code::ScopeMissing`] for anybody but staff, for a field whose scope is
    /// missing, and for introspection without any scope of the operator's domain;
    /// [`Code::ValidationFailed`] for a text that breaks a limit or the schema; [`Code::AuditUnavailable`].
    pub fn explore(&self, caller: Caller, exploration: Exploration) -> BoxFuture<'_, Result<Explored, Fault>> {
        async move {
            let principal =
                caller.principal.clone().ok_or_else(|| Fault::new(Code::Unauthenticated, "Sign in first."))?;
            if principal.kind != PrincipalType::StaffUser {
                return Err(Fault::scope("labs.admin"));
            }
            let checked = self.check(&caller, &exploration).await?;
            let engine = self.clone();
            let run = tokio::spawn(async move { engine.run_checked(caller, exploration, checked).await });
            run.await.unwrap_or_else(|error| Err(Fault::internal(error)))
        }
        .boxed()
    }

    async fn check(&self, caller: &Caller, exploration: &Exploration) -> Result<Checked, Fault> {
        if exploration.query.len() > LONGEST_TEXT {
            return Err(invalid("The query is longer than 16 KB."));
        }
        let document =
            async_graphql::parser::parse_query(&exploration.query).map_err(|error| invalid(error.to_string()))?;
        let operation = &only_operation(&document).ok_or_else(|| invalid("Send exactly one operation."))?.node;
        // Before anything else that follows fragments: they may double with each line, or spread themselves.
        let measured =
            measure::measure(&self.0.plan.nested, &document, operation, &exploration.variables).map_err(invalid)?;
        let writes = is_mutation(operation);
        let roots = root_fields(&document, operation);
        if writes && roots.len() > 1 {
            return Err(invalid("One write at a time: ask one root field of a mutation."));
        }
        let shape = Shape::of(&document, &operation.selection_set.node);
        let mut audited = Vec::new();
        for field in &roots {
            let arguments = asked::arguments(field, operation, &exploration.variables);
            let key = field.response_key().node.to_string();
            let guarded = self.guard_root(caller, &field.name.node, writes, &arguments).await?;
            audited.extend(guarded.map(|root| Asked { root, key, arguments }));
        }
        for access in measured.accesses {
            Self::guard(access, caller)?;
        }
        prepare::validate(&self.0.plan.strict, document.clone())
            .await
            .map_err(|breaches| invalid(breaches.join(" ")))?;
        Ok(Checked { document, shape, writes, audited })
    }

    /// Guards one root field; answers the question to record when the field is audited.
    async fn guard_root(
        &self,
        caller: &Caller,
        name: &str,
        writes: bool,
        arguments: &serde_json::Map<String, serde_json::Value>,
    ) -> Result<Option<RootField>, Fault> {
        if name == "__typename" {
            return Ok(None);
        }
        if name.starts_with("__") {
            let may_look = caller
                .principal
                .as_ref()
                .is_some_and(|principal| principal.scopes.names().iter().any(|scope| scope.starts_with("labs.admin")));
            return if may_look { Ok(None) } else { Err(Fault::scope("labs.admin.overview")) };
        }
        let Some(root) = self.0.plan.roots.get(name) else {
            return Err(invalid(format!("There is no root field `{name}`.")));
        };
        let field = RootField {
            name: name.to_owned(),
            access: root.access,
            is_mutation: writes,
            is_audited: root.access.is_audited(name),
        };
        let verdict = match root.access {
            Access::Cookie | Access::Client => {
                Err(invalid(format!("`{name}` takes a credential that the playground does not send.")))
            }
            access => Self::guard(access, caller),
        };
        match verdict {
            Err(fault) => Err(self.refuse(&field, caller, arguments, fault).await),
            Ok(()) => Ok(field.is_audited.then_some(field)),
        }
    }

    async fn run_checked(&self, caller: Caller, exploration: Exploration, checked: Checked) -> Result<Explored, Fault> {
        let entries: Vec<audit::Entry> = checked
            .audited
            .iter()
            .map(|asked| audit::Entry::of_call(&asked.root, &caller, &asked.arguments, self.now()))
            .collect();
        let statement = match entries.first().filter(|_| checked.writes) {
            Some(entry) => format!("begin; set local labs.audit_record = '{}'", entry.record_uuid()),
            None => "begin".to_owned(),
        };
        let db = Db::within(self.0.pool.clone(), statement);
        let services = Arc::clone(&self.0.services);
        let ask = Arc::new(Ask::new(caller.clone(), db.clone(), self.now(), services, None));
        let mut request = async_graphql::Request::new("")
            .variables(Variables::from_json(serde_json::Value::Object(exploration.variables.clone())))
            .data(Arc::clone(&ask));
        request.set_parsed_query(checked.document.clone());
        let response = tokio::time::timeout(DEADLINE, self.0.plan.graph.execute(request)).await;
        let response = response.unwrap_or_else(|_| {
            let slow = Fault::unavailable("The query ran longer than 2 seconds and was ended. Ask for less.");
            Response::from_errors(vec![
                async_graphql::Error::from(slow).into_server_error(async_graphql::Pos::default()),
            ])
        });
        if response.errors.is_empty() {
            self.commit_explored(&db, &checked.audited, entries, ask.take_extras()).await?;
            let mut body = br#"{"data":"#.to_vec();
            checked.shape.write(&response.data, &mut body);
            body.push(b'}');
            return Ok(Explored { body: Bytes::from(body) });
        }
        self.refuse_explored(&db, &caller, &checked, response).await
    }

    async fn commit_explored(
        &self,
        db: &Db,
        asked: &[Asked],
        entries: Vec<audit::Entry>,
        extras: Extras,
    ) -> Result<(), Fault> {
        let audited = !entries.is_empty();
        for (asked, mut entry) in asked.iter().zip(entries) {
            let mut noted: Noted = extras.noted_at.get(&asked.key).cloned().unwrap_or_default();
            entry.complete(b"{}", &mut noted);
            entry.write(&mut *db.conn().await?).await.map_err(|error| audit::unavailable(&error))?;
        }
        let Some(transaction) = db.take().await else { return Ok(()) };
        transaction.commit().await.map_err(|error| {
            let fault = Fault::from(error);
            if audited { audit::unavailable(&fault) } else { fault }
        })
    }

    /// Nothing of a query with an error is kept or shown; every audited field of it leaves its record.
    async fn refuse_explored(
        &self,
        db: &Db,
        caller: &Caller,
        checked: &Checked,
        response: Response,
    ) -> Result<Explored, Fault> {
        if let Some(transaction) = db.take().await {
            transaction.rollback().await?;
        }
        let fault =
            response.errors.iter().find_map(|error| error.source::<Fault>().cloned()).unwrap_or_else(|| {
                invalid(response.errors.first().map(|error| error.message.clone()).unwrap_or_default())
            });
        for asked in &checked.audited {
            let told = self.refuse(&asked.root, caller, &asked.arguments, fault.clone()).await;
            if told.code() == Code::AuditUnavailable {
                return Err(told);
            }
        }
        let errors: Vec<serde_json::Value> = response.errors.iter().map(error_json).collect();
        let body = serde_json::json!({ "data": Value::Null, "errors": errors });
        Ok(Explored { body: Bytes::from(body.to_string()) })
    }
}

fn error_json(error: &async_graphql::ServerError) -> serde_json::Value {
    let code = error.source::<Fault>().map_or(Code::ValidationFailed, Fault::code).name();
    serde_json::json!({
        "message": error.message,
        "path": error.path,
        "locations": error.locations,
        "extensions": { "code": code },
    })
}

fn invalid(message: impl Into<String>) -> Fault {
    Fault::invalid(vec![FieldError::at("/query", "QUERY", message)])
}
