//! Connects the packages. One function per connection.

pub mod audit_log;
pub mod keys;
pub mod people;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow};
use axum::Router;
use ipnet::IpNet;
use labs_rest::contract::assemble::{Assembled, assemble};
use labs_rest::contract::{Contract, compare};
use labs_rest::front::stop::StopSignal;
use labs_rest::probes::Probes;
use labs_rest::{BoundContract, Observer, Rest};
use labs_schema::Engine;
use labs_schema::crypto::sealed::MasterKey;
use labs_schema::engine::{Descriptions, PreparedSchema};
use labs_schema::jobs::{Job, JobCode, Jobs};
use labs_schema::mail::deliver::{MailSender, Mailer};
use labs_schema::media::store::MediaStore;
use labs_schema::open::{DatabaseUrls, MigrationPlan, OpenOptions, PendingMigration, open, open_media};
use labs_schema::operator;
use labs_schema::services::Settings;
use labs_schema::time::Clock;
use tokio::net::TcpListener;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::issuer_keys::IssuerKeyReader;
use crate::metrics::Metrics;
use crate::platform::{Platform, PlatformSettings};
use crate::readiness::probes;

/// Interval in which limiters remove accounts whose budgets are full again.
const TIDY: Duration = Duration::from_secs(300);

/// The assembled and inspected service, ready to answer requests.
pub struct Application {
    engine: Engine,
    rest: Arc<Rest>,
    router: Router,
    trusted_proxies: Vec<IpNet>,
    mailer: Arc<Mailer>,
    probes: Arc<Probes>,
    platform: Option<Arc<Platform>>,
    metrics: Option<Arc<Metrics>>,
}

impl Application {
    /// Returns the engine, for tests.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Returns the readiness checks.
    #[must_use]
    pub fn probes(&self) -> Arc<Probes> {
        Arc::clone(&self.probes)
    }

    /// Returns the metrics, if they are enabled.
    #[must_use]
    pub fn metrics(&self) -> Option<Arc<Metrics>> {
        self.metrics.clone()
    }
}

/// Applies pending migrations, and returns their number.
///
/// # Errors
/// If a migration fails.
pub async fn migrate(urls: &DatabaseUrls) -> anyhow::Result<usize> {
    Ok(labs_schema::open::migrate(urls).await?)
}

/// Describes what [`migrate`] would do: one line per pending migration, then the programs that can run afterwards.
///
/// # Errors
/// If the database does not answer, or if this program cannot run on it.
pub async fn describe_migrations(urls: &DatabaseUrls) -> anyhow::Result<String> {
    let MigrationPlan { program, applied, pending, oldest_program } = labs_schema::open::plan_migrations(urls).await?;
    let mut lines = vec![format!("Last migration of this program: {program}. Last applied migration: {applied}.")];
    lines.extend(pending.iter().map(|PendingMigration { version, name, oldest_program }| {
        format!("Pending: {version} ({name}). Oldest program that runs after it: {oldest_program}.")
    }));
    if pending.is_empty() {
        lines.push("No migration is pending.".to_owned());
    }
    lines.push(format!("You can go back to programs whose last migration is {oldest_program} or a later one."));
    Ok(lines.join("\n"))
}

/// Embedded parts: the schema, the contract, and the binding between them. They do not depend on the configuration.
struct EmbeddedContract {
    plan: Arc<PreparedSchema>,
    bound: Arc<BoundContract>,
    operations: Arc<BTreeSet<String>>,
}

/// Reads, inspects and binds them once, regardless of the number of services in the process.
async fn load_embedded() -> anyhow::Result<&'static EmbeddedContract> {
    static CARRIED: OnceCell<EmbeddedContract> = OnceCell::const_new();
    let make = || async {
        let contract = Contract::embedded().map_err(|found| differences(&found))?;
        let plan = labs_schema::prepare_schema(contract.descriptions()).map_err(|breaches| differences(&breaches))?;
        let operations = contract.operations().iter().map(|operation| operation.id.clone()).collect();
        let bound = BoundContract::to(&plan, contract).await.map_err(|found| differences(&found))?;
        Ok(EmbeddedContract { plan: Arc::new(plan), bound: Arc::new(bound), operations: Arc::new(operations) })
    };
    CARRIED.get_or_try_init(make).await
}

