//! Witness of a transparency log (C2SP `tlog-cosignature`): a process on another machine that cosigns a checkpoint only
//! if it continues the last one that it cosigned. A log with a cosigned checkpoint cannot show other verifiers another
//! history without being noticed.

use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail, ensure};
use labs_schema::time::Clock;
use labs_schema::transparency::merkle::verify_consistency;
use labs_schema::transparency::proof::{Tiles, consistency_ranges, hashes, tiles_of};
use labs_schema::transparency::{Checkpoint, KeyKind, LogObject, SigningKey, VerifyingKey, tile};
use reqwest::{Client, Url};

use crate::cli::AuditWitness;
use crate::config::read_private_file;
use crate::outbound::AddressRule;

/// Time limit of a request.
const PATIENCE: Duration = Duration::from_secs(20);
/// Longest answer, in bytes: a checkpoint or a tile.
const LONGEST: usize = 64 * 1024;

/// Fetches the checkpoint of a log, verifies that it continues the last one, cosigns it and returns it.
///
/// # Errors
/// If the log was rolled back or forked, or does not answer; or if a file cannot be read or written.
pub async fn cosign(words: &AuditWitness) -> anyhow::Result<String> {
    let log_key = VerifyingKey::parse(&words.public_key).context("--public-key cannot be used")?;
    let keys = SigningKey::parse_file(&read_private_file(&words.key_file)?, "", KeyKind::Witness);
    let keys = keys.with_context(|| format!("{} contains no key of a witness", words.key_file.display()))?;
    let log = RemoteLog::new(&words.url)?;
    let note = log.get(LogObject::Checkpoint).await?.context("the log has no checkpoint")?;
    let note = String::from_utf8(note).context("the checkpoint is not text")?;
    let (checkpoint, mut note) = Checkpoint::open(&note, [&log_key]).map_err(|error| anyhow!("{error}"))?;
    if let Some(known) = read_state(&words.state, &log_key)? {
        ensure_continued(&log, &known, &checkpoint).await?;
    }
    let now = u64::try_from(Clock::default().now().unix()).context("the clock is before 1970")?;
    keys.iter().for_each(|key| note.cosign(key, now));
    let cosigned = note.to_string();
    // The state is written first: a checkpoint that was printed is never forgotten.
    write_state(&words.state, &cosigned).with_context(|| format!("cannot write {}", words.state.display()))?;
    Ok(cosigned)
}

/// Ensures that the checkpoint continues the known one.
async fn ensure_continued(log: &RemoteLog, known: &Checkpoint, checkpoint: &Checkpoint) -> anyhow::Result<()> {
    let (former, size) = (known.size, checkpoint.size);
    ensure!(size >= former, "ROLLED BACK: the log has {size} entries, and had {former} at the last cosignature");
    let ranges = consistency_ranges(former, size);
    let mut tiles = Tiles::new();
    for named in tiles_of(&ranges, size) {
        let object = LogObject::Tile(named);
        let content = match log.get(object).await? {
            None if !named.is_full() => log.get(object.to_full()).await?,
            found => found,
        };
        let content = content.with_context(|| format!("the log does not serve {}", object.path()))?;
        let read = tile::from_bytes(&content, named.width);
        tiles.insert(named, read.with_context(|| format!("{} is not a tile", object.path()))?);
    }
    let proof = hashes(&ranges, size, &tiles).unwrap_or_default();
    let is_continued = verify_consistency((former, &known.root), (size, &checkpoint.root), &proof);
    ensure!(is_continued, "FORKED: the checkpoint of size {size} does not continue the cosigned one of size {former}");
    Ok(())
}

/// Reads the last cosigned checkpoint; `None` before the first one.
fn read_state(path: &Path, key: &VerifyingKey) -> anyhow::Result<Option<Checkpoint>> {
    let note = match fs::read_to_string(path) {
        Ok(note) => note,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => bail!("cannot read {}: {error}", path.display()),
    };
    let opened = Checkpoint::open(&note, [key]).map_err(|error| anyhow!("{}: {error}", path.display()))?;
    Ok(Some(opened.0))
}

/// Replaces the state, so that it is complete even after a crash.
fn write_state(path: &Path, note: &str) -> std::io::Result<()> {
    let mut staged = path.as_os_str().to_owned();
    staged.push(".new");
    let mut file = File::create(&staged)?;
    file.write_all(note.as_bytes())?;
    file.sync_all()?;
    fs::rename(&staged, path)
}

/// A log at an address.
struct RemoteLog {
    client: Client,
    base: String,
}

impl RemoteLog {
    fn new(url: &str) -> anyhow::Result<Self> {
        let parsed = Url::parse(url).context("--url cannot be parsed: write https:// and the address of the log")?;
        ensure!(matches!(parsed.scheme(), "http" | "https"), "--url must begin with https://");
        // Without encryption, only a log on the same machine or network is read.
        let rule = AddressRule { allow_private: true, only_private: parsed.scheme() == "http" };
        rule.check_host(parsed.host_str().unwrap_or_default())?;
        let client = rule.client(concat!("labs/", env!("CARGO_PKG_VERSION")), PATIENCE)?;
        Ok(Self { client, base: url.trim_end_matches('/').to_owned() })
    }

    /// Loads an object; `None` if it does not exist.
    async fn get(&self, object: LogObject) -> anyhow::Result<Option<Vec<u8>>> {
        let url = format!("{}/{}", self.base, object.path());
        let mut response = self.client.get(&url).send().await.context("the log does not answer")?;
        if response.status() == reqwest::StatusCode::NOT_FOUND {
            return Ok(None);
        }
        ensure!(response.status().is_success(), "the log answers {} for {url}", response.status());
        let mut content = Vec::new();
        while let Some(piece) = response.chunk().await.context("the log does not answer")? {
            content.extend_from_slice(&piece);
            ensure!(content.len() <= LONGEST, "the answer for {url} is too long");
        }
        Ok(Some(content))
    }
}
