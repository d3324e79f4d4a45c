//! Tests of serving and closing connections.

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use futures_util::stream;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::*;

/// Bytes of a response that are produced at once.
const PIECE: usize = 16 * 1024;

fn taken(seats: &Arc<ConnectionLimiter>, peers: impl Iterator<Item = String>) -> Vec<ConnectionSlot> {
    peers.filter_map(|peer| ConnectionLimiter::acquire(seats, peer.parse().unwrap())).collect()
}

#[test]
fn connection_limit_applies_to_network_but_not_trusted_proxy() {
    let seats =
        Arc::new(ConnectionLimiter { held: Mutex::default(), trusted_proxies: vec!["10.0.0.0/8".parse().unwrap()] });
    let household = taken(&seats, (0..300).map(|host| format!("2001:db8:1:2::{host:x}")));
    assert_eq!(household.len(), CONNECTIONS_OF_ONE, "one household with several addresses");
    assert!(ConnectionLimiter::acquire(&seats, "2001:db8:1:3::1".parse().unwrap()).is_some(), "its neighbour");
    drop(household);
    assert!(ConnectionLimiter::acquire(&seats, "2001:db8:1:2::1".parse().unwrap()).is_some());
    let proxied = taken(&seats, (0..5_000).map(|_| "::ffff:10.0.0.1".to_owned()));
    assert_eq!(proxied.len(), CONNECTIONS);
}

#[tokio::test]
async fn pending_connections_are_answered_at_shutdown() {
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
async fn open_connection_gets_first_response_during_shutdown() {
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
    // The server accepts connections in order, so it has accepted all of them when this one is answered.
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

/// Reads a response; returns whether it states that it is the last one of the connection.
async fn is_last(client: &mut TcpStream) -> bool {
    let mut answer = Vec::new();
    while !answer.ends_with(b"here") {
        assert!(client.read_buf(&mut answer).await.unwrap() > 0, "cut off: {}", String::from_utf8_lossy(&answer));
    }
    String::from_utf8_lossy(&answer).contains("connection: close")
}

#[tokio::test]
async fn server_answers_open_and_new_connections_during_grace() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, stop) = (listener.local_addr().unwrap(), StopSignal::default());
    let router = Router::new().fallback(async || "here");
    let server = tokio::spawn(serve(listener, router, Vec::new(), stop.clone()));
    let request = b"GET / HTTP/1.1\r\nHost: labs\r\n\r\n";
    let mut kept = Vec::new();
    for _ in 0..12 {
        let mut client = TcpStream::connect(address).await.unwrap();
        client.write_all(request).await.unwrap();
        assert!(!is_last(&mut client).await);
        kept.push(client);
    }
    let mut idle = kept.pop().unwrap();
    stop.begin();
    kept.push(TcpStream::connect(address).await.unwrap());
    for client in &mut kept {
        client.write_all(request).await.unwrap();
        assert!(is_last(client).await, "the answer says that it is the last");
        assert_eq!(client.read(&mut [0]).await.unwrap(), 0, "and the connection ends");
    }
    assert!(!server.is_finished());
    stop.close();
    assert_eq!(idle.read(&mut [0]).await.unwrap(), 0, "an idle connection ends with the grace");
    server.await.unwrap().unwrap();
}

#[tokio::test]
async fn server_without_balancer_stops_when_no_connection_is_open() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, stop) = (listener.local_addr().unwrap(), StopSignal::close_when_idle(true));
    let router = Router::new().fallback(async || "here");
    let server = tokio::spawn(serve(listener, router, Vec::new(), stop.clone()));
    let mut client = TcpStream::connect(address).await.unwrap();
    client.write_all(b"GET / HTTP/1.1\r\nHost: labs\r\n\r\n").await.unwrap();
    assert!(!is_last(&mut client).await);
    stop.begin();
    client.write_all(b"GET / HTTP/1.1\r\nHost: labs\r\n\r\n").await.unwrap();
    assert!(is_last(&mut client).await);
    server.await.unwrap().unwrap();
}

#[tokio::test]
async fn client_that_stops_reading_is_disconnected() {
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
    let served = tokio::spawn(serve_within(listener, router, Vec::new(), stop.clone().into(), stall));
    let mut client = TcpStream::connect(address).await.unwrap();
    client.write_all(b"GET / HTTP/1.1\r\nHost: labs\r\n\r\n").await.unwrap();
    tokio::time::timeout(Duration::from_secs(20), ended.cancelled()).await.unwrap();
    // The system reserves the same size again, and the client has a buffer too.
    assert!(made.load(Ordering::Relaxed) < 4 * SEND_BUFFER, "so that a slow reader soon makes room for more");
    drop(client);
    stop.cancel();
    served.await.unwrap().unwrap();
}

/// Sends a complete request of this size to a service that rejects it without reading, and then reads the response.
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
async fn upload_rejected_unread_gets_full_response() {
    for _ in 0..20 {
        let answer = refused(9 * 1024 * 1024, "").await;
        assert!(answer.starts_with("HTTP/1.1 401") && answer.ends_with("who are you?"), "{answer}");
        assert!(!answer.contains("connection: close"), "the connection stays open: {answer}");
    }
}

#[tokio::test]
async fn expect_continue_is_rejected_without_reading_body() {
    let answer = refused(9 * 1024 * 1024, "Expect: 100-continue\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 401"), "without 100 Continue for a body that is not read: {answer}");
}
