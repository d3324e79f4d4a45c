//! The shop window as a whole: answers that take all of it to work out, kept while nothing in it changes, and listings
//! whose readers share their statements.
//!
//! Facets and the counted tree cost the more the more is listed, and change only with a publication or with the tree.
//! Every answer is kept under a stamp of both that its own statement reads, so that one that is out of date is never
//! found again. What leaves no trace in the stamp, such as a rating, shows when the answer has grown old: within the
//! minute that the contract grants. Nothing here depends on who asks.

mod known;
mod store;

use std::sync::Arc;
use std::time::Duration;

use moka::sync::Cache;
use tokio::sync::{Mutex, OnceCell};

use super::listings::{ListingFacets, ListingKey, ListingRow};
use super::public_categories::PublicCategory;
use super::suggestions::Names;
use crate::core::coalescer::Coalescer;
use crate::core::fault::Fault;

pub(in crate::marketplace) use known::{Known, known_values};
pub(in crate::marketplace) use store::stamp_get;

/// How long an answer is kept (the contract's `marketplace_listings_search`).
const KEPT: Duration = Duration::from_secs(50);
/// Bytes of the facets that are kept.
const FACETS: u64 = 16 << 20;
/// Bytes of the trees that are kept.
const TREES: u64 = 16 << 20;
/// Bytes of the tables of names that are kept: one of twenty thousand listings takes some ten megabytes.
const NAMES: u64 = 128 << 20;
/// Bytes of the values that are known to exist. There is one of them under a stamp.
const KNOWN: u64 = 32 << 20;

/// What was worked out of the shop window.
pub(crate) struct PublicCache {
    pub(in crate::marketplace) facets: Kept<ListingFacets>,
    pub(in crate::marketplace) trees: Kept<Vec<PublicCategory>>,
    /// What can be suggested to whoever types.
    pub(in crate::marketplace) names: Kept<Names>,
    /// Held by the one that makes a table of names, which takes a core for a while.
    pub(in crate::marketplace) making_names: Mutex<()>,
    known: Kept<Known>,
    /// Listings that are read by several at once.
    pub(in crate::marketplace) listings: Coalescer<ListingKey, ListingRow>,
}

impl Default for PublicCache {
    fn default() -> Self {
        Self {
            facets: Kept::with_room(FACETS),
            trees: Kept::with_room(TREES),
            names: Kept::with_room(NAMES),
            making_names: Mutex::default(),
            known: Kept::with_room(KNOWN),
            listings: Coalescer::default(),
        }
    }
}

/// Something that is kept in memory.
pub(in crate::marketplace) trait Weighed {
    /// About how many bytes it takes.
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

/// Twice what is written of an answer: about what its texts take with the pointers to them.
fn written_bytes(answer: &impl serde::Serialize) -> usize {
    serde_json::to_vec(answer).map_or(usize::MAX, |written| written.len().saturating_mul(2))
}

/// An answer that is being made, or was.
type Cell<T> = Arc<OnceCell<Arc<T>>>;

/// Answers of one kind, by stamp and question, within a number of bytes.
pub(in crate::marketplace) struct Kept<T>(Cache<(String, String), Cell<T>>);

impl<T: Weighed + Send + Sync + 'static> Kept<T> {
    fn with_room(most_bytes: u64) -> Self {
        let weigh = |(stamp, question): &(String, String), cell: &Cell<T>| {
            let answer = cell.get().map_or(0, |answer| answer.bytes());
            let bytes = answer.saturating_add(stamp.len() + question.len() + size_of::<OnceCell<Arc<T>>>());
            u32::try_from(bytes).unwrap_or(u32::MAX)
        };
        Self(Cache::builder().max_capacity(most_bytes).weigher(weigh).time_to_live(KEPT).build())
    }

    /// The answer to a question under a stamp. Of several who ask at once one works it out and the others wait.
    ///
    /// # Errors
    /// What making it answered; then nothing is kept.
    pub(in crate::marketplace) async fn get_or_make(
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
            // Only now its weight is known.
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
    async fn answers_are_kept_within_their_bytes() {
        let kept = Kept::with_room(10_000);
        for number in 0..100 {
            assert_eq!(ask(&kept, "1", &number.to_string(), Ok(number)).await, Some(number));
            kept.0.run_pending_tasks();
            assert!(kept.0.weighted_size() <= 10_000, "{}", kept.0.weighted_size());
        }
        assert!((1..10).contains(&kept.0.entry_count()), "{}", kept.0.entry_count());
    }

    async fn ask(kept: &Kept<u32>, stamp: &str, question: &str, answer: Result<u32, Fault>) -> Option<u32> {
        let made = kept.get_or_make(stamp.to_owned(), question.to_owned(), async { answer }).await;
        made.ok().map(|answer| *answer)
    }

    #[tokio::test]
    async fn an_answer_is_kept_under_its_stamp_and_question() {
        let kept = Kept::with_room(10_000);
        assert_eq!(ask(&kept, "1", "a", Ok(1)).await, Some(1));
        assert_eq!(ask(&kept, "1", "a", Ok(2)).await, Some(1));
        assert_eq!(ask(&kept, "1", "b", Ok(3)).await, Some(3));
        assert_eq!(ask(&kept, "2", "a", Ok(4)).await, Some(4));
    }

    #[tokio::test]
    async fn a_failure_is_not_kept() {
        let kept = Kept::with_room(10_000);
        assert_eq!(ask(&kept, "1", "a", Err(Fault::conflict("no"))).await, None);
        assert_eq!(ask(&kept, "1", "a", Ok(5)).await, Some(5));
    }
}
