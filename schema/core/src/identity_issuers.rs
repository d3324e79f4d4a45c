//! Public keys of the issuers whose identities machine clients may trust, cached.
//!
//! Keys are read only for issuers that the operator allows, and never while a request holds a database connection.
//! Rule: docs/decisions/credentials.md#tokens-without-a-secret.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use labs_crypto::assertion::{IssuerKeys, UnverifiedAssertion};

use crate::fault::{Code, Fault};

/// Age at which keys are read again. An issuer that withdraws a key is believed after this time.
const FRESH: Duration = Duration::from_secs(600);
/// Age up to which keys are used while their issuer cannot be reached.
const USABLE: Duration = Duration::from_secs(3_600);
/// Shortest time between two reads of the keys of one issuer. Assertions with invented key ids cause no more reads.
const INTERVAL: Duration = Duration::from_secs(30);

/// Future JWK set of an issuer, as bytes (RFC 7517). The error is for the log.
pub type KeySetAnswer<'a> = Pin<Box<dyn Future<Output = Result<Vec<u8>, String>> + Send + 'a>>;

/// Reads the public keys of issuers.
pub trait KeySetSource: Send + Sync {
    /// Reads the current JWK set of an issuer.
    fn read<'a>(&'a self, issuer: &'a str) -> KeySetAnswer<'a>;
}

/// Source without keys, for commands that issue no tokens.
pub struct NoKeySets;

impl KeySetSource for NoKeySets {
    fn read<'a>(&'a self, _: &'a str) -> KeySetAnswer<'a> {
        Box::pin(async { Err("this command reads no keys".to_owned()) })
    }
}

/// Allowed issuers, with their cached keys.
pub struct IdentityIssuers {
    source: Arc<dyn KeySetSource>,
    issuers: HashMap<String, IssuerCache>,
}

#[derive(Default)]
struct IssuerCache {
    held: RwLock<HeldKeys>,
    reading: tokio::sync::Mutex<()>,
}

/// Keys of an issuer, and the times of the last successful read and of the last attempt.
#[derive(Clone, Default)]
struct HeldKeys {
    keys: Option<(Arc<IssuerKeys>, Instant)>,
    tried_at: Option<Instant>,
}

/// What to do with an assertion, given the keys held.
#[derive(Debug, PartialEq, Eq)]
enum KeyChoice {
    Use,
    Read,
    /// No usable keys, and the last attempt to read them is too recent.
    Unavailable,
}

impl HeldKeys {
    fn choose(&self, key_id: &str, now: Instant) -> KeyChoice {
        let age = |at: Instant| now.saturating_duration_since(at);
        let may_read = self.tried_at.is_none_or(|tried_at| age(tried_at) >= INTERVAL);
        match &self.keys {
            Some((keys, read_at)) if age(*read_at) < FRESH && (keys.has_key(key_id) || !may_read) => KeyChoice::Use,
            _ if may_read => KeyChoice::Read,
            Some((_, read_at)) if age(*read_at) < USABLE => KeyChoice::Use,
            _ => KeyChoice::Unavailable,
        }
    }
}

impl IdentityIssuers {
    /// Whether the operator allows an issuer.
    pub fn allows(&self, issuer: &str) -> bool {
        self.issuers.contains_key(issuer)
    }

    /// Creates the cache for the issuers that the operator allows.
    pub fn new(allowed: &[String], source: Arc<dyn KeySetSource>) -> Self {
        let issuers = allowed.iter().map(|issuer| (issuer.clone(), IssuerCache::default())).collect();
        Self { source, issuers }
    }

    /// Returns the keys that may verify an assertion. Reads them from the issuer if the cached ones are too old or lack
    /// the named key.
    ///
    /// # Errors
    /// [`Code::InvalidCredentials`] for an issuer that is not allowed; [`Code::Unavailable`] if there are no keys and
    /// the issuer cannot be reached.
    pub async fn keys_for(&self, assertion: &UnverifiedAssertion) -> Result<Arc<IssuerKeys>, Fault> {
        let Some(issuer) = self.issuers.get(&assertion.issuer) else {
            let detail = "The issuer of the assertion is not allowed. Ask the operator to allow its `iss`.";
            return Err(Fault::new(Code::InvalidCredentials, detail));
        };
        if let Some(keys) = issuer.held_keys(&assertion.key_id)? {
            return Ok(keys);
        }
        let _only = issuer.reading.lock().await;
        if let Some(keys) = issuer.held_keys(&assertion.key_id)? {
            return Ok(keys);
        }
        let read = self.source.read(&assertion.issuer).await;
        let read = read.and_then(|set| IssuerKeys::parse(&set).map_err(|_| "its answer is not a JWK set".to_owned()));
        issuer.store(&assertion.issuer, read)
    }
}

impl IssuerCache {
    /// Returns the keys held, or `None` if they must be read.
    fn held_keys(&self, key_id: &str) -> Result<Option<Arc<IssuerKeys>>, Fault> {
        let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
        match held.choose(key_id, Instant::now()) {
            KeyChoice::Use => Ok(held.keys.as_ref().map(|(keys, _)| Arc::clone(keys))),
            KeyChoice::Read => Ok(None),
            KeyChoice::Unavailable => Err(err_unreachable()),
        }
    }

