//! SQL statements of the audit chain.

mod pieces;

use std::collections::HashMap;

use labs_crypto::sha256;
use sqlx::PgConnection;
use uuid::Uuid;

use super::canonical::StoredRecord;
use super::chain::{FoundSeal, Hash, Seal, Unsealed};
use crate::db::Db;
use crate::fault::Fault;
pub(super) use pieces::{ArchivedPiece, archive_end, insert_piece, pieces};
pub use pieces::{detach, list_over};

/// Advisory lock of the sealer that works, across all replicas.
const LOCK: i64 = 0x0061_7564_6974; // "audit"

/// Advisory lock of the replica that extends the transparency log.
const LOCK_OF_LOG: i64 = 0x0061_7564_6975;

/// Acquires the sealer's lock for this transaction. Returns whether it succeeded.
pub(super) async fn lock(connection: &mut PgConnection) -> Result<bool, Fault> {
    try_lock(connection, LOCK).await
}

/// Acquires the lock of the transparency log for this transaction. Returns whether it succeeded; also if the
/// transaction already has the lock.
pub(super) async fn lock_log(connection: &mut PgConnection) -> Result<bool, Fault> {
    try_lock(connection, LOCK_OF_LOG).await
}

async fn try_lock(connection: &mut PgConnection, lock: i64) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(r#"select pg_try_advisory_xact_lock($1) as "taken!""#, lock).fetch_one(connection).await?)
}

/// The end of the chain.
pub(super) struct ChainEnd {
    /// Last position; 0 if the chain is empty.
    pub(super) position: i64,
    pub(super) hash: Option<Hash>,
    /// When the last seal was written, every record of a transaction below this one had a seal.
    pub(super) settled_below: i64,
    /// Oldest transaction that had not ended.
    pub(super) oldest_running: i64,
}

/// Loads the end of the chain. It runs after the statement that acquires the lock, so it sees everything that the
/// previous sealer committed.
pub(super) async fn end(connection: &mut PgConnection) -> Result<ChainEnd, Fault> {
    let row = sqlx::query!(
        r#"select last.position as "position?", last.hash as "hash?",
                  last.settled_below::text::bigint as "settled_below?",
                  pg_snapshot_xmin(pg_current_snapshot())::text::bigint as "oldest_running!"
             from (values (true)) as always
             left join (
                 (select position, hash, settled_below from audit_seal order by position desc limit 1)
                 union all
                 (select last_position, hash, '0'::xid8 from audit_archive where confirmed_at is not null
                   order by first_position desc limit 1)
                 order by position desc, settled_below desc limit 1
             ) as last on true"#
    )
    .fetch_one(connection)
    .await?;
    Ok(ChainEnd {
        position: row.position.unwrap_or_default(),
        hash: row.hash.and_then(|hash| hash.try_into().ok()),
        settled_below: row.settled_below.unwrap_or_default(),
        oldest_running: row.oldest_running,
    })
}

/// Records without a seal.
pub(super) struct UnsealedRecords {
    pub(super) records: Vec<Unsealed>,
    /// Transaction of the last record.
    pub(super) last_transaction: i64,
    /// Oldest transaction that had not ended when the records were loaded.
    pub(super) oldest_running: i64,
}

/// Loads the next five hundred records without a seal, from a transaction on. Transactions after the newest one of this
/// cluster belong to another cluster; they are loaded only if the whole log is scanned.
pub(super) async fn due(connection: &mut PgConnection, from: i64, is_whole: bool) -> Result<UnsealedRecords, Fault> {
    if is_whole {
        // A scan of the whole log can exceed the usual statement timeout of the service.
        sqlx::query!("set local statement_timeout = '10min'").execute(&mut *connection).await?;
    }
    // Looks up the seals one by one. With a `not exists`, the planner expects so few remaining records that it would
    // read every seal, four times a second.
    let rows = sqlx::query!(
        r#"with due as (
             select record_uuid, digest, transaction_id
               from audit_canonical as record
               left join lateral (
                        select position from audit_seal where audit_seal.record_uuid = record.record_uuid limit 1
                    ) as seal on true
              where transaction_id >= $1::bigint::text::xid8
                and ($2 or transaction_id < pg_snapshot_xmax(pg_current_snapshot()))
                and seal.position is null
              order by transaction_id, record_uuid
              limit 500
           )
           select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as "oldest_running!",
                  record_uuid as "record_uuid?", digest as "digest?",
                  transaction_id::text::bigint as "transaction_id?"
             from (values (true)) as always
             left join due on true
            order by due.transaction_id, due.record_uuid"#,
        from,
        is_whole
    )
    .fetch_all(connection)
    .await?;
    let oldest_running = rows.first().map(|row| row.oldest_running).unwrap_or_default();
    let last_transaction = rows.last().and_then(|row| row.transaction_id).unwrap_or_default();
    let unsealed =
        rows.into_iter().filter_map(|row| Some(Unsealed { record_uuid: row.record_uuid?, digest: row.digest? }));
    Ok(UnsealedRecords { records: unsealed.collect(), last_transaction, oldest_running })
}

