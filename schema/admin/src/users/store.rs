//! Statements for users, for staff.

use labs_core::db::Db;
use labs_core::fault::Fault;
use uuid::Uuid;

/// Loads the name and partner of a user; of staff members only if requested.
pub(super) async fn get_name(
    db: &Db,
    person_uuid: Uuid,
    with_staff: bool,
) -> Result<Option<(String, Option<Uuid>)>, Fault> {
    let row = sqlx::query!(
        "select name, partner_uuid from person
          where person_uuid = $1 and state <> 'REMOVED' and ($2 or kind <> 'STAFF_USER')",
        person_uuid,
        with_staff
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    Ok(row.map(|row| (row.name, row.partner_uuid)))
}

/// A user locked for a change.
pub(super) struct LockedUserRow {
    pub(super) person_uuid: Uuid,
    pub(super) partner_uuid: Option<Uuid>,
    pub(super) is_staff: bool,
    pub(super) name: String,
    pub(super) email_normalised: String,
    pub(super) state: String,
    /// Whether the team had suspended the user before staff locked them.
    pub(super) was_suspended: bool,
}

/// Locks a user until the transaction ends.
pub(super) async fn lock(db: &Db, person_uuid: Uuid) -> Result<Option<LockedUserRow>, Fault> {
    Ok(sqlx::query_as!(
        LockedUserRow,
        r#"select person_uuid, partner_uuid, kind = 'STAFF_USER' as "is_staff!", name, email_normalised, state,
                  was_suspended
             from person
            where person_uuid = $1 and state <> 'REMOVED'
              for no key update"#,
        person_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Updates a user's name. An unchanged name writes nothing.
pub(super) async fn set_name(db: &Db, person_uuid: Uuid, name: &str) -> Result<(), Fault> {
    sqlx::query!(
        "update person set name = $2, updated_at = labs_now() where person_uuid = $1 and name <> $2",
        person_uuid,
        name
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Sets the state of a user.
pub(super) async fn set_state(db: &Db, person_uuid: Uuid, state: &str, was_suspended: bool) -> Result<(), Fault> {
    sqlx::query!(
        "update person set state = $2, was_suspended = $3, updated_at = labs_now() where person_uuid = $1",
        person_uuid,
        state,
        was_suspended
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Voids the tokens that were mailed to a user for a new password or for an address. The token that undoes an address
/// change stays valid, because it was mailed to the owner of the account before the change.
pub(super) async fn set_tokens_void(db: &Db, person_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "update one_time_token set used_at = labs_now()
          where person_uuid = $1 and purpose in ('RESET_PASSWORD', 'CHANGE_EMAIL') and used_at is null",
        person_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Whether at least two percent of the newest users have the longest word of a search. True for a search without words,
/// which matches everything.
pub(super) async fn is_common_text(db: &Db, text: &str) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) filter (where folded(concat_ws(E'\n', newest.name, newest.email))
                      ~ (select coalesce((sought_patterns($1))[1], ''))) * 50 >= count(*) as "is_common!"
             from (select * from person order by created_at desc, person_uuid desc limit 400) as newest"#,
        text
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}
