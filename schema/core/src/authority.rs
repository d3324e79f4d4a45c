//! Cache of verified principals and its invalidation.
//!
//! The service verifies a token and loads its holder's rights once, then caches them. Every change that removes or
//! alters a right notifies the channel `authority` from a trigger (migrations), in the same transaction. Each replica
//! queries its listening connection several times a second, so a cached entry is at most one second out of date. If the
//! last answer is older than that, every token is looked up again; without a database it is rejected
//! (docs/decisions/credentials.md#revocation-within-a-second).

use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use aws_lc_rs::digest;
use labs_crypto::sealed::MasterKey;
use labs_crypto::token::{Claims, KeyRing, TokenError};
use moka::sync::Cache;
use sqlx::postgres::PgListener;
use sqlx::{PgConnection, PgExecutor, PgPool};
use tokio_util::sync::CancellationToken;

use crate::db::Db;
use crate::fault::{Code, Fault};
use crate::principal::Principal;
use crate::scope::ScopeSet;
use crate::services::Settings;
use crate::time::{Clock, Time};

mod change_feed;
mod denials;
mod foreign_networks;
mod keys;
mod load;
mod naming;
mod presence;
mod refused;

use change_feed::{ChangeFeed, PrincipalSource, changes};
pub use keys::{FreshKey, is_sealed_with};
pub use load::OWN_DAILY_REQUESTS;
pub use load::effective_scopes;
pub(crate) use load::possible_scopes;
pub use naming::with_naming_key;
pub use presence::{RunningReplicas, running_replicas};

/// Interval between two queries on the listening connection.
const BEAT: Duration = Duration::from_millis(200);
/// Maximum age of an answer of the listening connection for cached entries to be trusted.
const VOUCHED: Duration = Duration::from_millis(1000);
/// Maximum number of reloads of the signing keys per second that tokens with an unknown key can cause.
const STRANGE_KEYS: u32 = 20;
/// Time without an answer after which the listening connection is abandoned.
const PATIENCE: Duration = Duration::from_secs(2);

/// Cache of verified tokens, with the keys that verify them.
pub struct Authority {
    pool: PgPool,
    listeners: PgPool,
    clock: Clock,
    issuer: String,
    audience: String,
    own_per_second: u32,
    started: Instant,
    beaten_at: AtomicU64,
    /// Last second since the start in which a token with an unknown key arrived, and the number of these tokens in that
    /// second.
    strange_keys: Mutex<(u64, u32)>,
    generation: AtomicU64,
    /// Entries of an earlier generation are out of date.
    floor: Arc<AtomicU64>,
    /// Generation of the last change of each subject. An entry that does not fit raises the floor instead.
    changed: Cache<String, u64>,
    tokens: Cache<[u8; 32], Arc<CachedPrincipal>>,
    refused: refused::RefusedTokens,
    ring: RwLock<Arc<KeyRing>>,
    reloading: tokio::sync::Mutex<()>,
    key: MasterKey,
    foreign_networks: foreign_networks::ForeignNetworks,
    denials: denials::Denials,
}

/// Cached principal and the conditions under which it is valid.
struct CachedPrincipal {
    principal: Arc<Principal>,
    basis: PrincipalSource,
}

impl Authority {
    /// Loads the signing keys and the network denials. Creates the first key if none exists.
    ///
    /// # Errors
    /// If the database does not answer, or the master key cannot open a signing key.
    pub async fn open(
        (pool, listeners): (PgPool, PgPool),
        clock: Clock,
        key: MasterKey,
        settings: &Settings,
    ) -> Result<Self, Fault> {
        let (issuer, audience) = (settings.base_url.clone(), settings.audience.clone());
        let denials = denials::Denials::open(&pool).await?;
        let floor = Arc::new(AtomicU64::new(1));
        let ring = keys::load_or_create(&pool, &key, (&issuer, &audience), clock.now()).await?;
        Ok(Self {
            pool,
            listeners,
            clock,
            issuer,
            audience,
            own_per_second: settings.own_per_second,
            started: Instant::now(),
            beaten_at: AtomicU64::new(0),
            strange_keys: Mutex::default(),
            generation: AtomicU64::new(1),
            changed: changes(100_000, Arc::clone(&floor)),
            floor,
            tokens: Cache::builder().max_capacity(50_000).time_to_live(Duration::from_secs(3600)).build(),
            refused: refused::RefusedTokens::default(),
            ring: RwLock::new(Arc::new(ring)),
            reloading: tokio::sync::Mutex::default(),
            key,
            foreign_networks: foreign_networks::ForeignNetworks::default(),
            denials,
        })
    }