/// Prepares the embedded parts in parallel with other steps of the startup. [`application`] waits for them and reports
/// their errors.
pub fn prepare_embedded() {
    tokio::spawn(load_embedded());
}

/// Opens the object storage.
///
/// # Errors
/// If the object storage cannot be used.
pub async fn media(config: &Config) -> anyhow::Result<MediaStore> {
    Ok(open_media(&config.media).await?)
}

/// Builds the application that answers requests.
///
/// # Errors
/// If contract, documents, schema and router differ, or the database cannot be reached.
pub async fn application(
    config: &Config,
    media: MediaStore,
    database: &DatabaseUrls,
    base_url: &str,
    clock: Clock,
) -> anyhow::Result<Application> {
    let carried = load_embedded().await?;
    let opening = OpenOptions {
        database: database.clone(),
        plan: Arc::clone(&carried.plan),
        connections: config.database_connections,
        key: MasterKey::load_or_create(&config.master_key_file)
            .context("the master key could not be loaded or created")?,
        clock,
        media,
        settings: Settings {
            base_url: base_url.to_owned(),
            pictures_url: config.pictures_url(base_url),
            audience: base_url.to_owned(),
            mail_from: config.mail_from.clone(),
            own_per_second: config.own_per_second,
            operations: Arc::clone(&carried.operations),
            contract: labs_rest::contract::served_contract(),
            statistics: config.statistics.as_ref().map(PlatformSettings::known),
            trusted_issuers: config.issuers.allowed().to_vec(),
            retention: config.retention,
            checkpoints: config.checkpoints.open(base_url)?,
        },
        issuer_keys: Arc::new(
            IssuerKeyReader::open(config.issuers.clone()).context("the client of the identity issuers failed")?,
        ),
        passwords: config.passwords.clone(),
    };
    let engine = open(opening).await?;
    let settings = labs_rest::Settings {
        base_url: base_url.to_owned(),
        security_contact: config.security_contact.clone(),
        cors_origins: config.cors_origins.clone(),
        trusted_proxies: config.trusted_proxies.clone(),
        limits: config.limits,
        serves_agents: config.serves_agents,
    };
    let mailer = Arc::new(build_mailer(config, base_url)?);
    let platform = config
        .statistics
        .clone()
        .map(Platform::open)
        .transpose()
        .context("the client of the platform's API could not be created")?;
    let probes = Arc::new(probes(&engine, &mailer));
    let metrics = config.metrics_listen.map(|_| Metrics::new()).transpose()?.map(Arc::new);
    let rest = Rest::new(engine.clone(), Arc::clone(&carried.bound), settings, Arc::clone(&probes));
    let rest = Arc::new(rest.with_observer(metrics.clone().map(|metrics| metrics as Arc<dyn Observer>)));
    let (router, trusted_proxies) = (labs_rest::dispatch::router(&rest), config.trusted_proxies.clone());
    Ok(Application { engine, rest, router, trusted_proxies, mailer, probes, platform: platform.map(Arc::new), metrics })
}

/// Answers requests until shutdown, then finishes in-flight ones, then returns leased budget portions.
///
/// # Errors
/// If the listener cannot be drained.
pub async fn answer(
    listener: TcpListener,
    application: Application,
    stop: impl Into<StopSignal>,
) -> anyhow::Result<()> {
    let stop = stop.into();
    application.rest.stop_at(stop.clone());
    let Application { engine, rest, router, trusted_proxies, mailer, platform, .. } = application;
    let ending = CancellationToken::new();
    let statistics = platform.map(|platform| labs_schema::jobs::statistics::job(&engine, platform));
    let further = [mail(&engine, mailer), job_of_unconfirmed(&engine)].into_iter().chain(statistics);
    let jobs = Jobs::spawn(&engine, further.collect(), &ending);
    let tidying = tokio::spawn(evict_periodically(rest, ending.clone()));
    let served = labs_rest::front::server::serve(listener, router, trusted_proxies, stop).await;
    ending.cancel();
    tidying.await?;
    jobs.end().await;
    engine.services().budgets.settle().await;
    engine.pool().close().await;
    Ok(served?)
}

