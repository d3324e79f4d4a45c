//! Waiting that is bounded by time, not by the number of waiters.
//!
//! A queue absorbs a burst. A queue that is not empty for seconds (a standing queue) only makes every request wait, often
//! for longer than the client waits, and the service then works for clients that have left. A waiter in a standing queue
//! therefore gives up after a short time. In any other queue it has more time, so that a burst or a short stall of the
//! database fails no request. This is the idea of controlled delay (RFC 8289).

use std::future::Future;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use tokio::time::{Instant, timeout};

/// Time without an empty queue from which on it is a standing queue.
const STANDS: Duration = Duration::from_secs(3);
/// Longest wait in a standing queue.
const BRIEF: Duration = Duration::from_secs(1);
/// Time between two looks at the queue.
const LOOK: Duration = Duration::from_millis(50);

/// Queue whose waiters give up in time. It only measures the wait; who is next is decided elsewhere.
#[derive(Debug)]
pub(crate) struct TimedQueue {
    longest: Duration,
    state: Mutex<QueueState>,
}

#[derive(Debug, Default)]
struct QueueState {
    waiting: usize,
    /// Moment since which the queue has not been empty.
    since: Option<Instant>,
}

/// The error of a wait that took too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the wait took too long")]
pub(crate) struct WaitedTooLong;

impl TimedQueue {
    /// Creates a queue with the longest wait while it is not a standing queue.
    #[must_use]
    pub(crate) fn new(longest: Duration) -> Self {
        Self { longest, state: Mutex::default() }
    }

    /// Waits for a turn.
    ///
    /// # Errors
    /// [`WaitedTooLong`]
    pub(crate) async fn wait<T>(&self, turn: impl Future<Output = T>) -> Result<T, WaitedTooLong> {
        let mut turn = pin!(turn);
        if let Poll::Ready(turn) = std::future::poll_fn(|context| Poll::Ready(turn.as_mut().poll(context))).await {
            return Ok(turn);
        }
        let (_place, begun) = (Place::new(self), Instant::now());
        loop {
            if let Ok(turn) = timeout(LOOK, turn.as_mut()).await {
                return Ok(turn);
            }
            let longest = if self.stands() { BRIEF.min(self.longest) } else { self.longest };
            if begun.elapsed() >= longest {
                return Err(WaitedTooLong);
            }
        }
    }

    fn stands(&self) -> bool {
        self.state().since.is_some_and(|since| since.elapsed() >= STANDS)
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Place of a waiter.
struct Place<'q>(&'q TimedQueue);

impl<'q> Place<'q> {
    fn new(queue: &'q TimedQueue) -> Self {
        let mut state = queue.state();
        state.waiting += 1;
        state.since.get_or_insert_with(Instant::now);
        Self(queue)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.waiting -= 1;
        if state.waiting == 0 {
            state.since = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::sync::Arc;

    use tokio::sync::Semaphore;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn burst_may_wait_longest_time() {
        let queue = TimedQueue::new(Duration::from_secs(2));
        let begun = Instant::now();
        assert_eq!(queue.wait(pending::<()>()).await, Err(WaitedTooLong));
        assert!((2.0..2.1).contains(&begun.elapsed().as_secs_f64()), "{:?}", begun.elapsed());
        assert_eq!(queue.wait(ready(7)).await, Ok(7));
    }

    #[tokio::test(start_paused = true)]
    async fn waiters_of_standing_queue_give_up_early_until_it_is_empty() {
        let queue = Arc::new(TimedQueue::new(Duration::from_secs(10)));
        let turns = Arc::new(Semaphore::new(0));
        let waiter = || {
            let (queue, turns) = (Arc::clone(&queue), Arc::clone(&turns));
            tokio::spawn(async move {
                let begun = Instant::now();
                let outcome = queue.wait(turns.acquire()).await.map(|_| ());
                (outcome, begun.elapsed())
            })
        };
        let first = waiter();
        tokio::time::sleep(STANDS - BRIEF / 2).await;
        let second = waiter();
        let ((outcome, waited), (of_second, second_waited)) = (first.await.unwrap(), second.await.unwrap());
        assert_eq!((outcome, of_second), (Err(WaitedTooLong), Err(WaitedTooLong)));
        assert!(waited < STANDS + LOOK * 2 && second_waited < BRIEF + LOOK * 2, "{waited:?} {second_waited:?}");
        // It was empty in between, so the next waiter has the whole time again.
        let third = waiter();
        tokio::time::sleep(STANDS - LOOK * 4).await;
        turns.add_permits(1);
        assert_eq!(third.await.unwrap().0, Ok(()));
    }
}
