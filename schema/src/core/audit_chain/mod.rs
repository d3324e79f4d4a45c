//! The audit chain: each audit record gets a place and a hash that covers the one before, so that nobody can alter,
//! remove or slip in a record unseen (docs/decisions.md#audit).
//!
//! ```text
//!   hash(n) = SHA-256( hash(n - 1) ‖ SHA-256(canonical text of record n) )        hash(0) = 32 zero bytes
//! ```
//!
//! What the canonical text is stands in one view, `audit_canonical`, from which records are sealed. Whoever verifies makes it
//! anew from what is stored (`canonical.rs`).
//!
//! Records are sealed after their commit, by one sealer at a time, so that writers never wait for one another. A pass
//! takes every record that it sees without a seal, in the order of their transactions; what commits later comes in a
//! later pass. So no record is skipped, an open transaction holds nobody up, and the order is the chain's own: once
//! given, a place never changes.
//!
//! Where to look is known from the transactions that have ended: below the oldest one still running nothing can appear
//! any more. Each seal says up to where that was when it was set, so a pass reads the end of the log and never the
//! whole of it, after a restart neither. Only a database that was restored into another cluster, whose transactions are
//! numbered anew, is looked through once.

mod archive;
mod canonical;
mod chain;
mod store;

use std::sync::{Mutex, PoisonError};

use sqlx::PgPool;
use tokio::task::spawn_blocking;

use crate::core::context::ChainHead;
use crate::core::db::Db;
use crate::core::fault::Fault;
use crate::core::media::store::MediaStore;

use store::{ChainEnd, UnsealedRecords};

pub(crate) use archive::archive;
pub use chain::{ChainBreak, ChainFlaw, Verdict};
pub(crate) use store::{count_unsealed, detach, last_position, list_over};

/// Records sealed in one pass, at most.
const PASS: usize = 500;
/// Passes of one call, at most: a long backlog is worked off by several calls.
const PASSES: usize = 20;

/// Seals what is due.
pub struct Sealer {
    pool: PgPool,
    known: Mutex<Option<Search>>,
}

/// Where to look for records without a seal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Search {
    /// Every record of a transaction below this one is sealed.
    from: i64,
    /// The log is being looked through from end to end: records of another cluster's transactions may be in it.
    is_whole: bool,
}

impl Search {
    const WHOLE: Self = Self { from: 0, is_whole: true };

    /// Where a pass begins, from what this process knows and what the last seal says. What names a transaction that
    /// there has not been yet comes from another cluster and says nothing about this one.
    fn begin(known: Option<Self>, end: &ChainEnd) -> Self {
        let said = Some(end.settled_below).filter(|below| *below > 0);
        let said = said.map(|from| Self { from, is_whole: false });
        known.into_iter().chain(said).find(|search| search.from <= end.oldest_running).unwrap_or(Self::WHOLE)
    }

    /// Where the next pass goes on: behind all that has ended when everything was taken, else behind what was.
    fn go_on(self, due: &UnsealedRecords) -> Self {
        if due.records.len() < PASS {
            return Self { from: due.oldest_running, is_whole: false };
        }
        Self { from: due.last_transaction.min(due.oldest_running), is_whole: self.is_whole }
    }

    /// What a seal says of it to whoever seals next.
    fn settled_below(self) -> i64 {
        if self.is_whole { 0 } else { self.from }
    }
}

impl Sealer {
    /// A sealer over this database. Any number of them may run; one works at a time.
    #[must_use]
    pub fn new(pool: PgPool) -> Self {
        Self { pool, known: Mutex::default() }
    }

    /// Seals every record that has been committed. Answers how many; none while another sealer is at work.
    ///
    /// It begins transactions, so it must be run to its end and not be dropped half-way.
    ///
    /// # Errors
    /// [`crate::core::fault::Code::Unavailable`] when the database is away; what was sealed before stays so.
    pub async fn seal_due(&self) -> Result<usize, Fault> {
        let mut sealed = 0;
        for _ in 0..PASSES {
            let pass = self.pass().await?;
            sealed += pass;
            if pass < PASS {
                break;
            }
        }
        Ok(sealed)
    }

    async fn pass(&self) -> Result<usize, Fault> {
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

/// Where the chain ends now; `None` while nothing is sealed.
///
/// # Errors
/// [`crate::core::fault::Code::Unavailable`] when the database is away.
pub async fn head(db: &Db) -> Result<Option<ChainHead>, Fault> {
    let end = store::end(&mut *db.conn().await?).await?;
    Ok(end.hash.map(|hash| ChainHead { position: end.position, hash: hex::encode(hash) }))
}

/// Recomputes the chain from one place to another, both included, and answers the first break: what was archived from its
/// pieces in the store of files, the rest from the log. It reads the log a thousand records at a time. A place that the chain
/// does not reach is one whose seal is gone.
///
/// # Errors
/// [`crate::core::fault::Code::Unavailable`] when the database or the store is away.
pub(crate) async fn verify(db: &Db, files: &MediaStore, from: i64, until: i64) -> Result<Verdict, Fault> {
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

/// Looks at every place up to this one as it stands in the log. What comes next is read while digests are computed.
async fn walk_log(db: &Db, walk: &mut chain::ChainVerification, until: i64) -> Result<Option<ChainBreak>, Fault> {
    let mut read = store::seals(db, walk.next(), until).await?;
    while walk.next() <= until {
        let Some(last) = read.last_position() else { return Ok(Some(walk.missing())) };
        let computing = spawn_blocking(move || read.recompute());
        read = store::seals(db, last + 1, until).await?;
        let sealed = computing.await.map_err(Fault::internal)?;
        if let Some(found) = sealed.iter().find_map(|sealed| walk.step(&sealed.seal)) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The hash at a place, in the log or in what was archived of it.
///
/// # Errors
/// [`crate::core::fault::Code::Unavailable`] when the database or the store is away.
pub(crate) async fn hash_at(db: &Db, files: &MediaStore, position: i64) -> Result<Option<[u8; 32]>, Fault> {
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
    fn what_this_process_knows_comes_before_what_the_last_seal_says() {
        assert_eq!(Search::begin(Some(HERE), &end(50, 100)), HERE);
        assert_eq!(Search::begin(None, &end(50, 100)), Search { from: 50, is_whole: false });
    }

    #[test]
    fn nothing_known_and_transactions_that_have_not_been_yet_mean_the_whole_log() {
        assert_eq!(Search::begin(None, &end(0, 100)), Search::WHOLE);
        assert_eq!(Search::begin(None, &end(5000, 100)), Search::WHOLE);
        assert_eq!(Search::begin(Some(HERE), &end(5000, 40)), Search::WHOLE);
        assert_eq!(Search::begin(Some(HERE), &end(5000, 100)), HERE);
    }

    #[test]
    fn a_search_goes_on_behind_all_that_is_both_ended_and_sealed() {
        assert_eq!(HERE.go_on(&due(3, 99, 120)).from, 120);
        assert_eq!(HERE.go_on(&due(PASS, 99, 120)).from, 99);
        assert_eq!(HERE.go_on(&due(PASS, 130, 120)).from, 120);
    }

    #[test]
    fn a_look_through_the_whole_log_promises_nothing_before_its_end() {
        let under_way = Search::WHOLE.go_on(&due(PASS, 99, 120));
        assert_eq!((under_way.is_whole, under_way.settled_below()), (true, 0));
        let ended = under_way.go_on(&due(3, 99, 120));
        assert_eq!((ended.is_whole, ended.settled_below()), (false, 120));
    }
}
