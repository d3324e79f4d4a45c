//! Archived part of the audit chain: pieces of consecutive positions in the object storage, from the first position on.
//!
//! A piece has one line of JSON per position, in order:
//!
//! ```text
//!   {"position":17,"hash":"9d31…","record":[…]}        hash = SHA-256( hash before ‖ SHA-256(text of "record") )
//! ```
//!
//! `record` is the sealed canonical text, byte for byte, so a piece can be verified without the database. The row in
//! `audit_archive` contains the hash before the piece and its last hash. A piece counts only if two steps succeeded: it
//! was read back and found complete, and the database owner's function `audit_confirm` confirmed its row. The role that
//! serves requests can insert a row but cannot confirm it.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};
use futures_util::TryStreamExt as _;
use labs_crypto::{same_bytes, sha256};
use labs_media::store::MediaStore;
use labs_media::store::audit::AuditPieceName;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};
use tokio_util::io::StreamReader;

use super::chain::{ChainBreak, ChainFlaw, ChainVerification, FoundSeal, GENESIS, Hash};
use super::store::{self, ArchivedPiece, SealedText};
use crate::db::Db;
use crate::fault::Fault;

/// Maximum number of positions in a piece: some tens of megabytes.
const PIECE: i64 = 50_000;

/// An object larger than this multiple of its recorded size is not read, because a line in it could have any length.
const MOST_TIMES: u64 = 4;

/// One line of a piece.
#[derive(Deserialize)]
struct Line<'a> {
    position: i64,
    hash: String,
    #[serde(borrow)]
    record: &'a RawValue,
}

fn name_of(piece: &ArchivedPiece) -> AuditPieceName {
    AuditPieceName { first: piece.first_position, last: piece.last_position }
}

/// Archives the chain up to a position, starting after the last piece. Returns the number of archived positions.
///
/// # Errors
/// [`crate::fault::Code::Internal`] if the chain is broken, or if the data read back differs from the data
/// written. [`crate::fault::Code::Unavailable`] if the database or the object storage does not answer. Complete
/// pieces remain.
pub async fn archive(db: &Db, files: &MediaStore, until: i64) -> Result<u64, Fault> {
    let mut archived = 0;
    loop {
        let end = store::archive_end(db).await?;
        let first_position = end.as_ref().map_or(1, |end| end.last_position + 1);
        if first_position > until {
            return Ok(archived);
        }
        let before = end.and_then(|end| end.hash.try_into().ok()).unwrap_or(GENESIS);
        let name = AuditPieceName { first: first_position, last: until.min(first_position + PIECE - 1) };
        let piece = write(db, files, name, before).await?;
        let mut walk = ChainVerification::begin(name.first, Some(before));
        if let Some(found) = step_through(None, files, &piece, &mut walk, name.last).await? {
            return Err(Fault::internal(format!("the archived audit log differs from the data read back: {found:?}")));
        }
        if !store::insert_piece(db, &piece).await? {
            return Err(Fault::internal(format!(
                "the archived piece of the audit log from position {first_position} could not be recorded"
            )));
        }
        archived += (name.last - name.first + 1).unsigned_abs();
    }
}

/// Writes a piece. Fails if a record differs from its seal.
async fn write(db: &Db, files: &MediaStore, name: AuditPieceName, before: Hash) -> Result<ArchivedPiece, Fault> {
    let mut walk = ChainVerification::begin(name.first, Some(before));
    let mut writer = files.begin_audit(name).await?;
    let (mut bytes, mut hash) = (0, before.to_vec());
    while walk.next() <= name.last {
        let sealed = store::seals(db, walk.next(), name.last).await?.recompute();
        let broken = match sealed.last() {
            Some(last) => {
                hash.clone_from(&last.seal.hash);
                sealed.iter().find_map(|sealed| walk.step(&sealed.seal))
            }
            None => Some(walk.break_missing_seal()),
        };
        if let Some(found) = broken {
            writer.abort().await;
            return Err(Fault::internal(format!(
                "the audit log was not archived because its hash chain is broken: {found:?}"
            )));
        }
        let lines = lines(&sealed);
        bytes += lines.len();
        writer.write(lines).await?;
    }
    writer.finish().await?;
    let bytes = i64::try_from(bytes).map_err(Fault::internal)?;
    let (first_position, last_position) = (name.first, name.last);
    Ok(ArchivedPiece { first_position, last_position, previous_hash: before.to_vec(), hash, bytes })
}

