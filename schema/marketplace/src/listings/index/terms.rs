//! Listings that match search terms.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fixedbitset::FixedBitSet;
use labs_core::db::Db;
use labs_core::fault::Fault;
use moka::sync::Cache;

use super::ListingIndex;
use super::facts::Facts;
use super::store::{self, MatchingApps};

/// Lifetime of the matches of a term.
const KEPT: Duration = Duration::from_secs(600);
/// Maximum bytes of the matches of all terms.
const ROOM: u64 = 16 << 20;

/// Matches of the terms of recent searches.
pub(super) struct Terms(Cache<String, Arc<Term>>);

struct Term {
    bytes: usize,
    matches: Mutex<Option<Arc<Matches>>>,
    /// Lock of the request that asks the database.
    asking: tokio::sync::Mutex<()>,
}

/// Listings that match a term, by the part that matches.
pub(super) struct Matches {
    /// Version of the index for which they are complete.
    version: u64,
    /// Version of the names of categories and collections at that time.
    names_version: u64,
    pub(super) anywhere: FixedBitSet,
    pub(super) in_name: FixedBitSet,
    /// The whole name of the app or of the partner matches.
    pub(super) whole_name: FixedBitSet,
}

impl Default for Terms {
    fn default() -> Self {
        let weigh = |words: &String, term: &Arc<Term>| u32::try_from(words.len() + term.bytes).unwrap_or(u32::MAX);
        Self(Cache::builder().max_capacity(ROOM).weigher(weigh).time_to_live(KEPT).build())
    }
}

impl Terms {
    /// Returns the listings that match a term. The first request asks the database for all of them, later ones only for
    /// the listings that have changed.
    ///
    /// # Errors
    /// If the database does not answer, or if earlier reads of the account take too long.
    pub(super) async fn matches(&self, index: &ListingIndex, db: &Db, words: &str) -> Result<Arc<Matches>, Fault> {
        let bytes = 3 * index.read(Facts::len) / 8 + size_of::<Term>() + size_of::<Matches>();
        let term = self.0.get_with(words.to_owned(), || Arc::new(Term::new(bytes)));
        if let Some(known) = term.current(index) {
            return Ok(known);
        }
        db.release().await;
        db.reserve_turn().await?;
        let _asking = term.asking.lock().await;
        if let Some(known) = term.current(index) {
            return Ok(known);
        }
        // The matches are kept for all readers.
        let db = &db.of_leader();
        let known = term.matches();
        let (version, changed) = index.read(|facts| {
            let known = known.as_ref().filter(|known| known.names_version == facts.names_version);
            let changed = known.and_then(|known| facts.changed_since(known.version));
            ((facts.version, facts.names_version), changed)
        });
        let matches = match (known, changed) {
            (Some(known), Some(changed)) => {
                let matching = store::matching_among(db, words, &changed).await?;
                index.read(|facts| known.updated(version, facts, &facts.set_of(&changed), &matching))
            }
            _ => {
                let matching = store::matching(db, words).await?;
                index.read(|facts| Matches::of(version, facts, &matching))
            }
        };
        let matches = Arc::new(matches);
        *term.matches.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&matches));
        Ok(matches)
    }
}

impl Term {
    fn new(bytes: usize) -> Self {
        Self { bytes, matches: Mutex::default(), asking: tokio::sync::Mutex::default() }
    }

    fn matches(&self) -> Option<Arc<Matches>> {
        self.matches.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the matches if no listing has changed since.
    fn current(&self, index: &ListingIndex) -> Option<Arc<Matches>> {
        let known = self.matches()?;
        let is_current = index.read(|facts| {
            facts.version == known.version
                || facts.names_version == known.names_version
                    && facts.changed_since(known.version).is_some_and(|changed| changed.is_empty())
        });
        is_current.then_some(known)
    }
}

impl Matches {
    fn of((version, names_version): (u64, u64), facts: &Facts, matching: &MatchingApps) -> Self {
        Self {
            version,
            names_version,
            anywhere: facts.set_of(&matching.anywhere),
            in_name: facts.set_of(&matching.in_name),
            whole_name: facts.set_of(&matching.whole_name),
        }
    }

    /// Replaces the matches among the changed listings.
    fn updated(&self, version: (u64, u64), facts: &Facts, changed: &FixedBitSet, matching: &MatchingApps) -> Self {
        let mut new = Self::of(version, facts, matching);
        let sets = [
            (&mut new.anywhere, &self.anywhere),
            (&mut new.in_name, &self.in_name),
            (&mut new.whole_name, &self.whole_name),
        ];
        for (new, old) in sets {
            let mut unchanged = old.clone();
            unchanged.difference_with(changed);
            new.union_with(&unchanged);
        }
        new
    }
}
