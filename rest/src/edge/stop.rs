//! How a server ends: it announces the end on every answer first, and closes connections later.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How often a server that may leave early looks whether a connection is open.
const LOOK: Duration = Duration::from_millis(20);

/// The two steps of an orderly end. Cheap to clone; all clones are one signal.
#[derive(Clone, Debug, Default)]
pub struct StopSignal {
    begun: CancellationToken,
    closing: CancellationToken,
    leaves_when_idle: bool,
}

impl StopSignal {
    /// A signal that also closes as soon as the end has begun and no connection is open: right where no balancer sends
    /// requests to this server that another one could answer.
    #[must_use]
    pub fn leaving_when_idle(leaves_when_idle: bool) -> Self {
        Self { leaves_when_idle, ..Self::default() }
    }

    /// Begins the end: readiness is red, and each answer is the last of its connection. New connections are still taken.
    pub fn begin(&self) {
        self.begun.cancel();
    }

    /// Closes: no further connection is taken, idle ones are closed, requests under way are answered.
    pub fn close(&self) {
        self.begun.cancel();
        self.closing.cancel();
    }

    /// Whether the end has begun.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.begun.is_cancelled()
    }

    /// Waits until the end begins.
    pub async fn begun(&self) {
        self.begun.cancelled().await;
    }

    /// Waits until connections are closed.
    pub async fn closing(&self) {
        self.closing.cancelled().await;
    }

    /// Waits until this server closes its connections, of which these are open.
    pub(super) async fn closing_with(&self, open: &TaskTracker) {
        let idle = async {
            self.begun().await;
            while !open.is_empty() {
                tokio::time::sleep(LOOK).await;
            }
        };
        tokio::select! {
            () = self.closing() => {}
            () = idle, if self.leaves_when_idle => {}
        }
    }
}

/// An end in one step.
impl From<CancellationToken> for StopSignal {
    fn from(token: CancellationToken) -> Self {
        Self { begun: token.clone(), closing: token, leaves_when_idle: false }
    }
}
