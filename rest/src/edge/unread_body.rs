//! What a refused request goes on sending. Whoever is answered and closed upon in the middle of an upload finds a broken
//! connection in place of the answer (RFC 9112 section 9.6), so that the rest is read and dropped first, within bounds.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http::{Request, header};
use http_body::{Body as _, Frame, SizeHint};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use tokio::sync::oneshot;

/// Most bytes that are dropped: an upload of the usual size, and some.
const LARGEST: usize = 16 * 1024 * 1024;
/// How long they may take in all.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long nothing may come of them.
const PAUSE: Duration = Duration::from_secs(1);

/// A body that hands over what was not read of it.
struct WatchedBody {
    body: Option<Incoming>,
    /// Whether the caller waits to be told before it sends anything (RFC 9110 section 10.1.1), and was not yet.
    is_withheld: bool,
    unread: Option<oneshot::Sender<Incoming>>,
}

/// What is left of a request's body once it is answered.
pub(super) struct UnreadBody(oneshot::Receiver<Incoming>);

/// The request with a body for its handler, and what tells afterwards what was left of it; nothing where it has none.
pub(super) fn watch(request: Request<Incoming>) -> (Request<Body>, Option<UnreadBody>) {
    let (parts, body) = request.into_parts();
    if body.is_end_stream() {
        return (Request::from_parts(parts, Body::empty()), None);
    }
    let (unread, left) = oneshot::channel();
    let is_withheld = parts.headers.contains_key(header::EXPECT);
    let body = WatchedBody { body: Some(body), is_withheld, unread: Some(unread) };
    (Request::from_parts(parts, Body::new(body)), Some(UnreadBody(left)))
}

impl UnreadBody {
    /// Reads and drops what its handler left, as far as the bounds go. Beyond them the connection ends with the answer.
    pub(super) async fn drop_rest(mut self) {
        let Ok(mut body) = self.0.try_recv() else { return };
        let rest = async {
            let mut room = LARGEST;
            while let Ok(Some(Ok(frame))) = tokio::time::timeout(PAUSE, body.frame()).await {
                let Some(left) = room.checked_sub(frame.data_ref().map_or(0, Bytes::len)) else { return };
                room = left;
            }
        };
        // Whether it came in time or not, there is nothing to be told.
        let _in_time = tokio::time::timeout(PATIENCE, rest).await;
    }
}

impl http_body::Body for WatchedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        self.is_withheld = false;
        self.body.as_mut().map_or(Poll::Ready(None), |body| Pin::new(body).poll_frame(cx))
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Incoming::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(|| SizeHint::with_exact(0), Incoming::size_hint)
    }
}

impl Drop for WatchedBody {
    fn drop(&mut self) {
        let left = self.body.take().filter(|body| !self.is_withheld && !body.is_end_stream());
        if let (Some(body), Some(unread)) = (left, self.unread.take()) {
            // Nobody listens where the connection is gone.
            let _ = unread.send(body);
        }
    }
}
