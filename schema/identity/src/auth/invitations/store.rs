//! SQL statements about invitations.

pub(super) mod first;
pub(super) mod sent;

use labs_core::db::Db;
use labs_core::fault::{Fault, constraint_of};
use labs_core::time::Time;
use uuid::Uuid;

use super::rules::{self, InvitationState};

/// An invitation with its inviter, and with the user who has verified the address, if any.
pub(super) struct InvitationRow {
    pub(super) invitation_uuid: Uuid,
    pub(super) email: String,
    pub(super) email_normalised: String,
    pub(super) role: String,
    pub(super) locale: String,
    pub(super) expires_at: Time,
    pub(super) partner_uuid: Uuid,
    pub(super) partner_state: String,
    pub(super) company_name: String,
    pub(super) inviter_name: Option<String>,
    pub(super) holder_state: Option<String>,
    pub(super) holder_partner_uuid: Option<Uuid>,
    pub(super) holder_partner_state: Option<String>,
}

/// Returns the invitation of a valid token.
pub(super) async fn get(db: &Db, sha256: &[u8]) -> Result<Option<InvitationRow>, Fault> {
    Ok(sqlx::query_as!(
        InvitationRow,
        r#"select i.invitation_uuid, i.email, i.email_normalised, i.role, i.locale, i.expires_at,
                  i.partner_uuid, partner.state as partner_state, partner.company_name,
                  inviter.name as "inviter_name?",
                  holder.state as "holder_state?",
                  holder.partner_uuid as "holder_partner_uuid?", theirs.state as "holder_partner_state?"
             from one_time_token as t
             join invitation as i on i.invitation_uuid = t.subject_uuid
             join partner on partner.partner_uuid = i.partner_uuid
             left join person as inviter on inviter.person_uuid = i.invited_by
             left join person as holder
               on holder.email_normalised = i.email_normalised and holder.state not in ('REMOVED', 'UNVERIFIED')
             left join partner as theirs on theirs.partner_uuid = holder.partner_uuid
            where t.token_sha256 = $1 and t.purpose = 'INVITATION' and t.used_at is null and t.expires_at > labs_now()
              and i.state = 'PENDING' and i.expires_at > labs_now()"#,
        sha256
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Consumes a token, locks its invitation and returns its state. Of several concurrent uses, one succeeds.
pub(super) async fn set_token_used(db: &Db, sha256: &[u8]) -> Result<Option<(Uuid, Uuid, InvitationState)>, Fault> {
    let row = sqlx::query!(
        r#"with used as (
             update one_time_token set used_at = labs_now()
              where token_sha256 = $1 and purpose = 'INVITATION' and used_at is null and expires_at > labs_now()
             returning subject_uuid
           )
           select i.invitation_uuid, i.partner_uuid, i.state as "state: InvitationState"
             from used join invitation as i on i.invitation_uuid = used.subject_uuid
            where i.expires_at > labs_now()
              for update of i"#,
        sha256
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    Ok(row.map(|row| (row.invitation_uuid, row.partner_uuid, row.state)))
}

/// Stores the answer to the invitation.
pub(super) async fn set_answered(
    db: &Db,
    invitation_uuid: Uuid,
    state: InvitationState,
    person_uuid: Option<Uuid>,
) -> Result<(), Fault> {
    sqlx::query!(
        "update invitation set state = $2, person_uuid = $3, state_changed_at = labs_now() where invitation_uuid = $1",
        invitation_uuid,
        state.name(),
        person_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Counts the members of a team.
pub(super) async fn count_members(db: &Db, partner_uuid: Uuid) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from person where partner_uuid = $1 and state <> 'REMOVED'"#,
        partner_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Counts the pending invitations of a team.
pub(super) async fn count_pending(db: &Db, partner_uuid: Uuid) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from invitation
            where partner_uuid = $1 and state = 'PENDING' and expires_at > labs_now()"#,
        partner_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Whether a user with this address is in a team.
pub(super) async fn is_member(db: &Db, partner_uuid: Uuid, email_normalised: &str) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select exists (select from person where partner_uuid = $1 and email_normalised = $2
                             and state <> 'REMOVED') as "is_member!""#,
        partner_uuid,
        email_normalised
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

pub(super) struct NewMember<'a> {
    pub(super) person_uuid: Uuid,
    pub(super) name: &'a str,
    pub(super) locale: &'a str,
    pub(super) password_hash: &'a str,
}

/// Creates the user of an invitation; false if another user took the address concurrently.
pub(super) async fn insert_member(db: &Db, invitation_uuid: Uuid, new: &NewMember<'_>) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "insert into person (person_uuid, kind, partner_uuid, email, email_normalised, name, locale, role, state,
                             password_hash, password_changed_at, email_verified_at)
         select $2, 'PARTNER_USER', partner_uuid, email, email_normalised, $3, $4, role, 'ACTIVE', $5, labs_now(),
                labs_now()
           from invitation where invitation_uuid = $1",
        invitation_uuid,
        new.person_uuid,
        new.name,
        new.locale,
        new.password_hash,
    )
    .execute(&mut *db.conn().await?)
    .await;
    match done {
        Err(error) if constraint_of(&error) == Some("person_email_normalised_key") => Ok(false),
        done => Ok(done?.rows_affected() > 0),
    }
}

/// Moves a user whose partner is closed into the team of an invitation; false if the partner was reopened.
pub(super) async fn move_member(db: &Db, invitation_uuid: Uuid, person_uuid: Uuid) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "update person set partner_uuid = i.partner_uuid, role = i.role, email_verified_at = labs_now(), updated_at = labs_now()
           from invitation as i, partner as theirs
          where i.invitation_uuid = $1 and person.person_uuid = $2 and person.state = 'ACTIVE'
            and person.email_normalised = i.email_normalised
            and theirs.partner_uuid = person.partner_uuid and theirs.state = 'CLOSED'",
        invitation_uuid,
        person_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Columns of a new invitation.
pub(super) struct NewRow<'a> {
    pub(super) invitation_uuid: Uuid,
    pub(super) partner_uuid: Uuid,
    pub(super) email: &'a str,
    pub(super) email_normalised: &'a str,
    pub(super) role: &'a str,
    pub(super) locale: &'a str,
    pub(super) invited_by: Option<Uuid>,
    pub(super) token_sha256: &'a [u8],
    pub(super) expires_at: Time,
}

/// Names shown in an invitation's mail.
pub(super) struct Names {
    pub(super) company_name: String,
    pub(super) partner_state: String,
    pub(super) inviter_name: Option<String>,
}

/// Inserts an invitation with its token. Returns the names for its mail, locked until the transaction ends; `None` if
/// the inviter is not in the team or is suspended.
pub(super) async fn insert(db: &Db, new: &NewRow<'_>) -> Result<Option<Names>, Fault> {
    let names = sqlx::query_as!(
        Names,
        r#"with inviter as (
             select person_uuid from person
              where person_uuid = $7 and partner_uuid = $2 and state = 'ACTIVE'
                for share
           ), made as (
             insert into invitation (invitation_uuid, partner_uuid, email, email_normalised, role, locale, invited_by,
                                     expires_at)
             select $1, partner.partner_uuid, $3, $4, $5, $6, inviter.person_uuid, $9
               from partner left join inviter on true
              where partner.partner_uuid = $2 and ($7::uuid is null or inviter.person_uuid is not null)
             returning partner_uuid, invited_by
           ), token as (
             insert into one_time_token (token_sha256, purpose, subject_uuid, expires_at)
             select $8, 'INVITATION', $1, $9 from made
           )
           select partner.company_name, partner.state as partner_state, person.name as "inviter_name?"
             from made join partner using (partner_uuid) left join person on person.person_uuid = made.invited_by"#,
        new.invitation_uuid,
        new.partner_uuid,
        new.email,
        new.email_normalised,
        new.role,
        new.locale,
        new.invited_by,
        new.token_sha256,
        new.expires_at as Time,
    )
    .fetch_optional(&mut *db.conn().await?)
    .await;
    match names {
        Err(error) if constraint_of(&error) == Some("invitation_pending_key") => Err(rules::err_already_invited()),
        names => Ok(names?),
    }
}

/// Expires an overdue invitation so that it does not block a new one to the same address.
pub(super) async fn expire_overdue(
    db: &Db,
    partner_uuid: Uuid,
    email_normalised: &str,
    state: InvitationState,
) -> Result<(), Fault> {
    sqlx::query!(
        "update invitation set state = $3, state_changed_at = labs_now()
          where partner_uuid = $1 and email_normalised = $2 and state = 'PENDING' and expires_at <= labs_now()",
        partner_uuid,
        email_normalised,
        state.name()
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
