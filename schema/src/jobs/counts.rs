//! The job that adds recorded changes to the platform counts.

use labs_core::fault::Fault;
use sqlx::PgPool;

/// Adds changes to their counts and deletes them, in batches. Returns the number of changed counts. Changes that
/// another replica processes at the same time are skipped.
pub(super) async fn fold(pool: &PgPool) -> Result<u64, Fault> {
    let folded = sqlx::query!(
        "with gone as (
             delete from platform_change where ctid = any (array (
                 select ctid from platform_change limit 20000 for update skip locked))
             returning what, key, number
         )
         insert into platform_count as known (what, key, number)
         select what, key, sum(number)::bigint from gone group by what, key order by what, key
         on conflict (what, key) do update set number = known.number + excluded.number"
    )
    .execute(pool)
    .await?;
    Ok(folded.rows_affected())
}
