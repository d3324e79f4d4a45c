//! SQL statements about address changes.

use labs_core::db::Db;
use labs_core::fault::{Fault, constraint_of};
use labs_core::time::Time;
use labs_mail::outbox::Recipient;
use uuid::Uuid;

use super::rules::EmailChangeState;

/// A change and its user, locked until the transaction ends.
pub(super) struct ChangeRow {
    pub(super) change_uuid: Uuid,
    /// Session that requested the change; none if staff did.
    pub(super) session_uuid: Option<Uuid>,
    pub(super) state: EmailChangeState,
    pub(super) old_email: String,
    pub(super) old_email_normalised: String,
    pub(super) new_email: String,
    pub(super) new_email_normalised: String,
    pub(super) person_uuid: Uuid,
    pub(super) partner_uuid: Option<Uuid>,
    pub(super) person_state: String,
    pub(super) name: String,
    pub(super) locale: String,
    /// Current address of the user.
    pub(super) email_normalised: String,
}

impl ChangeRow {
    /// Returns the user as addressee at an address of this change.
    pub(super) fn at(&self, email: &str) -> Recipient {
        Recipient {
            person_uuid: Some(self.person_uuid),
            partner_uuid: self.partner_uuid,
            email: email.to_owned(),
            name: self.name.clone(),
            locale: self.locale.clone(),
        }
    }
}

/// Columns of a new change.
pub(super) struct NewChange<'a> {
    pub(super) change_uuid: Uuid,
    pub(super) person_uuid: Uuid,
    pub(super) session_uuid: Option<Uuid>,
    pub(super) new_email: &'a str,
    pub(super) new_email_normalised: &'a str,
    pub(super) confirm_sha256: &'a [u8],
    pub(super) confirm_until: Time,
    pub(super) cancel_sha256: &'a [u8],
    pub(super) cancel_until: Time,
}

