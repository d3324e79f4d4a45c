//! The listening side: connections that are slow, too many or malformed end here (docs/decisions.md#edge), and a stop drains what is under way.

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
use super::unread_body;

/// How long a caller may take over its head; also how long a connection may idle before its first byte.
const HEAD: Duration = Duration::from_secs(5);
/// How long a caller may take nothing of its answer.
const STALL: Duration = Duration::from_secs(30);
/// Bytes of an answer that the system holds for a caller who takes them slowly. It says that there is room again only when
/// a third is free, so that of a larger one some would wait longer than they may.
const SEND_BUFFER: usize = 256 * 1024;
/// How long a connection may idle between two requests.
const IDLE: Duration = Duration::from_secs(60);
/// Largest head in bytes.
const HEAD_BYTES: usize = 32 * 1024;
/// Most header lines.
const HEAD_LINES: usize = 100;
/// Most connections in all.
const CONNECTIONS: usize = 4_096;
/// Most connections of one network.
const CONNECTIONS_OF_ONE: usize = 256;
/// How often it is told that connections cannot be taken.
const REMINDER: Duration = Duration::from_secs(10);
/// How long a stop waits for the first request of a connection that was opened before.
const FIRST: Duration = Duration::from_secs(2);
/// How long a stop waits for requests under way.
const DRAIN: Duration = Duration::from_secs(20);

/// Where the connection comes from, as an extension of every request.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);

/// Serves until stopped, then drains. The trusted proxies bring the connections of many callers, so that only the
/// bound on all of them is theirs.
///
/// # Errors
/// When the listener cannot be drained.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    trusted_proxies: Vec<IpNet>,
    stop: CancellationToken,
) -> std::io::Result<()> {
    serve_within(listener, router, trusted_proxies, stop, STALL).await
}

/// The same with another time within which a caller must take some of its answer.
async fn serve_within(
    listener: TcpListener,
    router: Router,
    trusted_proxies: Vec<IpNet>,
    stop: CancellationToken,
    stall: Duration,
) -> std::io::Result<()> {
    let open = TaskTracker::new();
    let seats = Arc::new(ConnectionLimiter { held: Mutex::default(), trusted_proxies });
    let accept = |stream: TcpStream, peer: SocketAddr| {
        if let Some(seat) = ConnectionLimiter::take(&seats, peer.ip()) {
            open.spawn(answer(stream, (peer, seat), router.clone(), stall, stop.clone()));
        }
    };
    let mut told_at: Option<Instant> = None;
    loop {
        tokio::select! {
            biased;
            () = stop.cancelled() => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => accept(stream, peer),
                // Of one connection, or of a machine that is short of something: neither is the end of the listener.
                Err(error) => {
                    if told_at.is_none_or(|told_at| told_at.elapsed() >= REMINDER) {
                        told_at = Some(Instant::now());
                        tracing::warn!(cause = %error, "connections cannot be taken");
                    }
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            },
        }
    }
    // Whoever has knocked already is let in, for one request; to close the door on them would lose it.
    let listener = listener.into_std()?;
    while let Some((stream, peer)) = next_knock(&listener) {
        if let Ok(stream) = stream.set_nonblocking(true).and_then(|()| TcpStream::from_std(stream)) {
            accept(stream, peer);
        }
    }
    drop(listener);
    open.close();
    if tokio::time::timeout(DRAIN, open.wait()).await.is_err() {
        tracing::warn!(seconds = DRAIN.as_secs(), "some requests did not end in time and are cut off");
    }
    Ok(())
}

/// Who has knocked already, past those who have gone away again.
fn next_knock(listener: &std::net::TcpListener) -> Option<(std::net::TcpStream, SocketAddr)> {
    for _ in 0..CONNECTIONS_OF_ONE {
        match listener.accept() {
            Ok(knocked) => return Some(knocked),
            Err(error) if error.kind() == ErrorKind::WouldBlock => return None,
            Err(_) => {}
        }
    }
    None
}

