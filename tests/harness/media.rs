//! Storage of the test services' files: separate folders, or separate prefixes in a bucket of the S3 server that
//! LABS_TEST_S3 names (`./test objects`), and faults on the connection to it.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::TryStreamExt as _;
use labs_schema::media::store::{Bucket, MediaPlace};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use super::Harness;

/// The bucket that tests/objects/server.py creates.
const BUCKET: &str = "labs-test";

static NUMBER: AtomicUsize = AtomicUsize::new(0);

/// Returns the address of the S3 server, if there is one.
pub(crate) fn server() -> Option<String> {
    std::env::var("LABS_TEST_S3").ok()
}

/// Returns a separate prefix for a service, or `None` if it stores files in its folder. With LABS_TEST_S3_FAULTS, the
/// connection has faults that the service must handle without any visible effect.
pub(super) async fn fresh_place() -> Option<MediaPlace> {
    let server = server()?;
    if std::env::var_os("LABS_TEST_S3_FAULTS").is_none() {
        return Some(place(&server));
    }
    Some(FaultyBucket::start(StoreFault::NowAndThen).await.place())
}

/// Returns a separate prefix in the bucket of the server at this address.
fn place(endpoint: &str) -> MediaPlace {
    let settings = [
        ("AWS_ENDPOINT_URL", endpoint),
        ("AWS_ALLOW_HTTP", "true"),
        ("AWS_ACCESS_KEY_ID", "labs"),
        ("AWS_SECRET_ACCESS_KEY", "hush"),
    ];
    let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let prefix = format!("{}/{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    MediaPlace::Bucket(Bucket { name: BUCKET.to_owned(), prefix, settings })
}

impl Harness {
    /// Returns the folder of its files.
    pub(crate) fn media_folder(&self) -> PathBuf {
        let MediaPlace::Folder(folder) = &self.media else { panic!("its files lie in {}", self.media) };
        folder.clone()
    }

    /// Returns the names of its objects, sorted.
    pub(crate) async fn objects(&self) -> Vec<String> {
        let mut tries = 0;
        let entries: Vec<_> = loop {
            tries += 1;
            match self.engine.services().media.list().try_collect().await {
                Ok(entries) => break entries,
                // An interrupted listing is not retried automatically.
                Err(error) => assert!(tries < 20, "{error}"),
            }
        };
        let mut names: Vec<String> = entries.into_iter().map(|entry| entry.key.name()).collect();
        names.sort();
        names
    }

    /// Returns the file of an object.
    pub(crate) fn object_file(&self, name: &str) -> PathBuf {
        self.media_folder().join(&name[..2]).join(&name[2..4]).join(name)
    }

    /// Returns the number of incomplete uploads.
    pub(crate) async fn unfinished(&self) -> usize {
        let MediaPlace::Bucket(bucket) = &self.media else { panic!("its files lie in {}", self.media) };
        let listed = self.http().get(format!("{}/{BUCKET}?uploads", server().unwrap())).send().await.unwrap();
        listed.text().await.unwrap().matches(&format!("<Key>{}/", bucket.prefix)).count()
    }

    /// Makes all objects whose names have this prefix older by this many minutes.
    pub(crate) async fn make_older(&self, beginning: &str, minutes: u64) {
        let MediaPlace::Bucket(bucket) = &self.media else {
            let by = std::time::Duration::from_secs(minutes * 60);
            for name in self.objects().await.iter().filter(|name| name.starts_with(beginning)) {
                let file = std::fs::File::options().write(true).open(self.object_file(name)).unwrap();
                file.set_modified(file.metadata().unwrap().modified().unwrap() - by).unwrap();
            }
            return;
        };
        let prefix = format!("{}/{beginning}", bucket.prefix);
        let call = self.http().post(format!("{}/older", server().unwrap()));
        let call = call.query(&[("prefix", prefix), ("minutes", minutes.to_string())]);
        assert_eq!(call.send().await.unwrap().status(), 204);
    }
}

/// Fault between a service and its bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StoreFault {
    /// No fault.
    Nothing,
    /// No response.
    Silence,
    /// Every request is rejected with this status and body.
    Refusal(u16, String),
    /// Each response is cut off after this many bytes.
    AnswersCutAfter(usize),
    /// Each request is cut off after this many bytes.
    RequestsCutAfter(usize),
    /// Each response arrives in small pieces, one request in three is rejected with 503, and one response in seven is
    /// cut off.
    NowAndThen,
}