/// Adds seals to the chain.
pub(super) async fn insert(connection: &mut PgConnection, seals: &[Seal], settled_below: i64) -> Result<(), Fault> {
    if seals.is_empty() {
        return Ok(());
    }
    let positions: Vec<i64> = seals.iter().map(|seal| seal.position).collect();
    let records: Vec<Uuid> = seals.iter().map(|seal| seal.record_uuid).collect();
    let previous: Vec<&[u8]> = seals.iter().map(|seal| seal.previous_hash.as_slice()).collect();
    let hashes: Vec<&[u8]> = seals.iter().map(|seal| seal.hash.as_slice()).collect();
    sqlx::query!(
        "insert into audit_seal (position, record_uuid, previous_hash, hash, settled_below)
         select position, record_uuid, previous_hash, hash, $5::bigint::text::xid8
           from unnest($1::bigint[], $2::uuid[], $3::bytea[], $4::bytea[])
                as made (position, record_uuid, previous_hash, hash)",
        &positions,
        &records,
        &previous as &[&[u8]],
        &hashes as &[&[u8]],
        settled_below,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Returns the last position of the chain; 0 if the chain is empty.
pub async fn last_position(db: &Db) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select greatest(
                      (select max(position) from audit_seal),
                      (select last_position from audit_archive where confirmed_at is not null
                        order by first_position desc limit 1),
                      0) as "position!""#
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Returns the hash at a position. `None` if the position has no seal or more than one.
pub(super) async fn hash_at(db: &Db, position: i64) -> Result<Option<Hash>, Fault> {
    let mut hashes = sqlx::query_scalar!("select hash from audit_seal where position = $1 limit 2", position)
        .fetch_all(&mut *db.conn().await?)
        .await?;
    let hash = hashes.pop().filter(|_| hashes.is_empty());
    Ok(hash.and_then(|hash| hash.try_into().ok()))
}

/// Counts the records without a seal, up to a thousand, that were recorded in the period in which these positions were
/// assigned and are older than ten seconds. After the end of the chain the period lasts until now, so that consecutive
/// ranges leave no record out.
pub async fn count_unsealed(db: &Db, from: i64, until: i64) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "unsealed!" from (
             select from audit_log as record
               left join lateral (
                        select position from audit_seal where audit_seal.record_uuid = record.record_uuid limit 1
                    ) as seal on true
              where record.recorded_at >= coalesce((
                        select sealed_at from audit_seal where position < $1 order by position desc limit 1
                    ), '-infinity')
                and record.recorded_at <= coalesce((
                        select sealed_at from audit_seal where position > $2 order by position limit 1
                    ), 'infinity')
                and record.recorded_at < labs_now() - interval '10 seconds'
                and seal.position is null
              limit 1000
           ) as found"#,
        from,
        until
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Seal with the canonical text of its record.
pub(super) struct SealedText {
    pub(super) seal: FoundSeal,
    pub(super) text: String,
}

/// Consecutive seals and their records, as stored.
pub(super) struct StoredSeals {
    /// The digests are not computed yet.
    seals: Vec<FoundSeal>,
    records: HashMap<Uuid, StoredRecord>,
}

impl StoredSeals {
    /// Returns the last position; `None` without seals.
    pub(super) fn last_position(&self) -> Option<i64> {
        self.seals.last().map(|seal| seal.position)
    }

    /// Computes the text and digest of each record, which takes milliseconds of CPU time. A seal whose record is
    /// missing gets no digest.
    pub(super) fn recompute(self) -> Vec<SealedText> {
        let Self { seals, mut records } = self;
        let sealed = seals.into_iter().map(|seal| {
            let text = records.remove(&seal.record_uuid).map(|record| record.text());
            let digest = text.as_ref().map(|text| sha256(text.as_bytes()).to_vec());
            SealedText { seal: FoundSeal { digest, ..seal }, text: text.unwrap_or_default() }
        });
        sealed.collect()
    }
}

/// Number of seals that one statement loads.
pub(super) const SEALS: usize = 1000;

/// Loads the next thousand seals from a position on, without their records.
pub(super) async fn bare_seals(connection: &mut PgConnection, from: i64, until: i64) -> Result<Vec<FoundSeal>, Fault> {
    let seals = sqlx::query!(
        "select position, record_uuid, previous_hash, hash from audit_seal
          where position >= $1 and position <= $2 order by position limit 1000",
        from,
        until
    )
    .fetch_all(connection)
    .await?;
    let seals = seals.into_iter().map(|row| FoundSeal {
        position: row.position,
        record_uuid: row.record_uuid,
        previous_hash: row.previous_hash,
        hash: row.hash,
        digest: None,
    });
    Ok(seals.collect())
}

/// Loads the next thousand seals from a position on, with the current state of their records.
pub(super) async fn seals(db: &Db, from: i64, until: i64) -> Result<StoredSeals, Fault> {
    let mut connection = db.conn().await?;
    let seals = bare_seals(&mut connection, from, until).await?;
    let ids = seals.iter().map(|seal| seal.record_uuid).collect();
    let records = records(&mut connection, ids).await?;
    Ok(StoredSeals { seals, records })
}

/// Loads these records as stored; the result can contain other records of the same time.
///
/// Neighbours in the chain are usually neighbours in time, and reading a range of ids is several times as fast as
/// looking up a thousand ids. If the range contains more than twice as many records, each half is read separately.
async fn records(connection: &mut PgConnection, mut ids: Vec<Uuid>) -> Result<HashMap<Uuid, StoredRecord>, Fault> {
    ids.sort_unstable();
    let mut records = HashMap::with_capacity(ids.len());
    let mut parts = vec![ids.as_slice()];
    while let Some(part) = parts.pop() {
        let (Some(first), Some(last)) = (part.first(), part.last()) else { continue };
        let most = 2 * part.len();
        let stored = records_between(connection, (*first, *last), most).await?;
        if stored.len() < most {
            records.extend(stored);
        } else {
            let (earlier, later) = part.split_at(part.len() / 2);
            parts.extend([earlier, later]);
        }
    }
    Ok(records)
}

/// Loads the records of a range of ids, both included, up to `most`. If the limit is reached, the changes are not
/// loaded.
async fn records_between(
    connection: &mut PgConnection,
    (first, last): (Uuid, Uuid),
    most: usize,
) -> Result<Vec<(Uuid, StoredRecord)>, Fault> {
    let rows = sqlx::query!(
        r#"select record_uuid, parameters::text as parameters, array[
                      record_uuid::text, to_char(recorded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'),
                      transaction_id::text, operation, channel, outcome, code, actor_kind, actor_uuid::text, actor_label,
                      scope, target_kind, target_uuid::text, target_label, partner_uuid::text, reason, request_id,
                      address::text
                  ] as "columns!: Vec<Option<String>>"
             from audit_log where record_uuid >= $1 and record_uuid <= $2 limit $3"#,
        first,
        last,
        most as i64
    )
    .fetch_all(&mut *connection)
    .await?;
    let mut changes = HashMap::new();
    if rows.len() < most {
        let known = sqlx::query!(
            r#"select record_uuid,
                      jsonb_agg(jsonb_build_array(position, thing, action, thing_uuid, thing_key, before, after)
                          order by position)::text as "changes!"
                 from audit_change where record_uuid >= $1 and record_uuid <= $2 group by record_uuid"#,
            first,
            last
        )
        .fetch_all(connection)
        .await?;
        changes.extend(known.into_iter().map(|row| (row.record_uuid, row.changes)));
    }
    let stored = rows.into_iter().map(|row| {
        let changes = changes.remove(&row.record_uuid);
        (row.record_uuid, StoredRecord { columns: row.columns, parameters: row.parameters, changes })
    });
    Ok(stored.collect())
}
