//! Metrics for Prometheus, on a separate address that serves only `GET /metrics`.
//!
//! Request metrics are counted in memory, as requests are answered. Metrics from the database are read every few
//! seconds, never by a scrape, so that a scrape succeeds while the database is unavailable. Labels are operations of
//! the contract, statuses, error codes and jobs: none contains a user, a partner, a network or a path.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use http::{HeaderValue, Method, Response, StatusCode, header};
use labs_rest::front::stop::StopSignal;
use labs_rest::probes::Probes;
use labs_rest::{AnsweredRequest, Observer};
use labs_schema::Engine;
use labs_schema::audit_chain::transparency::checkpoint_age_seconds;
use labs_schema::operator::{Figures, load_figures};
use labs_schema::read_replicas::{ReadCounts, ReadReplicas};
use metrics::{Counter, Histogram, Key, Label, Level, Metadata, Recorder as _};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle, PrometheusRecorder};
use tokio::net::TcpListener;

use crate::traces;

/// Upper bounds of the latency buckets, in seconds.
const CLASSES: [f64; 13] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];
/// Interval of the database reads.
const INTERVAL: Duration = Duration::from_secs(5);
/// Maximum time of a database read.
const PATIENCE: Duration = Duration::from_secs(2);
/// Operation label of requests outside the contract: pages, media, unknown paths.
const NONE: &str = "none";

const METADATA: Metadata<'static> = Metadata::new("labs", Level::INFO, None);

/// Counters with their help texts.
const COUNTERS: [(&str, &str); 4] = [
    ("labs_requests_total", "Requests that were answered, by operation and status."),
    ("labs_refusals_total", "Requests that were rejected, by code of the problem document."),
    ("labs_read_replica_reads_total", "Reads that a read replica may answer, by outcome."),
    ("labs_spans_total", "Trace spans, by outcome."),
];
const GAUGES: [(&str, &str); 18] = [
    ("labs_build_info", "Version of the running service; always 1."),
    ("labs_database_up", "Whether the database answered the last check within two seconds."),
    ("labs_part_up", "Whether a component of the readiness check worked at the last check."),
    ("labs_database_connections", "Connections of this replica to the database, by whether they are in use."),
    ("labs_database_connections_max", "Maximum number of connections that this replica opens."),
    ("labs_mails", "Mail messages that are queued and mail messages that were given up, up to 10,000 of each."),
    ("labs_mail_oldest_queued_seconds", "Age of the oldest queued mail message."),
    ("labs_audit_oldest_unsealed_seconds", "Age of the oldest audit record without a seal."),
    ("labs_audit_checkpoint_age_seconds", "Time since the last checkpoint of the audit log; +Inf if there is none."),
    ("labs_job_last_success_seconds", "Time since the last successful run of a job, over all replicas."),
    ("labs_job_failures", "Consecutive failed runs of a job."),
    ("labs_job_paused", "Whether staff have paused a job."),
    ("labs_ledger_partitions", "Time partitions of an event table; tables that share partitions are counted once."),
    ("labs_ledger_room_seconds", "Time until an event table needs a partition that does not exist yet."),
    (
        "labs_rights_age_seconds",
        "Age of this replica's authorization data; above one second, every access token is looked up in the database.",
    ),
    ("labs_read_replica_delay_seconds", "Upper limit of the delay of a read replica; +Inf if it is unknown."),
    (
        "labs_figures_age_seconds",
        "Time since the figures about mail messages, audit records and jobs were read from the database.",
    ),
    ("process_resident_memory_bytes", "Resident memory of this process."),
];
/// Latency metric.
const DURATION: &str = "labs_request_duration_seconds";

/// Series of one metric, which are created once and then cached.
struct Series<K, S>(RwLock<HashMap<K, S>>);

impl<K: Copy + Eq + Hash, S: Clone> Series<K, S> {
    fn new() -> Self {
        Self(RwLock::default())
    }

    fn get(&self, key: K, make: impl FnOnce() -> S) -> S {
        if let Some(known) = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return known.clone();
        }
        self.0.write().unwrap_or_else(PoisonError::into_inner).entry(key).or_insert_with(make).clone()
    }
}

