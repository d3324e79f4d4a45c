//! Requests that only read: choice of the server and of the connection.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::timeout;

use crate::account_turns::{Turn, TurnTaker};
use crate::context::Caller;
use crate::fault::Fault;
use crate::pool_lane::{self, LentConnection, PoolLane};
use crate::read_replicas::{ReadReplicas, SeenBefore, WalPlace};

/// Time to wait for a replica, which also ends statements after this time (`open/connections.rs`).
const PATIENCE: Duration = Duration::from_secs(2);

/// Required freshness of the data that a request reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// Current: only the primary may answer.
    Present,
    /// Up to a second old: a read replica may answer.
    Recent,
    /// Up to a second old, and not older than this WAL position.
    Since(WalPlace),
}

/// Connections of one request that only reads: to the primary and, if configured, to read replicas.
#[derive(Clone)]
pub struct ReadLanes {
    leader: PoolLane,
    replicas: Option<(Arc<ReadReplicas>, SeenBefore)>,
    demanded: Arc<Mutex<Freshness>>,
    has_lagged: Arc<AtomicBool>,
    /// Whether the primary has answered a statement.
    has_used_leader: Arc<AtomicBool>,
    /// Account whose reads take turns.
    account: Option<TurnTaker>,
    /// Turn for the next connection to the primary.
    reserved: Arc<Mutex<Option<Turn>>>,
    /// Whether connections to the primary come from its pool, because the request may already hold one of the lane.
    is_aside: bool,
}

pub(super) struct TakenConnection {
    pub(super) lent: LentConnection,
    is_replica: bool,
    /// Required freshness when it was taken.
    demanded: Freshness,
}

impl ReadLanes {
    /// Creates the lanes of a request with this required freshness, and with what its caller has seen before.
    pub fn new(leader: PoolLane, replicas: Option<(Arc<ReadReplicas>, SeenBefore)>, demanded: Freshness) -> Self {
        let demanded = Arc::new(Mutex::new(demanded));
        Self {
            leader,
            replicas,
            demanded,
            has_lagged: Arc::default(),
            has_used_leader: Arc::default(),
            account: None,
            reserved: Arc::default(),
            is_aside: false,
        }
    }

    /// Lets the request take turns with other reads of its account.
    #[must_use]
    pub(crate) fn with_account(self, account: TurnTaker) -> Self {
        Self { account: Some(account), ..self }
    }

    pub(super) fn leader(&self) -> &PoolLane {
        &self.leader
    }

    pub(super) fn require_freshness(&self, freshness: Freshness) {
        *self.demanded.lock().unwrap_or_else(PoisonError::into_inner) = freshness;
    }

    fn required_freshness(&self) -> Freshness {
        *self.demanded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn has_lagged(&self) -> bool {
        self.has_lagged.load(Ordering::Relaxed)
    }

    pub(super) fn may_lag(&self) -> bool {
        self.replicas.is_some() && self.required_freshness() != Freshness::Present
    }

    pub(super) async fn limit_time<T>(&self, work: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
        timeout(PATIENCE, work).await.unwrap_or_else(|_| Err(Fault::from(sqlx::Error::PoolTimedOut)))
    }

    /// Whether the concurrent reads of other requests are fresh enough: a replica may have answered them.
    pub(super) fn may_share(&self) -> bool {
        self.replicas
            .as_ref()
            .is_none_or(|(_, before)| before.is_in_every_read() && self.required_freshness() == Freshness::Recent)
    }

    /// Records what the caller has seen, before its request is answered.
    pub(super) fn note_answer(&self, caller: &Caller) {
        if let Some((replicas, before)) = &self.replicas {
            replicas.note_answer(caller, *before, self.has_used_leader.load(Ordering::Relaxed));
        }
    }

    /// Returns lanes for statements outside the request's connection, which other requests may share. `None` without
    /// read replicas.
    pub(super) fn outside_transaction(&self) -> Option<Self> {
        self.replicas.as_ref()?;
        if self.may_lag() {
            self.has_lagged.store(true, Ordering::Relaxed);
        }
        Some(Self { is_aside: true, ..self.clone() })
    }

    /// Returns lanes for statements that only the primary may answer. `None` without read replicas.
    pub(super) fn of_leader(&self) -> Option<Self> {
        self.replicas.as_ref()?;
        Some(Self { is_aside: true, demanded: Arc::new(Mutex::new(Freshness::Present)), ..self.clone() })
    }

    /// Waits for the next turn of the account, which the next connection to the primary then uses.
    ///
    /// # Errors
    /// [`crate::fault::Code::RateLimited`] if earlier reads of the account take too long.
    pub(super) async fn reserve_turn(&self) -> Result<(), Fault> {
        if self.is_aside || self.may_lag() || self.reserved().is_some() {
            return Ok(());
        }
        let turn = self.turn().await?;
        *self.reserved() = turn;
        Ok(())
    }

    async fn turn(&self) -> Result<Option<Turn>, Fault> {
        // A read that a replica may answer has to end within its own limit of time.
        let patience = if self.may_lag() { PATIENCE / 2 } else { pool_lane::PATIENCE };
        match &self.account {
            Some(account) => Ok(Some(account.take(patience).await?)),
            None => Ok(None),
        }
    }

    fn reserved(&self) -> MutexGuard<'_, Option<Turn>> {
        self.reserved.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a connection to a replica that is fresh enough, otherwise to the primary.
    pub(super) async fn take(&self) -> Result<TakenConnection, Fault> {
        let demanded = self.required_freshness();
        if let Some((replicas, before)) = &self.replicas
            && let Some(lent) = replicas.take(demanded, *before, self.account.as_ref()).await
        {
            self.has_lagged.store(true, Ordering::Relaxed);
            return Ok(TakenConnection { lent, is_replica: true, demanded });
        }
        self.has_used_leader.store(true, Ordering::Relaxed);
        // A request that may already hold a connection of the lane, and a turn, waits for neither.
        if self.is_aside {
            let lent = LentConnection::of(self.leader.pool()).await?;
            return Ok(TakenConnection { lent, is_replica: false, demanded });
        }
        let reserved = self.reserved().take();
        let turn = if reserved.is_some() { reserved } else { self.turn().await? };
        let lent = self.leader.take().await?.with_turn(turn);
        Ok(TakenConnection { lent, is_replica: false, demanded })
    }
}

/// Connection of a request that only reads, held from its first statement on.
#[derive(Default)]
pub(super) struct ReadConnection(Option<TakenConnection>);

impl ReadConnection {
    /// Takes a connection, unless the current one meets the required freshness.
    pub(super) async fn ensure(&mut self, lanes: &ReadLanes) -> Result<(), Fault> {
        let is_outdated = |taken: &TakenConnection| taken.is_replica && taken.demanded != lanes.required_freshness();
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

    /// Passes the connection on after its statements were answered.
    pub(super) fn pass_on(&mut self) {
        if let Some(taken) = self.0.take() {
            taken.lent.pass_on();
        }
    }
}

impl Drop for ReadConnection {
    /// The caller left or the request was rejected.
    fn drop(&mut self) {
        if let Some(taken) = self.0.take() {
            taken.lent.abandon();
        }
    }
}

impl TakenConnection {
    /// Returns the WAL position of the replica behind the data read so far; `None` for the primary.
    ///
    /// # Errors
    /// If the replica does not answer.
    pub(super) async fn place(&mut self) -> Result<Option<WalPlace>, Fault> {
        if self.is_replica { Ok(Some(WalPlace::received_until(&mut self.lent).await?)) } else { Ok(None) }
    }
}
