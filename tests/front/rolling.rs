//! Tests of the shutdown announcement, and of a rolling restart of replicas behind a proxy.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::{Service, serve_migrated};
use crate::harness::{Harness, LONGEST_WAIT, Replica};

/// Restarts in a normal run, and in a whole soak run.
const RESTARTS: usize = 3;
const RESTARTS_OF_SOAK: usize = 24;
/// Number of clients that keep their connections.
const CLIENTS: usize = 12;

const HEALTH: &str = "/v1/system/health";
const READINESS: &str = "/v1/system/readiness";

/// A response: status, whether it closes the connection, and body.
struct Answer {
    status: u16,
    is_last: bool,
    head: String,
    body: Vec<u8>,
}

/// Sends a request on a connection and reads the whole response. It does not retry: a broken connection is an error.
async fn ask(connection: &mut TcpStream, path: &str) -> io::Result<Answer> {
    connection.write_all(format!("GET {path} HTTP/1.1\r\nHost: labs\r\n\r\n").as_bytes()).await?;
    read(connection).await
}

async fn read(connection: &mut TcpStream) -> io::Result<Answer> {
    let mut bytes = Vec::new();
    let length = loop {
        if let Some(length) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break length + 4;
        }
        if connection.read_buf(&mut bytes).await? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
    };
    let head = String::from_utf8_lossy(&bytes[..length]).to_ascii_lowercase();
    let value = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let size: usize = value("content-length:").unwrap().parse().unwrap();
    let (status, is_last) = (head[9..12].parse().unwrap(), value("connection:") == Some("close"));
    while bytes.len() < length + size {
        if connection.read_buf(&mut bytes).await? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(Answer { status, is_last, head, body: bytes.split_off(length) })
}

#[tokio::test]
async fn sigterm_answers_open_connections_once_and_readiness_fails() {
    let place = tempfile::tempdir().unwrap();
    let mut command = serve_migrated(place.path());
    let mut service = Service::run(command.arg("--empty").env("LABS_STOP_GRACE_SECONDS", "60"));
    let mut kept = Vec::new();
    for _ in 0..CLIENTS {
        let mut connection = TcpStream::connect(service.address()).await.unwrap();
        let answer = ask(&mut connection, HEALTH).await.unwrap();
        assert!(answer.status == 200 && !answer.is_last, "{}", answer.head);
        kept.push(connection);
    }
    let mut asking = kept.pop().unwrap();
    service.signal("TERM", "");
    let until = Instant::now() + LONGEST_WAIT;
    let red = loop {
        assert!(Instant::now() < until, "readiness stays green");
        let answer = ask(&mut asking, READINESS).await.unwrap();
        if answer.status == 503 {
            break answer;
        }
        if answer.is_last {
            asking = TcpStream::connect(service.address()).await.expect("new connections are taken");
        }
    };
    let told: serde_json::Value = serde_json::from_slice(&red.body).unwrap();
    assert_eq!(told["status"], "NOT_READY");
    let replica = told["checks"].as_array().unwrap().iter().find(|check| check["name"] == "REPLICA").unwrap();
    assert_eq!(replica["state"], "FAILING", "{told}");
    kept.push(TcpStream::connect(service.address()).await.expect("new connections are taken"));
    for connection in &mut kept {
        let answer = ask(connection, HEALTH).await.expect("no connection is cut");
        assert!(answer.status == 200 && answer.is_last, "{}", answer.head);
    }
    drop((kept, asking));
    // No connection is open and a private database has no load balancer in front of its service, so the service does
    // not wait for the grace period.
    assert!(tokio::task::spawn_blocking(move || service.wait().success()).await.unwrap());
    assert!(Instant::now() < until + LONGEST_WAIT);
}

#[tokio::test]
async fn ctrl_c_does_not_wait_for_idle_connections() {
    let place = tempfile::tempdir().unwrap();
    let mut command = serve_migrated(place.path());
    let mut service = Service::run(command.arg("--empty").env("LABS_STOP_GRACE_SECONDS", "300"));
    let mut kept = TcpStream::connect(service.address()).await.unwrap();
    assert_eq!(ask(&mut kept, HEALTH).await.unwrap().status, 200);
    service.signal("INT", "");
    let begun = Instant::now();
    assert!(tokio::task::spawn_blocking(move || service.wait().success()).await.unwrap());
    assert!(begun.elapsed() < LONGEST_WAIT, "{:?}", begun.elapsed());
}

/// A proxy that keeps connections to replicas, sends requests only to ready replicas, and never repeats a request.
struct Proxy {
    /// Replicas in turn, with their last readiness result.
    replicas: Mutex<Vec<(SocketAddr, bool)>>,
    turn: AtomicUsize,
}

