//! Extends the tree by the new seals, and signs its root.

use std::collections::BTreeMap;

use labs_transparency::tile::WIDTH;
use labs_transparency::{Checkpoint, LogEntry, LogObject, Tile, Tree};
use sqlx::{PgConnection, PgPool};

use super::files::LogFiles;
use super::{CheckpointSigner, entry_of, hash_of};
use crate::audit_chain::chain::{FoundSeal, GENESIS, Hash};
use crate::audit_chain::{archive, store};
use crate::db::Db;
use crate::fault::Fault;
use crate::services::Services;

/// Maximum number of positions in one pass, each of which ends with a checkpoint.
const PASS: u64 = 25_600;
/// Maximum number of passes in one call. The first call on a long log leaves a rest to the next one.
const PASSES: usize = 10;

/// Tree as of the last checkpoint, and the chain's hash that it ends with.
struct PublishedTree {
    tree: Tree,
    hash: Hash,
    /// Entries of the last tile, if it is partial.
    entries: Vec<LogEntry>,
}

/// Adds the sealed records to the tree, and signs a checkpoint. Returns the number of added records. It does nothing if
/// no key is configured, or while another replica does the same.
///
/// # Errors
/// [`crate::fault::Code::Internal`] if the chain in the database does not contain the last checkpoint, or the stored
/// objects do not belong together: nothing is signed then. [`crate::fault::Code::Unavailable`] if the database or the
/// object storage does not answer.
pub async fn publish(pool: &PgPool, services: &Services) -> Result<u64, Fault> {
    let Some(signer) = &services.settings.checkpoints else { return Ok(0) };
    let mut added = 0;
    for _ in 0..PASSES {
        let pass = run_pass(pool, services, signer).await.inspect_err(|fault| {
            tracing::error!(cause = fault.for_log(), "no checkpoint of the audit log was signed");
        })?;
        added += pass;
        if pass < PASS {
            break;
        }
    }
    Ok(added)
}

async fn run_pass(pool: &PgPool, services: &Services, signer: &CheckpointSigner) -> Result<u64, Fault> {
    let db = Db::from_pool(pool.clone());
    let mut transaction = pool.begin().await?;
    if !store::lock_log(&mut transaction).await? {
        transaction.rollback().await?;
        return Ok(0);
    }
    let extended = extend(&db, services, signer, &mut transaction).await;
    // After an error too: dropping the transaction would release the lock only later.
    let released = transaction.rollback().await;
    let (added, full) = extended?;
    released?;
    for tile in full {
        services.media.delete_partial_tiles(tile).await?;
    }
    Ok(added)
}

/// Adds a part of the sealed records while the transaction holds the lock, and signs a checkpoint. Returns the number of
/// added records, and the tiles that are now full.
async fn extend(
    db: &Db,
    services: &Services,
    signer: &CheckpointSigner,
    transaction: &mut PgConnection,
) -> Result<(u64, Vec<Tile>), Fault> {
    let files = LogFiles(&services.media);
    let PublishedTree { mut tree, hash, entries } = load_tree(db, services, signer).await?;
    // The server ends an idle transaction after some seconds, so each step with the object storage is followed by a
    // statement. It fails if the connection, and the lock with it, was lost.
    store::lock_log(transaction).await?;
    let former = tree.size();
    let seals = load_new_seals(db, services, former).await?;
    store::lock_log(transaction).await?;
    let mut bundles = Bundles::new(former, entries);
    let mut previous = hash;
    for (position, seal) in (former + 1..).zip(&seals) {
        let hash = next_link(seal, position, &previous)?;
        let entry = entry_of(&services.key, position, seal.record_uuid, &hash);
        tree.append(entry.leaf_hash());
        bundles.add(entry);
        previous = hash;
    }
    let full = tree.take_full_tiles();
    let tiles: Vec<_> = full.iter().cloned().chain(tree.partial_tiles()).collect();
    if tree.size() > former {
        files.put(&tiles, &bundles.tiles(tree.size())).await?;
    }
    store::lock_log(transaction).await?;
    let checkpoint = Checkpoint { origin: signer.origin.clone(), size: tree.size(), root: tree.root() };
    let note = checkpoint.sign(signer.keys.iter()).to_string();
    services.media.put_log(LogObject::Checkpoint, note.into()).await?;
    Ok((tree.size() - former, full.into_iter().map(|(tile, _)| tile).collect()))
}

