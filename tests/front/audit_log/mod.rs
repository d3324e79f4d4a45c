//! Tests of the transparency log of the audit log: attacks by a superuser of the database, each noticed with a checkpoint
//! that was kept elsewhere, and the programs that verify the log.

mod attacks;
mod programs;
mod served;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use labs_schema::Fault;
use labs_schema::audit_chain::transparency;
use labs_schema::transparency::{Checkpoint, KeyKind, SigningKey, VerifyingKey};
use serde_json::json;

use crate::harness::people::Person;
use crate::harness::{Harness, ROOMY};

const NAME: &str = "labs.example/audit-log";

/// Writes a new private key to a file that only its owner can read, and returns the public key.
fn write_key(path: &Path, name: &str, kind: KeyKind) -> VerifyingKey {
    let (key, private) = SigningKey::generate(name, kind).unwrap();
    fs::write(path, format!("{}\n{}\n", private.as_str(), key.public())).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    key.public().clone()
}

/// A service that signs checkpoints when a test wants it.
struct Logged {
    harness: Harness,
    keeper: Person,
    key: VerifyingKey,
    place: tempfile::TempDir,
}

impl Logged {
    async fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("checkpoint.key");
        let key = write_key(&file, NAME, KeyKind::Log);
        let flags = [&["--audit-checkpoint-key-file", file.to_str().unwrap()], ROOMY].concat();
        let harness = Harness::with(&flags).await;
        let keeper = harness.staff("Karl Keeper", &["labs.admin.categories:write"]).await;
        let logged = Self { harness, keeper, key, place };
        logged.pause().await;
        logged
    }

    /// Stops the job's scheduled runs and waits until no run is in progress.
    async fn pause(&self) {
        let paused =
            "insert into job (code, paused_at, paused_because) values ('AUDIT_CHECKPOINT', labs_now(), 'A test.')
             on conflict (code) do update set paused_at = excluded.paused_at, paused_because = excluded.paused_because";
        self.harness.sql(paused).await;
        let running = "select count(*) from job_run where job = 'AUDIT_CHECKPOINT' and state in ('QUEUED', 'RUNNING')";
        self.harness.until(running, 0).await;
    }

    /// Creates this many audit records with a difference, and waits until they are sealed. Returns the last position.
    async fn record(&self, records: usize) -> u64 {
        let known = self.harness.number("select count(*) from audit_log").await;
        for number in 0..records {
            let body = json!({ "names": { "en": format!("Category {known} {number}") } });
            let call = self.harness.call("marketplace_categories_create").token(&self.keeper.token);
            call.json(&body).expect(201).await;
        }
        let unsealed = "select count(*) from audit_log as l
                         where not exists (select from audit_seal as s where s.record_uuid = l.record_uuid)";
        self.harness.until(unsealed, 0).await;
        let last = self.harness.number("select max(position) from audit_seal").await;
        last.try_into().unwrap()
    }

    /// Extends the log and signs, as the job does.
    async fn publish(&self) -> Result<u64, Fault> {
        transparency::publish(self.harness.engine.pool(), self.harness.engine.services()).await
    }

    /// Extends the log, and returns its checkpoint.
    async fn checkpoint(&self) -> String {
        self.publish().await.unwrap();
        self.get("checkpoint").await.text().await.unwrap()
    }

    async fn get(&self, path: &str) -> reqwest::Response {
        self.harness.http().get(format!("{}/audit-log/{path}", self.harness.base_url)).send().await.unwrap()
    }

    fn size(&self, checkpoint: &str) -> u64 {
        Checkpoint::open(checkpoint, [&self.key]).unwrap().0.size
    }

    /// Verifies the records from a kept checkpoint on, and returns the findings.
    async fn verify(&self, kept: Option<&str>) -> Vec<(&'static str, u64, u64)> {
        let services = self.harness.engine.services();
        let (pool, keys) = (self.harness.engine.pool(), [self.key.clone()]);
        let verdict = transparency::verify(pool, (&services.media, &services.key), &keys, kept).await.unwrap();
        verdict.findings.into_iter().map(|found| (found.kind.word(), found.first, found.last)).collect()
    }

    /// Writes a file in the test's folder.
    fn keep(&self, name: &str, text: &str) -> PathBuf {
        let path = self.place.path().join(name);
        fs::write(&path, text).unwrap();
        path
    }

    /// Returns the folder of the log's objects.
    fn folder(&self) -> PathBuf {
        self.harness.media_folder().join("audit-log")
    }

    /// Copies the tables of the audit log, as an older dump has them.
    async fn dump(&self) {
        let copies =
            TABLES.map(|table| format!("drop table if exists old_{table}; create table old_{table} as table {table};"));
        self.harness.sql(&copies.concat()).await;
    }

    /// Restores the copies of the tables, without triggers and foreign keys.
    async fn restore(&self) {
        let restored = TABLES.map(|table| {
            let insert = format!("insert into {table} overriding system value table old_{table};");
            format!(
                "delete from {table}; {}",
                if table == "audit_change" { insert } else { insert.replace("overriding system value ", "") }
            )
        });
        self.harness.sql(&format!("set session_replication_role = replica; {}", restored.concat())).await;
    }
}

