//! SQL statements with which senders change invitations.

use labs_core::db::Db;
use labs_core::fault::{Fault, constraint_of};
use labs_core::principal::Role;
use labs_core::time::Time;
use uuid::Uuid;

use crate::auth::invitations::rules::{self, InvitationState};
use crate::partner::team::Team;

/// An invitation locked for a change.
pub(in crate::auth::invitations) struct LockedInvitationRow {
    pub(in crate::auth::invitations) email: String,
    pub(in crate::auth::invitations) email_normalised: String,
    pub(in crate::auth::invitations) role: Role,
    pub(in crate::auth::invitations) locale: String,
    /// EXPIRED as soon as its expiry has passed.
    pub(in crate::auth::invitations) state: InvitationState,
    pub(in crate::auth::invitations) company_name: String,
    pub(in crate::auth::invitations) partner_state: String,
}

/// Locks one of a team's invitations until the transaction ends.
pub(in crate::auth::invitations) async fn lock_sent(
    db: &Db,
    team: Team,
    invitation_uuid: Uuid,
) -> Result<Option<LockedInvitationRow>, Fault> {
    Ok(sqlx::query_as!(
        LockedInvitationRow,
        r#"select i.email, i.email_normalised, i.role as "role: Role", i.locale,
                  case when i.state = 'PENDING' and i.expires_at <= labs_now() then 'EXPIRED' else i.state end
                      as "state!: InvitationState",
                  partner.company_name, partner.state as partner_state
             from invitation as i join partner using (partner_uuid)
            where partner_uuid = $1 and i.invitation_uuid = $2
              for no key update of i"#,
        team.uuid(),
        invitation_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Locks the pending invitations that a team member sent, with the role of each, until the transaction ends.
pub(in crate::auth::invitations) async fn lock_pending(
    db: &Db,
    team: Team,
    inviter_uuid: Uuid,
) -> Result<Vec<(Uuid, Role)>, Fault> {
    let rows = sqlx::query!(
        r#"select invitation_uuid, role as "role: Role" from invitation
            where partner_uuid = $1 and invited_by = $2 and state = 'PENDING' and expires_at > labs_now()
            order by invitation_uuid
              for no key update"#,
        team.uuid(),
        inviter_uuid
    )
    .fetch_all(&mut *db.conn().await?)
    .await?;
    Ok(rows.into_iter().map(|row| (row.invitation_uuid, row.role)).collect())
}

/// An invitation whose sender moves to another team.
pub(in crate::auth::invitations) struct LeftRow {
    pub(in crate::auth::invitations) invitation_uuid: Uuid,
    pub(in crate::auth::invitations) partner_uuid: Uuid,
    pub(in crate::auth::invitations) role: Role,
}

/// Locks the pending invitations that a user sent for their current team, until the transaction ends.
pub(in crate::auth::invitations) async fn lock_left_behind(db: &Db, person_uuid: Uuid) -> Result<Vec<LeftRow>, Fault> {
    Ok(sqlx::query_as!(
        LeftRow,
        r#"select i.invitation_uuid, i.partner_uuid, i.role as "role: Role"
             from person as p join invitation as i on i.partner_uuid = p.partner_uuid and i.invited_by = p.person_uuid
            where p.person_uuid = $1 and i.state = 'PENDING' and i.expires_at > labs_now()
            order by i.invitation_uuid
              for no key update of i"#,
        person_uuid
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Gives an invitation a new token and expiry. The old token is void.
pub(in crate::auth::invitations) async fn set_renewed(
    db: &Db,
    invitation_uuid: Uuid,
    token_sha256: &[u8],
    expires_at: Time,
    state: InvitationState,
) -> Result<(), Fault> {
    let done = sqlx::query!(
        "with void as (
           update one_time_token set used_at = labs_now()
            where subject_uuid = $1 and purpose = 'INVITATION' and used_at is null
         ), token as (
           insert into one_time_token (token_sha256, purpose, subject_uuid, expires_at) values ($2, 'INVITATION', $1, $3)
         )
         update invitation
            set state = $4, sent_at = labs_now(), expires_at = $3,
                state_changed_at = case when state = $4 and expires_at > labs_now() then state_changed_at else labs_now() end
          where invitation_uuid = $1",
        invitation_uuid,
        token_sha256,
        expires_at as Time,
        state.name()
    )
    .execute(&mut *db.conn().await?)
    .await;
    match done {
        Err(error) if constraint_of(&error) == Some("invitation_pending_key") => Err(rules::err_already_invited()),
        done => Ok(done.map(|_| ())?),
    }
}

/// Revokes an invitation and voids its token.
pub(in crate::auth::invitations) async fn set_revoked(
    db: &Db,
    invitation_uuid: Uuid,
    state: InvitationState,
) -> Result<(), Fault> {
    sqlx::query!(
        "with void as (
           update one_time_token set used_at = labs_now()
            where subject_uuid = $1 and purpose = 'INVITATION' and used_at is null
         )
         update invitation set state = $2, state_changed_at = labs_now() where invitation_uuid = $1",
        invitation_uuid,
        state.name()
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