/// Loads the tree of the last checkpoint, and ensures that the chain still contains it.
async fn load_tree(db: &Db, services: &Services, signer: &CheckpointSigner) -> Result<PublishedTree, Fault> {
    let files = LogFiles(&services.media);
    let Some(note) = files.checkpoint().await? else {
        return Ok(PublishedTree { tree: Tree::default(), hash: GENESIS, entries: Vec::new() });
    };
    let (checkpoint, _) = Checkpoint::open(&note, &signer.public_keys())
        .map_err(|error| refusal(format!("the last checkpoint of the audit log cannot be used: {error}")))?;
    let size = checkpoint.size;
    let tiles: Vec<_> = files.tiles(Tile::edge(size)).await?.into_iter().collect();
    let tree = Tree::restore(size, &tiles).filter(|tree| tree.root() == checkpoint.root);
    let tree = tree
        .ok_or_else(|| refusal(format!("the tiles of the audit log do not belong to its checkpoint of size {size}")))?;
    let Some(last) = Tile::containing(0, size.wrapping_sub(1), size) else {
        return Ok(PublishedTree { tree, hash: GENESIS, entries: Vec::new() });
    };
    let hash = ensure_contained(db, services, size, last).await?;
    let entries = if last.is_full() { Vec::new() } else { files.entries(last).await? };
    if !last.is_full() && entries.len() != usize::from(last.width) {
        return Err(refusal(format!("the entries of the audit log up to position {size} cannot be read")));
    }
    Ok(PublishedTree { tree, hash, entries })
}

/// Ensures that the seal at the last covered position is the one in the tree, whose leaf covers the whole chain before
/// it. Returns its hash.
async fn ensure_contained(db: &Db, services: &Services, size: u64, last: Tile) -> Result<Hash, Fault> {
    let position = i64::try_from(size).map_err(Fault::internal)?;
    let seals = load_seals(db, services, position, position).await?;
    let [seal] = seals.as_slice() else {
        let end = store::last_position(db).await?;
        return Err(refusal(format!(
            "the last checkpoint covers {size} positions of the audit chain, but the database has {} seals at position \
             {position} and ends at position {end}",
            seals.len()
        )));
    };
    let leaf = LogFiles(&services.media).tiles([last]).await?.remove(&last).and_then(|hashes| hashes.last().copied());
    let hash = hash_of(&seal.hash);
    let is_same = hash.filter(|hash| Some(entry_of(&services.key, size, seal.record_uuid, hash).leaf_hash()) == leaf);
    is_same.ok_or_else(|| {
        refusal(format!(
            "the audit chain in the database differs from its last checkpoint at or before position {size}"
        ))
    })
}

/// Loads the seals of the next pass.
async fn load_new_seals(db: &Db, services: &Services, size: u64) -> Result<Vec<FoundSeal>, Fault> {
    let from = i64::try_from(size).map_err(Fault::internal)? + 1;
    let until = store::last_position(db).await?.min(from + PASS as i64 - 1);
    load_seals(db, services, from, until).await
}

/// Loads seals without their records: the archived ones from the object storage, the others from the database.
async fn load_seals(db: &Db, services: &Services, from: i64, until: i64) -> Result<Vec<FoundSeal>, Fault> {
    let mut seals: Vec<FoundSeal> = Vec::new();
    archive::read_seals(db, &services.media, (from, until), &mut |seal| seals.push(seal)).await?;
    loop {
        let next = seals.last().map_or(from, |last| last.position + 1);
        let read = store::bare_seals(&mut *db.conn().await?, next, until).await?;
        if read.is_empty() {
            return Ok(seals);
        }
        seals.extend(read);
    }
}

/// Returns the hash of the seal that continues the chain at a position.
fn next_link(seal: &FoundSeal, position: u64, previous: &Hash) -> Result<Hash, Fault> {
    let is_next = u64::try_from(seal.position) == Ok(position) && seal.previous_hash == previous;
    let hash = hash_of(&seal.hash).filter(|_| is_next);
    hash.ok_or_else(|| refusal(format!("the audit chain in the database is broken at position {position}")))
}

fn refusal(cause: String) -> Fault {
    Fault::internal(cause)
}

/// New entries by their tiles.
struct Bundles {
    tiles: BTreeMap<u64, Vec<LogEntry>>,
}

impl Bundles {
    fn new(size: u64, entries: Vec<LogEntry>) -> Self {
        Self { tiles: BTreeMap::from([(size / WIDTH, entries)]) }
    }

    fn add(&mut self, entry: LogEntry) {
        let tile = (entry.position - 1) / WIDTH;
        self.tiles.entry(tile).or_default().push(entry);
    }

    fn tiles(self, size: u64) -> Vec<(Tile, Vec<LogEntry>)> {
        let tiles = self.tiles.into_iter();
        tiles.filter_map(|(tile, entries)| Some((Tile::containing(0, tile * WIDTH, size)?, entries))).collect()
    }
}