/// A bucket behind a connection with faults. It ends with the test's runtime.
pub(crate) struct FaultyBucket {
    endpoint: String,
    fault: watch::Sender<StoreFault>,
}

impl FaultyBucket {
    /// Starts one with this fault.
    pub(crate) async fn start(fault: StoreFault) -> Self {
        let server = server().expect("`./test objects` starts an S3 server");
        let server = server.trim_start_matches("http://").to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let (fault, _) = watch::channel(fault);
        let told = fault.clone();
        tokio::spawn(async move {
            let turn = Arc::new(AtomicUsize::new(0));
            while let Ok((near, _)) = listener.accept().await {
                let (mut faults, server, turn) =
                    (told.subscribe(), server.clone(), turn.fetch_add(1, Ordering::Relaxed));
                tokio::spawn(async move {
                    let fault = faults.borrow_and_update().clone();
                    // When the fault changes, open connections are closed.
                    tokio::select! {
                        () = connect(near, &server, &fault, turn) => {}
                        _ = faults.changed() => {}
                    }
                });
            }
        });
        Self { endpoint, fault }
    }

    /// Returns a separate prefix in it.
    pub(crate) fn place(&self) -> MediaPlace {
        place(&self.endpoint)
    }

    /// Returns its address.
    pub(crate) fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// Changes the fault.
    pub(crate) fn breaks(&self, fault: StoreFault) {
        self.fault.send_replace(fault);
    }
}

async fn connect(near: TcpStream, server: &str, fault: &StoreFault, turn: usize) {
    let (mut request, mut answer) = (usize::MAX, (usize::MAX, usize::MAX));
    match fault {
        StoreFault::Nothing => {}
        StoreFault::Silence => return std::future::pending().await,
        StoreFault::Refusal(status, body) => return refuse(near, *status, body).await,
        StoreFault::AnswersCutAfter(bytes) => answer.0 = *bytes,
        StoreFault::RequestsCutAfter(bytes) => request = *bytes,
        StoreFault::NowAndThen if turn % 3 == 1 => {
            return refuse(near, 503, "<Error><Code>SlowDown</Code></Error>").await;
        }
        StoreFault::NowAndThen if turn % 7 == 3 => answer = (2_000, 500),
        StoreFault::NowAndThen => answer.1 = 16 * 1024,
    }
    let far = TcpStream::connect(server).await.unwrap();
    let (near_read, near_write) = near.into_split();
    let (far_read, far_write) = far.into_split();
    // If one direction is cut, the other is cut too.
    tokio::select! {
        () = copy(near_read, far_write, (request, usize::MAX)) => {}
        () = copy(far_read, near_write, answer) => {}
    }
}

/// Copies at most this many bytes, in pieces of this size.
async fn copy(
    mut from: tokio::net::tcp::OwnedReadHalf,
    mut to: tokio::net::tcp::OwnedWriteHalf,
    (most, piece): (usize, usize),
) {
    let (mut left, mut buffer) = (most, vec![0; piece.min(64 * 1024)]);
    while left > 0 {
        let room = buffer.len().min(left);
        let Ok(read @ 1..) = from.read(&mut buffer[..room]).await else { return };
        if to.write_all(&buffer[..read]).await.is_err() {
            return;
        }
        left = if left == usize::MAX { left } else { left - read };
        if piece < usize::MAX {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
    }
}

/// Rejects a request without reading it first, then drains it so that the response is not lost.
async fn refuse(mut near: TcpStream, status: u16, body: &str) {
    let head = format!("HTTP/1.1 {status} Refused\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
    let mut buffer = vec![0; 64 * 1024];
    let _ = near.read(&mut buffer).await;
    let _ = near.write_all(format!("{head}{body}").as_bytes()).await;
    while let Ok(1..) = near.read(&mut buffer).await {}
}
