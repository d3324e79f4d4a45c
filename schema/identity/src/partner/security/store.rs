//! Statements for a team's policy.

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::principal::Owner;

/// Policy of a team.
pub(super) struct PolicyRow {
    pub(super) mfa_required: bool,
    pub(super) session_hours: Option<i32>,
}

/// Loads the effective policy.
pub(super) async fn get_policy(db: &Db, owner: Owner) -> Result<Option<PolicyRow>, Fault> {
    Ok(sqlx::query_as!(
        PolicyRow,
        "select mfa_required, session_hours from partner where partner_uuid = $1",
        owner.uuid()
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Sets a policy. Returns false if it is already effective.
pub(super) async fn set_policy(
    db: &Db,
    owner: Owner,
    mfa_required: bool,
    session_hours: Option<i32>,
) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "update partner set mfa_required = $2, session_hours = $3, updated_at = labs_now()
          where partner_uuid = $1 and (mfa_required, session_hours) is distinct from ($2, $3)",
        owner.uuid(),
        mfa_required,
        session_hours
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(done.rows_affected() > 0)
}
