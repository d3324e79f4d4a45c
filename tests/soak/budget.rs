//! Tests that a daily budget is exact across replicas that are killed and a database that restarts: the service never
//! accepts more requests, and each crash loses only the replica's lease.

use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::{join, join_all};
use labs::cluster::{Cluster, Settings};
use labs::folder::Folder;
use labs_schema::open::DatabaseUrls;
use tokio::sync::watch;

use super::{count, figure};
use crate::harness::{Harness, Replica};

/// Number of concurrent requests.
const CALLERS: usize = 16;
/// Number of times that a replica is killed, in turn.
const KILLS: usize = 4;
/// Number of restarts of the database.
const RESTARTS: usize = 2;

/// Outcomes of the requests.
struct Tally {
    accepted: watch::Sender<usize>,
    refused: AtomicUsize,
    /// No response: the replica or the database was unavailable.
    lost: AtomicUsize,
}

impl Tally {
    fn answered(&self) -> usize {
        *self.accepted.borrow() + self.refused.load(Ordering::Relaxed)
    }
}

/// Two replicas on a separate database, and a partner with this budget.
struct TwoReplicas {
    folder: Folder,
    _directory: tempfile::TempDir,
    cluster: Option<Cluster>,
    harness: Harness,
    places: [tempfile::TempDir; 2],
    replicas: [Replica; 2],
    bases: Mutex<[SocketAddr; 2]>,
    token: String,
}

impl TwoReplicas {
    async fn new(cap: usize) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let folder = Folder::open(directory.path()).unwrap();
        let cluster = Self::cluster(&folder).await;
        labs::wiring::migrate(&DatabaseUrls::new(cluster.url())).await.unwrap();
        let harness = Harness::over(cluster.url().to_owned(), &[]).await;
        let token = harness.partner("Nordsee Kassen").await.token;
        harness.sql(&format!("update tier set burst_per_second = 100000, daily_requests = {cap}")).await;
        // The setup used this budget, so it is reset here.
        harness.sql("delete from daily_budget").await;
        let places = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let replicas = [Replica::start(&harness, &places[0]).await, Replica::start(&harness, &places[1]).await];
        let bases = Mutex::new([replicas[0].address(), replicas[1].address()]);
        Self { folder, _directory: directory, cluster: Some(cluster), harness, places, replicas, bases, token }
    }

    async fn cluster(folder: &Folder) -> Cluster {
        Cluster::start(folder, &Settings::default()).await.unwrap()
    }
}

/// One caller: sends requests to the replicas in turn until this many were accepted or rejected in total.
async fn call(bases: &Mutex<[SocketAddr; 2]>, token: &str, requests: usize, tally: &Tally) {
    let client = reqwest::Client::builder().timeout(Duration::from_secs(20)).build().unwrap();
    let mut turn = 0;
    while tally.answered() < requests {
        turn += 1;
        let address = bases.lock().unwrap()[turn % 2];
        match client.get(format!("http://{address}/v1/system/me")).bearer_auth(token).send().await {
            Ok(answer) if answer.status() == 200 => tally.accepted.send_modify(|accepted| *accepted += 1),
            Ok(answer) if answer.status() == 429 => {
                tally.refused.fetch_add(1, Ordering::Relaxed);
            }
            Ok(_) | Err(_) => {
                tally.lost.fetch_add(1, Ordering::Relaxed);
                // A pause, as a client makes after a failed request.
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn daily_budget_is_exact_across_crashes_and_restarts() {
    let (cap, requests) = (count(800, 10_000), count(3_200, 40_000));
    let mut ground = TwoReplicas::new(cap).await;
    let tally = Tally { accepted: watch::Sender::new(0), refused: AtomicUsize::new(0), lost: AtomicUsize::new(0) };
    let (bases, token) = (&ground.bases, ground.token.clone());
    let callers = join_all((0..CALLERS).map(|_| call(bases, &token, requests, &tally)));
    let mut accepted = tally.accepted.subscribe();
    let blows = async {
        // The faults happen while the budget lasts, at equal intervals of accepted requests.
        for blow in 0..KILLS + RESTARTS {
            let due = cap * (blow + 1) / (KILLS + RESTARTS + 2);
            accepted.wait_for(|accepted| *accepted >= due).await.unwrap();
            if blow % 3 == 2 {
                ground.cluster.take().unwrap().stop().await.unwrap();
                ground.cluster = Some(TwoReplicas::cluster(&ground.folder).await);
            } else {
                let killed = blow % 2;
                ground.replicas[killed].kill();
                ground.replicas[killed] = Replica::start(&ground.harness, &ground.places[killed]).await;
                bases.lock().unwrap()[killed] = ground.replicas[killed].address();
            }
        }
    };
    join(callers, blows).await;
    let (accepted, refused) = (*tally.accepted.borrow(), tally.refused.load(Ordering::Relaxed));
    figure(&format!(
        "of a budget of {cap} a day, {accepted} were let through under {requests} requests, with {KILLS} crashes and \
         {RESTARTS} restarts of the database; {refused} refused, {} lost",
        tally.lost.load(Ordering::Relaxed)
    ));
    assert!(accepted <= cap, "{accepted} of {cap}");
    // A lease is a hundredth of the budget, and the next may already have been taken. The lost requests are responses
    // in flight when a replica was killed, and leases whose grant was not acknowledged.
    let lease = cap / 100 * 2;
    let missing = KILLS * (lease + CALLERS) + RESTARTS * 2 * (lease + CALLERS);
    assert!(accepted + missing >= cap, "{accepted} of {cap}");
    drop(ground.replicas);
    drop(ground.harness);
    ground.cluster.take().unwrap().stop().await.unwrap();
}
