//! Proofs that a record is in the tree. They need only the object storage.

use labs_media::store::MediaStore;
use labs_transparency::merkle::verify_inclusion;
use labs_transparency::tile::WIDTH;
use labs_transparency::{Checkpoint, InclusionProof, LogEntry, Tile, VerifyingKey, proof};
use uuid::Uuid;

use super::files::LogFiles;
use crate::fault::{Code, Fault};

/// Creates the proof that a record is in the tree of the current checkpoint.
///
/// # Errors
/// [`Code::NotFound`] if the log has no checkpoint, or the checkpoint does not cover the record. [`Code::Internal`] if the
/// stored objects do not belong together. [`Code::Unavailable`] if the object storage does not answer.
pub async fn prove(files: &MediaStore, keys: &[VerifyingKey], record_uuid: Uuid) -> Result<InclusionProof, Fault> {
    let log = LogFiles(files);
    let note = log.checkpoint().await?;
    let note = note.ok_or_else(|| Fault::new(Code::NotFound, "The log has no checkpoint yet."))?;
    let (checkpoint, _) = Checkpoint::open(&note, keys).map_err(Fault::internal)?;
    let entry = find(log, checkpoint.size, record_uuid).await?.ok_or_else(|| {
        Fault::new(Code::NotFound, format!("The current checkpoint does not cover a record {record_uuid}."))
    })?;
    let (index, size) = (entry.position.saturating_sub(1), checkpoint.size);
    let ranges = proof::inclusion_ranges(index, size);
    let tiles = log.tiles(proof::tiles_of(&ranges, size)).await?;
    let hashes = proof::hashes(&ranges, size, &tiles);
    let hashes = hashes.filter(|hashes| verify_inclusion((entry.leaf_hash(), index), hashes, (size, &checkpoint.root)));
    let hashes = hashes.ok_or_else(|| Fault::internal("the tiles of the log do not belong to its checkpoint"))?;
    Ok(InclusionProof { entry, hashes, checkpoint: note })
}

/// Finds the entry of a record, the newest ones first.
async fn find(log: LogFiles<'_>, size: u64, record_uuid: Uuid) -> Result<Option<LogEntry>, Fault> {
    for tile in (0..size.div_ceil(WIDTH)).rev() {
        let Some(tile) = Tile::containing(0, tile * WIDTH, size) else { continue };
        let entries = log.entries(tile).await?;
        if let Some(entry) = entries.into_iter().find(|entry| entry.record_uuid == record_uuid) {
            return Ok(Some(entry));
        }
    }
    Ok(None)
}