/// Builds the job that sends queued mail messages.
fn mail(engine: &Engine, mailer: Arc<Mailer>) -> Job {
    let engine = engine.clone();
    Job::new(JobCode::MailDelivery, move || {
        let (engine, mailer) = (engine.clone(), Arc::clone(&mailer));
        async move {
            let round = labs_schema::outbox::deliver_due(engine.pool(), engine.services(), &mailer).await?;
            Ok((round.sent + round.failed) as u64)
        }
    })
}

/// Builds the job that deletes unconfirmed registrations.
fn job_of_unconfirmed(engine: &Engine) -> Job {
    let pool = engine.pool().clone();
    Job::new(JobCode::UnconfirmedRegistrations, move || {
        let pool = pool.clone();
        async move { operator::registrations_drop(&pool).await }
    })
}

/// Builds the mailer, which sends mail to a server, or writes it to files.
fn build_mailer(config: &Config, base_url: &str) -> anyhow::Result<Mailer> {
    let letterhead = MailSender::new(&config.mail_from, base_url).context("the sender address of mail is invalid")?;
    match &config.smtp_url {
        Some(url) => Mailer::smtp(url.expose(), letterhead).context("the mail server cannot be used"),
        None => Mailer::folder(&config.mail_folder, letterhead).context("the mail folder cannot be used"),
    }
}

async fn evict_periodically(rest: Arc<Rest>, ending: CancellationToken) {
    while ending.run_until_cancelled(tokio::time::sleep(TIDY)).await.is_some() {
        rest.evict_idle();
    }
}

/// Compares contract, documents, schema, scopes and router; returns one line per difference.
///
/// # Errors
/// If one of them cannot be read.
pub async fn check() -> anyhow::Result<Vec<String>> {
    let contract = match Contract::embedded() {
        Err(problems) => return Ok(problems.iter().map(ToString::to_string).collect()),
        Ok(contract) => contract,
    };
    if let Err(problems) = contract.compile_all() {
        return Ok(problems.iter().map(ToString::to_string).collect());
    }
    match labs_schema::prepare_schema(contract.descriptions()) {
        Err(breaches) => Ok(breaches),
        Ok(plan) => Ok(BoundContract::to(&plan, contract).await.err().unwrap_or_default()),
    }
}

/// Returns the contract as it is served.
///
/// # Errors
/// If the embedded contract cannot be read.
pub fn contract_text() -> anyhow::Result<String> {
    let contract = Contract::embedded().map_err(|problems| differences(&problems))?;
    Ok(contract.text().to_owned())
}

/// Returns the differences from a former contract, as a draft in Markdown.
///
/// # Errors
/// If the file cannot be read or is not YAML.
pub fn release_notes(since: &Path) -> anyhow::Result<String> {
    let former = std::fs::read_to_string(since).with_context(|| format!("cannot read {}", since.display()))?;
    compare::release_notes(&former, &contract_text()?).map_err(anyhow::Error::msg)
}

/// Writes `contract/openapi.yaml` from its pieces, in the project's folder.
///
/// # Errors
/// If the pieces contradict each other, or the file cannot be written.
pub fn contract_assemble() -> anyhow::Result<()> {
    let folder = PathBuf::from("contract");
    write(&folder.join("openapi.yaml"), &assemble_contract(&folder)?.yaml)
}

