//! Every statement about the chain.

use sqlx::PgConnection;
use uuid::Uuid;

use super::chain::{FoundSeal, Hash, Seal, Unsealed};
use crate::core::db::Db;
use crate::core::fault::Fault;

/// Held by the one sealer that is at work, over all replicas.
const LOCK: i64 = 0x0061_7564_6974; // "audit"

/// Takes the sealer's lock for this transaction.
pub(super) async fn lock(connection: &mut PgConnection) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(r#"select pg_try_advisory_xact_lock($1) as "taken!""#, LOCK).fetch_one(connection).await?)
}

/// The end of the chain.
pub(super) struct ChainEnd {
    /// The last place; 0 before the first.
    pub(super) position: i64,
    pub(super) hash: Option<Hash>,
    /// Below this transaction all was sealed when the last seal was set.
    pub(super) settled_below: i64,
    /// The oldest transaction that had not ended.
    pub(super) oldest_running: i64,
}

/// Where the chain ends. Asked in a statement after the lock's own, it sees all that the sealer before has done.
pub(super) async fn end(connection: &mut PgConnection) -> Result<ChainEnd, Fault> {
    let row = sqlx::query!(
        r#"select last.position as "position?", last.hash as "hash?",
                  last.settled_below::text::bigint as "settled_below?",
                  pg_snapshot_xmin(pg_current_snapshot())::text::bigint as "oldest_running!"
             from (values (true)) as always
             left join (
                 select position, hash, settled_below from audit_seal order by position desc limit 1
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

/// What is to be sealed.
pub(super) struct UnsealedRecords {
    pub(super) records: Vec<Unsealed>,
    /// The transaction of the last of them.
    pub(super) last_transaction: i64,
    /// The oldest transaction that had not ended when they were looked up.
    pub(super) oldest_running: i64,
}

/// The next five hundred records without a seal, of the transactions from one on. Transactions beyond the last that
/// there was cannot be of this cluster and are looked at only when the whole log is.
pub(super) async fn due(connection: &mut PgConnection, from: i64, is_whole: bool) -> Result<UnsealedRecords, Fault> {
    if is_whole {
        // The whole log may take longer than a statement of the service usually may.
        sqlx::query!("set local statement_timeout = '10min'").execute(&mut *connection).await?;
    }
    // Seals are looked up one by one: asked whether one exists, the planner expects so few records to be left that it
    // would read every seal there is, four times a second.
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

/// The last place of the chain; 0 before the first.
pub(crate) async fn last_position(db: &Db) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(r#"select coalesce(max(position), 0) as "position!" from audit_seal"#)
        .fetch_one(&mut *db.conn().await?)
        .await?)
}

/// The hash at a place.
pub(crate) async fn hash_at(db: &Db, position: i64) -> Result<Option<[u8; 32]>, Fault> {
    let hash = sqlx::query_scalar!("select hash from audit_seal where position = $1", position)
        .fetch_optional(&mut *db.conn().await?)
        .await?;
    Ok(hash.and_then(|hash| hash.try_into().ok()))
}

/// How many records without a seal there are of the time in which these places were given, ten seconds after they were
/// recorded; a thousand at most. Behind the chain's end that time lasts until now, so that ranges that follow one
/// another leave none out.
pub(crate) async fn count_unsealed(db: &Db, from: i64, until: i64) -> Result<i64, Fault> {
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

/// The next thousand seals from a place on, with what their records say now.
pub(super) async fn seals(db: &Db, from: i64, until: i64) -> Result<Vec<FoundSeal>, Fault> {
    Ok(sqlx::query_as!(
        FoundSeal,
        r#"select position, record_uuid, previous_hash, hash, (
                      select digest from audit_canonical where audit_canonical.record_uuid = audit_seal.record_uuid
                  ) as digest
             from audit_seal
            where position >= $1 and position <= $2
            order by position
            limit 1000"#,
        from,
        until
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}
