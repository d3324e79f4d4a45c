//! Every statement about second factors.

use uuid::Uuid;

use crate::db::Db;
use crate::fault::Fault;
use crate::time::Time;

/// A time-based factor, enrolled or in force.
pub(super) struct FactorRow {
    pub(super) secret_sealed: Vec<u8>,
    pub(super) confirmed_at: Option<Time>,
    pub(super) last_step: Option<i64>,
}

/// A person's factor.
pub(super) async fn get(db: &Db, person_uuid: Uuid) -> Result<Option<FactorRow>, Fault> {
    Ok(sqlx::query_as!(
        FactorRow,
        "select secret_sealed, confirmed_at, last_step from totp_factor where person_uuid = $1",
        person_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Consumes a step. Of several at once, one succeeds: a step is used once.
pub(super) async fn set_last_step(db: &Db, person_uuid: Uuid, step: i64) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "update totp_factor set last_step = $2 where person_uuid = $1 and (last_step is null or last_step < $2)",
        person_uuid,
        step
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Consumes a recovery code. Of several at once, one succeeds.
pub(super) async fn recovery_code_set_used(db: &Db, person_uuid: Uuid, sha256: &[u8]) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "update recovery_code set used_at = labs_now() where person_uuid = $1 and code_sha256 = $2 and used_at is null",
        person_uuid,
        sha256
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(done.rows_affected() > 0)
}