/// Assembles the contract from its pieces in `folder` and the types of this binary.
///
/// # Errors
/// If the pieces contradict each other, or the schema violates a project rule.
pub fn assemble_contract(folder: &Path) -> anyhow::Result<Assembled> {
    // The texts of the committed contract describe operations only, and the assembly needs the types.
    let schema = labs_schema::prepare_schema(Descriptions::default()).map_err(|breaches| differences(&breaches))?;
    assemble(folder, schema.sdl()).map_err(|problems| differences(&problems))
}

/// Writes the accepted SDL, `schema/schema.graphql`, and the state machines, `schema/states.md`, in the project's
/// folder.
///
/// # Errors
/// If the schema violates a project rule, or the file cannot be written.
pub fn schema_write() -> anyhow::Result<()> {
    let plan = schema()?;
    write(Path::new("schema/states.md"), &labs_schema::states::draw())?;
    write(Path::new("schema/schema.graphql"), plan.sdl())
}

/// Writes `schema/schema.sql` from a migrated database, in the project's folder.
///
/// # Errors
/// If the database does not answer, an object in it has no statement in the migrations, or the file cannot be written.
pub async fn tables_write(database_url: &str) -> anyhow::Result<()> {
    let tables = labs_schema::tables::draw(database_url).await;
    let tables = tables.map_err(|fault| anyhow!("the database schema cannot be drawn: {}", fault.for_log()))?;
    write(Path::new("schema/schema.sql"), &tables)
}

/// Returns the schema of this binary, with the contract's descriptions.
///
/// # Errors
/// If the contract cannot be read, or the schema violates a project rule.
pub fn schema() -> anyhow::Result<PreparedSchema> {
    let contract = Contract::embedded().map_err(|found| differences(&found))?;
    labs_schema::prepare_schema(contract.descriptions()).map_err(|breaches| differences(&breaches))
}

/// Writes the documents, `rest/documents/<group>/<resource>.graphql`, from the committed contract and the schema, in
/// the project's folder. Documents without an operation in the contract are deleted.
///
/// # Errors
/// If the contract cannot be read, the schema violates a project rule, or a file cannot be written.
pub fn documents_write() -> anyhow::Result<()> {
    let folder = Path::new("rest/documents");
    let made = make_documents(&std::fs::read_to_string("contract/openapi.yaml").context("contract/openapi.yaml")?)?;
    for path in read_documents(folder)?.into_keys().filter(|path| !made.contains_key(path)) {
        std::fs::remove_file(folder.join(&path)).with_context(|| format!("cannot remove {path}"))?;
    }
    for (path, text) in made {
        let file = folder.join(path);
        std::fs::create_dir_all(file.parent().unwrap_or(folder))?;
        write(&file, &text)?;
    }
    Ok(())
}

/// Generates the documents from a contract and the schema, by their paths below `rest/documents`.
///
/// # Errors
/// If the contract cannot be read, or the schema violates a project rule.
pub fn make_documents(contract: &str) -> anyhow::Result<BTreeMap<String, String>> {
    let contract = Contract::from_yaml(contract).map_err(|problems| differences(&problems))?;
    let plan = labs_schema::prepare_schema(contract.descriptions()).map_err(|breaches| differences(&breaches))?;
    labs_rest::documents::generate(&contract, plan.sdl()).map_err(|error| differences(&[error]))
}

/// Reads the documents in a folder, by their paths below it.
///
/// # Errors
/// If one cannot be read.
pub fn read_documents(folder: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    let (mut found, mut waiting) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(below) = waiting.pop() {
        for entry in std::fs::read_dir(&below).with_context(|| format!("cannot read {}", below.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|ending| ending == "graphql") {
                let name = path.strip_prefix(folder)?.to_string_lossy().into_owned();
                found.insert(name, std::fs::read_to_string(&path)?);
            }
        }
    }
    Ok(found)
}

fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

fn differences<T: std::fmt::Display>(found: &[T]) -> anyhow::Error {
    let lines: Vec<String> = found.iter().map(ToString::to_string).collect();
    anyhow::anyhow!("the check found differences:\n{}", lines.join("\n"))
}
