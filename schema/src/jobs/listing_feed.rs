//! Places for the storefront's changes, which its followers read by, and the end of what nobody can ask for any more.

use sqlx::PgPool;

use crate::core::fault::Fault;

/// Held by the one sealer that is at work, over all replicas.
const LOCK: i64 = 0x6665_6564; // "feed"
/// Changes that are sealed in one pass, at most.
const PASS: i64 = 5000;
/// Passes of one call, at most.
const PASSES: usize = 20;

/// Gives every change that has been committed its place. Answers how many; none while another is at it.
///
/// It begins transactions, so it must be run to its end and not be dropped half-way.
///
/// # Errors
/// [`crate::Code::Unavailable`] when the database is away; what was sealed before stays so.
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

/// The lock is asked for in a statement of its own, so that the next one sees all that the sealer before has done.
async fn seal_pass(pool: &PgPool) -> Result<u64, Fault> {
    let mut transaction = pool.begin().await?;
    let is_alone = sqlx::query_scalar!(r#"select pg_try_advisory_xact_lock($1) as "taken!""#, LOCK)
        .fetch_one(&mut *transaction)
        .await?;
    if !is_alone {
        transaction.rollback().await?;
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
    .execute(&mut *transaction)
    .await?
    .rows_affected();
    transaction.commit().await?;
    Ok(sealed)
}

/// Deletes what nobody can ask for any more: changes of which the next one is older than 90 days too.
///
/// # Errors
/// [`crate::Code::Unavailable`] when the database is away.
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