/// Answers the requests of a connection, one after the other, until the stop: then the one under way is its last, and a
/// connection that has brought none yet may bring one, because its caller cannot know.
async fn answer(
    stream: TcpStream,
    (peer, seat): (SocketAddr, ConnectionSlot),
    router: Router,
    stall: Duration,
    stop: CancellationToken,
) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(cause = %error, "a connection without TCP_NODELAY");
    }
    if let Err(error) = SockRef::from(&stream).set_send_buffer_size(SEND_BUFFER) {
        tracing::debug!(cause = %error, "a connection with a send buffer of the system's size");
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
            // Said with the answer, so that nobody sends another request that would be lost.
            if let (Ok(answer), true) = (&mut answer, stopping.is_cancelled()) {
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
        stop.cancelled().await;
        let _came_in_time = tokio::time::timeout(FIRST, begun.first()).await;
    };
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = last => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(cause = %error, "a connection ended badly");
    }
    drop(seat);
}

/// Which network holds how many connections.
struct ConnectionLimiter {
    held: Mutex<HashMap<IpAddr, usize>>,
    trusted_proxies: Vec<IpNet>,
}

struct ConnectionSlot {
    seats: Arc<ConnectionLimiter>,
    network: IpAddr,
}

impl ConnectionLimiter {
    fn take(seats: &Arc<Self>, peer: IpAddr) -> Option<ConnectionSlot> {
        let peer = peer.to_canonical();
        let most = if address::is_within(peer, &seats.trusted_proxies) { CONNECTIONS } else { CONNECTIONS_OF_ONE };
        let network = address::network(peer);
        let mut held = seats.held.lock().unwrap_or_else(PoisonError::into_inner);
        let all: usize = held.values().sum();
        let own = held.get(&network).copied().unwrap_or_default();
        if all >= CONNECTIONS || own >= most {
            return None;
        }
        held.insert(network, own + 1);
        Some(ConnectionSlot { seats: Arc::clone(seats), network })
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut held = self.seats.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = held.get_mut(&self.network) {
            *own = own.saturating_sub(1);
            if *own == 0 {
                held.remove(&self.network);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use bytes::Bytes;
    use futures_util::stream;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    /// Bytes of an answer that are made at once.
    const PIECE: usize = 16 * 1024;

    fn taken(seats: &Arc<ConnectionLimiter>, peers: impl Iterator<Item = String>) -> Vec<ConnectionSlot> {
        peers.filter_map(|peer| ConnectionLimiter::take(seats, peer.parse().unwrap())).collect()
    }

    #[test]
    fn a_network_has_its_share_and_a_trusted_proxy_all() {
        let seats = Arc::new(ConnectionLimiter {
            held: Mutex::default(),
            trusted_proxies: vec!["10.0.0.0/8".parse().unwrap()],
        });
        let household = taken(&seats, (0..300).map(|host| format!("2001:db8:1:2::{host:x}")));
        assert_eq!(household.len(), CONNECTIONS_OF_ONE, "one household, whatever addresses it takes");
        assert!(ConnectionLimiter::take(&seats, "2001:db8:1:3::1".parse().unwrap()).is_some(), "its neighbour");
        drop(household);
        assert!(ConnectionLimiter::take(&seats, "2001:db8:1:2::1".parse().unwrap()).is_some());
        let proxied = taken(&seats, (0..5_000).map(|_| "::ffff:10.0.0.1".to_owned()));
        assert_eq!(proxied.len(), CONNECTIONS);
    }

    #[tokio::test]
    async fn whoever_has_knocked_when_the_end_comes_is_answered() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut clients = Vec::new();
        for _ in 0..3 {
            let mut client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
            client.write_all(b"GET / HTTP/1.1\r\nHost: labs\r\n\r\n").await.unwrap();
            clients.push(client);
        }
        let stop = CancellationToken::new();
        stop.cancel();
        serve(listener, Router::new().fallback(async || "here"), Vec::new(), stop).await.unwrap();
        for mut client in clients {
            let mut answer = String::new();
            client.read_to_string(&mut answer).await.unwrap();
            assert!(answer.ends_with("here"), "{answer}");
        }
    }

    #[tokio::test]
    async fn a_connection_that_was_opened_before_the_end_has_its_first_request_answered() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, stop) = (listener.local_addr().unwrap(), CancellationToken::new());
        let (arrived, served) = (Arc::new(tokio::sync::Notify::new()), Router::new());
        let told = Arc::clone(&arrived);
        let served = served.fallback(move || {
            told.notify_one();
            std::future::ready("here")
        });
        let server = tokio::spawn(serve(listener, served, Vec::new(), stop.clone()));
        let request = b"GET / HTTP/1.1\r\nHost: labs\r\n\r\n";
        let mut silent: Vec<TcpStream> = Vec::new();
        for _ in 0..20 {
            silent.push(TcpStream::connect(address).await.unwrap());
        }
        let mut busy = TcpStream::connect(address).await.unwrap();
        busy.write_all(request).await.unwrap();
        // The accepting side takes connections in their order, so that it has taken all when this one is answered.
        arrived.notified().await;
        stop.cancel();
        for client in &mut silent {
            client.write_all(request).await.unwrap();
            let mut answer = String::new();
            client.read_to_string(&mut answer).await.unwrap();
            assert!(answer.ends_with("here") && answer.contains("connection: close"), "{answer}");
        }
        server.await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn whoever_takes_nothing_of_an_answer_is_let_go_and_little_of_it_was_made() {
        let (made, ended, stop) = (Arc::new(AtomicUsize::new(0)), CancellationToken::new(), CancellationToken::new());
        let (counted, told) = (Arc::clone(&made), ended.clone());
        let without_end = move || {
            let (counted, held) = (Arc::clone(&counted), told.clone().drop_guard());
            let pieces = stream::repeat_with(move || {
                let _until_dropped = &held;
                counted.fetch_add(PIECE, Ordering::Relaxed);
                Ok::<_, Infallible>(Bytes::from_static(&[0; PIECE]))
            });
            std::future::ready(axum::body::Body::from_stream(pieces))
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (router, stall) = (Router::new().fallback(without_end), Duration::from_millis(100));
        let served = tokio::spawn(serve_within(listener, router, Vec::new(), stop.clone(), stall));
        let mut client = TcpStream::connect(address).await.unwrap();
        client.write_all(b"GET / HTTP/1.1\r\nHost: labs\r\n\r\n").await.unwrap();
        tokio::time::timeout(Duration::from_secs(20), ended.cancelled()).await.unwrap();
        // The system takes as much again for its own, and the client's side has room of its own.
        assert!(made.load(Ordering::Relaxed) < 4 * SEND_BUFFER, "so that a slow reader soon makes room for more");
        drop(client);
        stop.cancel();
        served.await.unwrap().unwrap();
    }

    /// Sends all of a request of so many bytes to a service that refuses without reading, and then reads what it answers.
    async fn refused(size: usize, head: &str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, stop) = (listener.local_addr().unwrap(), CancellationToken::new());
        let router = Router::new().fallback(async || (http::StatusCode::UNAUTHORIZED, "who are you?"));
        let served = tokio::spawn(serve(listener, router, Vec::new(), stop.clone()));
        let mut client = TcpStream::connect(address).await.unwrap();
        let head = format!("POST / HTTP/1.1\r\nHost: labs\r\nContent-Length: {size}\r\n{head}\r\n");
        client.write_all(head.as_bytes()).await.unwrap();
        if !head.contains("100-continue") {
            for _ in 0..size / PIECE {
                client.write_all(&[b'x'; PIECE]).await.unwrap();
            }
        }
        let mut answer = vec![0; 4096];
        let length = client.read(&mut answer).await.unwrap();
        drop(client);
        stop.cancel();
        served.await.unwrap().unwrap();
        String::from_utf8_lossy(&answer[..length]).into_owned()
    }

    #[tokio::test]
    async fn an_upload_that_is_refused_unread_is_answered_and_not_cut() {
        for _ in 0..20 {
            let answer = refused(9 * 1024 * 1024, "").await;
            assert!(answer.starts_with("HTTP/1.1 401") && answer.ends_with("who are you?"), "{answer}");
            assert!(!answer.contains("connection: close"), "the connection goes on: {answer}");
        }
    }

    #[tokio::test]
    async fn whoever_waits_to_be_told_is_refused_at_once() {
        let answer = refused(9 * 1024 * 1024, "Expect: 100-continue\r\n").await;
        assert!(answer.starts_with("HTTP/1.1 401"), "without being asked for a body that nobody reads: {answer}");
    }
}
