//! Commands for the transparency log of the audit log, and the lines that they print.

use anyhow::{Context as _, ensure};
use labs_schema::Engine;

use labs_schema::audit_chain::transparency::{self, Finding, LogVerdict};
use labs_schema::media::store::{MediaPlace, MediaStore};

use super::people::to_error;
use crate::cli::{AuditProof, AuditVerify};

/// Result of a verification.
pub struct VerificationReport {
    /// Lines to print.
    pub lines: Vec<String>,
    /// Number of differences.
    pub findings: usize,
}

/// Compares the records with the log.
///
/// # Errors
/// If the kept checkpoint or the key cannot be used, or the database or the object storage does not answer.
pub async fn verify(engine: &Engine, words: &AuditVerify) -> anyhow::Result<VerificationReport> {
    let keys = words.checkpoints.public_keys(words.public_key.as_deref())?;
    let read = |path: &std::path::PathBuf| {
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
    };
    let kept = words.since.as_ref().map(read).transpose()?;
    let files = open_existing(&words.media.settle(&words.common.folder)?)?;
    let verdict = transparency::verify(engine.pool(), (&files, &engine.services().key), &keys, kept.as_deref());
    let verdict = verdict.await.map_err(to_error)?;
    let mut lines: Vec<String> = verdict.findings.iter().map(format_finding).collect();
    if lines.is_empty() {
        lines.push(format_intact(&verdict));
    }
    Ok(VerificationReport { findings: verdict.findings.len(), lines })
}

/// Returns the proof that the log contains a record.
///
/// # Errors
/// If the log does not cover the record, the key cannot be used, or the object storage does not answer.
pub async fn prove(words: &AuditProof) -> anyhow::Result<String> {
    let keys = words.checkpoints.public_keys(words.public_key.as_deref())?;
    let files = open_existing(&words.media.settle(&words.common.folder)?)?;
    Ok(transparency::prove(&files, &keys, words.record_uuid).await.map_err(to_error)?.to_text())
}

/// Opens the object storage without a test write, and without creating a folder.
fn open_existing(place: &MediaPlace) -> anyhow::Result<MediaStore> {
    Ok(match place {
        MediaPlace::Folder(folder) => {
            ensure!(folder.is_dir(), "the media folder {} does not exist", folder.display());
            MediaStore::in_folder(folder)?
        }
        MediaPlace::Bucket(bucket) => MediaStore::in_bucket(bucket)?,
    })
}

fn format_finding(finding: &Finding) -> String {
    let place = match (finding.first, finding.last) {
        (first, last) if first == last => format!("position {first}"),
        (first, last) => format!("positions {first} to {last}"),
    };
    let record = finding.record_uuid.map(|uuid| format!("record {uuid}: ")).unwrap_or_default();
    format!("{:<11}  {place}: {record}{}", finding.kind.word(), finding.detail)
}

fn format_intact(verdict: &LogVerdict) -> String {
    let LogVerdict { since, size, compared, uncovered, .. } = verdict;
    let start = match since {
        0 => "every record".to_owned(),
        since => format!("the records from position {since} on"),
    };
    format!(
        "The audit log is intact: {start} agree with the checkpoint of size {size} ({compared} compared). The next \
         checkpoint covers {uncovered} more."
    )
}
