//! Counts of the platform at a glance: what writers changed is added to them.

use sqlx::PgPool;

use crate::core::fault::Fault;

/// Adds changes to their counts and forgets them, some at a time; answers how many counts that moved. Those that another
/// replica adds at the same moment are left to it.
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