    /// Stores the result of a read, and returns the keys to use now.
    fn store(&self, issuer: &str, read: Result<IssuerKeys, String>) -> Result<Arc<IssuerKeys>, Fault> {
        let now = Instant::now();
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        held.tried_at = Some(now);
        match read {
            Ok(keys) => {
                let keys = Arc::new(keys);
                held.keys = Some((Arc::clone(&keys), now));
                Ok(keys)
            }
            Err(reason) => {
                tracing::warn!(issuer, reason, "the keys of an identity issuer could not be read");
                let usable = held.keys.as_ref().filter(|(_, at)| now.saturating_duration_since(*at) < USABLE);
                usable.map(|(keys, _)| Arc::clone(keys)).ok_or_else(err_unreachable)
            }
        }
    }
}

fn err_unreachable() -> Fault {
    Fault::unavailable("The keys of the assertion's issuer cannot be read now. Try again.").retry_after(30)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    const ISSUER: &str = "https://issuer.example";

    /// Answers each read with the next prepared answer.
    #[derive(Default)]
    struct Prepared {
        answers: Mutex<Vec<Result<Vec<u8>, String>>>,
        reads: AtomicUsize,
    }

    impl KeySetSource for Prepared {
        fn read<'a>(&'a self, _: &'a str) -> KeySetAnswer<'a> {
            self.reads.fetch_add(1, Ordering::SeqCst);
            let answer = self.answers.lock().unwrap().pop().unwrap_or_else(|| Err("unreachable".to_owned()));
            Box::pin(async move { answer })
        }
    }

    fn key_set(key_id: &str) -> Vec<u8> {
        let key = labs_crypto::token::new_signing_key().unwrap();
        let rows = vec![labs_crypto::token::SigningKeyRow {
            key_id: key_id.to_owned(),
            public_key: key.public_key.to_vec(),
            private_key: Some(key.private_key),
            expires_at: None,
        }];
        let ring = labs_crypto::token::KeyRing::new(ISSUER, ISSUER, key_id, rows).unwrap();
        serde_json::to_vec(&ring.jwks(0)).unwrap()
    }

    fn naming(issuer: &str, key_id: &str) -> UnverifiedAssertion {
        use base64::Engine as _;
        let part = |json: serde_json::Value| {
            base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(serde_json::to_vec(&json).unwrap())
        };
        let header = part(serde_json::json!({"alg": "EdDSA", "kid": key_id}));
        let payload = part(serde_json::json!({"iss": issuer}));
        UnverifiedAssertion::read(&format!("{header}.{payload}.x")).unwrap()
    }

    #[tokio::test]
    async fn keys_are_read_once_per_interval() {
        let source = Arc::new(Prepared::default());
        source.answers.lock().unwrap().push(Ok(key_set("a")));
        let issuers = IdentityIssuers::new(&[ISSUER.to_owned()], Arc::clone(&source) as Arc<dyn KeySetSource>);
        for _ in 0..5 {
            assert!(issuers.keys_for(&naming(ISSUER, "a")).await.unwrap().has_key("a"));
            assert!(!issuers.keys_for(&naming(ISSUER, "invented")).await.unwrap().has_key("invented"));
        }
        assert_eq!(source.reads.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn issuer_that_is_not_allowed_is_never_read() {
        let source = Arc::new(Prepared::default());
        let issuers = IdentityIssuers::new(&[ISSUER.to_owned()], Arc::clone(&source) as Arc<dyn KeySetSource>);
        for other in ["https://issuer.example/", "https://ISSUER.example", "http://issuer.example", "http://10.0.0.1"] {
            let refused = issuers.keys_for(&naming(other, "a")).await.unwrap_err();
            assert_eq!(refused.code(), Code::InvalidCredentials, "{other}");
        }
        assert_eq!(source.reads.load(Ordering::SeqCst), 0);
    }

    #[tokio::test]
    async fn unreachable_issuer_without_keys_is_unavailable() {
        let source = Arc::new(Prepared::default());
        let issuers = IdentityIssuers::new(&[ISSUER.to_owned()], Arc::clone(&source) as Arc<dyn KeySetSource>);
        for _ in 0..3 {
            assert_eq!(issuers.keys_for(&naming(ISSUER, "a")).await.unwrap_err().code(), Code::Unavailable);
        }
        assert_eq!(source.reads.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn choice_depends_on_age_key_and_last_attempt() {
        let now = Instant::now() + Duration::from_secs(100_000);
        let keys = Arc::new(IssuerKeys::parse(&key_set("a")).unwrap());
        let held = |read: u64, tried: u64| HeldKeys {
            keys: Some((Arc::clone(&keys), now - Duration::from_secs(read))),
            tried_at: Some(now - Duration::from_secs(tried)),
        };
        for (held, key_id, expected) in [
            (HeldKeys::default(), "a", KeyChoice::Read),
            (HeldKeys { keys: None, tried_at: Some(now) }, "a", KeyChoice::Unavailable),
            (held(599, 599), "a", KeyChoice::Use),
            (held(600, 600), "a", KeyChoice::Read),
            (held(29, 29), "b", KeyChoice::Use),
            (held(30, 30), "b", KeyChoice::Read),
            (held(3_599, 5), "a", KeyChoice::Use),
            (held(3_600, 5), "a", KeyChoice::Unavailable),
        ] {
            assert_eq!(held.choose(key_id, now), expected, "{key_id}");
        }
    }
}
