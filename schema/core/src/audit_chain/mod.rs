//! Audit chain: each audit record gets a position and a hash that covers the previous one, so that any altered, removed
//! or inserted record is detected (docs/decisions/audit.md#hash-chain).
//!
//! ```text
//!   hash(n) = SHA-256( hash(n - 1) ‖ SHA-256(canonical text of record n) )        hash(0) = 32 zero bytes
//! ```
//!
//! The view `audit_canonical` defines the canonical text, and records are sealed from it. A verification computes the
//! text again from the stored columns (`canonical.rs`).
//!
//! Records are sealed after their commit, by one sealer at a time, so that writers never wait for each other. A pass
//! takes every visible record without a seal, in the order of their transactions. Records that commit later are sealed
//! in a later pass. So no record is skipped, an open transaction delays no other record, and a position never changes
//! once it is assigned.
//!
//! The search range follows from the transactions that have ended: no new record can appear below the oldest running
//! transaction. Each seal stores this bound at the time of sealing, so a pass reads only the end of the log, even after
//! a restart. If a database was restored into another cluster, its transaction numbers start again. Only then the
//! sealer scans the whole log once.

mod archive;
mod canonical;
mod chain;
mod store;
pub mod transparency;

use std::sync::{Mutex, PoisonError};

use labs_media::store::MediaStore;
use sqlx::PgPool;
use tokio::task::spawn_blocking;

use crate::context::ChainHead;
use crate::db::Db;
use crate::fault::Fault;
pub use archive::archive;
pub use chain::{ChainBreak, ChainFlaw, Verdict};
use store::{ChainEnd, UnsealedRecords};
pub use store::{count_unsealed, detach, last_position, list_over};

/// Maximum number of records sealed in one pass.
const PASS: usize = 500;
/// Maximum number of passes in one call. A long backlog needs several calls.
const PASSES: usize = 20;

/// Seals committed audit records.
pub struct Sealer {
    pool: PgPool,
    known: Mutex<Option<Search>>,
}

/// Search range for records without a seal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Search {
    /// Every record of a transaction below this one has a seal.
    from: i64,
    /// Whether the whole log is scanned, because it can contain records of another cluster's transactions.
    is_whole: bool,
}

impl Search {
    const WHOLE: Self = Self { from: 0, is_whole: true };

    /// Computes the range of a pass from the memory of this process and the last seal. A transaction number above the
    /// oldest running transaction comes from another cluster and is ignored.
    fn begin(known: Option<Self>, end: &ChainEnd) -> Self {
        let said = Some(end.settled_below).filter(|below| *below > 0);
        let said = said.map(|from| Self { from, is_whole: false });
        known.into_iter().chain(said).find(|search| search.from <= end.oldest_running).unwrap_or(Self::WHOLE)
    }

    /// Computes the range of the next pass. If the pass took every record, the range starts at the oldest running
    /// transaction; otherwise at the last transaction that was taken.
    fn go_on(self, due: &UnsealedRecords) -> Self {
        if due.records.len() < PASS {
            return Self { from: due.oldest_running, is_whole: false };
        }
        Self { from: due.last_transaction.min(due.oldest_running), is_whole: self.is_whole }
    }

    /// Bound that the seals store for the next sealer; 0 while the whole log is scanned.
    fn settled_below(self) -> i64 {
        if self.is_whole { 0 } else { self.from }
    }
}

impl Sealer {
    /// Creates a sealer over this database. Several sealers may run; only one works at a time.
    #[must_use]
    pub fn new(pool: PgPool) -> Self {
        Self { pool, known: Mutex::default() }
    }

    /// Seals every committed record. Returns the number of sealed records; 0 while another sealer works.
    ///
    /// The future opens transactions, so it must run to completion and must not be dropped earlier.
    ///
    /// # Errors
    /// [`crate::fault::Code::Unavailable`] if the database does not answer. Records that are already sealed stay
    /// sealed.
    pub async fn seal_due(&self) -> Result<usize, Fault> {
        let mut sealed = 0;
        for _ in 0..PASSES {
            let pass = self.run_pass().await?;
            sealed += pass;
            if pass < PASS {
                break;
            }
        }
        Ok(sealed)
    }

    async fn run_pass(&self) -> Result<usize, Fault> {
        let mut transaction = self.pool.begin().await?;
        if !store::lock(&mut transaction).await? {
            transaction.rollback().await?;
            return Ok(0);
        }
        let end = store::end(&mut transaction).await?;
        let known = *self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let search = Search::begin(known, &end);
        let due = store::due(&mut transaction, search.from, search.is_whole).await?;
        let next = search.go_on(&due);
        let seals = chain::link(end.position, end.hash, &due.records);
        store::insert(&mut transaction, &seals, next.settled_below()).await?;
        transaction.commit().await?;
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Some(next);
        Ok(seals.len())
    }
}

