//! Engine: guard, transaction, answer, audit record, commit. Every operation of every caller passes through it.
//!
//! No code below the engine begins or ends a transaction, and only [`audit`] writes audit records, so no operation can
//! omit either.
//!
//! The public methods return boxed futures, because an `async fn` is compiled again in every crate that awaits it, and
//! these contain the whole service.

mod answer_meter;
mod audit;
mod binding;
mod call;
mod calls;
mod detach_on_drop;
mod graph;
mod group_commit;
pub mod idempotency;
mod operation;
#[cfg(debug_assertions)]
mod parity;
mod playground;
mod prepare;
mod read;
mod revision;
mod settle;
mod signature;

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use sqlx::PgPool;

pub use call::{Answer, BytesCondition, Call, IdempotencyKey, Precondition};
pub use calls::{Calling, GroupCalls};
pub use operation::{PreparedOperation, Reuse, RootField};
pub use playground::{PlaygroundQuery, PlaygroundResponse, RestApi, STACK_BYTES, describe_fault};
pub use prepare::{Descriptions, PreparedSchema};

use detach_on_drop::DetachOnDrop;

use crate::access::Access;
use crate::account_turns::AccountTurns;
use crate::coalescer::Coalescer;
use crate::context::{AuditNotes, Caller, RequestContext, WrittenAnswer};
use crate::db::Db;
use crate::fault::Fault;
use crate::missing_scope;
use crate::operation::{FindingFaults, RejectedBody};
use crate::pool_lane::PoolLane;
use crate::principal::Principal;
use crate::services::Services;
use crate::trace;

/// Entry point of the service for every operation.
#[derive(Clone)]
pub struct Engine(Arc<Inner>);

struct Inner {
    plan: Arc<PreparedSchema>,
    pool: PgPool,
    for_reads: PoolLane,
    read_turns: Arc<AccountTurns>,
    /// Connections of requests without a token, of which others leave them one.
    for_entrances: PoolLane,
    for_transactions: PoolLane,
    services: Arc<Services>,
    /// Audited reads that wait for a transaction.
    audited_reads: Coalescer<Call, group_commit::PendingOutcome>,
    /// Reads of the revisions of public content.
    revisions: Coalescer<Arc<str>, i64>,
}

/// Proof that a caller may call an operation. Only the guard creates it.
#[derive(Clone)]
pub struct Admission {
    operation: Arc<PreparedOperation>,
    caller: Arc<Caller>,
}

impl Admission {
    /// Admits a caller to an operation.
    ///
    /// # Errors
    /// As [`Engine::guard`].
    pub fn of(operation: &Arc<PreparedOperation>, caller: &Arc<Caller>) -> Result<Self, Fault> {
        Engine::guard(operation.root.access, caller)?;
        Ok(Self { operation: Arc::clone(operation), caller: Arc::clone(caller) })
    }
}

impl Engine {
    /// Creates the engine from a schema, a pool and the services.
    #[must_use]
    pub fn new(plan: Arc<PreparedSchema>, pool: PgPool, services: Arc<Services>) -> Self {
        let for_reads = PoolLane::of_reads(pool.clone());
        let (for_entrances, for_transactions) = PoolLane::of_transactions(pool.clone()).with_entrance();
        let read_turns = AccountTurns::of_connections(pool.options().get_max_connections() / 2);
        let (audited_reads, revisions) = (Coalescer::default(), Coalescer::default());
        Self(Arc::new(Inner {
            plan,
            pool,
            for_reads,
            read_turns,
            for_entrances,
            for_transactions,
            services,
            audited_reads,
            revisions,
        }))
    }

    /// Returns the schema, to bind documents to it.
    #[must_use]
    pub fn plan(&self) -> &PreparedSchema {
        &self.0.plan
    }

    /// Returns the functions of groups that REST calls in addition to operations.
    #[must_use]
    pub fn calls(&self) -> &GroupCalls {
        &self.0.plan.calls
    }

