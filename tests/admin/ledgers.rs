//! Tests of log tables that are partitioned by time: the service drops expired partitions, and archives the audit log
//! before it drops a part of it.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use crate::harness::people::Person;
use crate::harness::{Harness, LONGEST_WAIT};

const YEAR: i64 = 366 * 24 * 3600;

/// SQL that inserts rows at the current time, marked with a word: a security event, a sent mail message, and a request
/// count.
fn write(word: &str) -> String {
    format!(
        "insert into security_event (event_uuid, kind, outcome, user_agent)
         values (labs_uuid(), 'SIGNED_IN', 'SUCCEEDED', '{word}');
         insert into mail_message (message_uuid, kind, recipient, subject, state, sent_at)
         values (labs_uuid(), 'SECURITY', '{word}@labs.example', '{word}', 'SENT', labs_now());
         insert into request_usage (day, account, operation, requests)
         values ((labs_now() at time zone 'UTC')::date, '{word}', 'system_me_get', 1)"
    )
}

fn rows(word: &str) -> String {
    format!(
        "select (select count(*) from security_event where user_agent = '{word}')
              + (select count(*) from mail_message where subject = '{word}')
              + (select count(*) from request_usage where account = '{word}')"
    )
}

/// Stops the job's scheduled runs and waits until no run is in progress.
async fn pause(harness: &Harness) {
    harness
        .sql(
            "insert into job (code, paused_at, paused_because) values ('LEDGERS', labs_now(), 'A story does its work.')
             on conflict (code) do update set paused_at = excluded.paused_at, paused_because = excluded.paused_because",
        )
        .await;
    harness.until("select count(*) from job_run where job = 'LEDGERS' and state in ('QUEUED', 'RUNNING')", 0).await;
}

/// Opens a connection with the service's database role.
async fn service(harness: &Harness) -> PgConnection {
    let mut service = harness.owner().await;
    sqlx::raw_sql("set role labs_service").execute(&mut service).await.unwrap();
    service
}

/// Calls a function; returns `None` if another transaction holds a conflicting lock.
async fn ask(service: &mut PgConnection, function: &str) -> Option<i64> {
    let asked = sqlx::query_scalar(AssertSqlSafe(format!("select public.{function}::bigint")));
    asked.fetch_one(service).await.unwrap()
}