fn lines(sealed: &[SealedText]) -> Bytes {
    let mut lines = BytesMut::new();
    for SealedText { seal, text } in sealed {
        let head = format!(r#"{{"position":{},"hash":"{}","record":"#, seal.position, hex::encode(&seal.hash));
        lines.extend_from_slice(head.as_bytes());
        lines.extend_from_slice(text.as_bytes());
        lines.extend_from_slice(b"}\n");
    }
    lines.freeze()
}

/// Begins a verification at the start of the piece that contains the position. `None` if no piece contains it.
pub(super) async fn begin(db: &Db, from: i64) -> Result<Option<ChainVerification>, Fault> {
    let pieces = store::pieces(db, from, from).await?;
    Ok(pieces.first().map(|piece| {
        let before = piece.previous_hash.as_slice().try_into().ok();
        ChainVerification::begin(piece.first_position, before).count_from(from)
    }))
}

/// Verifies every archived position up to `until` and compares it with the copies that remain in the database. Always
/// reads whole pieces, because only the last hash proves that a piece is the archived one.
pub(super) async fn walk(
    db: &Db,
    files: &MediaStore,
    walk: &mut ChainVerification,
    until: i64,
) -> Result<Option<ChainBreak>, Fault> {
    for piece in store::pieces(db, walk.next(), until).await? {
        if let Some(found) = step_through(Some(db), files, &piece, walk, until).await? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Returns the hash at an archived position. `None` if no piece contains the position or the piece was altered.
pub(super) async fn hash_at(db: &Db, files: &MediaStore, position: i64) -> Result<Option<Hash>, Fault> {
    let Some(piece) = store::pieces(db, position, position).await?.pop() else { return Ok(None) };
    if piece.last_position == position {
        return Ok(piece.hash.try_into().ok());
    }
    let mut walk = ChainVerification::begin(piece.first_position, piece.previous_hash.as_slice().try_into().ok());
    let found = step_through(None, files, &piece, &mut walk, position).await?;
    let head = walk.end(found).head.filter(|(last, _)| *last == position);
    Ok(head.map(|(_, hash)| hash))
}

/// Reads the archived seals of a range, in order, without verifying them. Stops at a position that cannot be read.
pub(super) async fn read_seals(
    db: &Db,
    files: &MediaStore,
    (from, until): (i64, i64),
    take: &mut impl FnMut(FoundSeal),
) -> Result<(), Fault> {
    for piece in store::pieces(db, from, until).await? {
        let Some(object) = files.get_audit(name_of(&piece)).await? else { return Ok(()) };
        if object.size > MOST_TIMES * piece.bytes.unsigned_abs() {
            return Ok(());
        }
        let mut before = piece.previous_hash;
        let mut lines = Lines::of(object.stream.map_err(std::io::Error::other));
        while let Some(line) = lines.next().await? {
            let Ok(line) = line else { return Ok(()) };
            let seal = line.to_found(std::mem::take(&mut before));
            before.clone_from(&seal.hash);
            if (from..=until).contains(&seal.position) {
                take(seal);
            }
        }
    }
    Ok(())
}

/// Verifies one piece. Positions after `until` are not counted.
async fn step_through(
    db: Option<&Db>,
    files: &MediaStore,
    piece: &ArchivedPiece,
    walk: &mut ChainVerification,
    until: i64,
) -> Result<Option<ChainBreak>, Fault> {
    let Some(object) = files.get_audit(name_of(piece)).await? else { return Ok(Some(walk.break_lost_archive())) };
    if object.size > MOST_TIMES * piece.bytes.unsigned_abs() {
        return Ok(Some(walk.break_altered_record()));
    }
    let mut standing = db.map(|db| StoredSealReader::new(db, piece.last_position));
    let mut before = piece.previous_hash.clone();
    let mut beyond: Option<ChainVerification> = None;
    let mut lines = Lines::of(object.stream.map_err(std::io::Error::other));
    while let Some(line) = lines.next().await? {
        if walk.next() > until && beyond.is_none() {
            beyond = Some(walk.clone());
        }
        let walk = match &mut beyond {
            Some(beyond) => beyond,
            None => &mut *walk,
        };
        let Ok(line) = line else { return Ok(Some(walk.break_altered_record())) };
        let seal = line.to_found(std::mem::take(&mut before));
        if let Some(found) = walk.step(&seal) {
            return Ok(Some(found));
        }
        if let Some(standing) = &mut standing
            && let Some(found) = standing.compare(&seal).await?
        {
            return Ok(Some(found));
        }
        before = seal.hash;
    }
    let end = beyond.as_ref().unwrap_or(&*walk);
    if end.next() <= piece.last_position {
        return Ok(Some(end.break_missing_seal()));
    }
    let position = piece.last_position;
    let is_its_end = end.next() == position + 1 && same_bytes(&before, &piece.hash);
    Ok((!is_its_end).then_some(ChainBreak { position, record_uuid: None, flaw: ChainFlaw::Rewritten }))
}

impl Line<'_> {
    fn to_found(&self, previous_hash: Vec<u8>) -> FoundSeal {
        let text = self.record.get();
        let fields: Vec<&RawValue> = serde_json::from_str(text).unwrap_or_default();
        let record_uuid = fields.first().and_then(|field| serde_json::from_str(field.get()).ok());
        FoundSeal {
            position: self.position,
            record_uuid: record_uuid.unwrap_or_default(),
            previous_hash,
            hash: hex::decode(&self.hash).unwrap_or_default(),
            digest: Some(sha256(text.as_bytes()).to_vec()),
        }
    }
}

/// Seals that the database still has for the positions of a piece, in order. If the part was detached, only a few
/// remain: those near its end whose records were sealed among records of the next part.
struct StoredSealReader<'a> {
    db: &'a Db,
    last: i64,
    known: VecDeque<FoundSeal>,
    is_end_known: bool,
}

impl<'a> StoredSealReader<'a> {
    fn new(db: &'a Db, last: i64) -> Self {
        Self { db, last, known: VecDeque::new(), is_end_known: false }
    }

    /// Compares an archived position with the next seal in the database. The seal must be the only one at this position
    /// and must match in hash and digest.
    async fn compare(&mut self, archived: &FoundSeal) -> Result<Option<ChainBreak>, Fault> {
        let position = archived.position;
        if self.known.is_empty() && !self.is_end_known {
            let known = store::seals(self.db, position, self.last).await?.recompute();
            self.is_end_known = known.is_empty();
            self.known = known.into_iter().map(|sealed| sealed.seal).collect();
        }
        let Some(standing) = self.known.pop_front_if(|seal| seal.position <= position) else { return Ok(None) };
        let is_doubled = self.known.front().is_some_and(|seal| seal.position <= position);
        let flaw = match &standing.digest {
            None => ChainFlaw::RecordMissing,
            Some(_) if is_doubled || standing.position != position || standing.hash != archived.hash => {
                ChainFlaw::Rewritten
            }
            digest if *digest != archived.digest => ChainFlaw::Altered,
            Some(_) => return Ok(None),
        };
        Ok(Some(ChainBreak { position: standing.position, record_uuid: Some(standing.record_uuid), flaw }))
    }
}

struct Lines<R> {
    reader: R,
    line: Vec<u8>,
}

/// A line that is not valid in a piece.
struct Unreadable;

impl Lines<()> {
    fn of<S>(stream: S) -> Lines<BufReader<StreamReader<S, Bytes>>>
    where
        S: futures_util::Stream<Item = std::io::Result<Bytes>> + Unpin,
    {
        Lines { reader: BufReader::with_capacity(128 * 1024, StreamReader::new(stream)), line: Vec::new() }
    }
}

impl<R: AsyncRead + Unpin> Lines<BufReader<R>> {
    async fn next(&mut self) -> Result<Option<Result<Line<'_>, Unreadable>>, Fault> {
        self.line.clear();
        let read = self.reader.read_until(b'\n', &mut self.line).await;
        let read = read.map_err(|error| Fault::unavailable("The archive could not be read.").caused_by(error))?;
        if read == 0 {
            return Ok(None);
        }
        Ok(Some(serde_json::from_slice(&self.line).map_err(|_| Unreadable)))
    }
}
