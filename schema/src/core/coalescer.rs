//! Statements that several requests share.
//!
//! What a public read answers depends on nobody who asks, so those that are asked at the same moment can be answered by
//! one statement (docs/performance.md#what-the-figures-led-to). There is no timer: what is asked while the statements under way are
//! busy waits for the next, and whoever comes alone is answered alone. Nothing of a partner ever goes this way, and
//! nothing that leaves an audit record.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use opentelemetry::trace::SpanContext;
use tokio::sync::oneshot;

use crate::core::fault::Fault;
use crate::core::trace;

/// Statements under way at once. With one, whoever comes meanwhile shares the next; with more, smaller batches contend for
/// the same cores, and the slowest answers are later.
const LANES: usize = 1;
/// Questions that one statement answers, at most.
const MOST: usize = 64;

/// Questions of one kind that wait for their statement.
pub(crate) struct Coalescer<K, V>(Arc<Mutex<Queue<K, V>>>);

struct Queue<K, V> {
    waiting: Vec<Waiter<K, V>>,
    lanes: usize,
}

struct Waiter<K, V> {
    key: K,
    /// The span of whoever asks, where traces are collected.
    span: Option<SpanContext>,
    answer: oneshot::Sender<Result<Option<V>, Fault>>,
}

impl<K, V> Default for Coalescer<K, V> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Queue { waiting: Vec::new(), lanes: 0 })))
    }
}

impl<K: Send + 'static, V: Send + 'static> Coalescer<K, V> {
    /// What there is under a key. `fetch` answers several keys at once: for each what there is, in their order.
    ///
    /// The statement runs apart from whoever asks, because others wait for it too.
    ///
    /// # Errors
    /// What `fetch` answered; all who share a statement share its failure.
    pub(crate) async fn get<F, Fut>(&self, key: K, fetch: F) -> Result<Option<V>, Fault>
    where
        F: Fn(Vec<K>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Vec<Option<V>>, Fault>> + Send,
    {
        let (answer, answered) = oneshot::channel();
        let opens_lane = {
            let mut queue = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            queue.waiting.push(Waiter { key, span: trace::asking(), answer });
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
        answered.await.map_err(|_| Fault::internal("a shared statement ended without a result"))?
    }
}

/// One statement after the other, until nobody waits.
struct Worker<K, V> {
    queue: Arc<Mutex<Queue<K, V>>>,
    is_open: bool,
}

impl<K, V> Worker<K, V> {
    /// Who is answered next. A lane that finds nobody closes in the same moment, so that whoever comes after opens one.
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
    /// A lane that ended by a panic: nobody waits for it in vain.
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
    // Who has gone away meanwhile wants no answer.
    match trace::shared("shared statement", spans, fetch(keys)).await {
        Ok(found) => {
            for (answer, value) in asking.into_iter().zip(found) {
                let _ = answer.send(Ok(value));
            }
        }
        Err(fault) => {
            let heard = asking.into_iter().filter_map(|answer| answer.send(Err(fault.clone())).ok()).count();
            if heard == 0 {
                tracing::warn!(cause = fault.for_log(), "a shared statement failed after its callers had gone");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::Semaphore;

    use super::*;

    /// Statements that begin when they are let, and how many keys each had.
    #[derive(Clone)]
    struct Statements {
        let_begin: Arc<Semaphore>,
        sizes: Arc<Mutex<Vec<usize>>>,
    }

    impl Statements {
        fn new() -> Self {
            Self { let_begin: Arc::new(Semaphore::new(0)), sizes: Arc::default() }
        }

        /// Doubles even keys; there is nothing under odd ones.
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
    async fn who_comes_while_every_lane_is_busy_shares_the_next_statement() {
        let (shared, statements) = (Arc::new(Coalescer::<u32, u32>::default()), Statements::new());
        let mut asking = Vec::new();
        for key in 0..12 {
            let (shared, fetch) = (Arc::clone(&shared), statements.fetch());
            asking.push(tokio::spawn(async move { shared.get(key, fetch).await }));
        }
        // One thread runs what was spawned in order, so all have asked before the first statement begins.
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
    async fn a_failure_is_everybodys_and_the_next_who_asks_is_answered() {
        let shared = Coalescer::<u32, u32>::default();
        let failing = |_| async { Err(Fault::conflict("no")) };
        assert!(shared.get(1, failing).await.is_err());
        assert_eq!(shared.get(4, |_| async { Ok(vec![Some(5)]) }).await.unwrap(), Some(5));
    }

    #[tokio::test]
    async fn a_statement_that_panics_answers_an_error_and_closes_its_lane() {
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
