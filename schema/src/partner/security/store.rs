//! The statements about a team's policy.

use crate::core::db::Db;
use crate::core::fault::Fault;
use crate::core::principal::Owner;

/// A team's policy.
pub(super) struct PolicyRow {
    pub(super) mfa_required: bool,
    pub(super) session_hours: Option<i32>,
}

/// The effective policy.
pub(super) async fn policy_get(db: &Db, owner: Owner) -> Result<Option<PolicyRow>, Fault> {
    Ok(sqlx::query_as!(
        PolicyRow,
        "select mfa_required, session_hours from partner where partner_uuid = $1",
        owner.uuid()
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Puts a policy in force; false when it is in force already.
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
