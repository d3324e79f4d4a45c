//! SQL statement about the daily actions of a user.

use labs_core::db::Db;
use labs_core::fault::Fault;
use uuid::Uuid;

/// Counts one more action of a user today; false, without a write, if the limit is reached.
pub(super) async fn spend(db: &Db, person_uuid: Uuid, what: &str, limit: i32) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "insert into board_daily_use as u (person_uuid, what, used) values ($1, $2, 1)
             on conflict on constraint board_daily_use_pkey do update set used = u.used + 1 where u.used < $3",
        person_uuid,
        what,
        limit,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(done.rows_affected() > 0)
}
