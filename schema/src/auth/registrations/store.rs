//! Every statement about registrations.

use uuid::Uuid;

use crate::db::Db;
use crate::fault::{Fault, constraint_of};
use crate::keep::email::EmailAddress;
use crate::time::Time;

/// Whose address it is already.
pub(super) struct HolderRow {
    pub(super) person_uuid: Uuid,
    /// Registered and not yet verified, with nothing else hanging on that company.
    pub(super) is_pending: bool,
    /// Registered and not yet verified, whatever else hangs on that company, which is there to be begun.
    pub(super) is_waiting: bool,
}

/// The first administrator of a new partner, and the token that proves their address.
pub(super) struct NewAdministrator<'a> {
    pub(super) person_uuid: Uuid,
    pub(super) partner_uuid: Uuid,
    pub(super) name: &'a str,
    pub(super) email: &'a EmailAddress,
    pub(super) locale: &'a str,
    pub(super) password_hash: &'a str,
    pub(super) token_sha256: &'a [u8],
    pub(super) token_expires_at: Time,
}

/// Somebody who proved their address.
pub(super) struct VerifiedRow {
    pub(super) partner_uuid: Uuid,
    pub(super) email: String,
    pub(super) verified_at: Time,
}

/// The tier of this code that anybody may choose alone.
pub(super) async fn tier_get(db: &Db, code: &str) -> Result<Option<Uuid>, Fault> {
    Ok(sqlx::query_scalar!("select tier_uuid from tier where code = $1 and state = 'OFFERED' and self_service", code)
        .fetch_optional(&mut *db.conn().await?)
        .await?)
}

/// Makes registrations under one address wait for one another until the transaction ends.
pub(super) async fn email_lock(db: &Db, email_normalised: &str) -> Result<(), Fault> {
    sqlx::query!("select pg_advisory_xact_lock(hashtextextended('registration:' || $1, 0))", email_normalised)
        .execute(&mut *db.conn().await?)
        .await?;
    Ok(())
}

