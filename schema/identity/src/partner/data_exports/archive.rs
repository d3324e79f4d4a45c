//! Streams lines and images into one ZIP file in the object storage while they are read. Memory does not grow with the
//! amount of data.
//!
//! ```text
//!   rows, images ──pieces──▶ compression, on a separate thread ──bytes──▶ the object storage, and their SHA-256
//! ```
//!
//! The two channels are short, so that the slowest stage sets the pace.

use std::io::{self, Write};

use aws_lc_rs::digest;
use bytes::{Bytes, BytesMut};
use labs_core::fault::Fault;
use labs_core::time::Time;
use labs_media::store::archive::ArchiveName;
use labs_media::store::{MediaStore, ObjectWriter};
use tokio::sync::mpsc;
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::store::ExportFile;

/// Pieces that wait between two stages.
const WAITING: usize = 4;
/// Approximate size of a piece in bytes.
pub(super) const PIECE: usize = 64 * 1024;

/// A piece of an archive in progress.
pub(super) enum Piece {
    /// Start of a file with this name.
    Begin(String),
    /// Content of the file.
    Bytes(Bytes),
    /// End of the archive. Without it the data is incomplete and not an archive.
    End,
}

/// Receiver of the pieces of an archive.
pub(super) type ArchiveWriter = mpsc::Sender<Piece>;

/// Creates an archive from the pieces that `produce` sends. The archive is in the object storage only if this returns
/// successfully.
pub(super) async fn make<F: Future<Output = Result<(), Fault>>>(
    store: &MediaStore,
    name: ArchiveName,
    now: Time,
    produce: impl FnOnce(ArchiveWriter) -> F,
) -> Result<ExportFile, Fault> {
    let writer = store.begin_archive(name).await?;
    let (intake, pieces) = mpsc::channel(WAITING);
    let (outlet, bytes) = mpsc::channel(WAITING);
    let zipping = tokio::task::spawn_blocking(move || compress(pieces, outlet, moment(now)));
    let (produced, (writer, stored)) = tokio::join!(produce(intake), write_all(writer, bytes));
    let zipped = zipping.await.map_err(Fault::internal).and_then(|zipped| zipped.map_err(Fault::internal));
    match (produced, zipped, stored) {
        (Ok(()), Ok(()), Ok(made)) => Ok(writer.finish().await.map(|()| made)?),
        (produced, zipped, stored) => {
            writer.abort().await;
            // The first failure causes failures of the others. The log contains each.
            let faults = [produced.err(), zipped.err(), stored.err()].into_iter().flatten();
            let fault = faults.reduce(|fault, other| fault.replacing(&other));
            Err(fault.unwrap_or_else(|| Fault::internal("an archive failed without an error")))
        }
    }
}

/// Sends a piece.
///
/// # Errors
/// If the receiver no longer accepts pieces.
pub(super) async fn hand_in(intake: &ArchiveWriter, piece: Piece) -> Result<(), Fault> {
    intake.send(piece).await.map_err(|_| Fault::unavailable("The archive could not be written."))
}

/// Compresses pieces. Blocks the thread.
fn compress(mut pieces: mpsc::Receiver<Piece>, outlet: mpsc::Sender<Bytes>, at: DateTime) -> io::Result<()> {
    let mut zip = ZipWriter::new_stream(ArchiveOutput { outlet, waiting: BytesMut::with_capacity(PIECE) });
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .large_file(true)
        .last_modified_time(at)
        .unix_permissions(0o600);
    loop {
        match pieces.blocking_recv() {
            Some(Piece::Begin(name)) => zip.start_file(name, options)?,
            Some(Piece::Bytes(bytes)) => zip.write_all(&bytes)?,
            Some(Piece::End) => return zip.finish().map(StreamWriter::into_inner)?.flush(),
            None => return Err(io::Error::other("the data of an archive ended early")),
        }
    }
}

/// Output of the compressed bytes from the thread.
struct ArchiveOutput {
    outlet: mpsc::Sender<Bytes>,
    waiting: BytesMut,
}

impl Write for ArchiveOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() >= PIECE {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let bytes = self.waiting.split().freeze();
        self.outlet
            .blocking_send(bytes)
            .map_err(|_| io::Error::other("the object storage accepts no more data of an archive"))
    }
}

