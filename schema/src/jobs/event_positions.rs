//! Assignment of positions to events, which clients follow by cursors, and deletion of positions whose events are no
//! longer stored.

use labs_core::db::Db;
use labs_core::fault::Fault;
use sqlx::PgPool;

/// Advisory lock that allows one active sealer across all replicas.
const LOCK: i64 = 0x6576_656e; // "even"
/// Maximum number of events sealed in one pass.
const PASS: i64 = 5000;
/// Maximum number of passes per call.
const PASSES: usize = 20;

/// Assigns a position to every committed event. Returns the number of events; 0 while another replica seals.
///
/// It begins transactions, so the future must run to completion and must not be dropped midway.
///
/// # Errors
/// [`labs_core::Code::Unavailable`] if the database does not answer; events sealed before stay sealed.
pub(super) async fn seal_due(pool: &PgPool) -> Result<u64, Fault> {
    let mut sealed = 0;
    for _ in 0..PASSES {
        let pass = seal_pass(pool).await?;
        sealed += pass;
        if pass < PASS.unsigned_abs() {
            break;
        }
    }
    Ok(sealed)
}

/// A separate statement takes the lock, so that the next statement sees everything that the previous sealer wrote.
///
/// Positions follow the order of insertion. If one event was committed before another was inserted, as two changes of
/// the same row under its lock are, it has the earlier position: a statement that sees the second one also sees the
/// first. The order of transaction ids does not have this property, because a transaction receives its id before it
/// waits for the lock.
async fn seal_pass(pool: &PgPool) -> Result<u64, Fault> {
    let db = Db::own_transaction(pool.clone());
    let is_alone = sqlx::query_scalar!(r#"select pg_try_advisory_xact_lock($1) as "taken!""#, LOCK)
        .fetch_one(&mut *db.conn().await?)
        .await?;
    if !is_alone {
        db.settle(Ok(false)).await?;
        return Ok(0);
    }
    let sealed = sqlx::query!(
        "with due as (
             select entry_id, row_number() over (order by entry_id) as nth
             from (select entry_id from event_position where place is null order by entry_id limit $1) as unsealed
         ), last as (
             select coalesce((select place from event_position where place + 0 is not null
                              order by place + 0 desc limit 1), 0) as place
         )
         update event_position as p set place = last.place + due.nth
         from due, last
         where p.entry_id = due.entry_id",
        PASS
    )
    .execute(&mut *db.conn().await?)
    .await?
    .rows_affected();
    db.commit().await?;
    Ok(sealed)
}

/// Deletes the positions of staff operations whose audit records were archived, after at least 366 days. Other events
/// are never deleted. The last position of a list remains, because the cursor of a client that has read everything may
/// name it.
///
/// # Errors
/// [`labs_core::Code::Unavailable`] if the database does not answer.
pub(super) async fn tidy(pool: &PgPool) -> Result<u64, Fault> {
    Ok(sqlx::query!(
        "delete from event_position where entry_id = any (array (
             select old.entry_id
             from (select entry_id, about_uuid, place from event_position
                   where source = 'STAFF'
                     and event_uuid < (select record_uuid from audit_log order by record_uuid limit 1)
                   order by event_uuid limit 10000) as old
             where exists (select from event_position as later
                            where later.about_uuid = old.about_uuid and later.place > old.place)))"
    )
    .execute(pool)
    .await?
    .rows_affected())
}
