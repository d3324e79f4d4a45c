//! Cache of values that are computed from the whole storefront.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use super::Refusal;

/// Lifetime of a value, as in the service.
const LIFETIME: Duration = Duration::from_secs(50);

/// A value and the time when it was computed.
type Entry<T> = (Instant, Arc<T>);

/// Values by key. The key contains the stamp of the storefront, so an outdated value is never returned.
pub(super) struct Kept<T>(RwLock<Option<HashMap<String, Entry<T>>>>);

impl<T> Kept<T> {
    pub(super) const fn new() -> Self {
        Self(RwLock::new(None))
    }

    /// Returns the value of a key, and computes it if it is missing or has expired.
    pub(super) async fn get(
        &self,
        key: String,
        make: impl Future<Output = Result<T, Refusal>>,
    ) -> Result<Arc<T>, Refusal> {
        let known =
            self.0.read().unwrap_or_else(PoisonError::into_inner).as_ref().and_then(|kept| kept.get(&key).cloned());
        if let Some((_, value)) = known.filter(|(since, _)| since.elapsed() < LIFETIME) {
            return Ok(value);
        }
        let value = Arc::new(make.await?);
        let mut kept = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let kept = kept.get_or_insert_default();
        kept.retain(|_, (since, _)| since.elapsed() < LIFETIME);
        kept.insert(key, (Instant::now(), Arc::clone(&value)));
        Ok(value)
    }
}
