//! Verification of the records with the tree, from a kept checkpoint on.

use std::collections::VecDeque;

use labs_crypto::sealed::MasterKey;
use labs_media::store::MediaStore;
use labs_transparency::merkle::verify_inclusion;
use labs_transparency::tile::WIDTH;
use labs_transparency::{Checkpoint, Hash, LogEntry, Tile, Tree, VerifyingKey, proof};
use sqlx::PgPool;

use super::comparison::{Comparison, Finding, FindingKind, LoggedLeaf};
use super::entry_of;
use super::files::LogFiles;
use crate::audit_chain::chain::{FoundSeal, GENESIS};
use crate::audit_chain::{archive, store};
use crate::db::Db;
use crate::fault::{Code, Fault};

/// Result of a verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogVerdict {
    /// Size of the kept checkpoint; 0 without one.
    pub since: u64,
    /// Size of the current checkpoint; 0 if it cannot be used.
    pub size: u64,
    /// Number of compared positions.
    pub compared: u64,
    /// Sealed records after the current checkpoint, which the next one covers.
    pub uncovered: u64,
    /// Differences in the order of their positions.
    pub findings: Vec<Finding>,
}

/// Positions in whose period one statement looks for records without a seal.
const UNSEALED_AT_ONCE: u64 = 10_000;

const GONE: &str = "the log has no checkpoint any more";
const UNSIGNED: &str = "the current checkpoint has no valid signature of this key";
const SMALLER: &str = "the current checkpoint is smaller than the kept one";
const OTHER_START: &str = "the tiles do not belong to the kept checkpoint";
const OTHER_END: &str = "the current checkpoint does not continue the kept one, or its tiles were changed";
const UNSEALED: &str = "records of this period have no seal";

/// Verifies the current checkpoint, that it continues the kept one, and every record from the last one of the kept
/// checkpoint on. Without a kept checkpoint, it verifies every record.
///
/// # Errors
/// [`Code::ValidationFailed`] if the kept checkpoint is not one of this log. [`Code::Unavailable`] if the database or the
/// object storage does not answer.
pub async fn verify(
    pool: &PgPool,
    (files, key): (&MediaStore, &MasterKey),
    keys: &[VerifyingKey],
    kept: Option<&str>,
) -> Result<LogVerdict, Fault> {
    let kept = kept.map(|note| Checkpoint::open(note, keys)).transpose();
    let kept = kept
        .map_err(|error| Fault::new(Code::ValidationFailed, format!("The kept checkpoint cannot be used: {error}.")))?;
    let kept = kept.map(|(checkpoint, _)| checkpoint);
    let since = kept.as_ref().map_or(0, |kept| kept.size);
    let mut verdict = LogVerdict { since, size: 0, compared: 0, uncovered: 0, findings: Vec::new() };
    let log = LogFiles(files);
    let opened = log.checkpoint().await?.map(|note| Checkpoint::open(&note, keys));
    let trouble = match &opened {
        None => Some((FindingKind::RolledBack, GONE)),
        Some(Err(_)) => Some((FindingKind::Forked, UNSIGNED)),
        Some(Ok((current, _))) if current.size < since => Some((FindingKind::RolledBack, SMALLER)),
        Some(Ok(_)) => None,
    };
    let size = opened.and_then(Result::ok).map(|(current, _)| (current.size, current.root));
    if let Some((kind, detail)) = trouble {
        let first = size.map_or(1, |(size, _)| size + 1);
        verdict.findings.push(Finding::over(kind, (first, since.max(first)), detail));
        return Ok(verdict);
    }
    let Some((size, root)) = size else { return Ok(verdict) };
    let leaves = match authenticate(log, kept.as_ref(), (size, root)).await? {
        Ok(leaves) => leaves,
        Err(finding) => {
            verdict.findings.push(finding);
            return Ok(verdict);
        }
    };
    verdict.size = size;
    compare(&Db::from_pool(pool.clone()), (files, key), leaves, &mut verdict).await?;
    Ok(verdict)
}

/// Leaves of consecutive positions whose hashes are authenticated by the current checkpoint.
struct Leaves {
    /// First position.
    from: u64,
    leaves: Vec<Hash>,
}