/// Returns the current end of the chain; `None` if no record is sealed.
///
/// # Errors
/// [`crate::fault::Code::Unavailable`] if the database does not answer.
pub async fn head(db: &Db) -> Result<Option<ChainHead>, Fault> {
    let end = store::end(&mut *db.conn().await?).await?;
    Ok(end.hash.map(|hash| ChainHead { position: end.position, hash: hex::encode(hash) }))
}

/// Recomputes the chain between two positions, both included, and returns the first break. Archived positions are read
/// from the object storage, the rest from the log, a thousand records at a time. A position after the end of the chain
/// counts as a missing seal.
///
/// # Errors
/// [`crate::fault::Code::Unavailable`] if the database or the object storage does not answer.
pub async fn verify(db: &Db, files: &MediaStore, from: i64, until: i64) -> Result<Verdict, Fault> {
    let from = from.max(1);
    let mut walk = match archive::begin(db, from).await? {
        Some(walk) => walk,
        None => chain::ChainVerification::begin(from, hash_at(db, files, from - 1).await?),
    };
    let first_break = match archive::walk(db, files, &mut walk, until).await? {
        None => walk_log(db, &mut walk, until).await?,
        found => found,
    };
    Ok(walk.end(first_break))
}

/// Verifies every position up to `until` in the log. The next records are loaded while the digests are computed.
async fn walk_log(db: &Db, walk: &mut chain::ChainVerification, until: i64) -> Result<Option<ChainBreak>, Fault> {
    let mut read = store::seals(db, walk.next(), until).await?;
    while walk.next() <= until {
        let Some(last) = read.last_position() else { return Ok(Some(walk.break_missing_seal())) };
        let computing = spawn_blocking(move || read.recompute());
        read = store::seals(db, last + 1, until).await?;
        let sealed = computing.await.map_err(Fault::internal)?;
        if let Some(found) = sealed.iter().find_map(|sealed| walk.step(&sealed.seal)) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Returns the hash at a position, from the log or from the archive.
///
/// # Errors
/// [`crate::fault::Code::Unavailable`] if the database or the object storage does not answer.
pub async fn hash_at(db: &Db, files: &MediaStore, position: i64) -> Result<Option<[u8; 32]>, Fault> {
    match archive::hash_at(db, files, position).await? {
        None => store::hash_at(db, position).await,
        found => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn end(settled_below: i64, oldest_running: i64) -> ChainEnd {
        ChainEnd { position: 7, hash: None, settled_below, oldest_running }
    }

    fn due(records: usize, last_transaction: i64, oldest_running: i64) -> UnsealedRecords {
        let record = || chain::Unsealed { record_uuid: Uuid::nil(), digest: Vec::new() };
        UnsealedRecords {
            records: std::iter::repeat_with(record).take(records).collect(),
            last_transaction,
            oldest_running,
        }
    }

    const HERE: Search = Search { from: 90, is_whole: false };

    #[test]
    fn known_search_position_precedes_last_seal() {
        assert_eq!(Search::begin(Some(HERE), &end(50, 100)), HERE);
        assert_eq!(Search::begin(None, &end(50, 100)), Search { from: 50, is_whole: false });
    }

    #[test]
    fn unknown_position_or_future_transactions_search_whole_log() {
        assert_eq!(Search::begin(None, &end(0, 100)), Search::WHOLE);
        assert_eq!(Search::begin(None, &end(5000, 100)), Search::WHOLE);
        assert_eq!(Search::begin(Some(HERE), &end(5000, 40)), Search::WHOLE);
        assert_eq!(Search::begin(Some(HERE), &end(5000, 100)), HERE);
    }

    #[test]
    fn search_continues_after_ended_and_sealed_transactions() {
        assert_eq!(HERE.go_on(&due(3, 99, 120)).from, 120);
        assert_eq!(HERE.go_on(&due(PASS, 99, 120)).from, 99);
        assert_eq!(HERE.go_on(&due(PASS, 130, 120)).from, 120);
    }

    #[test]
    fn whole_log_search_settles_nothing_until_it_ends() {
        let under_way = Search::WHOLE.go_on(&due(PASS, 99, 120));
        assert_eq!((under_way.is_whole, under_way.settled_below()), (true, 0));
        let ended = under_way.go_on(&due(3, 99, 120));
        assert_eq!((ended.is_whole, ended.settled_below()), (false, 120));
    }
}
