//! The public API, assembled and inspected once, at startup.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use ipnet::IpNet;
use labs_core::Engine;
use labs_core::engine::PreparedSchema;
use moka::sync::Cache;

use crate::answer::reuse::AnswerCache;
use crate::bound::{self, BoundOperation};
use crate::contract::{Contract, Operation};
use crate::deprecations::{DeprecationMarks, Marks};
use crate::documents::Documents;
use crate::front::body_slots::{BodySlots, SlotLimits};
use crate::front::budget::{Limits, RateLimiters};
use crate::front::in_flight::InFlight;
use crate::front::stop::StopSignal;
use crate::inspect;
use crate::observer::Observer;
use crate::precompressed::PrecompressedDocument;
use crate::probes::Probes;
use crate::routes::Routes;
use crate::sdl::Sdl;

/// Maximum number of concurrent requests.
const AT_ONCE: usize = 512;
/// Maximum number of entrances beyond these.
const ENTRANCES: usize = 64;
/// Maximum number of bodies that are waited for at once. Callers are not identified at this point, so a network counts
/// as an account.
const AWAITED: SlotLimits = SlotLimits { all: 512, of_network: 512, of_account: 64 };
/// Maximum number of concurrent uploads; each is kept in memory as a whole.
const UPLOADS: SlotLimits = SlotLimits { all: 24, of_network: 12, of_account: 4 };
/// Maximum number of concurrent uploads with a raised size limit; each is kept in memory as a whole too.
const LARGE_UPLOADS: SlotLimits = SlotLimits { all: 2, of_network: 2, of_account: 1 };

/// Configuration of the public API.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Public base address without a trailing slash.
    pub base_url: String,
    /// Origins whose scripts may call the API (CORS).
    pub cors_origins: Vec<String>,
    /// Peers whose forwarded headers count.
    pub trusted_proxies: Vec<IpNet>,
    /// Budgets of callers without an account.
    pub limits: Limits,
    /// Address of the security contact, for `security.txt` (RFC 9116).
    pub security_contact: Option<String>,
    /// Whether agents are served at `/mcp`.
    pub serves_agents: bool,
}

/// The contract bound to the schema: every operation has its implementation and its route.
pub struct BoundContract {
    contract: Contract,
    routes: Routes,
    operations: Vec<BoundOperation>,
}

impl BoundContract {
    /// Inspects contract, documents, schema and router against each other and binds them. It needs no database: `labs
    /// check` does only this and [`Contract::compile_all`].
    ///
    /// # Errors
    /// Every difference, each with a file name.
    pub async fn to(plan: &PreparedSchema, contract: Contract) -> Result<Self, Vec<String>> {
        let mut found = Vec::new();
        let documents = or_report(Documents::load(), &mut found);
        let routes = or_report(Routes::new(&contract), &mut found);
        let sdl = Sdl::read(plan.sdl());
        if let Some(documents) = &documents {
            found.extend(sentences(inspect::inspect(&contract, documents, &sdl)));
        }
        let prepared = bound::prepare(plan, documents.as_ref(), &mut found).await;
        match (routes, sdl) {
            (Some(routes), Ok(sdl)) if found.is_empty() => {
                let operations = bound::bind(&contract, &sdl, prepared);
                Ok(Self { contract, routes, operations })
            }
            _ => Err(found),
        }
    }
}

/// Returns the value, or adds its errors to the list.
fn or_report<T, E: std::fmt::Display>(read: Result<T, Vec<E>>, found: &mut Vec<String>) -> Option<T> {
    read.map_err(|errors| found.extend(sentences(errors))).ok()
}

/// Contract, operations, routes and budgets on top of an engine.
pub struct Rest {
    pub(crate) engine: Engine,
    pub(crate) contract: Contract,
    pub(crate) document: PrecompressedDocument,
    marks: DeprecationMarks,
    bound: Arc<BoundContract>,
    pub(crate) limiters: RateLimiters,
    pub(crate) in_flight: InFlight,
    pub(crate) bodies: BodySlots,
    pub(crate) uploads: BodySlots,
    pub(crate) large_uploads: BodySlots,
    /// Accounts and operations whose spent budget was recorded in the last minute.
    pub(crate) recorded_refusals: Cache<(String, String), ()>,
    /// Answers to public reads.
    pub(crate) answers: AnswerCache,
    pub(crate) settings: Settings,
    pub(crate) probes: Arc<Probes>,
    pub(crate) observer: Option<Arc<dyn Observer>>,
    stop: OnceLock<StopSignal>,
}

impl Rest {
    /// Binds the contract's operations to the engine's schema, at the address of this service.
    #[must_use]
    pub fn new(engine: Engine, bound: Arc<BoundContract>, settings: Settings, probes: impl Into<Arc<Probes>>) -> Self {
        let contract = bound.contract.clone().at_base_url(&settings.base_url);
        let limiters = RateLimiters::new(settings.limits);
        let document = PrecompressedDocument::new(Bytes::from(contract.text().to_owned()));
        let in_flight = InFlight::new(AT_ONCE, ENTRANCES);
        let (bodies, uploads) = (BodySlots::new(AWAITED), BodySlots::new(UPLOADS));
        let recorded_refusals = Cache::builder().max_capacity(10_000).time_to_live(Duration::from_secs(60)).build();
        Self {
            engine,
            contract,
            document,
            marks: DeprecationMarks::default(),
            bound,
            limiters,
            in_flight,
            bodies,
            uploads,
            large_uploads: BodySlots::new(LARGE_UPLOADS),
            recorded_refusals,
            answers: AnswerCache::default(),
            settings,
            probes: probes.into(),
            observer: None,
            stop: OnceLock::new(),
        }
    }

    /// Returns the same service with an observer of its responses.
    #[must_use]
    pub fn with_observer(self, observer: Option<Arc<dyn Observer>>) -> Self {
        Self { observer, ..self }
    }

    /// Sets the shutdown signal of this service; only the first call counts.
    pub fn stop_at(&self, stop: StopSignal) {
        let _first = self.stop.set(stop);
    }

    /// Whether this service is shutting down: load balancers should send it no further requests.
    pub(crate) fn is_stopping(&self) -> bool {
        self.stop.get().is_some_and(StopSignal::has_begun)
    }

    /// Returns the routes, which map paths to operations.
    pub(crate) fn routes(&self) -> &Routes {
        &self.bound.routes
    }

    /// Returns the implementation of an operation.
    pub(crate) fn bound(&self, operation: &Operation) -> Option<&BoundOperation> {
        self.bound.operations.get(operation.index)
    }

    /// Returns the current deprecations, by operation.
    pub(crate) fn marks(&self) -> Arc<Marks> {
        let services = self.engine.services();
        self.marks.of(services.deprecations.all(), services.settings.contract.surface)
    }

    /// Returns the served contract.
    #[must_use]
    pub fn contract(&self) -> &Contract {
        &self.contract
    }

    /// Removes accounts whose budgets are full again. Called every few minutes.
    pub fn evict_idle(&self) {
        self.limiters.evict_idle();
    }
}

fn sentences<T: std::fmt::Display>(found: Vec<T>) -> Vec<String> {
    found.iter().map(ToString::to_string).collect()
}
