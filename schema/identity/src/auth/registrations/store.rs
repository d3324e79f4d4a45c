//! SQL statements about registrations.

use labs_core::db::Db;
use labs_core::email::EmailAddress;
use labs_core::fault::{Fault, constraint_of};
use labs_core::time::Time;
use uuid::Uuid;

use super::rules;

/// A registration that waits for its confirmation.
pub(super) struct WaitingRow {
    pub(super) person_uuid: Uuid,
    pub(super) partner_uuid: Uuid,
    pub(super) email: String,
    pub(super) name: String,
    pub(super) locale: String,
    pub(super) company_name: String,
    pub(super) registered_at: Time,
}

/// Address that a token verifies, and the password of the registration.
pub(super) struct TokenRow {
    pub(super) email_normalised: String,
    pub(super) password_hash: Option<String>,
}

/// The registration of a consumed token.
pub(super) struct UsedRow {
    pub(super) person_uuid: Uuid,
    pub(super) partner_uuid: Option<Uuid>,
    pub(super) state: String,
}

/// The first administrator of a new partner, and the token that verifies the address.
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

/// A user with a verified address.
pub(super) struct VerifiedRow {
    pub(super) partner_uuid: Uuid,
    pub(super) email: String,
    pub(super) verified_at: Time,
}

/// Returns the tier with this code, if it can be chosen without staff.
pub(super) async fn get_tier(db: &Db, code: &str) -> Result<Option<Uuid>, Fault> {
    Ok(sqlx::query_scalar!("select tier_uuid from tier where code = $1 and state = 'OFFERED' and self_service", code)
        .fetch_optional(&mut *db.conn().await?)
        .await?)
}

/// Serialises registrations of one address until the transaction ends.
pub(super) async fn lock_email(db: &Db, email_normalised: &str) -> Result<(), Fault> {
    sqlx::query!("select pg_advisory_xact_lock(hashtextextended('registration:' || $1, 0))", email_normalised)
        .execute(&mut *db.conn().await?)
        .await?;
    Ok(())
}

