//! The HTTP server: closes slow, excess or malformed connections (docs/decisions/edge.md#limits-of-a-connection), and
//! drains in-flight requests on shutdown.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use http::{HeaderValue, header};
use hyper::body::Incoming;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use ipnet::IpNet;
use socket2::SockRef;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt as _;

use super::address;
use super::stall_timeout::{RequestCounter, StallTimeoutStream};
use super::stop::StopSignal;
use super::unread_body;

/// Maximum time for a request head; also the maximum idle time of a connection before its first byte.
const HEAD: Duration = Duration::from_secs(5);
/// Maximum time in which a caller reads nothing of its response.
const STALL: Duration = Duration::from_secs(30);
/// Size in bytes of the system's send buffer for a slow caller. The system reports free space only if a third is free,
/// so with a larger buffer some callers would exceed the time limit.
const SEND_BUFFER: usize = 256 * 1024;
/// Maximum idle time of a connection between two requests.
const IDLE: Duration = Duration::from_secs(60);
/// Maximum size of a head in bytes.
const HEAD_BYTES: usize = 32 * 1024;
/// Maximum number of header lines.
const HEAD_LINES: usize = 100;
/// Maximum number of connections in total.
const CONNECTIONS: usize = 4_096;
/// Maximum number of connections per network.
const CONNECTIONS_OF_ONE: usize = 256;
/// Interval of the warning that connections cannot be accepted.
const REMINDER: Duration = Duration::from_secs(10);
/// Maximum time that a shutdown waits for the first request of an open connection.
const FIRST: Duration = Duration::from_secs(2);
/// Maximum time that a shutdown waits for in-flight requests.
const DRAIN: Duration = Duration::from_secs(20);

/// Address of the connection's peer, as an extension of every request.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);

/// Serves until shutdown, then drains (docs/decisions/edge.md#limits-of-a-connection). Trusted proxies open connections
/// for many callers, so only the total limit applies to them.
///
/// # Errors
/// If the listener cannot be drained.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    trusted_proxies: Vec<IpNet>,
    stop: impl Into<StopSignal>,
) -> std::io::Result<()> {
    serve_within(listener, router, trusted_proxies, stop.into(), STALL).await
}

/// Same as [`serve`], with another limit for callers that read slowly.
async fn serve_within(
    listener: TcpListener,
    router: Router,
    trusted_proxies: Vec<IpNet>,
    stop: StopSignal,
    stall: Duration,
) -> std::io::Result<()> {
    let open = TaskTracker::new();
    let limiter = Arc::new(ConnectionLimiter { held: Mutex::default(), trusted_proxies });
    // Belongs to this server only: an early shutdown does not close another server.
    let closing = CancellationToken::new();
    let accept = |stream: TcpStream, peer: SocketAddr| {
        if let Some(slot) = ConnectionLimiter::acquire(&limiter, peer.ip()) {
            open.spawn(serve_connection(stream, (peer, slot), router.clone(), stall, (stop.clone(), closing.clone())));
        }
    };
    let mut told_at: Option<Instant> = None;
    loop {
        tokio::select! {
            biased;
            () = stop.wait_for_close_with(&open) => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => accept(stream, peer),
                // An error of one connection, or a lack of system resources: the listener continues in both cases.
                Err(error) => {
                    if told_at.is_none_or(|told_at| told_at.elapsed() >= REMINDER) {
                        told_at = Some(Instant::now());
                        tracing::warn!(cause = %error, "the server cannot accept connections");
                    }
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            },
        }
    }
    closing.cancel();
    // Pending connections are accepted for one request; closing the listener would drop them.
    let listener = listener.into_std()?;
    while let Some((stream, peer)) = next_connection(&listener) {
        if let Ok(stream) = stream.set_nonblocking(true).and_then(|()| TcpStream::from_std(stream)) {
            accept(stream, peer);
        }
    }
    drop(listener);
    open.close();
    if tokio::time::timeout(DRAIN, open.wait()).await.is_err() {
        tracing::warn!(seconds = DRAIN.as_secs(), "some requests did not finish in time and are aborted");
    }
    Ok(())
}

