//! Histories of clients of one process that reads from two read replicas, whose replay stands still at times: each client
//! sees its own writes, and never an older state than before.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;

use crate::harness::people::Person;
use crate::harness::random::{Random, seed};
use crate::harness::{Followed, Harness, behind_a_proxy};
use crate::soak::{count, figure};

/// Tiers that the clients change. Each is changed by one client, which numbers its changes, and read by all.
const TIERS: usize = 3;
/// Clients that only read.
const READERS: usize = 5;

/// A tier that one client changes.
struct ChangedTier {
    code: String,
    uuid: String,
    /// Number of changes that were answered.
    changes: AtomicUsize,
}

/// The service, the tiers, and the number of operations left, shared by all clients.
struct Course<'h> {
    harness: &'h Harness,
    staff: Person,
    tiers: Vec<ChangedTier>,
    /// Operations that the clients still send.
    left: AtomicUsize,
}

impl Course<'_> {
    /// Whether the client sends another operation.
    fn goes_on(&self) -> bool {
        let less = |left: usize| left.checked_sub(1);
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }

    /// Reads the number of the last change of a tier as this client.
    async fn read(&self, client: usize, token: Option<&str>, tier: &ChangedTier) -> usize {
        let call = self.harness.call("subscription_public_tiers_get").path("tier_code", &tier.code);
        let call = token.into_iter().fold(call, |call, token| call.token(token));
        let answer = call.header("x-forwarded-for", &address_of(client)).expect(200).await;
        answer.str("description").trim_start_matches("Change ").parse().unwrap_or(0)
    }

    /// Reads, and changes its own tier if it has one, until no operations are left. Returns the anomalies that it saw.
    async fn use_tiers(&self, client: usize) -> Vec<String> {
        let (mut random, mut anomalies) = (Random(seed() ^ (client as u64 + 77)), Vec::new());
        let mut seen = vec![0; self.tiers.len()];
        let own = self.tiers.get(client);
        while self.goes_on() {
            // Clients pause, so that some reads come before the replica shows the client's last change, and some after.
            tokio::time::sleep(Duration::from_millis(random.below(30))).await;
            if let Some(own) = own.filter(|_| random.below(6) == 0) {
                let number = own.changes.load(Ordering::Relaxed) + 1;
                let call = self.harness.call("subscription_tiers_update").path("tier_uuid", &own.uuid);
                let call = call.token(&self.staff.token).header("x-forwarded-for", &address_of(client));
                call.json(&json!({ "description": format!("Change {number}") })).expect(200).await;
                own.changes.store(number, Ordering::Relaxed);
                seen[client] = number;
                continue;
            }
            let index = usize::try_from(random.below(self.tiers.len() as u64)).unwrap();
            let token = own.map(|_| self.staff.token.as_str()).filter(|_| random.below(2) == 0);
            let number = self.read(client, token, &self.tiers[index]).await;
            if number < seen[index] {
                anomalies.push(format!("client {client} saw change {number} after {}", seen[index]));
            }
            seen[index] = seen[index].max(number);
        }
        anomalies
    }
}

/// Returns the address of a client.
fn address_of(client: usize) -> String {
    format!("203.0.113.{}", client + 1)
}

/// Stops and continues the replay of the followers at random, until the clients have ended.
async fn disturb(servers: &Followed, has_ended: &AtomicBool) {
    let mut random = Random(seed());
    while !has_ended.load(Ordering::Relaxed) {
        let follower = usize::try_from(random.below(2)).unwrap();
        servers.at_follower(follower, "select pg_wal_replay_pause()").await;
        tokio::time::sleep(Duration::from_millis(random.below(1_500))).await;
        servers.at_follower(follower, "select pg_wal_replay_resume()").await;
        tokio::time::sleep(Duration::from_millis(random.below(800))).await;
    }
}

#[tokio::test]
async fn clients_of_read_replicas_see_own_writes_and_never_go_back() {
    let servers = Followed::start(2).await;
    let urls = [0, 1].map(|number| servers.followers[number].url()).join(",");
    let flags = [&["--read-database-urls", urls.as_str()], behind_a_proxy().as_slice()].concat();
    let harness = Harness::over(servers.leader.url(), &flags).await;
    let staff = harness.staff("Tara Tiers", &["labs.admin.tiers:write"]).await;
    let listed = harness.call("subscription_tiers_list").token(&staff.token).expect(200).await;
    let offered = listed.json["data"].as_array().unwrap().iter().filter(|tier| tier["state"] == "OFFERED");
    let tier = |tier: &serde_json::Value| ChangedTier {
        code: tier["code"].as_str().unwrap().to_owned(),
        uuid: tier["uuid"].as_str().unwrap().to_owned(),
        changes: AtomicUsize::new(0),
    };
    let tiers: Vec<ChangedTier> = offered.map(tier).take(TIERS).collect();
    assert_eq!(tiers.len(), TIERS, "{}", listed.text());
    let operations = count(3_000, 100_000);
    let course = Course { harness: &harness, staff, tiers, left: AtomicUsize::new(operations) };
    let has_ended = AtomicBool::new(false);
    let clients = async {
        let anomalies = join_all((0..TIERS + READERS).map(|client| course.use_tiers(client))).await;
        has_ended.store(true, Ordering::Relaxed);
        anomalies.concat()
    };
    let (anomalies, ()) = tokio::join!(clients, disturb(&servers, &has_ended));
    let counts = harness.engine.services().read_replicas.as_ref().unwrap().counts();
    assert!(
        anomalies.is_empty(),
        "LABS_SEED={}, {} anomalies, the first: {:?}",
        seed(),
        anomalies.len(),
        anomalies.first()
    );
    assert!(counts.answered > operations as u64 / 20, "the followers answer too little: {counts:?}");
    figure(&format!(
        "{operations} operations over two read replicas, {} reads by them, {} by the primary instead: none goes back",
        counts.answered, counts.passed_on
    ));
}