/// Returns the user who has verified an address.
pub(super) async fn get_holder(db: &Db, email_normalised: &str) -> Result<Option<Uuid>, Fault> {
    Ok(sqlx::query_scalar!(
        "select person_uuid from person where email_normalised = $1 and state not in ('REMOVED', 'UNVERIFIED')",
        email_normalised
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Returns the latest pending registrations of an address whose partner is active.
pub(super) async fn waiting_page(db: &Db, email_normalised: &str) -> Result<Vec<WaitingRow>, Fault> {
    Ok(sqlx::query_as!(
        WaitingRow,
        r#"select p.person_uuid, c.partner_uuid, p.email, p.name, p.locale, c.company_name, p.created_at as registered_at
             from person as p join partner as c using (partner_uuid)
            where p.email_normalised = $1 and p.kind = 'PARTNER_USER' and p.state = 'UNVERIFIED' and c.state = 'ACTIVE'
            order by p.created_at desc, p.person_uuid desc
            limit 3"#,
        email_normalised
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Inserts the administrator, who waits for verification, and the token.
pub(super) async fn insert_administrator(db: &Db, new: &NewAdministrator<'_>) -> Result<(), Fault> {
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
    made?;
    Ok(())
}

/// Gives a user who waits for verification a new token; the old ones are void. The same statement runs if no user
/// waits.
pub(super) async fn renew_token(
    db: &Db,
    person_uuid: Option<Uuid>,
    sha256: &[u8],
    expires_at: Time,
) -> Result<(), Fault> {
    sqlx::query!(
        "with void as (
           update one_time_token set used_at = labs_now()
            where person_uuid = $1 and purpose = 'VERIFY_EMAIL' and used_at is null
         )
         insert into one_time_token (token_sha256, purpose, person_uuid, expires_at)
         select $2, 'VERIFY_EMAIL', person_uuid, $3 from person where person_uuid = $1",
        person_uuid,
        sha256,
        expires_at as Time,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Ends the pending registrations of an address, except this one. Their tokens are void. Each is deleted unless other
/// data already refers to its company.
pub(super) async fn end_pending(db: &Db, email_normalised: &str, but: Option<Uuid>) -> Result<(), Fault> {
    sqlx::query!(
        "update one_time_token as t set used_at = labs_now()
           from person as p
          where p.email_normalised = $1 and p.kind = 'PARTNER_USER' and p.state = 'UNVERIFIED'
            and p.person_uuid is distinct from $2
            and t.person_uuid = p.person_uuid and t.purpose = 'VERIFY_EMAIL' and t.used_at is null",
        email_normalised,
        but
    )
    .execute(&mut *db.conn().await?)
    .await?;
    sqlx::query!(
        "with dropped as (
           delete from person as p
            where p.email_normalised = $1 and p.kind = 'PARTNER_USER' and p.state = 'UNVERIFIED'
              and p.person_uuid is distinct from $2 and registration_is_bare(p.partner_uuid, p.person_uuid)
           returning p.partner_uuid
         )
         delete from partner using dropped where partner.partner_uuid = dropped.partner_uuid",
        email_normalised,
        but
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Deletes every registration that no valid token can verify, and returns their number. Used by a job. A company that
/// other data already refers to is left to staff.
pub async fn delete_expired(db: &Db) -> Result<u64, Fault> {
    let done = sqlx::query!(
        "with dropped as (
           delete from person as p
            where p.kind = 'PARTNER_USER' and p.state = 'UNVERIFIED'
              and not exists (select from one_time_token as t where t.person_uuid = p.person_uuid
                                 and t.purpose = 'VERIFY_EMAIL' and t.used_at is null and t.expires_at > labs_now()
                                 and t.attempts < $1)
              and registration_is_bare(p.partner_uuid, p.person_uuid)
           returning p.partner_uuid
         )
         delete from partner using dropped where partner.partner_uuid = dropped.partner_uuid",
        rules::MOST_PASSWORDS
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(done.rows_affected())
}

/// Returns the address that a valid token verifies.
pub(super) async fn get_token(db: &Db, sha256: &[u8]) -> Result<Option<TokenRow>, Fault> {
    Ok(sqlx::query_as!(
        TokenRow,
        "select p.email_normalised, p.password_hash
           from one_time_token as t join person as p using (person_uuid)
          where t.token_sha256 = $1 and t.purpose = 'VERIFY_EMAIL' and t.used_at is null and t.expires_at > labs_now()
            and t.attempts < $2",
        sha256,
        rules::MOST_PASSWORDS
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Consumes a token if its password was right; otherwise counts the attempt. Locks its user. Of several concurrent
/// calls, one succeeds, and no more attempts are counted than a token allows.
pub(super) async fn try_token(db: &Db, sha256: &[u8], is_right: bool) -> Result<Option<UsedRow>, Fault> {
    Ok(sqlx::query_as!(
        UsedRow,
        "with tried as (
           update one_time_token
              set used_at = case when $2 then labs_now() end, attempts = attempts + case when $2 then 0 else 1 end
            where token_sha256 = $1 and purpose = 'VERIFY_EMAIL' and used_at is null and expires_at > labs_now()
              and attempts < $3
           returning person_uuid
         )
         select person.person_uuid, person.partner_uuid, person.state
           from tried join person using (person_uuid) for update of person",
        sha256,
        is_right,
        rules::MOST_PASSWORDS
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Voids every verification token that was mailed to a user.
pub(super) async fn set_tokens_void(db: &Db, person_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "update one_time_token set used_at = labs_now()
          where person_uuid = $1 and purpose = 'VERIFY_EMAIL' and used_at is null",
        person_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Marks the address as verified and sets the user's state.
pub(super) async fn set_verified(db: &Db, person_uuid: Uuid, state: &str) -> Result<VerifiedRow, Fault> {
    let verified = sqlx::query_as!(
        VerifiedRow,
        r#"update person set state = $2, email_verified_at = labs_now(), updated_at = labs_now()
            where person_uuid = $1
           returning partner_uuid as "partner_uuid!", email, email_verified_at as "verified_at!""#,
        person_uuid,
        state
    )
    .fetch_one(&mut *db.conn().await?)
    .await;
    verified.map_err(err_address_taken)
}

fn err_address_taken(error: sqlx::Error) -> Fault {
    match constraint_of(&error) {
        Some("person_email_normalised_key") => Fault::conflict(
            "Another user has verified this e-mail address in the meantime. Each address belongs to one user.",
        ),
        _ => error.into(),
    }
}
