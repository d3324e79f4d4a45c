//! The unread body of a rejected request. If the server answers and closes during an upload, the client sees a broken
//! connection instead of the response (RFC 9112 section 9.6). So the server first reads and drops the rest, within
//! limits.

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

/// Maximum number of dropped bytes: an upload of the usual size, and some more.
const LARGEST: usize = 16 * 1024 * 1024;
/// Maximum total time to read them.
const PATIENCE: Duration = Duration::from_secs(10);
/// Maximum pause between two parts of them.
const PAUSE: Duration = Duration::from_secs(1);

/// A body that returns its unread rest.
struct WatchedBody {
    body: Option<Incoming>,
    /// Whether the client still waits for 100 Continue before it sends the body (RFC 9110 section 10.1.1).
    is_withheld: bool,
    unread: Option<oneshot::Sender<Incoming>>,
}

/// The rest of a request's body after its response.
pub(super) struct UnreadBody(oneshot::Receiver<Incoming>);

/// Returns the request with a body for its handler, and a handle to the unread rest; none for a request without a body.
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
    /// Reads and drops the rest that the handler did not read, within the limits. Beyond them, the connection ends with
    /// the response.
    pub(super) async fn drop_rest(mut self) {
        let Ok(mut body) = self.0.try_recv() else { return };
        let rest = async {
            let mut room = LARGEST;
            while let Ok(Some(Ok(frame))) = tokio::time::timeout(PAUSE, body.frame()).await {
                let Some(left) = room.checked_sub(frame.data_ref().map_or(0, Bytes::len)) else { return };
                room = left;
            }
        };
        // In both cases there is nothing to report.
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
            // The receiver is gone if the connection is closed.
            let _ = unread.send(body);
        }
    }
}
