//! Assignment of positions to the storefront's changes, which its followers use as cursors, and deletion of changes
//! that no follower can request.

use labs_core::db::Db;
use labs_core::fault::Fault;
use sqlx::PgPool;

/// Advisory lock that allows one active sealer across all replicas.
const LOCK: i64 = 0x6665_6564; // "feed"
/// Maximum number of changes sealed in one pass.
const PASS: i64 = 5000;
/// Maximum number of passes per call.
const PASSES: usize = 20;

/// Assigns a position to every committed change. Returns the number of changes; 0 while another replica seals.
///
/// It begins transactions, so the future must run to completion and must not be dropped midway.
///
/// # Errors
/// [`labs_core::Code::Unavailable`] if the database does not answer; changes sealed before stay sealed.
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
             select position, row_number() over (order by transaction_id, position) as nth
             from (select position, transaction_id from listing_change where place is null
                   order by transaction_id, position limit $1) as unsealed
         ), last as (
             select coalesce((select place from listing_change where place is not null
                              order by place desc limit 1), 0) as place
         )
         update listing_change as c set place = last.place + due.nth
         from due, last
         where c.position = due.position",
        PASS
    )
    .execute(&mut *db.conn().await?)
    .await?
    .rows_affected();
    db.commit().await?;
    Ok(sealed)
}

/// Deletes changes that no follower can request: those whose successor is also older than 90 days.
///
/// # Errors
/// [`labs_core::Code::Unavailable`] if the database does not answer.
pub(super) async fn tidy(pool: &PgPool) -> Result<u64, Fault> {
    Ok(sqlx::query!(
        "with oldest as (
             select position, lead(changed_at) over (order by place) as next_at
             from (select position, place, changed_at from listing_change where place is not null
                   order by place limit 10001) as first
         )
         delete from listing_change where position = any (array (
             select position from oldest where next_at < labs_now() - interval '90 days'))"
    )
    .execute(pool)
    .await?
    .rows_affected())
}
