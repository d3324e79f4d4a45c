//! The audit chain: each audit record gets a place and a hash that covers the one before, so that nobody can alter,
//! remove or slip in a record unseen (specification: decisions, Audit).
//!
//! ```text
//!   hash(n) = SHA-256( hash(n - 1) ‖ SHA-256(canonical text of record n) )        hash(0) = 32 zero bytes
//! ```
//!
//! What the canonical text is stands in one view, `audit_canonical`, for sealing and for verifying alike.
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

mod chain;
mod store;

use std::sync::atomic::{AtomicI64, Ordering};

use sqlx::PgPool;

use crate::db::Db;
use crate::fault::Fault;

pub use chain::{Break, Flaw, Verdict};

/// Records sealed in one pass, at most.
const PASS: usize = 500;
/// Passes of one call, at most: a long backlog is worked off by several calls.
const PASSES: usize = 20;

/// Seals what is due.
pub struct Sealer {
    pool: PgPool,
    /// Every record of a transaction below this one is sealed; 0: not known yet.
    settled_below: AtomicI64,
}

impl Sealer {
    /// A sealer over this database. Any number of them may run; one works at a time.
    #[must_use]
    pub fn new(pool: PgPool) -> Self {
        Self { pool, settled_below: AtomicI64::new(0) }
    }

    /// Seals every record that has been committed. Answers how many; none while another sealer is at work.
    ///
    /// It begins transactions, so it must be run to its end and not be dropped half-way.
    ///
    /// # Errors
    /// [`crate::fault::Code::Unavailable`] when the database is away; what was sealed before stays so.
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
        let below = end.settled_below.max(self.settled_below.load(Ordering::Acquire));
        // Transactions beyond those that there are belong to another cluster: what is settled is unknown here.
        let below = if below <= end.oldest_running { below } else { 0 };
        let due = store::due(&mut transaction, below).await?;
        let settled_below = if due.records.len() < PASS { due.oldest_running } else { below };
        let seals = chain::link(end.position, end.hash, &due.records);
        store::insert(&mut transaction, &seals, settled_below).await?;
        transaction.commit().await?;
        self.settled_below.store(settled_below, Ordering::Release);
        Ok(seals.len())
    }
}

/// Recomputes the chain from one place to another, both included, and answers the first break. It reads the seals and
/// the records a thousand at a time.
///
/// # Errors
/// [`crate::fault::Code::Unavailable`] when the database is away.
pub async fn verify(db: &Db, from: i64, until: Option<i64>) -> Result<Verdict, Fault> {
    let from = from.max(1);
    let last = store::last_position(db).await?;
    let until = until.map_or(last, |until| until.min(last));
    let mut walk = chain::Walk::begin(from, store::hash_at(db, from - 1).await?);
    while walk.next() <= until {
        let seals = store::seals(db, walk.next(), until).await?;
        let is_last = seals.is_empty();
        for seal in seals {
            if let Some(found) = walk.step(&seal) {
                return Ok(walk.end(Some(found)));
            }
        }
        if is_last {
            let missing = walk.missing();
            return Ok(walk.end(Some(missing)));
        }
    }
    Ok(walk.end(None))
}