/// Whose address it is.
pub(super) async fn holder_get(db: &Db, email_normalised: &str) -> Result<Option<HolderRow>, Fault> {
    Ok(sqlx::query_as!(
        HolderRow,
        r#"select p.person_uuid, p.kind = 'PARTNER_USER' and p.state = 'UNVERIFIED'
                  and registration_is_bare(p.partner_uuid, p.person_uuid) as "is_pending!",
                  p.kind = 'PARTNER_USER' and p.state = 'UNVERIFIED' and exists (
                    select from partner as c
                     where c.partner_uuid = p.partner_uuid and c.state = 'ACTIVE') as "is_waiting!"
             from person as p
            where p.email_normalised = $1 and p.state <> 'REMOVED'"#,
        email_normalised
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Makes the administrator, who waits to be verified, and the token.
pub(super) async fn administrator_insert(db: &Db, new: &NewAdministrator<'_>) -> Result<(), Fault> {
    let made = sqlx::query!(
        "with administrator as (
             insert into person (person_uuid, kind, partner_uuid, email, email_normalised, name, locale, role, state,
                                 password_hash, password_changed_at)
             values ($1, 'PARTNER_USER', $2, $3, $4, $5, $6, 'ADMINISTRATOR', 'UNVERIFIED', $7, labs_now())
             returning person_uuid
         )
         insert into one_time_token (token_sha256, purpose, person_uuid, expires_at)
         select $8, 'VERIFY_EMAIL', person_uuid, $9 from administrator",
        new.person_uuid,
        new.partner_uuid,
        new.email.as_str(),
        new.email.normalised(),
        new.name,
        new.locale,
        new.password_hash,
        new.token_sha256,
        new.token_expires_at as Time,
    )
    .execute(&mut *db.conn().await?)
    .await;
    made.map_err(taken_meanwhile)?;
    Ok(())
}

/// Gives whoever waits to be verified a new token; the old ones are void. Answers the company that was registered;
/// `None`, by the same statement, where nobody waits.
pub(super) async fn token_renew(
    db: &Db,
    person_uuid: Option<Uuid>,
    sha256: &[u8],
    expires_at: Time,
) -> Result<Option<String>, Fault> {
    Ok(sqlx::query_scalar!(
        "with void as (
           update one_time_token set used_at = labs_now()
            where person_uuid = $1 and purpose = 'VERIFY_EMAIL' and used_at is null
         ), renewed as (
           insert into one_time_token (token_sha256, purpose, person_uuid, expires_at)
           select $2, 'VERIFY_EMAIL', person_uuid, $3 from person where person_uuid = $1
           returning person_uuid
         )
         select company_name from renewed join person using (person_uuid) join partner using (partner_uuid)",
        person_uuid,
        sha256,
        expires_at as Time,
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Drops a registration that was not verified, unless something else hangs on that company by now.
pub(super) async fn pending_delete(db: &Db, person_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "with dropped as (
           delete from person as p
            where p.person_uuid = $1 and p.state = 'UNVERIFIED' and registration_is_bare(p.partner_uuid, p.person_uuid)
           returning p.partner_uuid
         )
         delete from partner using dropped where partner.partner_uuid = dropped.partner_uuid",
        person_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Drops every registration that no token can verify any more, and answers how many. A job's; a company on which
/// something else hangs by now is left to staff.
pub(crate) async fn expired_delete(db: &Db) -> Result<u64, Fault> {
    let done = sqlx::query!(
        "with dropped as (
           delete from person as p
            where p.kind = 'PARTNER_USER' and p.state = 'UNVERIFIED'
              and not exists (select from one_time_token as t where t.person_uuid = p.person_uuid
                                 and t.purpose = 'VERIFY_EMAIL' and t.used_at is null and t.expires_at > labs_now())
              and registration_is_bare(p.partner_uuid, p.person_uuid)
           returning p.partner_uuid
         )
         delete from partner using dropped where partner.partner_uuid = dropped.partner_uuid"
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(done.rows_affected())
}

/// Consumes a token and holds its person. Of several uses at once, one succeeds.
pub(super) async fn token_set_used(db: &Db, sha256: &[u8]) -> Result<Option<(Uuid, String)>, Fault> {
    let row = sqlx::query!(
        "with used as (
           update one_time_token set used_at = labs_now()
            where token_sha256 = $1 and purpose = 'VERIFY_EMAIL' and used_at is null and expires_at > labs_now()
           returning person_uuid
         )
         select person.person_uuid, person.state from used join person using (person_uuid) for update of person",
        sha256
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    Ok(row.map(|row| (row.person_uuid, row.state)))
}

/// No mail that a person got so far verifies anything any more.
pub(super) async fn tokens_set_void(db: &Db, person_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "update one_time_token set used_at = labs_now()
          where person_uuid = $1 and purpose = 'VERIFY_EMAIL' and used_at is null",
        person_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// The address is proved: the person takes this state.
pub(super) async fn set_verified(db: &Db, person_uuid: Uuid, state: &str) -> Result<VerifiedRow, Fault> {
    Ok(sqlx::query_as!(
        VerifiedRow,
        r#"update person set state = $2, email_verified_at = labs_now(), updated_at = labs_now()
            where person_uuid = $1
           returning partner_uuid as "partner_uuid!", email, email_verified_at as "verified_at!""#,
        person_uuid,
        state
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Another door (an invitation, say) made somebody of this address meanwhile: the registration starts anew and
/// finds them.
fn taken_meanwhile(error: sqlx::Error) -> Fault {
    let taken = constraint_of(&error) == Some("person_email_normalised_key");
    let mut fault = Fault::from(error);
    if taken {
        fault = Fault::unavailable("Somebody else uses this address at this moment. Try again.");
        fault.parts_mut().retryable = true;
    }
    fault
}