/// Writes bytes as they arrive, and counts them. Returns the writer, which the caller finishes or drops.
async fn write_all(
    mut writer: ObjectWriter,
    mut bytes: mpsc::Receiver<Bytes>,
) -> (ObjectWriter, Result<ExportFile, Fault>) {
    let (mut hash, mut size_bytes) = (digest::Context::new(&digest::SHA256), 0_i64);
    while let Some(piece) = bytes.recv().await {
        hash.update(&piece);
        size_bytes = size_bytes.saturating_add(i64::try_from(piece.len()).unwrap_or(i64::MAX));
        if let Err(error) = writer.write(piece).await {
            return (writer, Err(error.into()));
        }
    }
    let mut sha256 = [0; 32];
    sha256.copy_from_slice(hash.finish().as_ref());
    (writer, Ok(ExportFile { size_bytes, sha256 }))
}

/// Converts a time to the format of ZIP: in UTC, with a resolution of two seconds, from 1980 on.
fn moment(now: Time) -> DateTime {
    let civil = now.0.to_zoned(jiff::tz::TimeZone::UTC).datetime();
    let part = |number: i8| u8::try_from(number).unwrap_or_default();
    DateTime::from_date_and_time(
        u16::try_from(civil.year()).unwrap_or_default(),
        part(civil.month()),
        part(civil.day()),
        part(civil.hour()),
        part(civil.minute()),
        part(civil.second()),
    )
    .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use futures_util::TryStreamExt as _;

    use super::*;

    fn now() -> Time {
        Time("2026-03-01T09:30:00Z".parse().unwrap())
    }

    async fn read(store: &MediaStore, name: ArchiveName) -> Option<Vec<u8>> {
        let object = store.get_archive(name).await.unwrap()?;
        let pieces: Vec<Bytes> = object.stream.try_collect().await.unwrap();
        Some(pieces.concat())
    }

    #[tokio::test]
    async fn exported_content_is_read_back() {
        let (store, name) = (MediaStore::in_memory(), ArchiveName::new([1; 32]));
        let line = Bytes::from("{\"name\": \"Käse\"}\n".repeat(10_000));
        let made = make(&store, name, now(), async |intake: ArchiveWriter| {
            for file in ["one.jsonl", "deep/two.jsonl"] {
                hand_in(&intake, Piece::Begin(file.to_owned())).await?;
                for _ in 0..20 {
                    hand_in(&intake, Piece::Bytes(line.clone())).await?;
                }
            }
            hand_in(&intake, Piece::End).await
        });
        let made = made.await.unwrap();
        let bytes = read(&store, name).await.unwrap();
        assert_eq!((made.size_bytes as usize, made.sha256), (bytes.len(), labs_crypto::sha256(&bytes)));
        let mut zip = zip::ZipArchive::new(io::Cursor::new(bytes)).unwrap();
        assert_eq!(zip.file_names().collect::<Vec<_>>(), ["one.jsonl", "deep/two.jsonl"]);
        let mut text = String::new();
        io::Read::read_to_string(&mut zip.by_index(1).unwrap(), &mut text).unwrap();
        assert_eq!(text.len(), line.len() * 20);
        assert_eq!(zip.by_index(0).unwrap().last_modified().unwrap().year(), 2026);
    }

    /// Four gigabytes take minutes to write, so this test checks their requirement: eight-byte sizes after each file
    /// (ZIP64), which the header announces through the required version.
    #[tokio::test]
    async fn exported_file_may_exceed_four_gigabytes() {
        let (store, name) = (MediaStore::in_memory(), ArchiveName::new([3; 32]));
        let made = make(&store, name, now(), async |intake: ArchiveWriter| {
            hand_in(&intake, Piece::Begin("one.jsonl".to_owned())).await?;
            hand_in(&intake, Piece::Bytes(Bytes::from("{}\n"))).await?;
            hand_in(&intake, Piece::End).await
        });
        made.await.unwrap();
        let bytes = read(&store, name).await.unwrap();
        assert_eq!(bytes[4..6], 45_u16.to_le_bytes());
        let descriptor = bytes.windows(4).position(|window| window == b"PK\x07\x08").unwrap();
        let directory = bytes.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
        assert_eq!(directory - descriptor, 24, "a mark, the CRC and two sizes of eight bytes");
    }

    #[tokio::test]
    async fn aborted_data_export_does_not_exist() {
        let (store, name) = (MediaStore::in_memory(), ArchiveName::new([2; 32]));
        let made = make(&store, name, now(), async |intake: ArchiveWriter| {
            hand_in(&intake, Piece::Begin("one".to_owned())).await?;
            Err(Fault::conflict("on purpose"))
        });
        assert_eq!(made.await.map(|_| ()).map_err(|fault| fault.detail().to_owned()), Err("on purpose".to_owned()));
        assert_eq!(read(&store, name).await, None);
        let forgotten =
            make(&store, name, now(), async |intake: ArchiveWriter| hand_in(&intake, Piece::Begin("a".into())).await);
        assert!(forgotten.await.is_err(), "without its end it is none");
        assert_eq!(read(&store, name).await, None);
    }
}
