//! SQL statements of the archived pieces, and of the partitions that leave the log.

use sqlx::PgPool;

use crate::db::Db;
use crate::fault::Fault;

/// Piece of the archive: its positions, the hash before the first, the hash of the last, and its size.
pub(in crate::audit_chain) struct ArchivedPiece {
    pub(in crate::audit_chain) first_position: i64,
    pub(in crate::audit_chain) last_position: i64,
    pub(in crate::audit_chain) previous_hash: Vec<u8>,
    pub(in crate::audit_chain) hash: Vec<u8>,
    pub(in crate::audit_chain) bytes: i64,
}

/// Loads the confirmed pieces that contain positions of this range, in order.
pub(in crate::audit_chain) async fn pieces(db: &Db, from: i64, until: i64) -> Result<Vec<ArchivedPiece>, Fault> {
    Ok(sqlx::query_as!(
        ArchivedPiece,
        "select first_position, last_position, previous_hash, hash, bytes from audit_archive
          where first_position <= $2 and last_position >= $1 and confirmed_at is not null order by first_position",
        from,
        until
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Loads the last confirmed piece.
pub(in crate::audit_chain) async fn archive_end(db: &Db) -> Result<Option<ArchivedPiece>, Fault> {
    Ok(sqlx::query_as!(
        ArchivedPiece,
        "select first_position, last_position, previous_hash, hash, bytes from audit_archive
          where confirmed_at is not null order by first_position desc limit 1"
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Inserts and confirms a piece. An existing unconfirmed piece is not overwritten. Returns whether the piece was
/// confirmed, which requires that its positions are in the log with the same hashes.
pub(in crate::audit_chain) async fn insert_piece(db: &Db, piece: &ArchivedPiece) -> Result<bool, Fault> {
    let mut connection = db.conn().await?;
    sqlx::query!(
        "insert into audit_archive (first_position, last_position, previous_hash, hash, bytes) values ($1, $2, $3, $4, $5)
         on conflict (first_position) do nothing",
        piece.first_position,
        piece.last_position,
        piece.previous_hash.as_slice(),
        piece.hash.as_slice(),
        piece.bytes,
    )
    .execute(&mut *connection)
    .await?;
    Ok(sqlx::query_scalar!(r#"select audit_confirm($1) as "is_confirmed!""#, piece.first_position)
        .fetch_one(&mut *connection)
        .await?)
}

/// Time partition of the log whose retention period has ended.
pub struct AuditPart {
    /// Suffix of its table names.
    pub suffix: String,
    /// Last position of its records; 0 if it has none.
    pub last_position: i64,
}

/// Lists the partitions of the log that ended this many days ago or earlier, oldest first.
pub async fn list_over(pool: &PgPool, days: i32) -> Result<Vec<AuditPart>, Fault> {
    Ok(sqlx::query_as!(
        AuditPart,
        r#"select substr(part.partition_name, length(part.table_name) + 1) as "suffix!",
                  coalesce((
                      select max(position) from audit_seal
                       where record_uuid < uuid_since(part.until)
                         and record_uuid >= coalesce(uuid_since(part.since), '00000000-0000-0000-0000-000000000000')
                  ), 0) as "last_position!"
             from ledger_partition as part
            where part.table_name = 'audit_log' and part.until <= labs_now() - make_interval(days => $1)
            order by part.until"#,
        days
    )
    .fetch_all(pool)
    .await?)
}

/// Detaches an archived partition from the log. Returns whether it was detached: `false` while one of its records has
/// no seal or is not in a confirmed piece, or while the partition is younger than its minimum age; `None` while another
/// transaction holds a lock that this needs.
pub async fn detach(pool: &PgPool, part: &AuditPart) -> Result<Option<bool>, Fault> {
    let mut transaction = pool.begin().await?;
    // Counting its records can exceed the usual statement timeout of the service.
    sqlx::query!("set local statement_timeout = '10min'").execute(&mut *transaction).await?;
    let is_gone = sqlx::query_scalar!("select audit_detach($1)", part.suffix).fetch_one(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(is_gone)
}
