//! SQL statements about passwords and their resets.

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::time::Time;
use labs_mail::outbox::Recipient;
use uuid::Uuid;

/// The user of a valid token.
pub(super) struct HolderRow {
    pub(super) person_uuid: Uuid,
    pub(super) email: String,
    pub(super) name: String,
}

/// The user whose token was just consumed.
pub(super) struct UsedRow {
    pub(super) person_uuid: Uuid,
    pub(super) partner_uuid: Option<Uuid>,
    pub(super) email_normalised: String,
    /// Whether the token invited a staff member, instead of resetting a password.
    pub(super) is_invitation: bool,
}

/// Returns the user who may reset the password of an address: the user who could sign in with it.
pub(super) async fn load_addressee(db: &Db, email_normalised: &str) -> Result<Option<Recipient>, Fault> {
    Ok(sqlx::query_as!(
        Recipient,
        r#"select person_uuid as "person_uuid?", partner_uuid, email, name, locale from person
            where email_normalised = $1 and state = 'ACTIVE'"#,
        email_normalised
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Stores a token if the user exists. The same statement runs if no user exists.
pub(super) async fn insert_token(
    db: &Db,
    person_uuid: Option<Uuid>,
    sha256: &[u8],
    expires_at: Time,
) -> Result<(), Fault> {
    sqlx::query!(
        "insert into one_time_token (token_sha256, purpose, person_uuid, expires_at)
         select $1, 'RESET_PASSWORD', $2, $3 where $2::uuid is not null",
        sha256,
        person_uuid,
        expires_at as Time,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Returns the user of a token, if the token is valid.
pub(super) async fn get_holder(db: &Db, sha256: &[u8]) -> Result<Option<HolderRow>, Fault> {
    Ok(sqlx::query_as!(
        HolderRow,
        "select p.person_uuid, p.email, p.name
           from one_time_token as t join person as p using (person_uuid)
          where t.token_sha256 = $1 and t.used_at is null and t.expires_at > labs_now()
            and (t.purpose, p.state) in (('RESET_PASSWORD', 'ACTIVE'), ('STAFF_INVITATION', 'INVITED'))",
        sha256
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Consumes a token. Of several concurrent uses, one succeeds.
pub(super) async fn set_token_used(db: &Db, sha256: &[u8]) -> Result<Option<UsedRow>, Fault> {
    Ok(sqlx::query_as!(
        UsedRow,
        r#"with used as (
             update one_time_token set used_at = labs_now()
              where token_sha256 = $1 and purpose in ('RESET_PASSWORD', 'STAFF_INVITATION')
                and used_at is null and expires_at > labs_now()
             returning person_uuid, purpose
           )
           select p.person_uuid, p.partner_uuid, p.email_normalised,
                  used.purpose = 'STAFF_INVITATION' as "is_invitation!"
             from used join person as p using (person_uuid)
            where (used.purpose, p.state) in (('RESET_PASSWORD', 'ACTIVE'), ('STAFF_INVITATION', 'INVITED'))
              for update of p"#,
        sha256
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Sets the password. Voids every other token that could set one, and a pending change of address, because an attacker
/// may have requested it. An invited staff member becomes active.
pub(super) async fn set_reset(db: &Db, person_uuid: Uuid, hash: &str) -> Result<Time, Fault> {
    Ok(sqlx::query_scalar!(
        r#"with void as (
             update one_time_token set used_at = labs_now()
              where person_uuid = $1 and purpose in ('RESET_PASSWORD', 'STAFF_INVITATION', 'CHANGE_EMAIL')
                and used_at is null
           )
           update person
              set password_hash = $2, password_changed_at = labs_now(), updated_at = labs_now(),
                  email_verified_at = coalesce(email_verified_at, labs_now()),
                  state = case state when 'INVITED' then 'ACTIVE' else state end
            where person_uuid = $1
           returning password_changed_at as "changed_at!""#,
        person_uuid,
        hash
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Sets the password after the old one, set at `changed_at`, was proved; false if it was replaced since. Also voids
/// mailed tokens that could set a password or an address.
pub(super) async fn set_changed(
    db: &Db,
    person_uuid: Uuid,
    hash: &str,
    changed_at: Option<Time>,
) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "with changed as (
           update person set password_hash = $2, password_changed_at = labs_now(), updated_at = labs_now()
            where person_uuid = $1 and password_changed_at is not distinct from $3
           returning person_uuid
         ), void as (
           update one_time_token as t set used_at = labs_now() from changed
            where t.person_uuid = changed.person_uuid and t.purpose in ('RESET_PASSWORD', 'CHANGE_EMAIL')
              and t.used_at is null
         )
         select from changed",
        person_uuid,
        hash,
        changed_at as Option<Time>,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(done.rows_affected() > 0)
}
