//! Requests that only read: of which server, and on which connection.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::timeout;

use crate::core::fault::Fault;
use crate::core::pool_lane::{LentConnection, PoolLane};
use crate::core::read_replicas::{ReadReplicas, WalPlace};

/// How long a replica is waited for. It ends statements after the same time (`open/connections.rs`).
const PATIENCE: Duration = Duration::from_secs(2);

/// How old what a request reads may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Freshness {
    /// Of this very moment: the leader is asked.
    Present,
    /// Up to a second old: a read replica may be asked.
    Recent,
    /// The same, and not older than what this place of the log had left.
    Since(WalPlace),
}

/// The connections of one request that only reads: the leader's, and those of read replicas where there are any.
#[derive(Clone)]
pub(crate) struct ReadLanes {
    leader: PoolLane,
    replicas: Option<Arc<ReadReplicas>>,
    demanded: Arc<Mutex<Freshness>>,
    has_lagged: Arc<AtomicBool>,
    /// Whether the leader's connections come from its pool, because the request may hold one of the lane already.
    is_aside: bool,
}

/// A connection for reads.
pub(super) struct TakenConnection {
    pub(super) lent: LentConnection,
    is_replica: bool,
    /// What was demanded when it was taken.
    demanded: Freshness,
}

impl ReadLanes {
    /// Those of a request whose answer may be so old.
    pub(crate) fn new(leader: PoolLane, replicas: Option<Arc<ReadReplicas>>, demanded: Freshness) -> Self {
        let demanded = Arc::new(Mutex::new(demanded));
        Self { leader, replicas, demanded, has_lagged: Arc::default(), is_aside: false }
    }

    pub(super) fn leader(&self) -> &PoolLane {
        &self.leader
    }

    pub(super) fn demand(&self, freshness: Freshness) {
        *self.demanded.lock().unwrap_or_else(PoisonError::into_inner) = freshness;
    }

    fn demanded(&self) -> Freshness {
        *self.demanded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn has_lagged(&self) -> bool {
        self.has_lagged.load(Ordering::Relaxed)
    }

    pub(super) fn may_lag(&self) -> bool {
        self.replicas.is_some() && self.demanded() != Freshness::Present
    }

    pub(super) async fn in_time<T>(&self, work: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
        timeout(PATIENCE, work).await.unwrap_or_else(|_| Err(Fault::from(sqlx::Error::PoolTimedOut)))
    }

    /// Whether what other requests read at this moment is fresh enough: they may have asked a replica.
    pub(super) fn may_share(&self) -> bool {
        self.replicas.is_none() || self.demanded() == Freshness::Recent
    }

    /// The same for statements beside the request's own, which other requests may share; none where the leader alone is
    /// asked.
    pub(super) fn aside(&self) -> Option<Self> {
        if !self.may_lag() {
            return None;
        }
        self.has_lagged.store(true, Ordering::Relaxed);
        Some(Self { is_aside: true, ..self.clone() })
    }

    /// A connection to a replica that is fresh enough, or else to the leader.
    pub(super) async fn take(&self) -> Result<TakenConnection, Fault> {
        let demanded = self.demanded();
        if let Some(replicas) = &self.replicas
            && let Some(lent) = replicas.take(demanded).await
        {
            self.has_lagged.store(true, Ordering::Relaxed);
            return Ok(TakenConnection { lent, is_replica: true, demanded });
        }
        let lent =
            if self.is_aside { LentConnection::of(self.leader.pool()).await? } else { self.leader.take().await? };
        Ok(TakenConnection { lent, is_replica: false, demanded })
    }
}

/// The connection of a request that only reads, from its first statement on.
#[derive(Default)]
pub(super) struct ReadConnection(Option<TakenConnection>);

impl ReadConnection {
    /// Takes one, unless there is one that is as fresh as is demanded by now.
    pub(super) async fn ensure(&mut self, lanes: &ReadLanes) -> Result<(), Fault> {
        let is_outdated = |taken: &TakenConnection| taken.is_replica && taken.demanded != lanes.demanded();
        if self.0.as_ref().is_some_and(is_outdated) {
            self.pass_on();
        }
        if self.0.is_none() {
            self.0 = Some(lanes.take().await?);
        }
        Ok(())
    }

    pub(super) fn taken(&mut self) -> Option<&mut TakenConnection> {
        self.0.as_mut()
    }

    /// Gives it back: its statements were answered.
    pub(super) fn pass_on(&mut self) {
        if let Some(taken) = self.0.take() {
            taken.lent.pass_on();
        }
    }
}

impl Drop for ReadConnection {
    /// Whoever asked went away, or was refused.
    fn drop(&mut self) {
        if let Some(taken) = self.0.take() {
            taken.lent.abandon();
        }
    }
}

impl TakenConnection {
    /// How far the log had come that what was read here so far was read of; none at the leader.
    ///
    /// # Errors
    /// When the replica is away.
    pub(super) async fn place(&mut self) -> Result<Option<WalPlace>, Fault> {
        if self.is_replica { Ok(Some(WalPlace::received(&mut self.lent).await?)) } else { Ok(None) }
    }
}
