//! Memory: what an answer takes of it does not grow with the answer's length.

use std::fs;

use crate::harness::{Harness, Replica, contract};

/// Records of a short export.
const FEW: usize = 500;
/// Records of a long one.
const MANY: usize = 20_000;
/// The least that the long one holds, in bytes.
const LONG: usize = 60_000_000;

/// The most memory of it that was resident at once, in bytes.
fn peak(replica: &Replica) -> usize {
    let status = fs::read_to_string(replica.file("status")).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1024
}

/// From now on its peak is that of what comes.
fn forget_peak(replica: &Replica) {
    fs::write(replica.file("clear_refs"), "5").unwrap();
}

/// Writes so many records of another day, of three kilobytes each, as the database's owner.
async fn fill(harness: &Harness, operation: &str, records: usize) {
    harness
        .sql(&format!(
            "insert into audit_log (record_uuid, recorded_at, operation, channel, outcome, actor_kind, actor_label,
                 reason)
             select labs_uuid(), '2026-01-01'::timestamptz + n * interval '1 second', '{operation}', 'JOB', 'SUCCEEDED',
                 'SYSTEM', 'Job', repeat(md5(n::text), 94)
             from generate_series(1, {records}) as n"
        ))
        .await;
}

/// Takes the export of an operation's records and keeps nothing of it: its bytes, and its lines.
async fn export(harness: &Harness, token: &str, operation: &str) -> (usize, usize) {
    let path = &contract().operation("admin_audit_records_export").unwrap().path;
    let request = harness.http().get(format!("{}{path}", harness.base_url)).query(&[("operation", operation)]);
    let mut response = request.bearer_auth(token).send().await.unwrap();
    assert_eq!(response.status(), 200);
    let (mut bytes, mut lines) = (0, 0);
    while let Some(piece) = response.chunk().await.unwrap() {
        bytes += piece.len();
        lines += piece.iter().filter(|byte| **byte == b'\n').count();
    }
    (bytes, lines)
}

#[tokio::test]
async fn an_export_of_the_audit_log_takes_no_more_memory_the_longer_it_is() {
    let mut harness = Harness::new().await;
    let auditor = harness.staff("Ada Auditor", &["labs.admin.audit"]).await;
    fill(&harness, "admin_few_list", FEW).await;
    fill(&harness, "admin_many_list", MANY).await;
    let place = tempfile::tempdir().unwrap();
    let replica = Replica::start(&harness, &place).await;
    harness.stand_behind(replica.address());
    // What any export needs is there after the first.
    let (_, lines) = export(&harness, &auditor.token, "admin_few_list").await;
    assert_eq!(lines, FEW);
    forget_peak(&replica);
    let before = peak(&replica);
    let (bytes, lines) = export(&harness, &auditor.token, "admin_many_list").await;
    let grown = peak(&replica).saturating_sub(before);
    assert_eq!(lines, MANY);
    assert!(bytes > LONG, "{bytes} bytes are too few to tell");
    assert!(grown < bytes / 4, "{bytes} bytes left, and memory grew by {grown} from {before}");
}