/// Returns the next pending connection, skipping aborted ones.
fn next_connection(listener: &std::net::TcpListener) -> Option<(std::net::TcpStream, SocketAddr)> {
    for _ in 0..CONNECTIONS_OF_ONE {
        match listener.accept() {
            Ok(knocked) => return Some(knocked),
            Err(error) if error.kind() == ErrorKind::WouldBlock => return None,
            Err(_) => {}
        }
    }
    None
}

/// Serves the requests of a connection in sequence. After the shutdown has begun, the next response closes the
/// connection and states that. When the server closes, an idle connection ends. A connection without a request so far
/// may send one, because its client cannot know.
async fn serve_connection(
    stream: TcpStream,
    (peer, slot): (SocketAddr, ConnectionSlot),
    router: Router,
    stall: Duration,
    (stop, closing): (StopSignal, CancellationToken),
) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(cause = %error, "TCP_NODELAY could not be set on a connection");
    }
    if let Err(error) = SockRef::from(&stream).set_send_buffer_size(SEND_BUFFER) {
        tracing::debug!(cause = %error, "the send buffer size could not be set on a connection; the system's default \
                                         applies");
    }
    let turns = RequestCounter::default();
    let stream = StallTimeoutStream::new(stream, turns.clone(), HEAD, stall);
    let (begun, stopping) = (turns.clone(), stop.clone());
    let service = tower::service_fn(move |request: http::Request<Incoming>| {
        let (mut request, unread) = unread_body::watch(request);
        request.extensions_mut().insert(Peer(peer.ip()));
        turns.next();
        let (answer, turns, stopping) = (router.clone().oneshot(request), turns.clone(), stopping.clone());
        async move {
            let mut answer = answer.await;
            if let Some(unread) = unread {
                unread.drop_rest().await;
            }
            turns.next();
            // The header is part of the response, so that no client sends another request that would be lost.
            if let (Ok(answer), true) = (&mut answer, stopping.has_begun()) {
                answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            answer
        }
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(IDLE)
        .max_buf_size(HEAD_BYTES)
        .max_headers(HEAD_LINES)
        .half_close(false)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
    let mut connection = pin!(connection);
    let last = async {
        closing.cancelled().await;
        let _came_in_time = tokio::time::timeout(FIRST, begun.wait_for_first()).await;
    };
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = last => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(cause = %error, "a client connection ended with an error");
    }
    drop(slot);
}

/// Number of connections per network.
struct ConnectionLimiter {
    held: Mutex<HashMap<IpAddr, usize>>,
    trusted_proxies: Vec<IpNet>,
}

struct ConnectionSlot {
    limiter: Arc<ConnectionLimiter>,
    network: IpAddr,
}

impl ConnectionLimiter {
    fn acquire(limiter: &Arc<Self>, peer: IpAddr) -> Option<ConnectionSlot> {
        let peer = peer.to_canonical();
        let most = if address::is_within(peer, &limiter.trusted_proxies) { CONNECTIONS } else { CONNECTIONS_OF_ONE };
        let network = address::network(peer);
        let mut held = limiter.held.lock().unwrap_or_else(PoisonError::into_inner);
        let all: usize = held.values().sum();
        let own = held.get(&network).copied().unwrap_or_default();
        if all >= CONNECTIONS || own >= most {
            return None;
        }
        held.insert(network, own + 1);
        Some(ConnectionSlot { limiter: Arc::clone(limiter), network })
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut held = self.limiter.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = held.get_mut(&self.network) {
            *own = own.saturating_sub(1);
            if *own == 0 {
                held.remove(&self.network);
            }
        }
    }
}

#[cfg(test)]
mod tests;
