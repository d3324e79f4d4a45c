//! Dependencies of the service, and their health.

use std::time::{Duration, Instant};

use futures_util::future::{BoxFuture, join_all};
use serde_json::{Value, json};

/// Maximum time of a health check.
const PATIENCE: Duration = Duration::from_secs(2);

/// Effect of a failed dependency on requests, in a sentence without addresses or secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProbeFailure {
    /// This replica still answers requests: the failed work is delayed, or is a small part of all work. Another replica
    /// would have the same problem.
    Degraded(String),
    /// This replica cannot answer requests.
    Failing(String),
}

/// A dependency of the service.
pub struct Probe {
    /// `DATABASE`, `MIGRATIONS`, `MAIL` or `MEDIA_STORE`.
    pub name: &'static str,
    /// Effect of a check that does not end in time.
    pub silent: fn(String) -> ProbeFailure,
    /// Checks whether it works.
    pub check: Box<dyn Fn() -> BoxFuture<'static, Result<(), ProbeFailure>> + Send + Sync>,
}

/// Returns the names of delayed background jobs on which others depend; none if they cannot be determined.
pub type JobsBehind = Box<dyn Fn() -> BoxFuture<'static, Vec<&'static str>> + Send + Sync>;

/// Results of the checks.
#[derive(Clone)]
pub(crate) struct ProbeResults {
    /// One entry per dependency.
    pub(crate) checks: Vec<Value>,
    /// Codes of delayed jobs.
    pub(crate) degraded: Vec<&'static str>,
}

/// All dependencies and their last results. Anonymous clients may send probes at any rate; the dependencies are checked
/// only at intervals.
pub struct Probes {
    probes: Vec<Probe>,
    jobs_behind: JobsBehind,
    found: tokio::sync::Mutex<Option<(Instant, ProbeResults)>>,
}

/// Time for which a result is reused.
const GOOD_FOR: Duration = Duration::from_secs(1);

impl Probes {
    /// Creates the set of probes without results.
    #[must_use]
    pub fn new(probes: Vec<Probe>, jobs_behind: JobsBehind) -> Self {
        Self { probes, jobs_behind, found: tokio::sync::Mutex::new(None) }
    }

    /// Returns whether each dependency works, by name; at most one second old.
    pub async fn parts(&self) -> Vec<(&'static str, bool)> {
        let checks = self.verdicts().await.checks;
        let works = checks.iter().map(|check| check["state"] == "OK");
        self.probes.iter().map(|probe| probe.name).zip(works).collect()
    }

    /// Returns the results of all checks, at most one second old.
    pub(crate) async fn verdicts(&self) -> ProbeResults {
        let mut found = self.found.lock().await;
        if let Some((at, verdicts)) = found.as_ref().filter(|(at, _)| at.elapsed() < GOOD_FOR) {
            tracing::trace!(age_ms = at.elapsed().as_millis(), "a recent readiness result was reused");
            return verdicts.clone();
        }
        let behind = async { tokio::time::timeout(PATIENCE, (self.jobs_behind)()).await.unwrap_or_default() };
        let (checks, degraded) = futures_util::join!(join_all(self.probes.iter().map(verdict)), behind);
        let verdicts = ProbeResults { checks, degraded };
        *found = Some((Instant::now(), verdicts.clone()));
        verdicts
    }
}

async fn verdict(probe: &Probe) -> Value {
    let found = tokio::time::timeout(PATIENCE, (probe.check)()).await;
    let found = found.unwrap_or_else(|_| Err((probe.silent)("The check did not finish in time.".to_owned())));
    let (state, detail) = match found {
        Ok(()) => ("OK", None),
        Err(ProbeFailure::Degraded(detail)) => ("DEGRADED", Some(detail)),
        Err(ProbeFailure::Failing(detail)) => ("FAILING", Some(detail)),
    };
    json!({ "name": probe.name, "state": state, "detail": detail })
}
