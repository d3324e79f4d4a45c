//! Shared statements: one statement answers concurrent reads of several requests.
//!
//! The answer of a public read does not depend on the caller, so concurrent reads can be answered by one statement
//! (docs/performance.md#decisions-that-follow-from-the-figures). No timer is used: reads that arrive while a statement
//! runs wait for the next one, and a single read runs alone. Data of a partner and reads that leave an audit record
//! never use this path.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use opentelemetry::trace::SpanContext;
use tokio::sync::oneshot;

use crate::fault::Fault;
use crate::trace;

/// Number of concurrent statements. With one, requests that arrive while it runs share the next one. With more, smaller
/// batches compete for the same cores, and the slowest answers come later.
const LANES: usize = 1;
/// Maximum number of keys in one statement.
const MOST: usize = 64;

/// Queue of reads of one kind that wait for a shared statement.
pub struct Coalescer<K, V>(Arc<Mutex<Queue<K, V>>>);

struct Queue<K, V> {
    waiting: Vec<Waiter<K, V>>,
    lanes: usize,
}

struct Waiter<K, V> {
    key: K,
    /// Span of the waiting request, if traces are collected.
    span: Option<SpanContext>,
    answer: oneshot::Sender<Result<Option<V>, Fault>>,
}

impl<K, V> Default for Coalescer<K, V> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Queue { waiting: Vec::new(), lanes: 0 })))
    }
}

impl<K: Send + 'static, V: Send + 'static> Coalescer<K, V> {
    /// Returns the value of a key, if it exists. `fetch` loads several keys at once and returns their values in the
    /// same order.
    ///
    /// The statement runs in its own task, because several requests wait for it.
    ///
    /// # Errors
    /// The fault of `fetch`; all requests that share a statement share its failure.
    pub async fn get<F, Fut>(&self, key: K, fetch: F) -> Result<Option<V>, Fault>
    where
        F: Fn(Vec<K>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Vec<Option<V>>, Fault>> + Send,
    {
        let (answer, answered) = oneshot::channel();
        let opens_lane = {
            let mut queue = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            queue.waiting.push(Waiter { key, span: trace::current_span(), answer });
            let opens_lane = queue.lanes < LANES;
            queue.lanes += usize::from(opens_lane);
            opens_lane
        };
        if opens_lane {
            let mut lane = Worker { queue: Arc::clone(&self.0), is_open: true };
            tokio::spawn(async move {
                while let Some(batch) = lane.next() {
                    work(batch, &fetch).await;
                }
            });
        }
        answered.await.map_err(|_| Fault::internal("a statement shared by several reads ended without a result"))?
    }
}

/// Runs one statement after the other until no request waits.
struct Worker<K, V> {
    queue: Arc<Mutex<Queue<K, V>>>,
    is_open: bool,
}

impl<K, V> Worker<K, V> {
    /// Returns the next batch. If none waits, the lane closes under the same lock, so that the next request opens a new
    /// one.
    fn next(&mut self) -> Option<Vec<Waiter<K, V>>> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if queue.waiting.is_empty() {
            queue.lanes -= 1;
            self.is_open = false;
            return None;
        }
        let most = queue.waiting.len().min(MOST);
        Some(queue.waiting.drain(..most).collect())
    }
}

impl<K, V> Drop for Worker<K, V> {
    /// Closes the lane after a panic, so that no request waits for it forever.
    fn drop(&mut self) {
        if self.is_open {
            let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
            queue.lanes -= 1;
            if queue.lanes == 0 {
                queue.waiting.clear();
            }
        }
    }
}

async fn work<K, V, F, Fut>(batch: Vec<Waiter<K, V>>, fetch: &F)
where
    F: Fn(Vec<K>) -> Fut,
    Fut: Future<Output = Result<Vec<Option<V>>, Fault>>,
{
    let spans = batch.iter().filter_map(|waiting| waiting.span.clone()).collect();
    let (keys, asking): (Vec<K>, Vec<_>) = batch.into_iter().map(|waiting| (waiting.key, waiting.answer)).unzip();
    // Sends to callers that have left fail and are ignored.
    match trace::in_shared_span("shared statement", spans, fetch(keys)).await {
        Ok(found) => {
            for (answer, value) in asking.into_iter().zip(found) {
                let _ = answer.send(Ok(value));
            }
        }
        Err(fault) => {
            let heard = asking.into_iter().filter_map(|answer| answer.send(Err(fault.clone())).ok()).count();
            if heard == 0 {
                tracing::warn!(
                    cause = fault.for_log(),
                    "a statement shared by several reads failed after all their clients had disconnected"
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::Semaphore;

    use super::*;

    /// Statements that wait for a permit to begin, and the number of keys of each.
    #[derive(Clone)]
    struct Statements {
        let_begin: Arc<Semaphore>,
        sizes: Arc<Mutex<Vec<usize>>>,
    }

    impl Statements {
        fn new() -> Self {
            Self { let_begin: Arc::new(Semaphore::new(0)), sizes: Arc::default() }
        }

        /// Doubles even keys; odd keys have no value.
        fn fetch(&self) -> impl Fn(Vec<u32>) -> futures_util::future::BoxFuture<'static, Fetched> + Send + 'static {
            let statements = self.clone();
            move |keys| {
                let statements = statements.clone();
                Box::pin(async move {
                    statements.let_begin.acquire().await.unwrap().forget();
                    statements.sizes.lock().unwrap().push(keys.len());
                    Ok(keys.into_iter().map(|key| (key % 2 == 0).then_some(key * 2)).collect())
                })
            }
        }
    }

    type Fetched = Result<Vec<Option<u32>>, Fault>;

    #[tokio::test]
    async fn concurrent_gets_share_next_statement() {
        let (shared, statements) = (Arc::new(Coalescer::<u32, u32>::default()), Statements::new());
        let mut asking = Vec::new();
        for key in 0..12 {
            let (shared, fetch) = (Arc::clone(&shared), statements.fetch());
            asking.push(tokio::spawn(async move { shared.get(key, fetch).await }));
        }
        // On one thread, spawned tasks run in order, so every request is queued before the first statement begins.
        statements.let_begin.add_permits(12);
        for (key, asked) in (0..).zip(asking) {
            assert_eq!(asked.await.unwrap().unwrap(), (key % 2 == 0).then_some(key * 2));
        }
        let sizes = statements.sizes.lock().unwrap().clone();
        assert_eq!(sizes.iter().sum::<usize>(), 12);
        assert!(sizes.len() < 12, "nobody shared: {sizes:?}");
        assert_eq!(shared.0.lock().unwrap().lanes, 0);
    }

    #[tokio::test]
    async fn statement_error_reaches_all_waiters_and_next_get_works() {
        let shared = Coalescer::<u32, u32>::default();
        let failing = |_| async { Err(Fault::conflict("no")) };
        assert!(shared.get(1, failing).await.is_err());
        assert_eq!(shared.get(4, |_| async { Ok(vec![Some(5)]) }).await.unwrap(), Some(5));
    }

    #[tokio::test]
    async fn panicking_statement_returns_error_and_closes_lane() {
        let shared = Coalescer::<u32, u32>::default();
        let panicking = |keys: Vec<u32>| async move {
            assert!(keys.is_empty(), "it panics");
            Ok(Vec::new())
        };
        assert!(shared.get(1, panicking).await.is_err());
        assert_eq!(shared.0.lock().unwrap().lanes, 0);
        assert_eq!(shared.get(4, |_| async { Ok(vec![None]) }).await.unwrap(), None);
    }
}
