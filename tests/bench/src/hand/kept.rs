//! Cache of values that are computed from the whole storefront.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use tokio::sync::Mutex;

use super::Refusal;

/// Lifetime of a value, as in the service.
const LIFETIME: Duration = Duration::from_secs(50);

/// Values by key, each with the time when it was computed.
type Values<T> = HashMap<String, (Instant, Arc<T>)>;

/// Cache by key. The key contains the stamp of the storefront, so an outdated value is never returned.
pub(super) struct Kept<T> {
    values: RwLock<Option<Values<T>>>,
    /// Lock of the request that computes a value; the others wait for it.
    making: Mutex<()>,
}

impl<T> Kept<T> {
    pub(super) const fn new() -> Self {
        Self { values: RwLock::new(None), making: Mutex::const_new(()) }
    }

    /// Returns the value of a key, and computes it if it is missing or has expired.
    pub(super) async fn get(
        &self,
        key: String,
        make: impl Future<Output = Result<T, Refusal>>,
    ) -> Result<Arc<T>, Refusal> {
        if let Some(value) = self.known(&key) {
            return Ok(value);
        }
        let _making = self.making.lock().await;
        if let Some(value) = self.known(&key) {
            return Ok(value);
        }
        let value = Arc::new(make.await?);
        let mut values = self.values.write().unwrap_or_else(PoisonError::into_inner);
        let values = values.get_or_insert_default();
        values.retain(|_, (since, _)| since.elapsed() < LIFETIME);
        values.insert(key, (Instant::now(), Arc::clone(&value)));
        Ok(value)
    }

    fn known(&self, key: &str) -> Option<Arc<T>> {
        let values = self.values.read().unwrap_or_else(PoisonError::into_inner);
        let (since, value) = values.as_ref()?.get(key)?;
        (since.elapsed() < LIFETIME).then(|| Arc::clone(value))
    }
}