/// Loads the leaves from the last one of the kept checkpoint on, and authenticates them: appended to the kept tree, they
/// must give the current root.
async fn authenticate(
    log: LogFiles<'_>,
    kept: Option<&Checkpoint>,
    (size, root): (u64, Hash),
) -> Result<Result<Leaves, Finding>, Fault> {
    let since = kept.map_or(0, |kept| kept.size);
    let edge: Vec<_> = log.tiles(Tile::edge(since)).await?.into_iter().collect();
    let tree = Tree::restore(since, &edge).filter(|tree| kept.is_none_or(|kept| tree.root() == kept.root));
    let Some(mut tree) = tree else {
        return Ok(Err(Finding::over(FindingKind::Forked, (1, since), OTHER_START)));
    };
    let from = since.max(1);
    let wanted = ((from - 1) / WIDTH..size.div_ceil(WIDTH)).filter_map(|tile| Tile::containing(0, tile * WIDTH, size));
    let mut leaves: Vec<Hash> = Vec::new();
    for (tile, hashes) in log.tiles(wanted).await? {
        let skipped = (from - 1).saturating_sub(tile.index * WIDTH);
        leaves.extend(hashes.into_iter().skip(usize::try_from(skipped).unwrap_or(usize::MAX)));
    }
    let appended = leaves.iter().skip(usize::try_from(since.min(1)).unwrap_or_default());
    appended.for_each(|leaf| tree.append(*leaf));
    // The first leaf is already part of the kept tree, so it is authenticated by a proof.
    let ranges = proof::inclusion_ranges(from - 1, size);
    let hashes = proof::hashes(&ranges, size, &log.tiles(proof::tiles_of(&ranges, size)).await?);
    let is_first_included = match (leaves.first(), hashes) {
        (Some(first), Some(hashes)) => verify_inclusion((*first, from - 1), &hashes, (size, &root)),
        (first, _) => first.is_none() && size == 0,
    };
    if (tree.size(), tree.root()) != (size, root) || !is_first_included {
        let range = (since + 1, size.max(since + 1));
        return Ok(Err(Finding::over(FindingKind::Forked, range, OTHER_END)));
    }
    Ok(Ok(Leaves { from, leaves }))
}

/// Compares the records in the database with the leaves.
async fn compare(
    db: &Db,
    (files, key): (&MediaStore, &MasterKey),
    Leaves { from, leaves }: Leaves,
    verdict: &mut LogVerdict,
) -> Result<(), Fault> {
    let until = verdict.size;
    let before = (from == 1).then_some(GENESIS);
    let entry = |position, record_uuid, hash: &[u8]| entry_of(key, position, record_uuid, hash);
    let mut comparison = Comparison::begin(before, &entry);
    let mut seals = Seals::begin(db, files, from).await?;
    let mut entries: (Option<u64>, Vec<LogEntry>) = (None, Vec::new());
    for (position, leaf) in (from..).zip(leaves) {
        let index = position - 1;
        if entries.0 != Some(index / WIDTH)
            && let Some(tile) = Tile::containing(0, index, until)
        {
            entries = (Some(tile.index), LogFiles(files).entries(tile).await?);
        }
        let at = usize::try_from(index % WIDTH).unwrap_or_default();
        let entry = entries.1.get(at).copied().filter(|entry| entry.leaf_hash() == leaf);
        comparison.step(position, &LoggedLeaf { leaf, entry }, &seals.take_at(position).await?);
        verdict.compared += 1;
    }
    while let Some(seal) = seals.take_next().await? {
        comparison.step_beyond(&seal);
        verdict.uncovered += 1;
    }
    verdict.findings = comparison.end(until);
    let mut first = from;
    while first <= until {
        let last = until.min(first + UNSEALED_AT_ONCE - 1);
        let period = (i64::try_from(first).map_err(Fault::internal)?, i64::try_from(last).map_err(Fault::internal)?);
        if store::count_unsealed(db, period.0, period.1).await? > 0 {
            verdict.findings.push(Finding::over(FindingKind::Inserted, (first, last), UNSEALED));
        }
        first = last + 1;
    }
    Ok(())
}

/// Reads seals with the digests of their records, in order: archived ones from the object storage, the others from the
/// database.
struct Seals<'a> {
    db: &'a Db,
    read: VecDeque<FoundSeal>,
    /// Last position that was read.
    last: i64,
}

impl<'a> Seals<'a> {
    async fn begin(db: &'a Db, files: &MediaStore, from: u64) -> Result<Self, Fault> {
        let from = i64::try_from(from).map_err(Fault::internal)?;
        let mut read = VecDeque::new();
        archive::read_seals(db, files, (from, i64::MAX), &mut |seal| read.push_back(seal)).await?;
        let last = read.back().map_or(from - 1, |seal| seal.position);
        Ok(Self { db, read, last })
    }

    async fn fill(&mut self) -> Result<(), Fault> {
        if !self.read.is_empty() {
            return Ok(());
        }
        let stored = store::seals(self.db, self.last + 1, i64::MAX).await?;
        let sealed = tokio::task::spawn_blocking(move || stored.recompute()).await.map_err(Fault::internal)?;
        self.read.extend(sealed.into_iter().map(|sealed| sealed.seal));
        let (Some(first), Some(last)) = (self.read.front(), self.read.back()) else { return Ok(()) };
        let (first, last) = (first.position, last.position);
        self.last = last;
        // Another seal with the last position may be in the next part, so the last position is read again.
        if first < last && self.read.len() >= store::SEALS {
            self.read.retain(|seal| seal.position < last);
            self.last = last - 1;
        }
        Ok(())
    }

    /// Takes the next seal.
    async fn take_next(&mut self) -> Result<Option<FoundSeal>, Fault> {
        self.fill().await?;
        Ok(self.read.pop_front())
    }

    /// Takes the seals at a position, and before it.
    async fn take_at(&mut self, position: u64) -> Result<Vec<FoundSeal>, Fault> {
        let mut found = Vec::new();
        loop {
            self.fill().await?;
            match self.read.pop_front_if(|seal| u64::try_from(seal.position).is_ok_and(|at| at <= position)) {
                Some(seal) => found.push(seal),
                None => return Ok(found),
            }
        }
    }
}