    /// Returns the principal of an access token.
    ///
    /// # Errors
    /// [`Code::Unauthenticated`], [`Code::TokenExpired`], [`Code::TokenRevoked`], [`Code::PartnerSuspended`],
    /// [`Code::AccountLocked`]; [`Code::Unavailable`] if the service cannot decide.
    pub async fn principal(&self, token: &str) -> Result<Arc<Principal>, Fault> {
        let now = self.clock.now();
        let mut digest = [0; 32];
        digest.copy_from_slice(digest::digest(&digest::SHA256, token.as_bytes()).as_ref());
        if let Some(known) =
            self.tokens.get(&digest).filter(|known| known.basis.is_vouched_for(&self.change_feed(), now))
        {
            return if known.principal.token_expires_at > now {
                Ok(Arc::clone(&known.principal))
            } else {
                Err(err_expired())
            };
        }
        let generation = self.generation.load(Ordering::Acquire);
        let claims = self.verify(token, now).await?;
        if let Some(fault) = self.refused.get(&digest, generation) {
            return Err(fault);
        }
        let loaded = load::principal(&self.pool, &claims, self.own_per_second).await;
        let loaded = loaded.inspect_err(|fault| self.refused.note(digest, generation, fault))?;
        let principal = Arc::new(loaded.principal);
        let basis = PrincipalSource { subjects: loaded.subjects, generation, good_until: loaded.good_until };
        self.tokens.insert(digest, Arc::new(CachedPrincipal { principal: Arc::clone(&principal), basis }));
        Ok(principal)
    }

    /// Returns the principal of an access token used from this address. The allowed networks of a machine client
    /// restrict every use of its tokens, not only their issue.
    ///
    /// # Errors
    /// As [`Self::principal`]; [`Code::Unauthenticated`] if the machine client may not call from this network.
    pub async fn principal_at(&self, token: &str, address: IpAddr) -> Result<Arc<Principal>, Fault> {
        let principal = self.principal(token).await?;
        if principal.may_call_from(address) {
            return Ok(principal);
        }
        self.foreign_networks.note(&self.pool, &principal, address).await;
        Err(foreign_networks::err_refused())
    }

    /// Rejects requests from denied networks. Reads only the memory of this replica.
    ///
    /// # Errors
    /// [`Code::NetworkDenied`].
    pub fn admit(&self, address: IpAddr, now: Time) -> Result<(), Fault> {
        self.denials.admit(address, now)
    }