/// Counts and last read values of this replica.
pub struct Metrics {
    recorder: PrometheusRecorder,
    handle: PrometheusHandle,
    requests: Series<(Option<usize>, u16), Counter>,
    durations: Series<Option<usize>, Histogram>,
    refusals: Series<&'static str, Counter>,
    seen_at: RwLock<tokio::time::Instant>,
}

impl Metrics {
    /// Creates empty metrics.
    ///
    /// # Errors
    /// If the list of latency buckets is empty.
    pub fn new() -> anyhow::Result<Self> {
        let recorder = PrometheusBuilder::new().set_buckets(&CLASSES)?.build_recorder();
        for (name, help) in COUNTERS {
            recorder.describe_counter(name.into(), None, help.into());
        }
        for (name, help) in GAUGES {
            recorder.describe_gauge(name.into(), None, help.into());
        }
        let help = "Time from the request headers to the response headers.";
        recorder.describe_histogram(DURATION.into(), None, help.into());
        let metrics = Self {
            handle: recorder.handle(),
            recorder,
            requests: Series::new(),
            durations: Series::new(),
            refusals: Series::new(),
            seen_at: RwLock::new(tokio::time::Instant::now()),
        };
        metrics.set("labs_build_info", Some(("version", env!("CARGO_PKG_VERSION"))), 1.0);
        Ok(metrics)
    }

    /// Serves scrapes until shutdown, then finishes in-flight ones.
    ///
    /// # Errors
    /// If the listener cannot be drained.
    pub async fn serve(
        self: Arc<Self>,
        (engine, probes): (Engine, Arc<Probes>),
        listener: TcpListener,
        stop: impl Into<StopSignal>,
    ) -> std::io::Result<()> {
        let stop = stop.into();
        let looking = tokio::spawn(Arc::clone(&self).watch((engine.clone(), probes), stop.clone()));
        let answer = move |request: Request| {
            let (metrics, engine) = (Arc::clone(&self), engine.clone());
            async move { metrics.answer(&engine, request.method(), request.uri().path()).await }
        };
        let router = Router::new().fallback(answer);
        let served = labs_rest::front::server::serve(listener, router, Vec::new(), stop).await;
        looking.abort();
        served
    }

    async fn answer(&self, engine: &Engine, method: &Method, path: &str) -> Response<Body> {
        if (method, path) != (&Method::GET, "/metrics") {
            let mut response = Response::new(Body::from("Only GET /metrics is available here.\n"));
            *response.status_mut() = StatusCode::NOT_FOUND;
            return response;
        }
        self.look(engine);
        let handle = self.handle.clone();
        // Rendering some thousand lines would delay requests.
        let text = tokio::task::spawn_blocking(move || handle.render()).await.unwrap_or_default();
        let mut response = Response::new(Body::from(text));
        let form = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
        response.headers_mut().insert(header::CONTENT_TYPE, form);
        response
    }

    /// Reads the database and the other dependencies at intervals, and processes the latencies since the last time:
    /// they are stored one by one until then.
    async fn watch(self: Arc<Self>, (engine, probes): (Engine, Arc<Probes>), stop: StopSignal) {
        loop {
            let asked = tokio::time::timeout(PATIENCE, load_figures(engine.pool())).await;
            self.show(asked.ok().and_then(Result::ok).as_ref());
            for (part, works) in probes.parts().await {
                self.set("labs_part_up", Some(("part", part)), f64::from(u8::from(works)));
            }
            if engine.services().settings.checkpoints.is_some() {
                self.look_at_checkpoint(&engine).await;
            }
            let handle = self.handle.clone();
            let _done = tokio::task::spawn_blocking(move || handle.run_upkeep()).await;
            tokio::select! {
                () = stop.wait_for_close() => return,
                () = tokio::time::sleep(INTERVAL) => {}
            }
        }
    }

