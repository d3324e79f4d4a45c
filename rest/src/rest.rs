//! The public face, put together and inspected once, at start-up.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use ipnet::IpNet;
use labs_schema::Engine;
use labs_schema::engine::PreparedSchema;
use moka::sync::Cache;
use tokio::sync::Semaphore;

use crate::answered::Observer;
use crate::bound::{self, BoundOperation};
use crate::contract::{Contract, Operation};
use crate::deprecations::{DeprecationMarks, Marks};
use crate::documents::{Documents, SERVED_DIRECTLY};
use crate::edge::body_slots::{BodySlots, SlotLimits};
use crate::edge::budget::{Limits, RateLimiters};
use crate::edge::stop::StopSignal;
use crate::inspect;
use crate::precompressed::PrecompressedDocument;
use crate::probes::Probes;
use crate::routes::Routes;
use crate::sdl::Sdl;

/// Most requests under way at once.
const AT_ONCE: usize = 512;
/// Most bodies that are awaited at once. Nobody is asked who they are, so a network counts as an account.
const AWAITED: SlotLimits = SlotLimits { all: 512, of_network: 512, of_account: 64 };
/// Most uploads under way at once, each of which is in memory whole.
const UPLOADS: SlotLimits = SlotLimits { all: 24, of_network: 12, of_account: 4 };
/// Most uploads under way at once of those that may be larger than others, each of which is in memory whole too.
const LARGE_UPLOADS: SlotLimits = SlotLimits { all: 2, of_network: 2, of_account: 1 };

/// What the operator configured, as far as the public face needs it.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The public base address without a trailing slash.
    pub base_url: String,
    /// Origins whose scripts may call (CORS).
    pub cors_origins: Vec<String>,
    /// Peers whose forwarded headers count.
    pub trusted_proxies: Vec<IpNet>,
    /// Budgets of callers without an account.
    pub limits: Limits,
}

/// The contract bound to the schema: every operation has what answers it, and its route.
pub struct Bound {
    contract: Contract,
    routes: Routes,
    operations: Vec<BoundOperation>,
}

impl Bound {
    /// Inspects contract, documents, schema and router against each other and binds them. It needs no
    /// database: `labs check` does this and no more.
    ///
    /// # Errors
    /// Every difference, each naming the file to open.
    pub async fn to(plan: &PreparedSchema, contract: Contract) -> Result<Self, Vec<String>> {
        let mut found = Vec::new();
        let documents = or_report(Documents::load(), &mut found);
        let routes = or_report(Routes::new(&contract), &mut found);
        if let Some(documents) = &documents {
            found.extend(sentences(inspect::inspect(&contract, documents, plan.sdl(), SERVED_DIRECTLY)));
        }
        let prepared = bound::prepare(plan, documents.as_ref(), &mut found).await;
        match routes {
            Some(routes) if found.is_empty() => {
                let sdl = Sdl::read(plan.sdl()).map_err(|error| vec![error])?;
                let operations = bound::bind(&contract, &sdl, prepared);
                Ok(Self { contract, routes, operations })
            }
            _ => Err(found),
        }
    }
}

/// What could be read; what is wrong with it otherwise joins what was found.
fn or_report<T, E: std::fmt::Display>(read: Result<T, Vec<E>>, found: &mut Vec<String>) -> Option<T> {
    read.map_err(|errors| found.extend(sentences(errors))).ok()
}

/// Contract, operations, routes and budgets over an engine.
pub struct Rest {
    pub(crate) engine: Engine,
    pub(crate) contract: Contract,
    pub(crate) document: PrecompressedDocument,
    marks: DeprecationMarks,
    bound: Arc<Bound>,
    pub(crate) meter: RateLimiters,
    pub(crate) seats: Semaphore,
    pub(crate) bodies: BodySlots,
    pub(crate) uploads: BodySlots,
    pub(crate) large_uploads: BodySlots,
    /// Accounts and operations whose spent budget was recorded within the last minute.
    pub(crate) told: Cache<(String, String), ()>,
    pub(crate) settings: Settings,
    pub(crate) probes: Arc<Probes>,
    pub(crate) observer: Option<Arc<dyn Observer>>,
    stop: OnceLock<StopSignal>,
}

impl Rest {
    /// The contract's operations, bound to the engine's schema, at the address of this service.
    #[must_use]
    pub fn new(engine: Engine, bound: Arc<Bound>, settings: Settings, probes: impl Into<Arc<Probes>>) -> Self {
        let contract = bound.contract.clone().at(&settings.base_url);
        let meter = RateLimiters::new(settings.limits);
        let document = PrecompressedDocument::new(Bytes::from(contract.text().to_owned()));
        let seats = Semaphore::new(AT_ONCE);
        let (bodies, uploads) = (BodySlots::new(AWAITED), BodySlots::new(UPLOADS));
        let told = Cache::builder().max_capacity(10_000).time_to_live(Duration::from_secs(60)).build();
        Self {
            engine,
            contract,
            document,
            marks: DeprecationMarks::default(),
            bound,
            meter,
            seats,
            bodies,
            uploads,
            large_uploads: BodySlots::new(LARGE_UPLOADS),
            told,
            settings,
            probes: probes.into(),
            observer: None,
            stop: OnceLock::new(),
        }
    }

    /// The same, with somebody who counts what is answered.
    #[must_use]
    pub fn observed_by(self, observer: Option<Arc<dyn Observer>>) -> Self {
        Self { observer, ..self }
    }

    /// Names the signal that ends this service; the first one counts.
    pub fn stop_at(&self, stop: StopSignal) {
        let _first = self.stop.set(stop);
    }

    /// Whether this service is stopping: no balancer should send it further requests.
    pub(crate) fn is_stopping(&self) -> bool {
        self.stop.get().is_some_and(StopSignal::has_begun)
    }

    /// Which operation a path is.
    pub(crate) fn routes(&self) -> &Routes {
        &self.bound.routes
    }

    /// What answers an operation of the contract.
    pub(crate) fn bound(&self, operation: &Operation) -> Option<&BoundOperation> {
        self.bound.operations.get(operation.index)
    }

    /// What is deprecated now, by operation.
    pub(crate) fn marks(&self) -> Arc<Marks> {
        let services = self.engine.services();
        self.marks.of(services.deprecations.all(), services.settings.contract.surface)
    }

    /// The contract that is served.
    #[must_use]
    pub fn contract(&self) -> &Contract {
        &self.contract
    }

    /// Forgets accounts whose budgets are whole again. Called every few minutes.
    pub fn tidy(&self) {
        self.meter.tidy();
    }
}

fn sentences<T: std::fmt::Display>(found: Vec<T>) -> Vec<String> {
    found.iter().map(ToString::to_string).collect()
}
