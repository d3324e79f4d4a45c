//! SQL statements about the invitation of a partner's first administrator.

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::time::Time;
use uuid::Uuid;

/// Columns of a new first invitation.
pub(in super::super) struct NewRow<'a> {
    pub(in super::super) invitation_uuid: Uuid,
    pub(in super::super) partner_uuid: Uuid,
    pub(in super::super) email: &'a str,
    pub(in super::super) email_normalised: &'a str,
    pub(in super::super) role: &'a str,
    pub(in super::super) locale: &'a str,
    pub(in super::super) token_sha256: &'a [u8],
    pub(in super::super) expires_at: Time,
}

/// Inserts an invitation without an inviting team member, with its token.
pub(in super::super) async fn insert(db: &Db, new: &NewRow<'_>) -> Result<(), Fault> {
    sqlx::query!(
        "with made as (
             insert into invitation (invitation_uuid, partner_uuid, email, email_normalised, role, locale, expires_at)
             values ($1, $2, $3, $4, $5, $6, $8)
         )
         insert into one_time_token (token_sha256, purpose, subject_uuid, expires_at) values ($7, 'INVITATION', $1, $8)",
        new.invitation_uuid,
        new.partner_uuid,
        new.email,
        new.email_normalised,
        new.role,
        new.locale,
        new.token_sha256,
        new.expires_at as Time,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
