//! Memory test: the memory for a response does not grow with its length.

use std::fs;

use crate::harness::{Harness, Replica, contract};

/// Records of a short export: enough that the memory that an export of any length needs is allocated after it.
const FEW: usize = 5_000;
/// Records of a long export.
const MANY: usize = 25_000;
/// Minimum difference of their sizes, in bytes. An export that is held in memory needs so much more.
const DIFFERENCE: usize = 60_000_000;

/// Returns the peak resident memory of the replica, in bytes.
fn peak(replica: &Replica) -> usize {
    let status = fs::read_to_string(replica.file("status")).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1024
}

/// Resets the peak.
fn forget_peak(replica: &Replica) {
    fs::write(replica.file("clear_refs"), "5").unwrap();
}

/// Inserts this many records of another day, of three kilobytes each, as the database owner.
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

/// Reads the export of an operation's records without keeping it; returns its number of bytes and lines.
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
async fn audit_export_memory_does_not_grow_with_its_length() {
    let mut harness = Harness::new().await;
    let auditor = harness.staff("Ada Auditor", &["labs.admin.audit"]).await;
    fill(&harness, "admin_few_list", FEW).await;
    fill(&harness, "admin_many_list", MANY).await;
    let place = tempfile::tempdir().unwrap();
    let replica = Replica::start(&harness, &place).await;
    harness.use_address(replica.address());
    // The first export starts what the service allocates once: connections, buffers, threads and their heaps.
    let (few_bytes, lines) = export(&harness, &auditor.token, "admin_few_list").await;
    assert_eq!(lines, FEW);
    let (again, _) = export(&harness, &auditor.token, "admin_few_list").await;
    assert_eq!(again, few_bytes);
    forget_peak(&replica);
    let before = peak(&replica);
    let (many_bytes, lines) = export(&harness, &auditor.token, "admin_many_list").await;
    let grown = peak(&replica).saturating_sub(before);
    assert_eq!(lines, MANY);
    let difference = many_bytes - few_bytes;
    assert!(difference > DIFFERENCE, "{difference} bytes are too few to tell");
    assert!(grown < difference / 2, "{difference} bytes more left, and memory grew by {grown} from {before}");
}
