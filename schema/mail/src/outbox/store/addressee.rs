//! Recipients of mail.

use labs_core::db::Db;
use labs_core::fault::Fault;
use uuid::Uuid;

/// Recipient of a mail message.
#[derive(Clone)]
pub struct Recipient {
    /// UUID of the user; `None` for an invited person without an account.
    pub person_uuid: Option<Uuid>,
    /// Partner of the user's team; `None` for staff.
    pub partner_uuid: Option<Uuid>,
    /// Address as the user wrote it.
    pub email: String,
    /// Full name.
    pub name: String,
    /// Language tag.
    pub locale: String,
}

/// Loads a user as a recipient; `None` if the user no longer exists.
pub async fn load_addressee(db: &Db, person_uuid: Uuid) -> Result<Option<Recipient>, Fault> {
    Ok(sqlx::query_as!(
        Recipient,
        r#"select person_uuid as "person_uuid?", partner_uuid, email, name, locale from person
            where person_uuid = $1 and state <> 'REMOVED'"#,
        person_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Lists the administrators of a team who can receive mail.
pub async fn list_administrators(db: &Db, partner_uuid: Uuid) -> Result<Vec<Recipient>, Fault> {
    Ok(sqlx::query_as!(
        Recipient,
        r#"select person_uuid as "person_uuid?", partner_uuid, email, name, locale from person
            where partner_uuid = $1 and role = 'ADMINISTRATOR' and state = 'ACTIVE'
            order by created_at, person_uuid"#,
        partner_uuid
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}
