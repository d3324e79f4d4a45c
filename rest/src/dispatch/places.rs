//! Places of what callers let the service wait for: bodies that do not come with their heads, and uploads, each of which is
//! held in memory whole until it is answered. Whoever finds no place waits for one, and everybody has a share only.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};

/// How long somebody waits for a place.
const PATIENCE: Duration = Duration::from_secs(5);

/// All places, and the share of each account or network that holds or awaits one.
pub(crate) struct Places {
    all: Semaphore,
    most_of_one: usize,
    shares: Mutex<HashMap<String, Arc<Semaphore>>>,
}

/// A place, until it is dropped.
pub(crate) struct Place<'p> {
    _share: OwnedSemaphorePermit,
    _one: SemaphorePermit<'p>,
}

impl Places {
    /// So many places, of which one account or network has at most so many: whoever sends slowly must not keep everybody
    /// else from sending.
    pub(crate) fn new(most: usize, most_of_one: usize) -> Self {
        Self { all: Semaphore::new(most), most_of_one, shares: Mutex::default() }
    }

    /// A place for one more of somebody's; none when none became free in time.
    pub(crate) async fn take(&self, whose: &str) -> Option<Place<'_>> {
        let taken = tokio::time::timeout(PATIENCE, async {
            let share = self.share(whose).acquire_owned().await.ok()?;
            let one = self.all.acquire().await.ok()?;
            Some(Place { _share: share, _one: one })
        });
        taken.await.ok().flatten()
    }

    fn share(&self, whose: &str) -> Arc<Semaphore> {
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        // What nobody holds or awaits is known to this map alone.
        shares.retain(|_, share| Arc::strong_count(share) > 1);
        Arc::clone(shares.entry(whose.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(self.most_of_one))))
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    const MOST_OF_ONE: usize = 4;

    #[tokio::test]
    async fn an_account_has_its_share_and_all_together_have_no_more_than_there_are() {
        let places = Places::new(16, MOST_OF_ONE);
        let take = |account| places.take(account).now_or_never().flatten();
        let mut held: Vec<Place<'_>> = Vec::new();
        for account in ["a", "b", "c", "d"] {
            held.extend((0..MOST_OF_ONE).map(|_| take(account).unwrap()));
            assert!(take(account).is_none(), "{account} has its share");
        }
        assert!(take("e").is_none(), "every place is taken");
        held.pop();
        assert!(take("a").is_none() && take("e").is_some(), "one is free, and not for everybody");
        held.clear();
        assert!(take("a").is_some());
        assert_eq!(places.shares.lock().unwrap().len(), 1, "nobody else is remembered");
    }

    #[tokio::test]
    async fn whoever_waits_gets_the_place_that_becomes_free() {
        let places = Places::new(16, MOST_OF_ONE);
        let mut held = Vec::new();
        for _ in 0..MOST_OF_ONE {
            held.push(places.take("a").await.unwrap());
        }
        let mut waiting = std::pin::pin!(places.take("a"));
        assert!(futures_util::poll!(waiting.as_mut()).is_pending());
        held.pop();
        assert!(waiting.await.is_some());
    }
}
