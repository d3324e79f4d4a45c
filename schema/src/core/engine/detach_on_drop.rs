//! Work that outlives whoever waits for it.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::thread;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::runtime::Handle;

use crate::core::trace;

/// Work that is done where it is waited for, and by itself from where nobody waits any longer: a client that goes away must
/// not cut a transaction in two. A task from the start would cost every request what only those need.
pub(super) struct DetachOnDrop<T, U>(Option<(BoxFuture<'static, thread::Result<T>>, U)>)
where
    T: Send + 'static,
    U: FnOnce(thread::Result<T>) + Send + Unpin + 'static;

impl<T, U> DetachOnDrop<T, U>
where
    T: Send + 'static,
    U: FnOnce(thread::Result<T>) + Send + Unpin + 'static,
{
    /// Begins with the first poll, and stays a part of the span in which it is made. A panic is its outcome. `unheard` gets
    /// the outcome that nobody waits for any longer.
    pub(super) fn new(work: impl Future<Output = T> + Send + 'static, unheard: U) -> Self {
        Self(Some((AssertUnwindSafe(trace::apart(work)).catch_unwind().boxed(), unheard)))
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
    async fn what_nobody_waits_for_any_longer_is_done_all_the_same() {
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
    async fn a_panic_is_an_outcome() {
        assert_eq!(DetachOnDrop::new(async { 7 }, drop).await.unwrap(), 7);
        assert!(DetachOnDrop::new(async { panic!("on purpose") }, drop).await.is_err());
    }
}
