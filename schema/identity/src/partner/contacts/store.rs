//! Statements for a partner's contacts.

use labs_core::db::Db;
use labs_core::fault::{Fault, constraint_of};
use labs_core::principal::Owner;
use uuid::Uuid;

use super::rules::PartnerContactKind;
use super::types::PartnerContact;

/// Content of a contact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Content {
    pub(super) kind: PartnerContactKind,
    pub(super) name: String,
    pub(super) email: String,
    pub(super) email_normalised: String,
    pub(super) phone: Option<String>,
}

impl Content {
    /// Creates an empty contact of a kind.
    pub(super) const fn of_kind(kind: PartnerContactKind) -> Self {
        Self { kind, name: String::new(), email: String::new(), email_normalised: String::new(), phone: None }
    }
}

impl From<&PartnerContact> for Content {
    fn from(contact: &PartnerContact) -> Self {
        Self {
            kind: contact.kind,
            name: contact.name.clone(),
            email: contact.email.clone(),
            email_normalised: contact.email_normalised.clone(),
            phone: contact.phone.clone(),
        }
    }
}

/// Locks the partner, and thereby the number of its contacts, until the transaction ends.
pub(super) async fn lock_partner(db: &Db, owner: Owner) -> Result<Option<()>, Fault> {
    let row = sqlx::query!("select partner_uuid from partner where partner_uuid = $1 for no key update", owner.uuid())
        .fetch_optional(&mut *db.conn().await?)
        .await?;
    Ok(row.map(|_| ()))
}

/// Counts the contacts of a kind, except the given one.
pub(super) async fn count(db: &Db, owner: Owner, kind: PartnerContactKind, beside: Option<Uuid>) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from partner_contact
            where partner_uuid = $1 and kind = $2 and contact_uuid is distinct from $3"#,
        owner.uuid(),
        kind.name(),
        beside
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Inserts a contact; `None` if the address is already a contact of this kind.
pub(super) async fn insert(
    db: &Db,
    owner: Owner,
    contact_uuid: Uuid,
    content: &Content,
) -> Result<Option<PartnerContact>, Fault> {
    Ok(sqlx::query_as!(
        PartnerContact,
        r#"insert into partner_contact (contact_uuid, partner_uuid, kind, name, email, email_normalised, phone)
           values ($2, $1, $3, $4, $5, $6, $7)
           on conflict on constraint partner_contact_email_key do nothing
           returning contact_uuid as uuid, kind as "kind: PartnerContactKind", name, email, email_normalised, phone,
                     created_at, updated_at"#,
        owner.uuid(),
        contact_uuid,
        content.kind.name(),
        content.name,
        content.email,
        content.email_normalised,
        content.phone,
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Updates a contact; `None` if the address is already a contact of this kind.
pub(super) async fn update(
    db: &Db,
    owner: Owner,
    contact_uuid: Uuid,
    content: &Content,
) -> Result<Option<PartnerContact>, Fault> {
    let changed = sqlx::query_as!(
        PartnerContact,
        r#"update partner_contact
              set kind = $3, name = $4, email = $5, email_normalised = $6, phone = $7, updated_at = labs_now()
            where contact_uuid = $2 and partner_uuid = $1
           returning contact_uuid as uuid, kind as "kind: PartnerContactKind", name, email, email_normalised, phone,
                     created_at, updated_at"#,
        owner.uuid(),
        contact_uuid,
        content.kind.name(),
        content.name,
        content.email,
        content.email_normalised,
        content.phone,
    )
    .fetch_one(&mut *db.conn().await?)
    .await;
    match changed {
        Err(error) if constraint_of(&error) == Some("partner_contact_email_key") => Ok(None),
        changed => Ok(Some(changed?)),
    }
}

/// Deletes a contact.
pub(super) async fn delete(db: &Db, owner: Owner, contact_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "delete from partner_contact where contact_uuid = $2 and partner_uuid = $1",
        owner.uuid(),
        contact_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