/// Calls a function repeatedly until no transaction holds a conflicting lock.
async fn when_free(service: &mut PgConnection, function: &str) -> i64 {
    let asked = tokio::time::timeout(LONGEST_WAIT, async {
        loop {
            match ask(service, function).await {
                Some(answer) => return answer,
                None => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    });
    asked.await.unwrap_or_else(|_| panic!("somebody needs all the time what this locks: {function}"))
}

/// Advisory lock of the sealer.
const SEALER: i64 = 0x0061_7564_6974;
const ASTRAY: &str = "select (select count(*) from security_event_others) + (select count(*) from mail_message_others)
                           + (select count(*) from request_usage_others) + (select count(*) from audit_log_others)
                           + (select count(*) from audit_change_others) + (select count(*) from audit_seal_others)";

#[tokio::test]
async fn expired_partitions_are_dropped() {
    let flags = ["--security-events-retention-days", "400", "--mails-retention-days", "100"];
    let harness = Harness::with(&flags).await;
    harness.sql(&write("old")).await;
    // A mail message that stays queued for as long as this test needs it.
    harness
        .sql("update mail_message set state = 'QUEUED', sent_at = null, content_sealed = '', next_attempt_at = 'infinity'")
        .await;
    harness.advance(3 * YEAR).await;
    harness.sql(&write("young")).await;
    harness.run_job("LEDGERS").await;
    assert_eq!(harness.number(&rows("old")).await, 1, "the mail that waits is still there, and no other row");
    assert_eq!(harness.number(&rows("young")).await, 3);
    harness.run_job("LEDGERS").await;
    assert_eq!(harness.number(ASTRAY).await, 0, "what was written before its partition was made is where it belongs");

    harness.sql("update mail_message set state = 'FAILED' where subject = 'old'").await;
    harness.run_job("LEDGERS").await;
    assert_eq!((harness.number(&rows("old")).await, harness.number(&rows("young")).await), (0, 3));
}

#[tokio::test]
async fn partition_is_dropped_only_if_lock_is_free() {
    let harness = Harness::new().await;
    pause(&harness).await;
    harness.sql(&write("old")).await;
    harness.advance(YEAR).await;
    let (mut service, mut other) = (service(&harness).await, harness.owner().await);
    assert_eq!(when_free(&mut service, "ledger_prepare('MAILS')").await, 1);
    // A transaction has read a partner and is about to write rows that refer to it.
    let mut call = other.begin().await.unwrap();
    sqlx::query("select from partner").execute(&mut *call).await.unwrap();
    let expire = "ledger_expire('MAILS', 'infinity')";
    assert_eq!(ask(&mut service, expire).await, None, "it neither waits nor keeps what it got");
    sqlx::raw_sql(AssertSqlSafe(write("young"))).execute(&mut *call).await.unwrap();
    call.commit().await.unwrap();
    assert_eq!((when_free(&mut service, expire).await, when_free(&mut service, expire).await), (1, 0));
    let mails = "select count(*) from mail_message where subject in ('old', 'young')";
    assert_eq!(harness.number(mails).await, 1);
}

#[tokio::test]
async fn write_during_partition_creation_is_not_rejected() {
    let harness = Harness::new().await;
    pause(&harness).await;
    harness.advance(YEAR).await;
    let mut service = service(&harness).await;
    let prepare = "ledger_prepare('SECURITY_EVENTS')";
    // A statement that has started and has not reached its row.
    let gate = harness.hold("select pg_advisory_xact_lock(28)").await;
    let late = "insert into security_event (event_uuid, kind, outcome, user_agent)
                select labs_uuid(), 'SIGNED_IN', 'SUCCEEDED', 'late' from pg_advisory_xact_lock(28)";
    let mut writer = harness.owner().await;
    let writing = tokio::spawn(async move { sqlx::query(late).execute(&mut writer).await });
    let at_the_gate = "select count(*) from pg_locks as l join pg_stat_activity as a using (pid)
        where a.datname = current_database() and l.locktype = 'advisory' and l.objid = 28 and not l.granted";
    harness.until(at_the_gate, 1).await;
    assert_eq!(ask(&mut service, prepare).await, None, "no partition is made under it");
    gate.commit().await;
    writing.await.unwrap().unwrap();
    assert_eq!(when_free(&mut service, prepare).await, 1);
    assert_eq!(harness.number("select count(*) from only security_event_others").await, 0);
    assert_eq!(harness.number("select count(*) from security_event where user_agent = 'late'").await, 1);
}

#[tokio::test]
async fn unlimited_data_is_kept_and_service_cannot_drop_too_much() {
    let harness = Harness::new().await;
    harness.sql(&write("old")).await;
    Archive::sealed(&harness, 1).await;
    harness.advance(300 * 24 * 3600).await;
    harness.run_job("LEDGERS").await;
    pause(&harness).await;
    assert_eq!(harness.number(&rows("old")).await, 3);
    let partitions = "select count(*) from ledger_partition";
    let before = harness.number(partitions).await;
    let mut service = service(&harness).await;
    let mut take_away = async || {
        for ledger in ["AUDIT", "SECURITY_EVENTS", "MAILS", "REQUEST_USAGE"] {
            while when_free(&mut service, &format!("ledger_expire('{ledger}', 'infinity')")).await > 0 {}
        }
        assert_eq!(when_free(&mut service, "audit_detach('_first')::int").await, 0);
    };
    take_away().await;
    assert_eq!(harness.number(&rows("old")).await, 2, "mails are kept for 90 days at least, all else for a year");
    harness.sql("set role labs_service; delete from public.request_usage; reset role").await;
    assert_eq!(harness.number("select count(*) from request_usage where account = 'old'").await, 1);
    let audit = "select count(*) from ledger_partition where table_name = 'audit_log'";
    let kept = harness.number(audit).await;
    assert!(harness.number(partitions).await < before);
    harness.advance(2 * YEAR).await;
    take_away().await;
    assert_eq!(harness.number(audit).await, kept, "nothing of the audit log was archived");
}

#[tokio::test]
async fn service_role_cannot_mark_audit_log_as_archived() {
    let harness = Harness::new().await;
    pause(&harness).await;
    let last = Archive::sealed(&harness, 3).await;
    // Stops sealing by holding the sealer's lock.
    let mut sealer = harness.owner().await;
    sqlx::query("select pg_advisory_lock($1)").bind(SEALER).execute(&mut sealer).await.unwrap();
    harness.until(&unsealed(), 0).await;
    let last = last.max(harness.number("select max(position) from audit_seal").await);
    harness.advance(2 * YEAR).await;
    let mut service = service(&harness).await;
    let mut is_detached = async |archived: String| {
        sqlx::raw_sql(AssertSqlSafe(archived)).execute(&mut service).await.unwrap();
        let is_detached = when_free(&mut service, "audit_detach('_first')::int").await == 1;
        let parts = "select count(*) from ledger_partition where partition_name = 'audit_log_first'";
        assert_eq!(harness.number(parts).await == 0, is_detached);
        harness.sql("delete from audit_archive").await;
        is_detached
    };
    let piece = |first: i64, last: i64, before: &str, hash: &str| {
        format!(
            "insert into public.audit_archive (first_position, last_position, previous_hash, hash, bytes)
             values ({first}, {last}, {before}, {hash}, 1);
             select public.audit_confirm({first})"
        )
    };
    let none = format!("'\\x{}'", "00".repeat(32));
    let hash = |position: i64| format!("(select hash from public.audit_seal where position = {position} limit 1)");
    assert!(!is_detached(piece(1, last, &none, "sha256('')")).await, "another hash");
    assert!(!is_detached(piece(1, last + 7, &none, &hash(last))).await, "more than there is");
    let both = piece(1, 2, &none, "sha256('')") + ";" + &piece(3, last, "sha256('')", &hash(last));
    assert!(!is_detached(both).await, "a piece made up, and one that ends well");
    assert!(!is_detached(piece(3, last, &hash(2), &hash(last))).await, "the end alone");

    // A forged seal for a forged record: first without, then with the previous hash of the last seal.
    let made_up = "where operation = 'admin_jobs_list' and channel = 'JOB'";
    for before in ["sha256('before')", &hash(last)] {
        let forged = format!(
            "insert into public.audit_log (record_uuid, operation, channel, outcome, actor_kind)
             values (public.uuid_since(now()), 'admin_jobs_list', 'JOB', 'SUCCEEDED', 'SYSTEM');
             insert into public.audit_seal (position, record_uuid, previous_hash, hash, settled_below)
             select {}, record_uuid, {before}, sha256('made up'), '0' from public.audit_log {made_up}; ",
            last + 1
        );
        assert!(!is_detached(forged + &piece(1, last + 1, &none, "sha256('made up')")).await, "made up after {before}");
        harness.sql(&format!("delete from audit_seal where position > {last}; delete from audit_log {made_up}")).await;
    }

    assert!(is_detached(piece(1, last, &none, &hash(last))).await, "what is true is believed");
}

/// An audit log whose older part is archived.
struct Archive {
    harness: Harness,
    auditor: Person,
    /// Last archived position, and the hash of the second record.
    last: i64,
    second: Value,
}

impl Archive {
    async fn new() -> Self {
        let harness = Harness::with(&["--audit-retention-days", "400"]).await;
        Self::sealed(&harness, 5).await;
        let auditor = harness.staff("Ada Auditor", &["labs.admin.audit"]).await;
        let body = json!({ "until_position": 2 });
        let verified = harness.call("admin_audit_records_verify").token(&auditor.token).json(&body).expect(200).await;
        let second = verified.json["head"].clone();
        harness.until(&unsealed(), 0).await;
        let last = harness.number("select max(position) from audit_seal").await;
        harness.advance(2 * YEAR).await;
        harness.run_job("LEDGERS").await;
        Self::sealed(&harness, 3).await;
        let auditor = harness.staff("Aldous Auditor", &["labs.admin.audit"]).await;
        Self { harness, auditor, last, second }
    }

    /// Creates this many records with a difference, waits until they are sealed, and returns the length of the chain.
    async fn sealed(harness: &Harness, records: usize) -> i64 {
        let people = harness.number("select count(*) from person").await;
        let keeper = harness.staff(&format!("Keeper {people}"), &["labs.admin.categories:write"]).await;
        for number in 0..records {
            let name = format!("Category {number} of {}", keeper.uuid);
            let call = harness.call("marketplace_categories_create").token(&keeper.token);
            call.json(&json!({ "names": { "en": name } })).expect(201).await;
        }
        harness.until(&unsealed(), 0).await;
        harness.number("select max(position) from audit_seal").await
    }

    async fn verify(&self, body: Value) -> Value {
        let call = self.harness.call("admin_audit_records_verify").token(&self.auditor.token);
        call.json(&body).expect(200).await.json
    }

    async fn broken(&self, body: Value) -> (i64, String) {
        let verdict = self.verify(body).await;
        assert_eq!(verdict["intact"], false, "{verdict}");
        let found = &verdict["first_break"];
        (found["position"].as_i64().unwrap(), found["flaw"].as_str().unwrap().to_owned())
    }

    fn piece(&self) -> PathBuf {
        self.harness.media_folder().join(format!("audit/{:015}-{:015}.ndjson", 1, self.last))
    }
}

fn unsealed() -> String {
    "select count(*) from audit_log as l where not exists (
         select from audit_seal as s where s.record_uuid = l.record_uuid)"
        .to_owned()
}

#[tokio::test]
async fn archived_audit_log_verifies_together_with_remaining_log() {
    let archive = Archive::new().await;
    let (harness, last) = (&archive.harness, archive.last);
    let parts = "select count(*) from ledger_partition where partition_name like 'audit%first'";
    assert_eq!(harness.number(parts).await, 0);
    harness.until(&unsealed(), 0).await;
    assert_eq!(
        harness.number("select min(position) from audit_seal").await,
        last + 1,
        "the chain goes on where it was"
    );
    assert_eq!(
        harness.number("select count(*) from audit_log_first").await,
        last,
        "it stays until an operator drops it"
    );

    let whole = archive.verify(json!({})).await;
    assert_eq!((&whole["intact"], &whole["first_break"]), (&json!(true), &Value::Null), "{whole}");
    assert_eq!(whole["checked"], whole["until_position"], "{whole}");
    let part = archive.verify(json!({ "from_position": 2, "until_position": 3, "expected": archive.second })).await;
    assert_eq!((&part["intact"], &part["checked"], &part["head"]["position"]), (&json!(true), &json!(2), &json!(3)));
    let across = archive.verify(json!({ "from_position": last, "until_position": last + 2 })).await;
    assert_eq!((&across["intact"], &across["checked"]), (&json!(true), &json!(3)));
    let after = archive.verify(json!({ "from_position": last + 1, "until_position": last + 2 })).await;
    assert_eq!((&after["intact"], &after["checked"]), (&json!(true), &json!(2)));

    // If the log contains a seal at an archived position, verification compares it with the archive.
    let standing = "select count(*) from audit_seal where position <= ";
    assert_eq!(harness.number(&format!("{standing}{last}")).await, 0);
    harness
        .sql(&format!(
            "insert into audit_seal (position, record_uuid, previous_hash, hash, settled_below)
             select {last}, labs_uuid(), previous_hash, hash, '0' from audit_seal where position = {last} + 1"
        ))
        .await;
    assert_eq!(archive.broken(json!({})).await.0, last, "a seal made up, at a place that is archived");
    harness.sql(&format!("delete from audit_seal where position = {last}")).await;

    // No record is archived twice, and the chain would continue even if the log had none of its records.
    harness.run_job("LEDGERS").await;
    assert_eq!(harness.number("select count(*) from audit_archive").await, 1);
    harness.sql("delete from audit_seal; delete from audit_change; delete from audit_log").await;
    Archive::sealed(harness, 1).await;
    assert_eq!(harness.number("select min(position) from audit_seal").await, last + 1);
}

#[tokio::test]
async fn tampering_with_archive_is_found() {
    let archive = Archive::new().await;
    let last = archive.last;
    let kept = fs::read_to_string(archive.piece()).unwrap();
    let lines: Vec<&str> = kept.lines().collect();
    assert_eq!(lines.len(), usize::try_from(last).unwrap());
    let put = |lines: &[String]| fs::write(archive.piece(), lines.join("\n") + "\n").unwrap();
    let whole: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();

    let mut altered = whole.clone();
    altered[2] = altered[2].replace("SUCCEEDED", "REFUSED");
    put(&altered);
    assert_eq!(archive.broken(json!({})).await, (3, "ALTERED".to_owned()));
    put(&remade(&archive.harness, &altered).await);
    assert_eq!(archive.broken(json!({})).await, (last, "REWRITTEN".to_owned()), "a chain made anew ends elsewhere");
    let anchored = json!({ "from_position": 3, "until_position": 4 });
    assert_eq!(archive.broken(anchored).await.1, "REWRITTEN", "of whatever range");

    let mut short = whole.clone();
    short.remove(1);
    put(&short);
    assert_eq!(archive.broken(json!({})).await, (2, "SEAL_MISSING".to_owned()));
    put(&whole[..whole.len() - 1]);
    assert_eq!(archive.broken(json!({})).await, (last, "SEAL_MISSING".to_owned()));
    let mut none = whole.clone();
    none[4] = "no line".to_owned();
    put(&none);
    assert_eq!(archive.broken(json!({})).await, (5, "ALTERED".to_owned()));
    fs::remove_file(archive.piece()).unwrap();
    assert_eq!(archive.broken(json!({ "from_position": 2 })).await.1, "RECORD_MISSING");
    put(&whole);
    assert_eq!(archive.verify(json!({})).await["intact"], true, "put right again, it holds");
}

/// Returns the same lines with recomputed hashes that match them.
async fn remade(harness: &Harness, lines: &[String]) -> Vec<String> {
    #[derive(serde::Deserialize)]
    struct Line {
        position: i64,
        record: Box<RawValue>,
    }
    let next = "select encode(sha256(decode($1, 'hex') || sha256(convert_to($2, 'UTF8'))), 'hex')";
    let (mut owner, mut hash, mut remade) = (harness.owner().await, "00".repeat(32), Vec::new());
    for line in lines {
        let Line { position, record } = serde_json::from_str(line).unwrap();
        hash = sqlx::query_scalar(next).bind(hash).bind(record.get()).fetch_one(&mut owner).await.unwrap();
        remade.push(format!(r#"{{"position":{position},"hash":"{hash}","record":{record}}}"#));
    }
    remade
}