impl Proxy {
    async fn begin(replicas: &[SocketAddr]) -> (Arc<Self>, SocketAddr) {
        let replicas = replicas.iter().map(|address| (*address, true)).collect();
        let proxy = Arc::new(Self { replicas: Mutex::new(replicas), turn: AtomicUsize::new(0) });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (accepting, looking) = (Arc::clone(&proxy), Arc::clone(&proxy));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(Arc::clone(&accepting).serve(client));
            }
        });
        tokio::spawn(looking.watch());
        (proxy, address)
    }

    fn add(&self, address: SocketAddr) {
        self.replicas.lock().unwrap().push((address, true));
    }

    fn remove(&self, address: SocketAddr) {
        self.replicas.lock().unwrap().retain(|(known, _)| *known != address);
    }

    fn is_green(&self, address: SocketAddr) -> bool {
        self.replicas.lock().unwrap().iter().any(|(known, is_green)| *known == address && *is_green)
    }

    /// Polls readiness as often as an impatient load balancer.
    async fn watch(self: Arc<Self>) {
        loop {
            let known: Vec<_> = self.replicas.lock().unwrap().iter().map(|(address, _)| *address).collect();
            for address in known {
                let asked = async { ask(&mut TcpStream::connect(address).await?, READINESS).await };
                let is_green = asked.await.is_ok_and(|answer| answer.status == 200);
                let mut replicas = self.replicas.lock().unwrap();
                replicas.iter_mut().filter(|(known, _)| *known == address).for_each(|replica| replica.1 = is_green);
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    /// Serves a client's requests in sequence over a connection that is kept as long as its replica is ready.
    async fn serve(self: Arc<Self>, mut client: TcpStream) {
        let mut kept: Option<(SocketAddr, TcpStream)> = None;
        let mut head = Vec::new();
        while client.read_buf(&mut head).await.is_ok_and(|count| count > 0) {
            if !head.ends_with(b"\r\n\r\n") {
                continue;
            }
            head.clear();
            let usable = kept.take().filter(|(address, _)| self.is_green(*address));
            let asked = async {
                let (address, mut replica) = match usable {
                    Some(usable) => usable,
                    None => self.connect().await?,
                };
                let answer = ask(&mut replica, HEALTH).await?;
                Ok::<_, io::Error>((address, replica, answer))
            };
            let status = match asked.await {
                Ok((address, replica, answer)) => {
                    kept = (!answer.is_last).then_some((address, replica));
                    answer.status
                }
                Err(_) => 502,
            };
            let answer = format!("HTTP/1.1 {status} -\r\nContent-Length: 0\r\n\r\n");
            if client.write_all(answer.as_bytes()).await.is_err() {
                return;
            }
        }
    }

    async fn connect(&self) -> io::Result<(SocketAddr, TcpStream)> {
        let address = {
            let replicas = self.replicas.lock().unwrap();
            let green: Vec<_> = replicas.iter().filter(|(_, is_green)| *is_green).collect();
            let turn = self.turn.fetch_add(1, Ordering::Relaxed);
            green.get(turn % green.len().max(1)).ok_or(ErrorKind::HostUnreachable)?.0
        };
        Ok((address, TcpStream::connect(address).await?))
    }
}

/// Sends requests through the proxy on one connection until stopped. Returns the numbers of successful and failed
/// requests.
async fn ask_on(proxy: SocketAddr, stop: Arc<AtomicBool>) -> (usize, usize) {
    let (mut good, mut bad) = (0, 0);
    let mut connection = TcpStream::connect(proxy).await.unwrap();
    while !stop.load(Ordering::Relaxed) {
        match ask(&mut connection, HEALTH).await {
            Ok(answer) if answer.status == 200 => good += 1,
            _ => bad += 1,
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    (good, bad)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rolling_restarts_fail_no_request() {
    let restarts = crate::soak::count(RESTARTS, RESTARTS_OF_SOAK);
    let harness = Harness::new().await;
    let places: Vec<TempDir> = (0..restarts + 2).map(|_| tempfile::tempdir().unwrap()).collect();
    let mut places = places.iter();
    let flags = ["--stop-grace-seconds", "1", "--anonymous-per-second", "100000", "--anonymous-per-day", "10000000"];
    let mut start = async || Replica::start_with(&harness, places.next().unwrap(), &flags).await;
    let mut replicas = std::collections::VecDeque::from([start().await, start().await]);
    let addresses: Vec<_> = replicas.iter().map(Replica::address).collect();
    let (proxy, address) = Proxy::begin(&addresses).await;
    let stop = Arc::new(AtomicBool::new(false));
    let clients: Vec<_> = (0..CLIENTS).map(|_| tokio::spawn(ask_on(address, Arc::clone(&stop)))).collect();
    for _ in 0..restarts {
        let newer = start().await;
        proxy.add(newer.address());
        replicas.push_back(newer);
        let older = replicas.pop_front().unwrap();
        let gone = older.address();
        // The proxy detects the shutdown only by readiness, some time after it began.
        older.end().await;
        proxy.remove(gone);
    }
    stop.store(true, Ordering::Relaxed);
    let (mut good, mut bad) = (0, 0);
    for client in clients {
        let asked = client.await.unwrap();
        (good, bad) = (good + asked.0, bad + asked.1);
    }
    assert!(good > 100 * restarts, "{good} requests were answered");
    assert_eq!(bad, 0, "of {good} requests over {restarts} restarts");
    for replica in replicas {
        replica.end().await;
    }
}
