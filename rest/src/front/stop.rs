//! Shutdown of a server: it first announces the end in every response, and closes connections later.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Interval in which a server that may stop early checks for open connections.
const LOOK: Duration = Duration::from_millis(20);

/// The two steps of a graceful shutdown. Cheap to clone; all clones share one signal.
#[derive(Clone, Debug, Default)]
pub struct StopSignal {
    begun: CancellationToken,
    closing: CancellationToken,
    leaves_when_idle: bool,
}

impl StopSignal {
    /// Creates a signal that also closes once the shutdown has begun and no connection is open. Use it only if no load
    /// balancer sends requests to this server that another one could answer.
    #[must_use]
    pub fn close_when_idle(leaves_when_idle: bool) -> Self {
        Self { leaves_when_idle, ..Self::default() }
    }

    /// Begins the shutdown: readiness fails, and each response is the last of its connection. The server still accepts
    /// new connections.
    pub fn begin(&self) {
        self.begun.cancel();
    }

    /// Closes: the server accepts no further connections, closes idle ones, and answers in-flight requests.
    pub fn close(&self) {
        self.begun.cancel();
        self.closing.cancel();
    }

    /// Whether the shutdown has begun.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.begun.is_cancelled()
    }

    /// Waits until the shutdown begins.
    pub async fn wait_for_begin(&self) {
        self.begun.cancelled().await;
    }

    /// Waits until connections are closed.
    pub async fn wait_for_close(&self) {
        self.closing.cancelled().await;
    }

    /// Waits until this server closes its open connections.
    pub(super) async fn wait_for_close_with(&self, open: &TaskTracker) {
        let idle = async {
            self.wait_for_begin().await;
            while !open.is_empty() {
                tokio::time::sleep(LOOK).await;
            }
        };
        tokio::select! {
            () = self.wait_for_close() => {}
            () = idle, if self.leaves_when_idle => {}
        }
    }
}

/// A shutdown in one step.
impl From<CancellationToken> for StopSignal {
    fn from(token: CancellationToken) -> Self {
        Self { begun: token.clone(), closing: token, leaves_when_idle: false }
    }
}