/// Returns the normalised address of a user, and locks the user until the transaction ends.
pub(super) async fn lock_address(db: &Db, person_uuid: Uuid) -> Result<Option<String>, Fault> {
    Ok(sqlx::query_scalar!(
        "select email_normalised from person where person_uuid = $1 and state = 'ACTIVE' for update",
        person_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Counts the changes that a user requested in the last hour.
pub(super) async fn count_recent(db: &Db, person_uuid: Uuid) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from email_change
            where person_uuid = $1 and requested_at > labs_now() - interval '1 hour'"#,
        person_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Returns the user of an address, unless the address is an unverified registration.
pub(super) async fn get_holder(db: &Db, email_normalised: &str) -> Result<Option<Uuid>, Fault> {
    Ok(sqlx::query_scalar!(
        "select person_uuid from person
          where email_normalised = $1 and state not in ('REMOVED', 'UNVERIFIED')",
        email_normalised
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Supersedes a pending change and voids its confirmation token.
pub(super) async fn supersede_pending(
    db: &Db,
    person_uuid: Uuid,
    from: EmailChangeState,
    to: EmailChangeState,
) -> Result<(), Fault> {
    sqlx::query!(
        "with void as (
           update one_time_token set used_at = labs_now()
            where person_uuid = $1 and purpose = 'CHANGE_EMAIL' and used_at is null
         )
         update email_change set state = $3 where person_uuid = $1 and state = $2",
        person_uuid,
        from.name(),
        to.name()
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Returns the time until which the old address can cancel an effective change that staff requested; `None` if no such
/// change exists.
pub(super) async fn get_open_by_staff(db: &Db, person_uuid: Uuid) -> Result<Option<Time>, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select max(t.expires_at) as "until: Time"
             from email_change as c join one_time_token as t on t.subject_uuid = c.change_uuid
            where c.person_uuid = $1 and c.session_uuid is null and c.state = 'CONFIRMED'
              and t.purpose = 'CANCEL_EMAIL_CHANGE' and t.used_at is null and t.expires_at > labs_now()"#,
        person_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Inserts a change with its two tokens.
pub(super) async fn insert(db: &Db, new: &NewChange<'_>) -> Result<(), Fault> {
    sqlx::query!(
        "with change as (
           insert into email_change (change_uuid, person_uuid, session_uuid, old_email, old_email_normalised, new_email,
                                     new_email_normalised)
           select $1, person_uuid, $3, email, email_normalised, $4, $5 from person where person_uuid = $2
         )
         insert into one_time_token (token_sha256, purpose, person_uuid, subject_uuid, expires_at)
         values ($6, 'CHANGE_EMAIL', $2, $1, $7), ($8, 'CANCEL_EMAIL_CHANGE', $2, $1, $9)",
        new.change_uuid,
        new.person_uuid,
        new.session_uuid,
        new.new_email,
        new.new_email_normalised,
        new.confirm_sha256,
        new.confirm_until as Time,
        new.cancel_sha256,
        new.cancel_until as Time,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Consumes a token and locks its change and user. Of several concurrent uses, one succeeds.
pub(super) async fn set_token_used(db: &Db, sha256: &[u8], purpose: &str) -> Result<Option<ChangeRow>, Fault> {
    Ok(sqlx::query_as!(
        ChangeRow,
        r#"with used as (
           update one_time_token set used_at = labs_now()
            where token_sha256 = $1 and purpose = $2 and used_at is null and expires_at > labs_now()
           returning subject_uuid
         )
         select c.change_uuid, c.session_uuid, c.state as "state: _", c.old_email, c.old_email_normalised, c.new_email,
                c.new_email_normalised, p.person_uuid, p.partner_uuid, p.state as person_state, p.name, p.locale,
                p.email_normalised
           from used join email_change as c on c.change_uuid = used.subject_uuid join person as p using (person_uuid)
            for update of p, c"#,
        sha256,
        purpose
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Sets a verified address; false if it belongs to another user. Voids the tokens that were mailed to the old address
/// and could set a password.
pub(super) async fn set_address(db: &Db, person_uuid: Uuid, email: &str, normalised: &str) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "with void as (
           update one_time_token set used_at = labs_now()
            where person_uuid = $1 and purpose = 'RESET_PASSWORD' and used_at is null
         )
         update person set email = $2, email_normalised = $3, email_verified_at = labs_now(), updated_at = labs_now()
          where person_uuid = $1",
        person_uuid,
        email,
        normalised
    )
    .execute(&mut *db.conn().await?)
    .await;
    match done {
        Err(error) if constraint_of(&error) == Some("person_email_normalised_key") => Ok(false),
        done => Ok(done?.rows_affected() > 0),
    }
}

/// Marks the change as effective. Until the given time, it can be cancelled with the earlier token and with the
/// additional one.
pub(super) async fn set_confirmed(
    db: &Db,
    change: &ChangeRow,
    state: EmailChangeState,
    cancel_sha256: &[u8],
    cancel_until: Time,
) -> Result<Time, Fault> {
    Ok(sqlx::query_scalar!(
        r#"with kept as (
             update one_time_token set expires_at = $4
              where subject_uuid = $1 and purpose = 'CANCEL_EMAIL_CHANGE' and used_at is null
           ), further as (
             insert into one_time_token (token_sha256, purpose, person_uuid, subject_uuid, expires_at)
             values ($3, 'CANCEL_EMAIL_CHANGE', $5, $1, $4)
           )
           update email_change set state = $2, confirmed_at = labs_now() where change_uuid = $1
           returning confirmed_at as "confirmed_at!""#,
        change.change_uuid,
        state.name(),
        cancel_sha256,
        cancel_until as Time,
        change.person_uuid,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Deletes a second factor that was confirmed after the change was requested, with its recovery codes; false if no such
/// factor exists. It may belong to an attacker who requested the change.
pub(super) async fn delete_later_factor(db: &Db, change_uuid: Uuid) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(
        r#"with later as (
             delete from totp_factor as f using email_change as c
              where c.change_uuid = $1 and f.person_uuid = c.person_uuid and f.confirmed_at >= c.requested_at
             returning f.person_uuid
           ), codes as (
             delete from recovery_code as r using later where r.person_uuid = later.person_uuid
           )
           select exists (select from later) as "gone!""#,
        change_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Cancels a change and every later one, and voids all of their tokens. Deletes the password, because an attacker may
/// know it, and stores the token of a reset.
pub(super) async fn set_cancelled(
    db: &Db,
    change: &ChangeRow,
    state: EmailChangeState,
    reset_sha256: &[u8],
    reset_until: Time,
) -> Result<(), Fault> {
    sqlx::query!(
        "with cancelled as (
           update email_change as c set state = $2, cancelled_at = labs_now()
             from email_change as first
            where first.change_uuid = $1 and c.person_uuid = first.person_uuid and c.state <> 'CANCELLED'
              and (c.requested_at, c.change_uuid) >= (first.requested_at, first.change_uuid)
           returning c.change_uuid
         ), void as (
           update one_time_token as t set used_at = labs_now() from cancelled
            where t.subject_uuid = cancelled.change_uuid and t.purpose in ('CHANGE_EMAIL', 'CANCEL_EMAIL_CHANGE')
              and t.used_at is null
         ), void_resets as (
           update one_time_token set used_at = labs_now()
            where person_uuid = $5 and purpose = 'RESET_PASSWORD' and used_at is null
         ), void_password as (
           update person set password_hash = null, password_changed_at = labs_now(), updated_at = labs_now()
            where person_uuid = $5
         )
         insert into one_time_token (token_sha256, purpose, person_uuid, expires_at)
         values ($3, 'RESET_PASSWORD', $5, $4)",
        change.change_uuid,
        state.name(),
        reset_sha256,
        reset_until as Time,
        change.person_uuid,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
