//! Stories of ledgers that lie in partitions by time: what is over is taken away, and the audit log is archived before.

use std::fs;
use std::path::PathBuf;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection as _};

use crate::harness::people::Person;
use crate::harness::{Harness, WAITING};

const YEAR: i64 = 366 * 24 * 3600;

/// Rows of this moment, known by a word: an event, a mail that was sent, and a count of requests.
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

/// The job does nothing by itself.
const PAUSED: &str =
    "update job set paused_at = labs_now(), paused_because = 'A story does its work.' where code = 'LEDGERS'";
/// The lock of whoever seals.
const SEALER: i64 = 0x0061_7564_6974;
const ASTRAY: &str = "select (select count(*) from security_event_others) + (select count(*) from mail_message_others)
                           + (select count(*) from request_usage_others) + (select count(*) from audit_log_others)
                           + (select count(*) from audit_change_others) + (select count(*) from audit_seal_others)";

#[tokio::test]
async fn what_is_over_is_taken_away_by_the_partition() {
    let flags = ["--security-events-retention-days", "400", "--mails-retention-days", "100"];
    let harness = Harness::with(&flags).await;
    harness.sql(&write("old")).await;
    // A mail that waits for as long as this story needs it to.
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
async fn a_partition_is_taken_when_nobody_needs_what_it_locks() {
    let harness = Harness::new().await;
    harness.sql(PAUSED).await;
    harness.sql(&write("old")).await;
    harness.advance(YEAR).await;
    harness.until("select coalesce(ledger_prepare('MAILS'), -1)", 1).await;
    let (mut one, mut other) = (harness.owner().await, harness.owner().await);
    let mut expire = async || {
        let expire = sqlx::query_scalar::<_, Option<i64>>("select ledger_expire('MAILS', 'infinity')");
        expire.fetch_one(&mut one).await.unwrap()
    };
    // A call has looked at a partner, and is about to write to them.
    let mut call = other.begin().await.unwrap();
    sqlx::query("select from partner").execute(&mut *call).await.unwrap();
    assert_eq!(expire().await, None, "it neither waits nor keeps what it got");
    sqlx::raw_sql(AssertSqlSafe(write("young"))).execute(&mut *call).await.unwrap();
    call.commit().await.unwrap();
    assert_eq!((expire().await, expire().await), (Some(1), Some(0)));
    let mails = "select count(*) from mail_message where subject in ('old', 'young')";
    assert_eq!(harness.number(mails).await, 1);
}

#[tokio::test]
async fn what_is_being_written_while_time_has_come_to_a_new_partition_is_not_refused() {
    let harness = Harness::new().await;
    harness.sql(PAUSED).await;
    harness.advance(YEAR).await;
    let prepare = "select coalesce(ledger_prepare('SECURITY_EVENTS'), -1)";
    // A statement that has begun, and has not come to its row yet.
    let gate = harness.hold("select pg_advisory_xact_lock(28)").await;
    let late = "insert into security_event (event_uuid, kind, outcome, user_agent)
                select labs_uuid(), 'SIGNED_IN', 'SUCCEEDED', 'late' from pg_advisory_xact_lock(28)";
    let mut writer = harness.owner().await;
    let writing = tokio::spawn(async move { sqlx::query(late).execute(&mut writer).await });
    harness.until(WAITING, 1).await;
    assert_eq!(harness.number(prepare).await, -1, "no partition is made under it");
    gate.commit().await;
    writing.await.unwrap().unwrap();
    harness.until(prepare, 1).await;
    assert_eq!(harness.number("select count(*) from only security_event_others").await, 0);
    assert_eq!(harness.number("select count(*) from security_event where user_agent = 'late'").await, 1);
}

#[tokio::test]
async fn what_nobody_limits_is_kept_and_the_service_cannot_take_away_more_than_it_should() {
    let harness = Harness::new().await;
    harness.sql(&write("old")).await;
    Archive::sealed(&harness, 1).await;
    harness.advance(300 * 24 * 3600).await;
    harness.run_job("LEDGERS").await;
    harness.sql(PAUSED).await;
    assert_eq!(harness.number(&rows("old")).await, 3);
    let partitions = "select count(*) from ledger_partition";
    let before = harness.number(partitions).await;
    let all = "set role labs_service;
        select public.ledger_expire(ledger, 'infinity') from public.ledger, generate_series(1, 3);
        select public.audit_detach('_first');
        reset role";
    harness.sql(all).await;
    assert_eq!(harness.number(&rows("old")).await, 2, "mails are kept for 90 days at least, all else for a year");
    harness.sql("set role labs_service; delete from public.request_usage; reset role").await;
    assert_eq!(harness.number("select count(*) from request_usage where account = 'old'").await, 1);
    let audit = "select count(*) from ledger_partition where table_name = 'audit_log'";
    let kept = harness.number(audit).await;
    assert!(harness.number(partitions).await < before);
    harness.advance(2 * YEAR).await;
    harness.sql(all).await;
    assert_eq!(harness.number(audit).await, kept, "nothing of the audit log was archived");
}

#[tokio::test]
async fn whoever_serves_cannot_say_that_the_audit_log_was_archived() {
    let harness = Harness::new().await;
    harness.sql(PAUSED).await;
    let last = Archive::sealed(&harness, 3).await;
    // Nobody seals any more.
    let mut sealer = harness.owner().await;
    sqlx::query("select pg_advisory_lock($1)").bind(SEALER).execute(&mut sealer).await.unwrap();
    harness.until(&unsealed(), 0).await;
    let last = last.max(harness.number("select max(position) from audit_seal").await);
    harness.advance(2 * YEAR).await;
    let detached = async |of: &str, archived: String| {
        let told = format!("set role labs_service; {archived}; select public.audit_detach('_first'); reset role");
        harness.sql(&told).await;
        let parts = "select count(*) from ledger_partition where partition_name = 'audit_log_first'";
        assert_eq!(harness.number(parts).await, 1, "{of}");
        harness.sql("delete from audit_archive").await;
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
    detached("another hash", piece(1, last, &none, "sha256('')")).await;
    detached("more than there is", piece(1, last + 7, &none, &hash(last))).await;
    let both = piece(1, 2, &none, "sha256('')") + ";" + &piece(3, last, "sha256('')", &hash(last));
    detached("a piece made up, and one that ends well", both).await;
    detached("the end alone", piece(3, last, &hash(2), &hash(last))).await;

    // A seal made up, of a record made up.
    let forged = format!(
        "insert into public.audit_log (record_uuid, operation, channel, outcome, actor_kind)
         values (public.uuid_since(now()), 'admin_jobs_list', 'JOB', 'SUCCEEDED', 'SYSTEM');
         insert into public.audit_seal (position, record_uuid, previous_hash, hash, settled_below)
         select {0}, record_uuid, sha256('before'), sha256('made up'), '0' from public.audit_log
          where operation = 'admin_jobs_list' and channel = 'JOB'; ",
        last + 1
    );
    detached("a seal that was made up", forged + &piece(1, last + 1, &none, "sha256('made up')")).await;
    harness.sql(&format!("delete from audit_seal where position = {}", last + 1)).await;
    harness.sql("delete from audit_log where operation = 'admin_jobs_list' and channel = 'JOB'").await;

    let archived = piece(1, last, &none, &hash(last));
    harness.sql(&format!("set role labs_service; {archived}; select public.audit_detach('_first'); reset role")).await;
    let parts = "select count(*) from ledger_partition where partition_name = 'audit_log_first'";
    assert_eq!(harness.number(parts).await, 0, "what is true is believed");
}

/// An audit log whose older part was archived.
struct Archive {
    harness: Harness,
    auditor: Person,
    /// The last place of what was archived, and the hash of the second.
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

    /// Makes so many records with a difference and waits until the chain has them; its length.
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
async fn the_audit_log_is_archived_and_verified_together_with_what_stays() {
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

    // What stands in the log at an archived place is compared with the archive.
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

    // Nothing is archived twice, and the chain would go on if nothing of it stood in the log.
    harness.run_job("LEDGERS").await;
    assert_eq!(harness.number("select count(*) from audit_archive").await, 1);
    harness.sql("delete from audit_seal; delete from audit_change; delete from audit_log").await;
    Archive::sealed(harness, 1).await;
    assert_eq!(harness.number("select min(position) from audit_seal").await, last + 1);
}

#[tokio::test]
async fn whatever_is_altered_in_the_archive_is_found() {
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

/// The same lines with hashes that fit them.
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
