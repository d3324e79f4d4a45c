//! Work that continues after its caller has left.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::thread;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::runtime::Handle;

use crate::trace;

/// Future that runs in the caller's task and moves to a separate task if the caller is dropped: a client that
/// disconnects must not interrupt a transaction. Spawning a task from the start would cost every request what only
/// these few need.
pub(super) struct DetachOnDrop<T, U>(Option<(BoxFuture<'static, thread::Result<T>>, U)>)
where
    T: Send + 'static,
    U: FnOnce(thread::Result<T>) + Send + Unpin + 'static;

impl<T, U> DetachOnDrop<T, U>
where
    T: Send + 'static,
    U: FnOnce(thread::Result<T>) + Send + Unpin + 'static,
{
    /// Starts at the first poll and stays in the span in which it was created. A panic is returned as the outcome.
    /// `unheard` receives the outcome if the caller has left.
    pub(super) fn new(work: impl Future<Output = T> + Send + 'static, unheard: U) -> Self {
        Self(Some((AssertUnwindSafe(trace::detached(work)).catch_unwind().boxed(), unheard)))
    }
}

impl<T, U> Future for DetachOnDrop<T, U>
where
    T: Send + 'static,
    U: FnOnce(thread::Result<T>) + Send + Unpin + 'static,
{
    type Output = thread::Result<T>;

    fn poll(mut self: Pin<&mut Self>, waiting: &mut Context<'_>) -> Poll<Self::Output> {
        let Some((work, _)) = &mut self.0 else { return Poll::Pending };
        let outcome = ready!(work.as_mut().poll(waiting));
        self.0 = None;
        Poll::Ready(outcome)
    }
}

impl<T, U> Drop for DetachOnDrop<T, U>
where
    T: Send + 'static,
    U: FnOnce(thread::Result<T>) + Send + Unpin + 'static,
{
    fn drop(&mut self) {
        if let Some((work, unheard)) = self.0.take()
            && let Ok(runtime) = Handle::try_current()
        {
            runtime.spawn(async move { unheard(work.await) });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use tokio::sync::{Notify, oneshot};

    use super::*;

    #[tokio::test]
    async fn detached_work_completes_after_caller_leaves() {
        let (begun, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (told, done) = oneshot::channel();
        let (has_begun, may_go_on) = (Arc::clone(&begun), Arc::clone(&go_on));
        let work = async move {
            has_begun.notify_one();
            may_go_on.notified().await;
            "done"
        };
        let work = DetachOnDrop::new(work, move |outcome| told.send(outcome.unwrap()).unwrap());
        tokio::select! {
            biased;
            _ = work => unreachable!("it waits"),
            () = begun.notified() => {}
        }
        go_on.notify_one();
        assert_eq!(tokio::time::timeout(Duration::from_secs(10), done).await.unwrap().unwrap(), "done");
    }

    #[tokio::test]
    async fn panic_is_returned_as_error() {
        assert_eq!(DetachOnDrop::new(async { 7 }, drop).await.unwrap(), 7);
        assert!(DetachOnDrop::new(async { panic!("on purpose") }, drop).await.is_err());
    }
}