const TABLES: [&str; 3] = ["audit_log", "audit_change", "audit_seal"];

/// Copies a folder.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[tokio::test]
async fn job_signs_growing_log_that_verifies() {
    let logged = Logged::new().await;
    let last = logged.record(3).await;
    logged.harness.sql("update job set paused_at = null, paused_because = null where code = 'AUDIT_CHECKPOINT'").await;
    logged.harness.run_job("AUDIT_CHECKPOINT").await;
    logged.pause().await;
    let first = logged.get("checkpoint").await.text().await.unwrap();
    assert!(logged.size(&first) >= last, "{first}");
    assert!(first.starts_with(&format!("{NAME}\n")), "{first}");
    assert_eq!(logged.verify(None).await, []);
    assert_eq!(logged.verify(Some(&first)).await, []);
    let last = logged.record(2).await;
    let second = logged.checkpoint().await;
    assert_eq!(logged.size(&second), last);
    assert_eq!(logged.verify(Some(&first)).await, []);
    assert_eq!(logged.verify(Some(&second)).await, []);
    assert_eq!(logged.checkpoint().await, second, "without new records, the checkpoint stays the same");
}

#[tokio::test]
async fn log_of_several_tiles_keeps_only_needed_partial_tiles() {
    let logged = Logged::new().await;
    let early = logged.record(1).await;
    let first = logged.checkpoint().await;
    let many = "insert into audit_log (record_uuid, operation, channel, outcome, actor_kind, actor_label)
                select labs_uuid(), 'admin_seeded_list', 'JOB', 'SUCCEEDED', 'SYSTEM', 'Job ' || n
                  from generate_series(1, 700) as n";
    logged.harness.sql(many).await;
    let last = logged.record(1).await;
    assert!(last > 702 && logged.folder().join(format!("tile/0/000.p/{early}")).exists());
    let second = logged.checkpoint().await;
    assert_eq!(logged.size(&second), last);
    assert!(!logged.folder().join("tile/0/000.p").join(early.to_string()).exists());
    assert!(!logged.folder().join("entries/000.p").join(early.to_string()).exists());
    for path in ["tile/0/000", "tile/0/001", "entries/001", "tile/1/000.p/2"] {
        assert!(logged.folder().join(path).exists(), "{path}");
    }
    assert_eq!(logged.verify(Some(&first)).await, [], "the kept checkpoint ends in a tile that is full now");
    assert_eq!(logged.verify(None).await, []);
    logged.harness.sql("update audit_log set actor_label = 'Job 0' where actor_label in ('Job 300', 'Job 600')").await;
    let place = |label: &str| {
        format!("select position from audit_seal join audit_log using (record_uuid) where actor_label = '{label}'")
    };
    let changed = logged.harness.number(&format!("select min(position) from ({}) as p", place("Job 0"))).await;
    let found = logged.verify(Some(&first)).await;
    assert_eq!((found.len(), found[0]), (2, ("ALTERED", changed.try_into().unwrap(), changed.try_into().unwrap())));
}

#[tokio::test(flavor = "multi_thread")]
async fn erasure_keeps_proofs_valid() {
    let logged = Logged::new().await;
    let owner = logged.harness.partner("Nordsee Kassen").await;
    let staff = logged.harness.staff("Jonas Okafor", &["labs.admin.partners:write"]).await;
    let step = async |action: &str| {
        let call = logged.harness.call(&format!("admin_partners_{action}")).token(&staff.token);
        let body = json!({ "reason": "Mara Vogel asked in writing." });
        call.path("partner_uuid", owner.partner_uuid.unwrap()).json(&body).expect(200).await;
    };
    step("close").await;
    logged.record(1).await;
    let kept = logged.checkpoint().await;
    let uuid = "select record_uuid from audit_log where operation = 'admin_partners_close'";
    let mut connection = logged.harness.owner().await;
    let record: uuid::Uuid = sqlx::query_scalar(uuid).fetch_one(&mut connection).await.unwrap();
    let media = &logged.harness.engine.services().media;
    let proof = transparency::prove(media, std::slice::from_ref(&logged.key), record).await.unwrap();
    step("erase").await;
    logged.record(1).await;
    let after = logged.checkpoint().await;
    assert!(logged.size(&after) > logged.size(&kept));
    assert_eq!(logged.verify(Some(&kept)).await, []);
    assert_eq!(logged.verify(None).await, [], "no record that the log covers was changed");
    let again = transparency::prove(media, std::slice::from_ref(&logged.key), record).await.unwrap();
    assert_eq!(again.entry, proof.entry, "the leaf is the same");
    for (name, proof) in [("before.tlog-proof", &proof), ("after.tlog-proof", &again)] {
        let file = logged.keep(name, &proof.to_text());
        let told = programs::run_verifier(&logged, &["--proof", file.to_str().unwrap()]);
        assert!(told.contains(&format!("contains the record {record} at position")), "{told}");
    }
}