    /// Sets the values from the database. Without a result the values are unknown, which is not the same as zero.
    fn show(&self, figures: Option<&Figures>) {
        self.set("labs_database_up", None, f64::from(u8::from(figures.is_some())));
        let of = |read: fn(&Figures) -> f64| figures.map_or(f64::NAN, read);
        self.set("labs_mails", Some(("state", "queued")), of(|figures| figures.mails_queued as f64));
        self.set("labs_mails", Some(("state", "failed")), of(|figures| figures.mails_failed as f64));
        self.set("labs_mail_oldest_queued_seconds", None, of(|figures| figures.oldest_mail_seconds));
        self.set("labs_audit_oldest_unsealed_seconds", None, of(|figures| figures.oldest_unsealed_seconds));
        for job in figures.iter().flat_map(|figures| &figures.jobs) {
            self.set("labs_job_last_success_seconds", Some(("job", job.job)), job.succeeded_seconds);
            self.set("labs_job_failures", Some(("job", job.job)), job.failures as f64);
            self.set("labs_job_paused", Some(("job", job.job)), f64::from(u8::from(job.is_paused)));
        }
        for ledger in figures.iter().flat_map(|figures| &figures.ledgers) {
            self.set("labs_ledger_partitions", Some(("ledger", ledger.ledger)), ledger.partitions as f64);
            self.set("labs_ledger_room_seconds", Some(("ledger", ledger.ledger)), ledger.room_seconds);
        }
        if figures.is_some() {
            *self.seen_at.write().unwrap_or_else(PoisonError::into_inner) = tokio::time::Instant::now();
        }
    }

    /// Sets the values of this process.
    fn look(&self, engine: &Engine) {
        let pool = engine.pool();
        let (open, idle) = (f64::from(pool.size()), pool.num_idle() as f64);
        self.set("labs_database_connections", Some(("state", "used")), (open - idle).max(0.0));
        self.set("labs_database_connections", Some(("state", "idle")), idle.min(open));
        self.set("labs_database_connections_max", None, f64::from(pool.options().get_max_connections()));
        let seen_at = *self.seen_at.read().unwrap_or_else(PoisonError::into_inner);
        self.set("labs_figures_age_seconds", None, seen_at.elapsed().as_secs_f64());
        self.set("labs_rights_age_seconds", None, engine.services().authority.age().as_secs_f64());
        if let Some(replicas) = &engine.services().read_replicas {
            self.look_at_replicas(replicas);
        }
        if labs_schema::trace::tracer().is_some() {
            self.look_at_spans();
        }
        if let Some(bytes) = resident_bytes() {
            self.set("process_resident_memory_bytes", None, bytes);
        }
    }

    /// Sets the age of the last checkpoint. It is read from the object storage, so that an
    /// attacker who controls only the database cannot pretend that checkpoints are signed.
    async fn look_at_checkpoint(&self, engine: &Engine) {
        let age = match tokio::time::timeout(PATIENCE, checkpoint_age_seconds(engine.services())).await {
            Ok(Ok(age)) => age.unwrap_or(f64::INFINITY),
            _ => f64::NAN,
        };
        self.set("labs_audit_checkpoint_age_seconds", None, age);
    }

    /// Sets the delay of read replicas, which are numbered in the order of the setting, and their read counts.
    fn look_at_replicas(&self, replicas: &ReadReplicas) {
        for (number, delay) in (1..).zip(replicas.delays()) {
            let labels = vec![Label::new("replica", i32::to_string(&number))];
            let delay = delay.map_or(f64::INFINITY, |delay| delay.as_secs_f64());
            let key = Key::from_parts("labs_read_replica_delay_seconds", labels);
            self.recorder.register_gauge(&key, &METADATA).set(delay);
        }
        let ReadCounts { answered, passed_on, failed } = replicas.counts();
        for (outcome, count) in [("answered", answered), ("passed_on", passed_on), ("failed", failed)] {
            self.count("labs_read_replica_reads_total", outcome, count);
        }
    }

    /// Sets the outcomes of spans.
    fn look_at_spans(&self) {
        let counts = &traces::COUNTS;
        for (outcome, count) in [("sent", &counts.sent), ("failed", &counts.failed), ("dropped", &counts.dropped)] {
            self.count("labs_spans_total", outcome, count.load(Ordering::Relaxed));
        }
    }

    /// Copies a count that is maintained elsewhere.
    fn count(&self, name: &'static str, outcome: &'static str, count: u64) {
        let key = Key::from_parts(name, vec![Label::from_static_parts("outcome", outcome)]);
        self.recorder.register_counter(&key, &METADATA).absolute(count);
    }

    fn set(&self, name: &'static str, label: Option<(&'static str, &'static str)>, value: f64) {
        let labels: Vec<Label> = label.map(|(name, word)| Label::from_static_parts(name, word)).into_iter().collect();
        self.recorder.register_gauge(&Key::from_parts(name, labels), &METADATA).set(value);
    }
}

