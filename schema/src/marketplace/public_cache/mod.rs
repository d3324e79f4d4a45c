//! The shop window as a whole: answers that take all of it to work out, kept while nothing in it changes, and listings
//! whose readers share their statements.
//!
//! Facets and the counted tree cost the more the more is listed, and change only with a publication or with the tree.
//! Every answer is kept under a stamp of both that its own statement reads, so that one that is out of date is never
//! found again. What leaves no trace in the stamp, such as a rating, shows when the answer has grown old: within the
//! minute that the contract grants. Nothing here depends on who asks.

mod store;

use std::sync::Arc;
use std::time::Duration;

use moka::sync::Cache;
use tokio::sync::OnceCell;

use super::listings::{ListingFacets, ListingKey, ListingRow};
use super::public_categories::PublicCategory;
use super::suggestions::Names;
use crate::core::coalescer::Coalescer;
use crate::core::fault::Fault;

pub(in crate::marketplace) use store::stamp_get;

/// How long an answer is kept (the contract's `marketplace_listings_search`).
const KEPT: Duration = Duration::from_secs(50);
/// Most searches whose facets are kept.
const MOST_SEARCHES: u64 = 500;
/// Most locales in which names are kept: a table of twenty thousand listings takes some ten megabytes.
const MOST_NAME_TABLES: u64 = 12;
/// Most locales in which the tree is kept.
const MOST_LOCALES: u64 = 50;

/// What was worked out of the shop window.
pub(crate) struct PublicCache {
    pub(in crate::marketplace) facets: Kept<ListingFacets>,
    pub(in crate::marketplace) trees: Kept<Vec<PublicCategory>>,
    /// What can be suggested to whoever types.
    pub(in crate::marketplace) names: Kept<Names>,
    /// Listings that are read by several at once.
    pub(in crate::marketplace) listings: Coalescer<ListingKey, ListingRow>,
}

impl Default for PublicCache {
    fn default() -> Self {
        Self {
            facets: Kept::with_room(MOST_SEARCHES),
            trees: Kept::with_room(MOST_LOCALES),
            names: Kept::with_room(MOST_NAME_TABLES),
            listings: Coalescer::default(),
        }
    }
}

/// Answers of one kind, by stamp and question.
pub(in crate::marketplace) struct Kept<T>(Cache<(String, String), Arc<OnceCell<Arc<T>>>>);

impl<T: Send + Sync + 'static> Kept<T> {
    fn with_room(most: u64) -> Self {
        Self(Cache::builder().max_capacity(most).time_to_live(KEPT).build())
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
        let cell = self.0.get_with((stamp, question), Arc::default);
        cell.get_or_try_init(|| async { make.await.map(Arc::new) }).await.cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn ask(kept: &Kept<u32>, stamp: &str, question: &str, answer: Result<u32, Fault>) -> Option<u32> {
        let made = kept.get_or_make(stamp.to_owned(), question.to_owned(), async { answer }).await;
        made.ok().map(|answer| *answer)
    }

    #[tokio::test]
    async fn an_answer_is_kept_under_its_stamp_and_question() {
        let kept = Kept::with_room(10);
        assert_eq!(ask(&kept, "1", "a", Ok(1)).await, Some(1));
        assert_eq!(ask(&kept, "1", "a", Ok(2)).await, Some(1));
        assert_eq!(ask(&kept, "1", "b", Ok(3)).await, Some(3));
        assert_eq!(ask(&kept, "2", "a", Ok(4)).await, Some(4));
    }

    #[tokio::test]
    async fn a_failure_is_not_kept() {
        let kept = Kept::with_room(10);
        assert_eq!(ask(&kept, "1", "a", Err(Fault::conflict("no"))).await, None);
        assert_eq!(ask(&kept, "1", "a", Ok(5)).await, Some(5));
    }
}
