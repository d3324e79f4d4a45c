//! The load generator: each connection sends its next request as soon as it has the response.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use bytes::Bytes;
use futures_util::future::try_join_all;
use http::{Method, Request};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use crate::forms::Running;

/// Number of concurrent connections.
pub(crate) const CONNECTIONS: usize = 32;

/// Builds the n-th request of a connection.
pub(crate) type Make = dyn Fn(usize, usize) -> anyhow::Result<Request<Full<Bytes>>> + Send + Sync;

/// Result of a turn.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    /// Number of responses.
    pub(crate) answers: usize,
    /// Duration in seconds.
    pub(crate) seconds: f64,
    /// Latency of each response, in microseconds.
    pub(crate) latencies: Vec<u32>,
}

/// Sends requests on all connections for this duration.
pub(crate) async fn turn(address: SocketAddr, make: &Make, length: Duration) -> anyhow::Result<Turn> {
    let begun = Instant::now();
    let until = begun + length;
    let turns = try_join_all((0..CONNECTIONS).map(|connection| ask(address, make, connection, until))).await?;
    let seconds = begun.elapsed().as_secs_f64();
    let latencies: Vec<u32> = turns.into_iter().flatten().collect();
    Ok(Turn { answers: latencies.len(), seconds, latencies })
}

async fn ask(address: SocketAddr, make: &Make, connection: usize, until: Instant) -> anyhow::Result<Vec<u32>> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let (mut sender, driver) = http1::handshake(TokioIo::new(stream)).await?;
    let driver = tokio::spawn(driver);
    let mut latencies = Vec::with_capacity(16_384);
    while Instant::now() < until {
        let request = make(connection, latencies.len())?;
        sender.ready().await?;
        let sent = Instant::now();
        let answer = sender.send_request(request).await?;
        let status = answer.status();
        let body = answer.into_body().collect().await?.to_bytes();
        ensure!(status.is_success(), "{status}: {}", String::from_utf8_lossy(&body));
        latencies.push(u32::try_from(sent.elapsed().as_micros()).unwrap_or(u32::MAX));
    }
    driver.abort();
    Ok(latencies)
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

/// Sends one request over a separate connection.
pub(crate) async fn answer(address: SocketAddr, make: &Make) -> anyhow::Result<Answer> {
    let stream = TcpStream::connect(address).await?;
    let (mut sender, driver) = http1::handshake(TokioIo::new(stream)).await?;
    let driver = tokio::spawn(driver);
    sender.ready().await?;
    let answer = sender.send_request(make(0, 0)?).await?;
    let status = answer.status().as_u16();
    let media_type = answer.headers().get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = media_type.to_owned();
    let body = answer.into_body().collect().await?.to_bytes();
    driver.abort();
    Ok(Answer { status, media_type, body })
}

/// Returns the body of one response, to compare forms.
pub(crate) async fn once(address: SocketAddr, make: &Make) -> anyhow::Result<serde_json::Value> {
    let Answer { status, body, .. } = answer(address, make).await?;
    ensure!((200..300).contains(&status), "{status}: {}", String::from_utf8_lossy(&body));
    serde_json::from_slice(&body).context("the answer is no JSON")
}

/// Builds a GET request for this path, with the token if there is one.
pub(crate) fn get(path: &str, token: Option<&str>) -> anyhow::Result<Request<Full<Bytes>>> {
    let request = Request::get(path).header("host", "bench");
    let request = match token {
        Some(token) => request.header("authorization", format!("Bearer {token}")),
        None => request,
    };
    Ok(request.body(Full::default())?)
}

/// Sends one request to the service and returns the response body. An empty token sends no token; the body has this
/// media type.
///
/// # Errors
/// If the service rejects the request.
pub(crate) async fn send(
    service: &Running,
    method: Method,
    path: &str,
    token: &str,
    body: Option<(&'static str, Vec<u8>)>,
) -> anyhow::Result<Answer> {
    let (media_type, body) = body.map_or((None, Bytes::new()), |(media_type, body)| (Some(media_type), body.into()));
    let asked = format!("{method} {path}");
    let (path, token) = (path.to_owned(), token.to_owned());
    let make = move |_: usize, _: usize| {
        let mut request = Request::builder().method(method.clone()).uri(&path).header("host", "bench");
        if !token.is_empty() {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        if let Some(media_type) = media_type {
            request = request.header("content-type", media_type);
        }
        Ok(request.body(Full::new(body.clone()))?)
    };
    let answer = answer(service.address, &make).await?;
    let text = String::from_utf8_lossy(&answer.body);
    ensure!((200..300).contains(&answer.status), "{asked}: {}: {text}", answer.status);
    Ok(answer)
}
