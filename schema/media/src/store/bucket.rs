//! S3 bucket as object storage: time limits and retries.

use std::sync::Arc;
use std::time::Duration;

use object_store::aws::AmazonS3Builder;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{BackoffConfig, ClientOptions, RetryConfig};

use super::location::Bucket;
use super::probe::LastWrite;
use super::{MediaStore, StoreError};

/// Time limit for connecting.
const CONNECT: Duration = Duration::from_secs(3);
/// Maximum time without data from the bucket: after a request with its body, and between two pieces of an answer. The
/// total time of an answer depends on its reader.
const SILENCE: Duration = Duration::from_secs(10);
/// Minimum interval between writes by the readiness check. Each write can cost money, and in a versioned bucket each
/// leaves a version.
const WRITES: Duration = Duration::from_secs(60);

/// Retries temporary failures and interrupted transfers a few times while the caller waits.
fn retries() -> RetryConfig {
    let backoff =
        BackoffConfig { init_backoff: Duration::from_millis(100), max_backoff: Duration::from_secs(1), base: 2.0 };
    RetryConfig { backoff, max_retries: 3, retry_timeout: Duration::from_secs(5) }
}

/// Defaults, which the bucket's settings can override. A single object is deleted with a single-object request, which
/// every S3-compatible storage supports.
const DEFAULTS: [(&str, &str); 1] = [("AWS_DISABLE_BULK_DELETE", "true")];

impl MediaStore {
    /// Opens the storage in a bucket, without sending a request. Ignores settings that the client does not support.
    ///
    /// # Errors
    /// [`StoreError`] if its settings cannot be used.
    pub fn in_bucket(bucket: &Bucket) -> Result<MediaStore, StoreError> {
        let Bucket { name, prefix, settings } = bucket;
        let client = ClientOptions::new().with_connect_timeout(CONNECT).with_read_timeout(SILENCE);
        let builder = AmazonS3Builder::new().with_client_options(client.with_timeout_disabled()).with_retry(retries());
        let settings = settings.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let settings = DEFAULTS.into_iter().chain(settings);
        let settings = settings.filter_map(|(name, value)| Some((name.to_ascii_lowercase().parse().ok()?, value)));
        let builder = settings.fold(builder, |builder, (key, value)| builder.with_config(key, value));
        let store = builder.with_url(format!("s3://{name}")).build()?;
        let objects = Arc::new(PrefixStore::new(store, Path::from(prefix.as_str())));
        Ok(MediaStore { objects, folder: None, written: LastWrite::every(WRITES) })
    }
}