    /// Returns the current keys.
    #[must_use]
    pub fn ring(&self) -> Arc<KeyRing> {
        Arc::clone(&self.ring.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the keys to sign with. If the listening connection has not answered for a second, the keys are reloaded,
    /// so that no replica signs with a former key for longer than a second. The reload uses the request's own
    /// connection: a request that holds one connection and waits for a second one can cause a deadlock.
    ///
    /// # Errors
    /// [`Code::Unavailable`] if the database does not answer.
    pub async fn signing_ring(&self, db: &Db) -> Result<Arc<KeyRing>, Fault> {
        if self.age() >= VOUCHED {
            self.reload_keys(&mut *db.conn().await?).await?;
        }
        Ok(self.ring())
    }

    /// Returns the scopes of a token that is about to be signed for a user. Reads on the connection of the transaction
    /// that opens or renews the session.
    ///
    /// # Errors
    /// As [`Self::principal`].
    pub async fn scopes_of_person(&self, connection: &mut PgConnection, claims: &Claims) -> Result<ScopeSet, Fault> {
        load::scopes_of_person(connection, claims).await
    }

    /// Keeps the cache up to date until cancelled.
    pub async fn watch(self: Arc<Self>, stop: CancellationToken) {
        let mut is_told = false;
        while !stop.is_cancelled() {
            let begun = Instant::now();
            let ended = tokio::select! {
                () = stop.cancelled() => return,
                ended = self.listen() => ended,
            };
            // Logs each interruption once, not each failed retry.
            is_told &= begun.elapsed() < PATIENCE * 2;
            if let Err(fault) = ended
                && !std::mem::replace(&mut is_told, true)
            {
                tracing::warn!(
                    cause = fault.for_log(),
                    "the feed of authorization changes was interrupted; tokens are looked up one by one until it \
                     works again"
                );
            }
            tokio::time::sleep(BEAT).await;
        }
    }

    async fn verify(&self, token: &str, now: Time) -> Result<Claims, Fault> {
        match self.ring().verify(token, now.unix()) {
            Err(TokenError::UnknownKey) => {
                if self.may_reload_keys() {
                    self.reload_keys(&self.pool).await?;
                }
                self.ring().verify(token, now.unix()).map_err(token_fault)
            }
            verdict => verdict.map_err(token_fault),
        }
    }

    /// Whether to reload the keys for a token with an unknown key. A key is announced before it signs, so such tokens
    /// are rare: forgeries, the first moment of a replica, or two rotations in quick succession. A few reloads per
    /// second are enough.
    fn may_reload_keys(&self) -> bool {
        let second = self.started.elapsed().as_secs();
        let mut looked = self.strange_keys.lock().unwrap_or_else(PoisonError::into_inner);
        if looked.0 != second {
            *looked = (second, 0);
        }
        looked.1 += 1;
        self.age() >= VOUCHED || looked.1 <= STRANGE_KEYS
    }

    /// Reloads the keys. Reloads run one after the other, so that an earlier result never replaces a later one.
    async fn reload_keys(&self, on: impl PgExecutor<'_>) -> Result<(), Fault> {
        let _turn = self.reloading.lock().await;
        let ring = keys::load(on, &self.key, (&self.issuer, &self.audience)).await?;
        *self.ring.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(ring);
        Ok(())
    }

    /// Runs the listening connection until it fails. A round trip on it proves that every notification committed before
    /// it has arrived.
    async fn listen(&self) -> Result<(), Fault> {
        let mut listener = PgListener::connect_with(&self.listeners).await?;
        listener.ignore_pool_close_event(true);
        listener.listen("authority").await?;
        presence::announce(&mut listener, &self.key).await?;
        // Changes made while no connection listened are unknown, so every cached entry is out of date.
        let generation = self.generation.fetch_add(1, Ordering::AcqRel) + 1;
        self.floor.store(generation, Ordering::Release);
        self.reload_keys(&mut listener).await?;
        self.denials.reload(&mut listener).await?;
        loop {
            let asked = self.started.elapsed();
            tokio::time::timeout(PATIENCE, sqlx::query("select 1").execute(&mut listener))
                .await
                .map_err(|_| Fault::unavailable("the connection that listens for notifications does not answer"))??;
            while let Some(notice) = listener.next_buffered() {
                self.reload(notice.payload(), &mut listener).await?;
            }
            self.beaten_at.store(u64::try_from(asked.as_millis()).unwrap_or(u64::MAX), Ordering::Release);
            tokio::time::sleep(BEAT).await;
        }
    }

    async fn reload(&self, subject: &str, listener: &mut PgListener) -> Result<(), Fault> {
        let generation = self.generation.fetch_add(1, Ordering::AcqRel) + 1;
        if subject.starts_with("keys:") {
            return self.reload_keys(listener).await;
        }
        if subject.starts_with("denials:") {
            return self.denials.reload(listener).await;
        }
        // Any number of users can have a role, so all cached entries are out of date.
        if subject.ends_with(":*") || subject.starts_with("staff_role:") {
            self.floor.store(generation, Ordering::Release);
        } else {
            self.changed.insert(subject.to_owned(), generation);
        }
        Ok(())
    }

    /// Returns the age of the cached rights: the time since the last successful query on the listening connection. If
    /// it exceeds one second, no cached token is trusted.
    #[must_use]
    pub fn age(&self) -> Duration {
        self.started.elapsed().saturating_sub(Duration::from_millis(self.beaten_at.load(Ordering::Acquire)))
    }

    /// Returns the current state of the change feed.
    fn change_feed(&self) -> ChangeFeed<'_> {
        ChangeFeed { age: self.age(), floor: self.floor.load(Ordering::Acquire), changed: &self.changed }
    }
}

fn token_fault(error: TokenError) -> Fault {
    match error {
        TokenError::Expired => err_expired(),
        _ => Fault::new(
            Code::Unauthenticated,
            "The access token is not valid. Sign in, or request a new token from POST /v1/oauth/token.",
        ),
    }
}

fn err_expired() -> Fault {
    Fault::new(Code::TokenExpired, "The access token has expired. Refresh the session or request a new token.")
}
