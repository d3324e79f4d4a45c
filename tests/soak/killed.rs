//! A service as two processes on one database. Each may be killed at any time.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::random::{Random, seed};
use crate::harness::{Harness, Replica};

/// The two processes, each with its folder.
pub(crate) struct Processes {
    places: [TempDir; 2],
    replicas: [Replica; 2],
}

/// The service, as its clients see it.
pub(crate) struct KilledService<'h> {
    harness: &'h Harness,
    addresses: Mutex<Vec<String>>,
    has_ended: AtomicBool,
    kills: AtomicUsize,
    /// Requests that a kill left without a response.
    cut: AtomicUsize,
}

impl<'h> KilledService<'h> {
    /// Starts both processes.
    pub(crate) async fn start(harness: &'h Harness) -> (Self, Processes) {
        let places = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let replicas = [start(harness, &places[0]).await, start(harness, &places[1]).await];
        let addresses = replicas.iter().map(|replica| format!("http://{}", replica.address())).collect();
        let service = Self {
            harness,
            addresses: Mutex::new(addresses),
            has_ended: AtomicBool::new(false),
            kills: AtomicUsize::new(0),
            cut: AtomicUsize::new(0),
        };
        (service, Processes { places, replicas })
    }

    /// Whether the last process was killed and started again.
    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Relaxed)
    }

    /// Returns the number of kills, and of requests that a kill left without a response.
    pub(crate) fn figures(&self) -> [usize; 2] {
        [&self.kills, &self.cut].map(|count| count.load(Ordering::Relaxed))
    }

    fn address(&self, number: u64) -> String {
        let addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        addresses[usize::try_from(number).unwrap() % addresses.len()].clone()
    }

    /// Sends a request to one of the processes. `None` if the process was killed, so that the outcome is unknown.
    pub(crate) async fn ask(&self, process: u64, request: &Request<'_>) -> Option<(u16, Value)> {
        let url = format!("{}{}", self.address(process), request.path);
        let call = self.harness.http().request(request.method.parse().unwrap(), url).bearer_auth(request.token);
        let call = request.body.iter().fold(call, |call, body| call.json(body)).timeout(Duration::from_secs(30));
        let answered = async {
            let response = call.send().await.ok()?;
            let status = response.status().as_u16();
            Some((status, response.json().await.ok()?))
        };
        let answered = answered.await;
        if answered.is_none() {
            self.cut.fetch_add(1, Ordering::Relaxed);
        }
        answered
    }

    /// Kills one process after the other and starts each again.
    pub(crate) async fn kill_repeatedly(&self, processes: Processes, times: usize) {
        let Processes { places, mut replicas } = processes;
        let mut random = Random(seed());
        for number in 0..times {
            tokio::time::sleep(Duration::from_millis(100 + random.below(600))).await;
            let killed = number % 2;
            replicas[killed].kill();
            self.kills.fetch_add(1, Ordering::Relaxed);
            replicas[killed] = start(self.harness, &places[killed]).await;
            let address = format!("http://{}", replicas[killed].address());
            self.addresses.lock().unwrap_or_else(PoisonError::into_inner)[killed] = address;
        }
        self.has_ended.store(true, Ordering::Relaxed);
    }
}

async fn start(harness: &Harness, place: &TempDir) -> Replica {
    Replica::start_with(harness, place, &["--stop-grace-seconds", "0", "--own-per-second", "100000"]).await
}

/// A request.
pub(crate) struct Request<'a> {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) token: &'a str,
    pub(crate) body: Option<Value>,
}
