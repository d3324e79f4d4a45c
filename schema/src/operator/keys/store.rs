//! SQL statements that read and replace encrypted values.

use labs_core::fault::Fault;
use sqlx::{AssertSqlSafe, PgPool};

use super::SealedColumn;

/// Returns the next values of a column after an id, each with its id.
pub(super) async fn page(pool: &PgPool, of: &SealedColumn, from: &str) -> Result<Vec<(String, Vec<u8>)>, Fault> {
    let SealedColumn { table, column, id, behind, order, .. } = of;
    let page = format!(
        "select {id}, {column} from {table} where {column} is not null and {behind} order by {order} limit 500"
    );
    Ok(sqlx::query_as(AssertSqlSafe(page)).bind(from).fetch_all(pool).await?)
}

/// Replaces a value, given as its id, the former and the new value, unless it has changed. Returns the number of
/// replaced values.
pub(super) async fn replace(
    pool: &PgPool,
    of: &SealedColumn,
    (id, former, new): (&str, &[u8], &[u8]),
) -> Result<u64, Fault> {
    let SealedColumn { table, column, one, .. } = of;
    let replace = format!("update {table} set {column} = $3 where {one} and {column} = $2");
    let replaced = sqlx::query(AssertSqlSafe(replace)).bind(id).bind(former).bind(new);
    Ok(replaced.execute(pool).await?.rows_affected())
}