impl Observer for Metrics {
    fn note(&self, answered: &AnsweredRequest<'_>) {
        let (index, status) = (answered.operation.map(|operation| operation.index), answered.status.as_u16());
        let operation = || {
            let id = answered.operation.map_or_else(|| NONE.to_owned(), |operation| operation.id.clone());
            Label::new("operation", id)
        };
        let count = |name, labels| self.recorder.register_counter(&Key::from_parts(name, labels), &METADATA);
        let requests = || count("labs_requests_total", vec![operation(), Label::new("status", status.to_string())]);
        self.requests.get((index, status), requests).increment(1);
        let durations = || self.recorder.register_histogram(&Key::from_parts(DURATION, vec![operation()]), &METADATA);
        self.durations.get(index, durations).record(answered.took.as_secs_f64());
        if let Some(code) = answered.code {
            let refusals = || count("labs_refusals_total", vec![Label::from_static_parts("code", code.name())]);
            self.refusals.get(code.name(), refusals).increment(1);
        }
    }
}

/// Returns the resident memory of this process; none if the system does not report it in this form.
fn resident_bytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024.0)
}

#[cfg(test)]
mod tests {
    use labs_rest::contract::Contract;
    use labs_schema::operator::{JobFigures, LogFigures};
    use labs_schema::{Code, PrincipalType};

    use super::*;

    #[tokio::test]
    async fn responses_are_counted_by_operation_status_and_code_only() {
        let (metrics, contract) = (Metrics::new().unwrap(), Contract::embedded().unwrap());
        let operation = contract.operation("marketplace_apps_list").unwrap();
        let note = |operation, status, code| {
            metrics.note(&AnsweredRequest {
                operation,
                status,
                code,
                principal: Some(PrincipalType::PartnerUser),
                request_id: "of-mara",
                trace_id: None,
                took: Duration::from_millis(3),
            });
        };
        note(Some(operation), StatusCode::OK, None);
        note(Some(operation), StatusCode::OK, None);
        note(None, StatusCode::NOT_FOUND, Some(Code::NotFound));
        let text = metrics.handle.render();
        for line in [
            "labs_requests_total{operation=\"marketplace_apps_list\",status=\"200\"} 2",
            "labs_requests_total{operation=\"none\",status=\"404\"} 1",
            "labs_refusals_total{code=\"NOT_FOUND\"} 1",
            "labs_request_duration_seconds_bucket{operation=\"marketplace_apps_list\",le=\"0.0025\"} 0",
            "labs_request_duration_seconds_bucket{operation=\"marketplace_apps_list\",le=\"0.005\"} 2",
        ] {
            assert!(text.lines().any(|written| written == line), "no {line} in {text}");
        }
        assert!(!text.contains("of-mara") && !text.contains("PARTNER_USER"), "{text}");
    }

    #[tokio::test]
    async fn missing_database_figures_are_absent_not_zero() {
        let metrics = Metrics::new().unwrap();
        let job = JobFigures { job: "AUDIT_SEAL", succeeded_seconds: 2.0, failures: 3, is_paused: false };
        let figures = Figures {
            mails_queued: 7,
            mails_failed: 0,
            oldest_mail_seconds: 40.0,
            oldest_unsealed_seconds: 0.0,
            jobs: vec![job],
            ledgers: vec![LogFigures { ledger: "AUDIT", partitions: 3, room_seconds: 86_400.0 }],
        };
        metrics.show(Some(&figures));
        let text = metrics.handle.render();
        let shown = [
            "labs_database_up 1",
            "labs_mails{state=\"queued\"} 7",
            "labs_job_failures{job=\"AUDIT_SEAL\"} 3",
            "labs_ledger_room_seconds{ledger=\"AUDIT\"} 86400",
        ];
        for line in shown {
            assert!(text.lines().any(|written| written == line), "no {line} in {text}");
        }
        metrics.show(None);
        let text = metrics.handle.render();
        for line in ["labs_database_up 0", "labs_mails{state=\"queued\"} NaN", "labs_mail_oldest_queued_seconds NaN"] {
            assert!(text.lines().any(|written| written == line), "no {line} in {text}");
        }
    }
}
