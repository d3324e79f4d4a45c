//! To whom mails go.

use uuid::Uuid;

use crate::core::db::Db;
use crate::core::fault::Fault;

/// A person as a letter needs to know them.
#[derive(Clone)]
pub(crate) struct Addressee {
    /// Who; none for whoever is invited and no person yet.
    pub(crate) person_uuid: Option<Uuid>,
    /// Of which partner's team; none for staff.
    pub(crate) partner_uuid: Option<Uuid>,
    /// The address as the person wrote it.
    pub(crate) email: String,
    /// Full name.
    pub(crate) name: String,
    /// Language tag.
    pub(crate) locale: String,
}

/// To whom a letter for this person goes; `None` for whoever is gone.
pub(crate) async fn load_addressee(db: &Db, person_uuid: Uuid) -> Result<Option<Addressee>, Fault> {
    Ok(sqlx::query_as!(
        Addressee,
        r#"select person_uuid as "person_uuid?", partner_uuid, email, name, locale from person
            where person_uuid = $1 and state <> 'REMOVED'"#,
        person_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// The administrators of a team who can be written to.
pub(crate) async fn list_administrators(db: &Db, partner_uuid: Uuid) -> Result<Vec<Addressee>, Fault> {
    Ok(sqlx::query_as!(
        Addressee,
        r#"select person_uuid as "person_uuid?", partner_uuid, email, name, locale from person
            where partner_uuid = $1 and role = 'ADMINISTRATOR' and state = 'ACTIVE'
            order by created_at, person_uuid"#,
        partner_uuid
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}
