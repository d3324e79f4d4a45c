//! Tests of the programs: `labs audit`, and the stand-alone verifier.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use labs_schema::transparency::{KeyKind, SignedNote, VerifyingKey};

use super::super::{LABS, said};
use super::{Logged, copy, write_key};
use crate::front::settings::refusal;

/// Runs the stand-alone verifier over the log's address.
fn verifier(logged: &Logged, words: &[&str]) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("operate/verify_audit_log.py");
    let url = format!("{}/audit-log", logged.harness.base_url);
    let mut command = Command::new("python3");
    command.arg("-B").arg(script).args(["--key", &logged.key.to_string(), "--url", &url]).args(words);
    command.output().unwrap()
}

/// Runs the stand-alone verifier, which must find nothing, and returns its output.
pub(super) fn run_verifier(logged: &Logged, words: &[&str]) -> String {
    let output = tokio::task::block_in_place(|| verifier(logged, words));
    assert!(output.status.success(), "{}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// Runs the stand-alone verifier, which must find a problem, and returns the problem.
fn problem(logged: &Logged, words: &[&str]) -> String {
    let output = tokio::task::block_in_place(|| verifier(logged, words));
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    said(&output)
}

/// Runs `labs audit` with the database and the files of the service.
fn audit(logged: &Logged, words: &[&str]) -> Output {
    let mut command = Command::new(LABS);
    command.arg("audit").args(words).env("DATABASE_URL", &logged.harness.database_url);
    command
        .env("LABS_MASTER_KEY_FILE", logged.harness.master_key())
        .env("LABS_MEDIA_FOLDER", logged.harness.media_folder());
    command.arg("--folder").arg(logged.place.path().join("labs")).env_remove("LABS_MEDIA_URL");
    tokio::task::block_in_place(|| command.output().unwrap())
}

fn witness(logged: &Logged) -> Output {
    let path = |name: &str| logged.place.path().join(name);
    let url = format!("{}/audit-log/", logged.harness.base_url);
    let mut command = Command::new(LABS);
    command.args(["audit", "witness", "--url", &url, "--public-key", &logged.key.to_string(), "--key-file"]);
    command.arg(path("witness.key")).arg("--state").arg(path("witness.state"));
    tokio::task::block_in_place(|| command.output().unwrap())
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn verify_command_reports_findings_and_exits_with_one() {
    let logged = Logged::new().await;
    let kept = logged.keep("kept", &logged.checkpoint().await);
    let last = logged.record(3).await;
    logged.publish().await.unwrap();
    let (kept, key) = (kept.to_str().unwrap(), logged.key.to_string());
    let intact = audit(&logged, &["verify", "--since", kept, "--public-key", &key]);
    assert!(intact.status.success() && stdout(&intact).starts_with("The audit log is intact"), "{}", said(&intact));
    let file = logged.place.path().join("checkpoint.key");
    let by_file = audit(&logged, &["verify", "--audit-checkpoint-key-file", file.to_str().unwrap()]);
    assert!(by_file.status.success() && stdout(&by_file).contains("every record"), "{}", said(&by_file));
    let change = format!(
        "update audit_log set reason = 'Another.' where record_uuid = (
             select record_uuid from audit_seal where position = {last})"
    );
    logged.harness.sql(&change).await;
    let altered = audit(&logged, &["verify", "--since", kept, "--public-key", &key]);
    assert_eq!(altered.status.code(), Some(1));
    assert!(stdout(&altered).starts_with(&format!("ALTERED      position {last}: record ")), "{}", stdout(&altered));
    assert!(said(&altered).contains("the audit log was changed: findings: 1"), "{}", said(&altered));
    let other = logged.keep("other", "labs.example\n1\nAAAA\n\n— a AAAAAAA=\n");
    let refused = audit(&logged, &["verify", "--since", other.to_str().unwrap(), "--public-key", &key]);
    assert!(!refused.status.success() && said(&refused).contains("The kept checkpoint cannot be used"));
}

#[tokio::test(flavor = "multi_thread")]
async fn printed_key_and_proof_are_accepted_by_the_programs() {
    let printed = Command::new(LABS).args(["audit", "key", "--name", "labs.example/audit-log"]).output().unwrap();
    let printed = stdout(&printed);
    let lines: Vec<&str> = printed.lines().collect();
    assert!(lines.len() == 2 && lines[0].starts_with("PRIVATE+KEY+labs.example/audit-log+"), "{lines:?}");
    assert!(VerifyingKey::parse(lines[1]).is_ok());
    let logged = Logged::new().await;
    logged.record(2).await;
    logged.publish().await.unwrap();
    let record: uuid::Uuid = sqlx::query_scalar("select record_uuid from audit_seal order by position desc limit 1")
        .fetch_one(&mut logged.harness.owner().await)
        .await
        .unwrap();
    let key = logged.key.to_string();
    let proof = audit(&logged, &["proof", &record.to_string(), "--public-key", &key]);
    assert!(proof.status.success(), "{}", said(&proof));
    let file = logged.keep("record.tlog-proof", &stdout(&proof));
    let told = run_verifier(&logged, &["--proof", file.to_str().unwrap()]);
    assert!(told.contains(&record.to_string()), "{told}");
    let altered = fs::read_to_string(&file).unwrap().replacen("extra AAAAAAAAA", "extra AAAAAAAAB", 1);
    let altered = logged.keep("altered.tlog-proof", &altered);
    assert!(problem(&logged, &["--proof", altered.to_str().unwrap()]).starts_with("UNPROVED"));
    let unknown = audit(&logged, &["proof", "01900000-0000-7000-8000-000000000005", "--public-key", &key]);
    assert!(said(&unknown).contains("does not cover a record 01900000"), "{}", said(&unknown));
}

#[tokio::test(flavor = "multi_thread")]
async fn stand_alone_verifier_finds_rollback_and_fork() {
    let logged = Logged::new().await;
    logged.record(1).await;
    let old = logged.checkpoint().await;
    logged.dump().await;
    let folder = logged.place.path().join("former");
    copy(&logged.folder(), &folder);
    logged.record(5).await;
    let (old, kept) = (logged.keep("old", &old), logged.keep("kept", &logged.checkpoint().await));
    logged.record(3).await;
    logged.publish().await.unwrap();
    let files = [old.to_str().unwrap(), kept.to_str().unwrap()];
    assert!(run_verifier(&logged, &files).contains("continues 2 kept checkpoints"));
    logged.restore().await;
    fs::remove_dir_all(logged.folder()).unwrap();
    copy(&folder, &logged.folder());
    assert!(problem(&logged, &files).starts_with("ROLLED BACK"));
    logged.record(9).await;
    logged.publish().await.unwrap();
    assert!(problem(&logged, &files).starts_with("FORKED"));
    assert!(run_verifier(&logged, &files[..1]).contains("continues 1 kept"));
    let forged = logged.keep("forged", &fs::read_to_string(&old).unwrap().replacen('\n', "\n1", 1));
    assert!(problem(&logged, &[forged.to_str().unwrap()]).starts_with("UNSIGNED"));
}

#[tokio::test(flavor = "multi_thread")]
async fn witness_cosigns_growing_log_and_refuses_rollback_and_fork() {
    let logged = Logged::new().await;
    let key = write_key(&logged.place.path().join("witness.key"), "witness.example", KeyKind::Witness);
    logged.record(1).await;
    logged.publish().await.unwrap();
    logged.dump().await;
    let folder = logged.place.path().join("former");
    copy(&logged.folder(), &folder);
    for records in [0, 4, 0, 300] {
        if records > 10 {
            let many = "insert into audit_log (record_uuid, operation, channel, outcome, actor_kind, actor_label)
                        select labs_uuid(), 'admin_seeded_list', 'JOB', 'SUCCEEDED', 'SYSTEM', 'Job'
                          from generate_series(1, 300)";
            logged.harness.sql(many).await;
        }
        logged.record(records.min(10)).await;
        let current = logged.checkpoint().await;
        let cosigned = witness(&logged);
        assert!(cosigned.status.success(), "{}", said(&cosigned));
        let note = SignedNote::parse(&stdout(&cosigned)).unwrap();
        let time = note.cosigned_at(&key).unwrap();
        assert!(note.is_signed_by(&logged.key) && time > 1_700_000_000, "{note}");
        assert!(stdout(&cosigned).starts_with(&current));
        let file = logged.keep("cosigned", &stdout(&cosigned));
        run_verifier(&logged, &["--witness", &key.to_string(), file.to_str().unwrap()]);
    }
    let kept = fs::read_to_string(logged.place.path().join("witness.state")).unwrap();
    logged.restore().await;
    fs::remove_dir_all(logged.folder()).unwrap();
    copy(&folder, &logged.folder());
    let refused = witness(&logged);
    assert!(!refused.status.success() && said(&refused).contains("ROLLED BACK"), "{}", said(&refused));
    let many = "insert into audit_log (record_uuid, operation, channel, outcome, actor_kind, actor_label)
                select labs_uuid(), 'admin_seeded_list', 'JOB', 'SUCCEEDED', 'SYSTEM', 'Job' from generate_series(1, 400)";
    logged.harness.sql(many).await;
    logged.record(1).await;
    logged.publish().await.unwrap();
    let refused = witness(&logged);
    assert!(!refused.status.success() && said(&refused).contains("FORKED"), "{}", said(&refused));
    assert!(stdout(&refused).is_empty());
    assert_eq!(fs::read_to_string(logged.place.path().join("witness.state")).unwrap(), kept);
}

#[test]
fn unusable_checkpoint_key_stops_start() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("key");
    let told = |flags: &[&str]| {
        let file = ["--audit-checkpoint-key-file", path.to_str().unwrap()];
        refusal(&[("DATABASE_URL", "postgres://ada@127.0.0.1:1/labs")], &[&file, flags].concat())
    };
    assert!(told(&[]).contains("cannot be read"), "{}", told(&[]));
    write_key(&path, "labs.example/audit-log", KeyKind::Log);
    let other = told(&["--audit-checkpoint-origin", "labs.example/other"]);
    assert!(other.contains("the key has another name than the log"), "{other}");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(told(&[]).contains("run `chmod 600` on it"), "{}", told(&[]));
    write_key(&path, "witness.example", KeyKind::Witness);
    assert!(told(&[]).contains("this is not an Ed25519 key"), "{}", told(&[]));
}
