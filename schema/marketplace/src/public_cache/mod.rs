//! Caches of the storefront: answers computed from all its content, which stay valid until the content changes, and
//! shared reads of listings.
//!
//! The cost of category counts and name tables grows with the number of listings, but they change only with a
//! publication or with the category tree. The cache key of an answer contains a stamp of both, which the answer's own
//! statement reads, so an outdated answer is never returned. A change without an effect on the stamp, for example a
//! rating, becomes visible when the answer expires: within the minute that the contract allows. The key of facets
//! contains the version of the index of listings instead. No answer depends on the caller.

mod store;

use std::sync::Arc;
use std::time::Duration;

use labs_core::coalescer::Coalescer;
use labs_core::db::Db;
use labs_core::fault::Fault;
use moka::sync::Cache;
use tokio::sync::{Mutex, OnceCell};

use super::listings::{ListingFacets, ListingKey, ListingRow};
use super::public_categories::PublicCategory;
use super::suggestions::Names;

pub(crate) use store::get_stamp;

/// Lifetime of a cached value. REST reuses answers for 25 seconds (`@reusable`), so that both together are within the
/// minute that the contract allows (`marketplace_listings_search`).
const KEPT: Duration = Duration::from_secs(30);
/// Maximum bytes of cached facets.
const FACETS: u64 = 16 << 20;
/// Maximum bytes of cached trees.
const TREES: u64 = 16 << 20;
/// Maximum bytes of cached name tables. A table of twenty thousand listings takes about ten megabytes.
const NAMES: u64 = 128 << 20;

/// Caches of answers computed from the whole storefront.
pub(crate) struct PublicCache {
    pub(crate) facets: CachedAnswers<ListingFacets>,
    pub(crate) trees: CachedAnswers<Vec<PublicCategory>>,
    /// Name tables for search suggestions.
    pub(crate) names: CachedAnswers<Names>,
    /// Lock of the request that builds a name table, which occupies a core for a while.
    pub(crate) making_names: Mutex<()>,
    /// Shares concurrent reads of listings.
    pub(crate) listings: Coalescer<ListingKey, ListingRow>,
}

impl Default for PublicCache {
    fn default() -> Self {
        Self {
            facets: CachedAnswers::with_room(FACETS),
            trees: CachedAnswers::with_room(TREES),
            names: CachedAnswers::with_room(NAMES),
            making_names: Mutex::default(),
            listings: Coalescer::default(),
        }
    }
}

/// Value with a known size in memory.
pub(crate) trait Weighed {
    /// Returns the approximate size in bytes.
    fn bytes(&self) -> usize;
}

impl Weighed for ListingFacets {
    fn bytes(&self) -> usize {
        written_bytes(self)
    }
}

impl Weighed for Vec<PublicCategory> {
    fn bytes(&self) -> usize {
        written_bytes(self)
    }
}

/// Returns twice the serialized size of an answer, an estimate for its texts and the pointers to them.
fn written_bytes(answer: &impl serde::Serialize) -> usize {
    serde_json::to_vec(answer).map_or(usize::MAX, |written| written.len().saturating_mul(2))
}

/// Answer that is computed or in progress.
type Cell<T> = Arc<OnceCell<Arc<T>>>;

/// Cache of one kind of answers, by stamp and question, limited in bytes.
pub(crate) struct CachedAnswers<T>(Cache<(String, String), Cell<T>>);

impl<T: Weighed + Send + Sync + 'static> CachedAnswers<T> {
    fn with_room(most_bytes: u64) -> Self {
        let weigh = |(stamp, question): &(String, String), cell: &Cell<T>| {
            let answer = cell.get().map_or(0, |answer| answer.bytes());
            let bytes = answer.saturating_add(stamp.len() + question.len() + size_of::<OnceCell<Arc<T>>>());
            u32::try_from(bytes).unwrap_or(u32::MAX)
        };
        Self(Cache::builder().max_capacity(most_bytes).weigher(weigh).time_to_live(KEPT).build())
    }

    /// Returns the answer to a question under a stamp, from the cache or from the database. A caller that computes it
    /// has a turn of its account before others wait for it, and holds no connection while it waits for others.
    ///
    /// # Errors
    /// The error of the computation, or [`labs_core::Code::RateLimited`] if the account's earlier reads take too long.
    pub(crate) async fn get_or_read(
        &self,
        db: &Db,
        (stamp, question): (String, String),
        read: impl Future<Output = Result<T, Fault>>,
    ) -> Result<Arc<T>, Fault> {
        let key = (stamp, question);
        if let Some(answer) = self.0.get(&key).and_then(|cell| cell.get().cloned()) {
            return Ok(answer);
        }
        db.release().await;
        db.reserve_turn().await?;
        self.get_or_make(key.0, key.1, read).await
    }

    /// Returns the answer to a question under a stamp. Among concurrent callers, one computes it and the others wait.
    ///
    /// # Errors
    /// The error of the computation; then the cache stores nothing.
    pub(crate) async fn get_or_make(
        &self,
        stamp: String,
        question: String,
        make: impl Future<Output = Result<T, Fault>>,
    ) -> Result<Arc<T>, Fault> {
        let key = (stamp, question);
        let cell = self.0.get_with(key.clone(), Arc::default);
        let mut is_made_here = false;
        let made = cell.get_or_try_init(|| async {
            let made = make.await.map(Arc::new);
            is_made_here = made.is_ok();
            made
        });
        let answer = made.await.cloned()?;
        if is_made_here {
            // Inserts the entry again, because its weight is known only now.
            self.0.insert(key, cell);
        }
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Weighed for u32 {
        fn bytes(&self) -> usize {
            1_000
        }
    }

    #[tokio::test]
    async fn cache_stays_within_its_byte_limit() {
        let kept = CachedAnswers::with_room(10_000);
        for number in 0..100 {
            assert_eq!(ask(&kept, "1", &number.to_string(), Ok(number)).await, Some(number));
            kept.0.run_pending_tasks();
            assert!(kept.0.weighted_size() <= 10_000, "{}", kept.0.weighted_size());
        }
        assert!((1..10).contains(&kept.0.entry_count()), "{}", kept.0.entry_count());
    }

    async fn ask(kept: &CachedAnswers<u32>, stamp: &str, question: &str, answer: Result<u32, Fault>) -> Option<u32> {
        let made = kept.get_or_make(stamp.to_owned(), question.to_owned(), async { answer }).await;
        made.ok().map(|answer| *answer)
    }

    #[tokio::test]
    async fn cached_response_is_keyed_by_stamp_and_query() {
        let kept = CachedAnswers::with_room(10_000);
        assert_eq!(ask(&kept, "1", "a", Ok(1)).await, Some(1));
        assert_eq!(ask(&kept, "1", "a", Ok(2)).await, Some(1));
        assert_eq!(ask(&kept, "1", "b", Ok(3)).await, Some(3));
        assert_eq!(ask(&kept, "2", "a", Ok(4)).await, Some(4));
    }

    #[tokio::test]
    async fn error_is_not_cached() {
        let kept = CachedAnswers::with_room(10_000);
        assert_eq!(ask(&kept, "1", "a", Err(Fault::conflict("no"))).await, None);
        assert_eq!(ask(&kept, "1", "a", Ok(5)).await, Some(5));
    }
}
