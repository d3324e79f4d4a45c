//! Answers in memory that are sent again as long as the public content is the same (`@reusable`).
//!
//! An answer is stored at the second request for it, so that a request that is sent once costs no memory and does not
//! read the revision.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderMap, Response, StatusCode, header};
use labs_core::Fault;
use labs_core::engine::{Answer, Reuse};
use labs_core::time::Time;
use moka::sync::Cache;
use serde_json::Value;

use super::{AnswerContext, next_link, write_conditional, write_json};
use crate::front::coding::WORTH_COMPRESSING;
use crate::front::headers;
use crate::precompressed::PrecompressedDocument;

/// Maximum bytes of all stored answers.
const ROOM: u64 = 24 << 20;
/// Time after which an entry is deleted if no request asks for it.
const IDLE: Duration = Duration::from_secs(600);
/// Approximate size of an entry without its body: key and headers.
const ENTRY: usize = 1024;

/// Answers by request.
pub(crate) struct AnswerCache(Cache<AnswerKey, Entry>);

/// Parts of a request that determine its answer: the operation's index, and the variables as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct AnswerKey(usize, String);

/// Entry of a request.
#[derive(Clone)]
enum Entry {
    /// It was sent once.
    Requested,
    /// Its answer.
    Stored(Arc<StoredAnswer>),
}

/// Result of a lookup.
pub(crate) enum Lookup {
    /// No answer is stored, or the public content has changed since. The revision is known unless the request is the
    /// first of its kind.
    Missing(Option<i64>),
    /// The stored answer.
    Present(Arc<StoredAnswer>),
}

/// A successful answer.
pub(crate) struct StoredAnswer {
    revision: i64,
    stored_at: Time,
    /// Headers that do not depend on the request.
    head: HeaderMap,
    next_cursor: Option<String>,
    body: StoredBody,
}

/// Body of an answer. As for other responses, a small one is not compressed.
enum StoredBody {
    Small(Bytes),
    Large { bytes: usize, document: PrecompressedDocument },
}

impl StoredBody {
    fn new(body: Bytes) -> Self {
        let bytes = body.len();
        if (bytes as u64) < WORTH_COMPRESSING {
            Self::Small(body)
        } else {
            Self::Large { bytes, document: PrecompressedDocument::new(body) }
        }
    }

    const fn bytes(&self) -> usize {
        match self {
            Self::Small(body) => body.len(),
            Self::Large { bytes, .. } => *bytes,
        }
    }
}

impl Default for AnswerCache {
    fn default() -> Self {
        let weigh = |AnswerKey(_, variables): &AnswerKey, entry: &Entry| {
            let body = if let Entry::Stored(answer) = entry { answer.body.bytes().saturating_mul(2) } else { 0 };
            u32::try_from(body.saturating_add(variables.len() + ENTRY)).unwrap_or(u32::MAX)
        };
        Self(Cache::builder().max_capacity(ROOM).weigher(weigh).time_to_idle(IDLE).build())
    }
}

impl AnswerKey {
    /// Returns the key of a request.
    pub(crate) fn of(requested: &AnswerContext<'_>) -> Self {
        let variables = requested.variables.iter().filter(|(_, value)| !matches!(value, Value::Null));
        let variables: serde_json::Map<_, _> = variables.map(|(name, value)| (name.clone(), value.clone())).collect();
        Self(requested.operation.index, serde_json::to_string(&variables).unwrap_or_default())
    }
}

impl AnswerCache {
    /// Looks up a request at this time. `revision` reads the present revision; it runs only if the request was sent
    /// before.
    ///
    /// # Errors
    /// The error of `revision`.
    pub(crate) async fn look_up(
        &self,
        key: &AnswerKey,
        (reuse, now): (&Reuse, Time),
        revision: impl Future<Output = Result<i64, Fault>>,
    ) -> Result<Lookup, Fault> {
        let Some(entry) = self.0.get(key) else {
            self.0.insert(key.clone(), Entry::Requested);
            return Ok(Lookup::Missing(None));
        };
        let revision = revision.await?;
        match entry {
            Entry::Stored(answer) if answer.is_present(revision, reuse, now) => Ok(Lookup::Present(answer)),
            Entry::Requested | Entry::Stored(_) => Ok(Lookup::Missing(Some(revision))),
        }
    }

    /// Forgets a request. Called if it was rejected: an error is not stored, so the next request need not read the
    /// revision.
    pub(crate) fn forget(&self, key: &AnswerKey) {
        self.0.invalidate(key);
    }

    /// Stores an answer that was read after this revision and time; `None` if the answer is not only JSON.
    pub(crate) fn store(
        &self,
        key: AnswerKey,
        requested: &AnswerContext<'_>,
        answer: &Answer,
        (revision, now): (i64, Time),
    ) -> Option<Arc<StoredAnswer>> {
        let stored = Arc::new(StoredAnswer::new(requested, answer, (revision, now))?);
        self.0.insert(key, Entry::Stored(Arc::clone(&stored)));
        Some(stored)
    }
}

impl StoredAnswer {
    fn new(requested: &AnswerContext<'_>, answer: &Answer, (revision, stored_at): (i64, Time)) -> Option<Self> {
        let extras = &answer.extras;
        if extras.cookie.is_some() || extras.download.is_some() || extras.document.is_some() {
            return None;
        }
        let mut head = write_json(requested, answer).into_parts().0.headers;
        head.remove(header::LINK);
        Some(Self {
            revision,
            stored_at,
            head,
            next_cursor: answer.next_cursor.clone(),
            // A copy has no spare capacity.
            body: StoredBody::new(Bytes::copy_from_slice(&answer.body)),
        })
    }

    fn is_present(&self, revision: i64, reuse: &Reuse, now: Time) -> bool {
        let age = Duration::try_from(now.0.duration_since(self.stored_at.0));
        self.revision == revision && age.is_ok_and(|age| age < reuse.duration)
    }

    /// Writes the answer to a request.
    ///
    /// # Errors
    /// [`labs_core::Code::PreconditionFailed`] if `If-Match` names another representation.
    pub(crate) async fn write(&self, requested: &AnswerContext<'_>) -> Result<Response<Body>, Fault> {
        let mut response = Response::new(Body::empty());
        *response.headers_mut() = self.head.clone();
        if let Some(link) = self.next_cursor.as_deref().and_then(|cursor| next_link(requested, cursor)) {
            headers::text(response.headers_mut(), header::LINK, &link);
        }
        let conditions = (requested.if_match, requested.if_none_match);
        let mut response = write_conditional(response, conditions, requested.headers)?;
        if response.status() == StatusCode::OK {
            match &self.body {
                StoredBody::Small(body) => *response.body_mut() = Body::from(body.clone()),
                StoredBody::Large { document, .. } => document.write(requested.headers, &mut response).await,
            }
        }
        Ok(response)
    }
}
