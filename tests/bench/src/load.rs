//! The load generator: each connection sends its next request as soon as it has the response.

use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use bytes::Bytes;
use futures_util::future::try_join_all;
use http::{Method, Request};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinHandle;

use crate::costs::Used;
use crate::forms::Running;

/// Number of concurrent connections.
pub(crate) const CONNECTIONS: usize = 32;

/// Place of a request in a turn.
pub(crate) struct At<'a> {
    /// Number of the connection, from 0.
    pub(crate) connection: usize,
    /// Number of the request on its connection, from 0.
    pub(crate) n: usize,
    /// Entity tag of the connection's previous response.
    pub(crate) etag: Option<&'a str>,
}

impl At<'_> {
    /// Returns a pseudo-random number that is the same in every turn.
    pub(crate) fn drawn(&self) -> u32 {
        let mut bits = (self.connection as u64) << 32 | (self.n as u64 & 0xffff_ffff);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits >> 33) as u32
    }
}

/// Builds the request at a place.
pub(crate) type Make = dyn Fn(&At<'_>) -> anyhow::Result<Request<Full<Bytes>>> + Send + Sync;

/// Result of a turn.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    /// Number of responses.
    pub(crate) answers: usize,
    /// Duration in seconds.
    pub(crate) seconds: f64,
    /// Latency of each response, in microseconds.
    pub(crate) latencies: Vec<u32>,
    /// Processor time that the turn used, if it was metered.
    pub(crate) used: Used,
}

/// Sends requests on all connections for this duration.
pub(crate) async fn turn(address: SocketAddr, make: &Make, length: Duration) -> anyhow::Result<Turn> {
    let begun = Instant::now();
    let until = begun + length;
    let turns = try_join_all((0..CONNECTIONS).map(|number| ask_until(address, make, number, until))).await?;
    let seconds = begun.elapsed().as_secs_f64();
    let latencies: Vec<u32> = turns.into_iter().flatten().collect();
    Ok(Turn { answers: latencies.len(), seconds, latencies, used: Used::default() })
}

async fn ask_until(address: SocketAddr, make: &Make, number: usize, until: Instant) -> anyhow::Result<Vec<u32>> {
    let mut connection = Connection::open(address, number).await?;
    let mut latencies = Vec::with_capacity(16_384);
    while Instant::now() < until {
        let (answer, took) = connection.ask(make).await?;
        answer.ensure_success()?;
        latencies.push(u32::try_from(took.as_micros()).unwrap_or(u32::MAX));
    }
    Ok(latencies)
}

/// A connection to a form.
pub(crate) struct Connection {
    number: usize,
    sent: usize,
    etag: Option<String>,
    sender: SendRequest<Full<Bytes>>,
    driver: JoinHandle<Result<(), hyper::Error>>,
}

impl Connection {
    /// Opens a connection with this number.
    pub(crate) async fn open(address: SocketAddr, number: usize) -> anyhow::Result<Self> {
        Self::over(TcpStream::connect(address).await?, number).await
    }

    /// Opens a connection with this number from this local address.
    pub(crate) async fn open_from(local: IpAddr, address: SocketAddr, number: usize) -> anyhow::Result<Self> {
        let socket = TcpSocket::new_v4()?;
        socket.bind((local, 0).into())?;
        Self::over(socket.connect(address).await?, number).await
    }

    async fn over(stream: TcpStream, number: usize) -> anyhow::Result<Self> {
        stream.set_nodelay(true)?;
        let (sender, driver) = http1::handshake(TokioIo::new(stream)).await?;
        Ok(Self { number, sent: 0, etag: None, sender, driver: tokio::spawn(driver) })
    }

    /// Whether the form has closed the connection.
    pub(crate) fn is_closed(&self) -> bool {
        self.sender.is_closed()
    }

    /// Sends the next request and returns the response and its latency.
    pub(crate) async fn ask(&mut self, make: &Make) -> anyhow::Result<(Answer, Duration)> {
        let request = make(&At { connection: self.number, n: self.sent, etag: self.etag.as_deref() })?;
        self.sent += 1;
        self.sender.ready().await?;
        let begun = Instant::now();
        let answer = self.sender.send_request(request).await?;
        let text = |name: &str| Some(answer.headers().get(name)?.to_str().ok()?.to_owned());
        let (status, media_type) = (answer.status().as_u16(), text("content-type").unwrap_or_default());
        self.etag = text("etag");
        let body = answer.into_body().collect().await?.to_bytes();
        Ok((Answer { status, media_type, body }, begun.elapsed()))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

/// One complete response.
pub(crate) struct Answer {
    /// HTTP status.
    pub(crate) status: u16,
    /// Value of `Content-Type`.
    pub(crate) media_type: String,
    /// Response body.
    pub(crate) body: Bytes,
}

impl Answer {
    /// Rejects a response that is no success.
    pub(crate) fn ensure_success(&self) -> anyhow::Result<()> {
        ensure!((200..300).contains(&self.status), "{}: {}", self.status, String::from_utf8_lossy(&self.body));
        Ok(())
    }

    /// Parses the body of a success.
    pub(crate) fn json(&self) -> anyhow::Result<Value> {
        self.ensure_success()?;
        serde_json::from_slice(&self.body).context("the answer is no JSON")
    }
}

/// Sends the first `many` requests of a connection and returns the responses.
pub(crate) async fn answers(address: SocketAddr, make: &Make, many: usize) -> anyhow::Result<Vec<Answer>> {
    let (mut connection, mut answers) = (Connection::open(address, 0).await?, Vec::new());
    for _ in 0..many {
        answers.push(connection.ask(make).await?.0);
    }
    Ok(answers)
}

/// Sends one request over a separate connection.
pub(crate) async fn answer(address: SocketAddr, make: &Make) -> anyhow::Result<Answer> {
    answers(address, make, 1).await?.pop().context("one request has one response")
}

/// Builds a GET request for this path, with the token if there is one.
pub(crate) fn get(path: &str, token: Option<&str>) -> anyhow::Result<Request<Full<Bytes>>> {
    request(Method::GET, path, token, None)
}

/// Builds a request with the token and the body, if there are any. The body has this media type.
pub(crate) fn request(
    method: Method,
    path: &str,
    token: Option<&str>,
    body: Option<(&str, Bytes)>,
) -> anyhow::Result<Request<Full<Bytes>>> {
    let mut request = Request::builder().method(method).uri(path).header("host", "bench");
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    let Some((media_type, body)) = body else { return Ok(request.body(Full::default())?) };
    Ok(request.header("content-type", media_type).body(Full::new(body))?)
}

/// Sends one request to the service and returns the response.
///
/// # Errors
/// If the service rejects the request.
pub(crate) async fn send(
    service: &Running,
    method: Method,
    path: &str,
    token: Option<&str>,
    body: Option<(&'static str, Vec<u8>)>,
) -> anyhow::Result<Answer> {
    let (asked, body) = (format!("{method} {path}"), body.map(|(media_type, body)| (media_type, Bytes::from(body))));
    let (path, token) = (path.to_owned(), token.map(str::to_owned));
    let make = move |_: &At<'_>| request(method.clone(), &path, token.as_deref(), body.clone());
    let answer = answer(service.address, &make).await?;
    answer.ensure_success().context(asked)?;
    Ok(answer)
}