    /// Returns the faults that the rules of an operation find in a body that the contract already rejects; none for an
    /// operation without such rules ([`crate::operation::Operation::find_faults`]).
    ///
    /// # Errors
    /// [`crate::Code::Unavailable`]
    pub fn find_faults<'a>(&'a self, of: &'a PreparedOperation, body: &'a RejectedBody) -> FindingFaults<'a> {
        async move {
            let Some(find_faults) = of.root.find_faults else { return Ok(Vec::new()) };
            find_faults(self.services(), &Db::from_pool(self.pool().clone()), body).await
        }
        .boxed()
    }

    /// Returns the services that outlive requests.
    #[must_use]
    pub fn services(&self) -> &Arc<Services> {
        &self.0.services
    }

    /// Returns the connection pool, for readiness checks and shutdown.
    #[must_use]
    pub fn pool(&self) -> &PgPool {
        &self.0.pool
    }

    /// Returns the principal of an access token used from this address.
    ///
    /// # Errors
    /// See [`crate::authority::Authority::principal_at`].
    pub fn authenticate<'a>(&'a self, token: &'a str, address: IpAddr) -> BoxFuture<'a, Result<Arc<Principal>, Fault>> {
        async move { self.0.services.authority.principal_at(token, address).await }.boxed()
    }

    /// Checks that the caller may call an operation with this access rule.
    ///
    /// # Errors
    /// [`crate::Code::Unauthenticated`] or [`crate::Code::ScopeMissing`].
    pub fn guard(access: Access, caller: &Caller) -> Result<(), Fault> {
        match access {
            Access::Public | Access::Cookie | Access::Client => Ok(()),
            Access::Any | Access::Scope(_) => {
                let principal = caller.principal.as_ref().ok_or_else(Fault::without_token)?;
                access.scope().map_or(Ok(()), |needed| principal.require(needed))
            }
        }
    }

    /// Names what would grant the scope that a rejected caller lacks: tiers, or roles of staff.
    pub fn name_grants<'a>(&'a self, caller: &'a Caller, fault: Fault) -> BoxFuture<'a, Fault> {
        missing_scope::name_grants(&self.0.pool, caller.principal.as_deref(), fault).boxed()
    }

    /// Runs an operation. The answer is returned only after the commit of its transaction.
    ///
    /// # Errors
    /// The fault of the guard, the resolver or the database; [`crate::Code::AuditUnavailable`] if the record of an
    /// audited call cannot be written.
    pub fn ask(&self, call: Call) -> BoxFuture<'_, Result<Answer, Fault>> {
        async move {
            let root = call.root();
            let plain = !root.is_mutation && !root.is_audited && call.precondition.is_none();
            if plain {
                return self.read(&call).await;
            }
            // Both paths are detached from the caller's connection, so that a client that disconnects does not
            // interrupt a transaction.
            if !Self::may_share(&call) {
                return self.settle_apart(call).await;
            }
            let caller = Arc::clone(call.caller());
            let outcome = self.share(call).await;
            self.note_primary(&caller);
            outcome
        }
        .boxed()
    }

    /// Admits a caller to an operation. The rejection of an audited call is recorded.
    ///
    /// # Errors
    /// As [`Engine::guard`]; [`crate::Code::AuditUnavailable`] if the rejection cannot be recorded.
    pub fn admit<'a>(
        &'a self,
        operation: &'a Arc<PreparedOperation>,
        caller: &'a Arc<Caller>,
    ) -> BoxFuture<'a, Result<Admission, Fault>> {
        async move {
            match Admission::of(operation, caller) {
                Ok(admission) => Ok(admission),
                Err(fault) => {
                    let nothing = serde_json::Map::new();
                    Err(self.refuse_with_notes(&operation.root, caller, &nothing, &AuditNotes::default(), fault).await)
                }
            }
        }
        .boxed()
    }

    /// Records an audited call that was rejected before it ran. Returns the fault, or [`crate::Code::AuditUnavailable`]
    /// if it cannot be recorded.
    pub fn refuse<'a>(
        &'a self,
        admission: &'a Admission,
        variables: &'a serde_json::Map<String, serde_json::Value>,
        fault: Fault,
    ) -> BoxFuture<'a, Fault> {
        let Admission { operation, caller } = admission;
        async move { self.refuse_with_notes(&operation.root, caller, variables, &AuditNotes::default(), fault).await }
            .boxed()
    }

    /// Records a rejected audited call with the notes of its resolver. Returns the fault, or
    /// [`crate::Code::AuditUnavailable`] if it cannot be recorded.
    async fn refuse_with_notes(
        &self,
        root: &RootField,
        caller: &Arc<Caller>,
        variables: &serde_json::Map<String, serde_json::Value>,
        noted: &AuditNotes,
        fault: Fault,
    ) -> Fault {
        if !root.is_audited || caller.principal.is_none() {
            return fault;
        }
        let entry = audit::AuditEntry::of_refusal(root, caller, variables, noted, &fault, self.services());
        let pool = self.pool().clone();
        let written = tokio::spawn(trace::detached(async move { entry.write_alone(&pool).await })).await;
        match written {
            Ok(Ok(())) => fault,
            Ok(Err(error)) => audit::err_unavailable(&error).replacing(&fault),
            Err(error) => audit::err_unavailable(&Fault::internal(error)).replacing(&fault),
        }
    }

    /// Records for the choice of read replicas that the primary answered a caller.
    fn note_primary(&self, caller: &Caller) {
        if let Some(replicas) = &self.0.services.read_replicas {
            replicas.note_primary(caller);
        }
    }

    async fn settle_apart(&self, call: Call) -> Result<Answer, Fault> {
        let (engine, request_id) = (self.clone(), call.caller().request_id.clone());
        let unheard = move |outcome: std::thread::Result<Result<Answer, Fault>>| {
            if let Ok(Err(fault)) = outcome {
                fault.log(&request_id, "a request failed after its client had disconnected");
            }
        };
        // The caller sees the change even if it disconnected before the answer.
        let settle = async move {
            let caller = Arc::clone(call.caller());
            let outcome = engine.settle_or_refuse(call).await;
            engine.note_primary(&caller);
            outcome
        };
        let settled = DetachOnDrop::new(settle, unheard).await;
        settled.unwrap_or_else(|_| Err(err_panicked()))
    }

    /// Settles a call. If it panics, its audit record states the failure, even if the client has disconnected.
    async fn settle_or_refuse(&self, call: Call) -> Result<Answer, Fault> {
        let kept = call.root().is_audited.then(|| call.clone());
        match (AssertUnwindSafe(self.settle(call)).catch_unwind().await, kept) {
            (Ok(outcome), _) => outcome,
            (Err(_), None) => Err(err_panicked()),
            (Err(_), Some(call)) => Err(self.refuse(&call.admission, &call.variables, err_panicked()).await),
        }
    }

    fn context(&self, call: &Call, db: Db) -> RequestContext {
        let services = Arc::clone(&self.0.services);
        let now = services.clock.now();
        RequestContext::new(Arc::clone(call.caller()), db, now, services, call.attachment.clone())
            .with_expected(call.expected.clone())
    }

    /// Runs the operation of a fixed document.
    async fn execute(
        &self,
        operation: &PreparedOperation,
        variables: &serde_json::Map<String, serde_json::Value>,
        cx: &Arc<RequestContext>,
    ) -> Result<WrittenAnswer, Fault> {
        let written = (operation.root.run)(cx, operation.arguments(variables)).await?;
        #[cfg(debug_assertions)]
        parity::check(&self.0.plan.complete, operation, variables, &written).await?;
        Ok(written)
    }
}

fn err_panicked() -> Fault {
    Fault::internal("the execution of a query panicked")
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;
    use crate::context::{Channel, Credentials};
    use crate::fault::Code;
    use crate::scope::Scope;

    #[test]
    fn anonymous_caller_must_authenticate_before_authorization() {
        let nobody = Caller {
            principal: None,
            address: Ipv4Addr::LOCALHOST.into(),
            user_agent: None,
            request_id: String::new(),
            channel: Channel::Rest,
            credentials: Credentials::default(),
            takes_csv: false,
        };
        for access in [Access::Any, Access::Scope(Scope::parse("labs.admin").unwrap())] {
            assert_eq!(Engine::guard(access, &nobody).unwrap_err().code(), Code::Unauthenticated);
        }
        // These need other credentials than a token, or none.
        for access in [Access::Public, Access::Cookie, Access::Client] {
            assert!(Engine::guard(access, &nobody).is_ok());
        }
    }
}
