//! Every statement about registrations.

use uuid::Uuid;

use crate::db::Db;
use crate::fault::{Fault, constraint_of};
use crate::time::Time;

/// Whose address it is already.
pub(super) struct HolderRow {
    pub(super) person_uuid: Uuid,
    /// Registered and not yet verified, with nothing else hanging on that company.
    pub(super) is_pending: bool,
}

/// What a registration makes.
pub(super) struct NewRegistration<'a> {
    pub(super) partner_uuid: Uuid,
    pub(super) company_name: &'a str,
    pub(super) country: &'a str,
    pub(super) legal_form: Option<&'a str>,
    pub(super) vat_id: Option<&'a str>,
    pub(super) website: Option<&'a str>,
    pub(super) person_uuid: Uuid,
    pub(super) name: &'a str,
    pub(super) email: &'a str,
    pub(super) email_normalised: &'a str,
    pub(super) locale: &'a str,
    pub(super) password_hash: &'a str,
    pub(super) tier_uuid: Uuid,
    pub(super) event_uuid: Uuid,
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
                  and not exists (select from person as o where o.partner_uuid = p.partner_uuid and o.person_uuid <> p.person_uuid)
                  and not exists (select from machine_client as c where c.partner_uuid = p.partner_uuid) as "is_pending!"
             from person as p
            where p.email_normalised = $1 and p.state <> 'REMOVED'"#,
        email_normalised
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Makes partner, administrator, subscription, its first event and the token; false when the slug is taken.
pub(super) async fn insert(db: &Db, new: &NewRegistration<'_>, slug: &str) -> Result<bool, Fault> {
    let made = sqlx::query_scalar!(
        r#"with company as (
             insert into partner (partner_uuid, slug, company_name, country, legal_form, vat_id, website)
             values ($1, $2, $3, $4, $5, $6, $7)
             on conflict (slug) do nothing
             returning partner_uuid
           ), administrator as (
             insert into person (person_uuid, kind, partner_uuid, email, email_normalised, name, locale, role, state,
                                 password_hash, password_changed_at)
             select $8, 'PARTNER_USER', partner_uuid, $9, $10, $11, $12, 'ADMINISTRATOR', 'UNVERIFIED', $13, labs_now()
               from company
             returning person_uuid
           ), chosen as (
             insert into subscription (partner_uuid, tier_uuid)
             select partner_uuid, $14 from company
           ), history as (
             insert into subscription_event (event_uuid, partner_uuid, kind, to_tier_uuid, actor_kind, actor_uuid)
             select $15, partner_uuid, 'STARTED', $14, 'PARTNER_USER', $8 from company
           ), token as (
             insert into one_time_token (token_sha256, purpose, person_uuid, expires_at)
             select $16, 'VERIFY_EMAIL', person_uuid, $17 from administrator
           )
           select count(*) > 0 as "made!" from company"#,
        new.partner_uuid,
        slug,
        new.company_name,
        new.country,
        new.legal_form,
        new.vat_id,
        new.website,
        new.person_uuid,
        new.email,
        new.email_normalised,
        new.name,
        new.locale,
        new.password_hash,
        new.tier_uuid,
        new.event_uuid,
        new.token_sha256,
        new.token_expires_at as Time,
    )
    .fetch_one(&mut *db.conn().await?)
    .await;
    made.map_err(taken_meanwhile)
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

/// Drops a registration that was not verified.
pub(super) async fn pending_delete(db: &Db, person_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "with dropped as (delete from person where person_uuid = $1 and state = 'UNVERIFIED' returning partner_uuid)
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
              and not exists (select from person as o where o.partner_uuid = p.partner_uuid and o.person_uuid <> p.person_uuid)
              and not exists (select from machine_client as c where c.partner_uuid = p.partner_uuid)
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

/// The address is proved: the person takes this state and the company's subscription begins now.
pub(super) async fn set_verified(db: &Db, person_uuid: Uuid, state: &str) -> Result<VerifiedRow, Fault> {
    Ok(sqlx::query_as!(
        VerifiedRow,
        r#"with verified as (
             update person set state = $2, email_verified_at = labs_now(), updated_at = labs_now()
              where person_uuid = $1
             returning partner_uuid, email, email_verified_at
           ), begun as (
             update subscription as s
                set started_at = labs_now(), period_start = labs_now(), updated_at = labs_now(),
                    period_end = case t.billing_period when 'MONTH' then labs_now() + interval '1 month'
                                                       when 'YEAR' then labs_now() + interval '1 year' end
               from verified, tier as t
              where s.partner_uuid = verified.partner_uuid and t.tier_uuid = s.tier_uuid
           )
           select partner_uuid as "partner_uuid!", email, email_verified_at as "verified_at!" from verified"#,
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
