//! Pools for CPU-bound work: it runs outside the async threads, a few tasks at a time, behind a short queue.
//!
//! Password hashing and image decoding use these pools, so that a flood of either slows down only itself.

pub mod fair;

use std::num::NonZero;
use std::sync::Arc;
use std::thread::available_parallelism;

use tokio::sync::Semaphore;

/// Bounded access to the blocking threads. Cheap to clone; clones share the bounds.
#[derive(Clone, Debug)]
pub struct BlockingPool {
    /// One permit per running or waiting task.
    places: Arc<Semaphore>,
    /// One permit per running task.
    cores: Arc<Semaphore>,
}

/// Reason why a task has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BlockingError {
    /// The queue is full. The service answers 503 with Retry-After and does no further work.
    #[error("too many tasks of this kind are waiting")]
    Overloaded,
    /// The work panicked, or the runtime is shutting down.
    #[error("the task ended without a result")]
    Broken,
}

impl BlockingPool {
    /// Creates a pool in which `permits` tasks can run and `queue` more can wait.
    pub fn new(permits: usize, queue: usize) -> BlockingPool {
        let permits = permits.clamp(1, 1_000);
        let queue = queue.min(100_000);
        BlockingPool {
            places: Arc::new(Semaphore::new(permits.saturating_add(queue))),
            cores: Arc::new(Semaphore::new(permits)),
        }
    }

    /// Runs `work` on a blocking thread as soon as a permit is free.
    ///
    /// If the future is dropped while it waits, it leaves the queue. Work that has started runs to completion and holds
    /// its permit until then, so that abandoned calls cannot exceed the bound.
    ///
    /// # Errors
    /// [`BlockingError::Overloaded`] immediately if the queue is full; [`BlockingError::Broken`] if `work` panicked.
    pub async fn run<T, W>(&self, work: W) -> Result<T, BlockingError>
    where
        T: Send + 'static,
        W: FnOnce() -> T + Send + 'static,
    {
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| BlockingError::Overloaded)?;
        let core = Arc::clone(&self.cores).acquire_owned().await.map_err(|_| BlockingError::Broken)?;
        tokio::task::spawn_blocking(move || {
            let result = work();
            drop((core, place));
            result
        })
        .await
        .map_err(|_| BlockingError::Broken)
    }
}

/// Returns the number of cores for heavy work: all but one, but at least one.
pub fn spare_cores() -> usize {
    available_parallelism().map_or(1, NonZero::get).saturating_sub(1).max(1)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn full_queue_rejects_immediately_and_frees_its_slot() {
        let lane = BlockingPool::new(1, 1);
        let (release, gate) = mpsc::channel::<()>();
        let running = tokio::spawn({
            let lane = lane.clone();
            async move { lane.run(move || gate.recv().is_ok()).await }
        });
        while lane.cores.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        let waiting = tokio::spawn({
            let lane = lane.clone();
            async move { lane.run(|| 2).await }
        });
        while lane.places.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(lane.run(|| 3).await, Err(BlockingError::Overloaded));
        release.send(()).unwrap();
        assert_eq!(running.await.unwrap(), Ok(true));
        assert_eq!(waiting.await.unwrap(), Ok(2));
        assert_eq!(lane.run(|| 4).await, Ok(4));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn concurrency_limit_is_kept_if_callers_leave() {
        let lane = BlockingPool::new(2, 100);
        let running = Arc::new(AtomicUsize::new(0));
        let most = Arc::new(AtomicUsize::new(0));
        let mut calls = Vec::new();
        for call in 0..40 {
            let (lane, running, most) = (lane.clone(), Arc::clone(&running), Arc::clone(&most));
            calls.push(tokio::spawn(async move {
                let work = lane.run(move || {
                    let now = running.fetch_add(1, Ordering::SeqCst) + 1;
                    most.fetch_max(now, Ordering::SeqCst);
                    #[expect(
                        clippy::disallowed_methods,
                        reason = "the work stands for one that keeps its thread busy"
                    )]
                    std::thread::sleep(Duration::from_millis(3));
                    running.fetch_sub(1, Ordering::SeqCst);
                });
                if call % 2 == 0 {
                    let _ = tokio::time::timeout(Duration::from_millis(1), work).await;
                } else {
                    work.await.unwrap();
                }
            }));
        }
        for call in calls {
            call.await.unwrap();
        }
        assert_eq!(most.load(Ordering::SeqCst), 2);
    }

    #[tokio::test]
    async fn panic_returns_error_and_releases_permit() {
        let lane = BlockingPool::new(1, 0);
        let broken: Result<(), _> = lane.run(|| panic!("meant to")).await;
        assert_eq!(broken, Err(BlockingError::Broken));
        assert_eq!(lane.run(|| 1).await, Ok(1));
    }
}
