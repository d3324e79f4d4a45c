//! What the service leans on, and whether it is well.

use std::time::{Duration, Instant};

use futures_util::future::{BoxFuture, join_all};
use serde_json::{Value, json};

/// How long a part may take to say that it is well.
const PATIENCE: Duration = Duration::from_secs(2);

/// What it means for requests that a part does not work, in a sentence without addresses or secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// This replica answers requests: what it cannot do waits, or is little of its work. Another replica could do no more.
    Degraded(String),
    /// This replica cannot answer requests.
    Failing(String),
}

/// One thing that the service leans on.
pub struct Probe {
    /// `DATABASE`, `MIGRATIONS`, `MAIL` or `MEDIA_STORE`.
    pub name: &'static str,
    /// What it means that the check does not end in time.
    pub silent: fn(String) -> Trouble,
    /// Whether it works.
    pub check: Box<dyn Fn() -> BoxFuture<'static, Result<(), Trouble>> + Send + Sync>,
}

/// Names the background jobs that others rely on and that are behind; none when that cannot be found out.
pub type JobsBehind = Box<dyn Fn() -> BoxFuture<'static, Vec<&'static str>> + Send + Sync>;

/// What is found.
#[derive(Clone)]
pub(crate) struct Verdicts {
    /// One entry a part.
    pub(crate) checks: Vec<Value>,
    /// The codes of jobs that are behind.
    pub(crate) degraded: Vec<&'static str>,
}

/// Everything that the service leans on, and what was last found of it: strangers may ask as often as they
/// like, the parts are asked once in a while.
pub struct Probes {
    probes: Vec<Probe>,
    jobs_behind: JobsBehind,
    found: tokio::sync::Mutex<Option<(Instant, Verdicts)>>,
}

/// How long a finding is answered again.
const GOOD_FOR: Duration = Duration::from_secs(1);

impl Probes {
    /// These probes, none asked yet.
    #[must_use]
    pub fn new(probes: Vec<Probe>, jobs_behind: JobsBehind) -> Self {
        Self { probes, jobs_behind, found: tokio::sync::Mutex::new(None) }
    }

    /// Whether each part works, by its name, as found a second ago at most.
    pub async fn parts(&self) -> Vec<(&'static str, bool)> {
        let checks = self.verdicts().await.checks;
        let works = checks.iter().map(|check| check["state"] == "OK");
        self.probes.iter().map(|probe| probe.name).zip(works).collect()
    }

    /// What is found of each, at most a second ago.
    pub(crate) async fn verdicts(&self) -> Verdicts {
        let mut found = self.found.lock().await;
        if let Some((at, verdicts)) = found.as_ref().filter(|(at, _)| at.elapsed() < GOOD_FOR) {
            tracing::trace!(age_ms = at.elapsed().as_millis(), "a recent readiness result was reused");
            return verdicts.clone();
        }
        let behind = async { tokio::time::timeout(PATIENCE, (self.jobs_behind)()).await.unwrap_or_default() };
        let (checks, degraded) = futures_util::join!(join_all(self.probes.iter().map(verdict)), behind);
        let verdicts = Verdicts { checks, degraded };
        *found = Some((Instant::now(), verdicts.clone()));
        verdicts
    }
}

async fn verdict(probe: &Probe) -> Value {
    let found = tokio::time::timeout(PATIENCE, (probe.check)()).await;
    let found = found.unwrap_or_else(|_| Err((probe.silent)("The check did not finish in time.".to_owned())));
    let (state, detail) = match found {
        Ok(()) => ("OK", None),
        Err(Trouble::Degraded(detail)) => ("DEGRADED", Some(detail)),
        Err(Trouble::Failing(detail)) => ("FAILING", Some(detail)),
    };
    json!({ "name": probe.name, "state": state, "detail": detail })
}
