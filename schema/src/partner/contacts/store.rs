//! Every statement about a partner's contacts.

use serde_json::json;
use uuid::Uuid;

use crate::db::Db;
use crate::fault::{Fault, constraint_of};
use crate::page::{Keys, Window};
use crate::paged;
use crate::principal::Owner;
use crate::time::Time;

/// A contact.
pub(crate) struct ContactRow {
    pub(super) contact_uuid: Uuid,
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) email: String,
    pub(super) email_normalised: String,
    pub(super) phone: Option<String>,
    pub(super) created_at: Time,
    pub(super) updated_at: Time,
}

/// What a contact says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Content {
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) email: String,
    pub(super) email_normalised: String,
    pub(super) phone: Option<String>,
}

impl ContactRow {
    /// The cursor's keys.
    pub(crate) fn keys(&self) -> Keys {
        vec![json!(self.created_at), json!(self.contact_uuid)]
    }

    /// What it says.
    pub(super) fn content(&self) -> Content {
        Content {
            kind: self.kind.clone(),
            name: self.name.clone(),
            email: self.email.clone(),
            email_normalised: self.email_normalised.clone(),
            phone: self.phone.clone(),
        }
    }
}

/// Holds the partner until the transaction ends, and with it the number of its contacts.
pub(super) async fn partner_lock(db: &Db, owner: Owner) -> Result<Option<()>, Fault> {
    let row = sqlx::query!("select partner_uuid from partner where partner_uuid = $1 for no key update", owner.uuid())
        .fetch_optional(&mut *db.conn().await?)
        .await?;
    Ok(row.map(|_| ()))
}

/// A page of the partner's contacts, the newest first.
pub(super) async fn page(
    db: &Db,
    owner: Owner,
    kinds: Option<&[String]>,
    window: &Window,
) -> Result<Vec<ContactRow>, Fault> {
    page_of(db, owner.uuid(), kinds, window).await
}

/// The same for staff, whoever's they are.
pub(crate) async fn page_of(
    db: &Db,
    partner_uuid: Uuid,
    kinds: Option<&[String]>,
    window: &Window,
) -> Result<Vec<ContactRow>, Fault> {
    Ok(paged!(
        window,
        db,
        ContactRow,
        r#"select contact_uuid, kind, name, email, email_normalised, phone, created_at, updated_at
             from partner_contact
            where partner_uuid = $1 and ($2::text[] is null or kind = any($2))
              and (created_at, contact_uuid) < (coalesce($3, 'infinity'::timestamptz),
                                                coalesce($4, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
            order by created_at desc, contact_uuid desc"#,
        partner_uuid,
        kinds,
        window.key::<Time>(0)? as Option<Time>,
        window.key::<Uuid>(1)?,
    )?)
}

/// How many contacts of a kind there are beside one.
pub(super) async fn count(db: &Db, owner: Owner, kind: &str, beside: Option<Uuid>) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from partner_contact
            where partner_uuid = $1 and kind = $2 and contact_uuid is distinct from $3"#,
        owner.uuid(),
        kind,
        beside
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// A contact of the partner.
pub(super) async fn get(db: &Db, owner: Owner, contact_uuid: Uuid) -> Result<Option<ContactRow>, Fault> {
    Ok(sqlx::query_as!(
        ContactRow,
        "select contact_uuid, kind, name, email, email_normalised, phone, created_at, updated_at
           from partner_contact where contact_uuid = $2 and partner_uuid = $1",
        owner.uuid(),
        contact_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Adds a contact; `None` when the address is named for the kind already.
pub(super) async fn insert(
    db: &Db,
    owner: Owner,
    contact_uuid: Uuid,
    content: &Content,
) -> Result<Option<ContactRow>, Fault> {
    Ok(sqlx::query_as!(
        ContactRow,
        "insert into partner_contact (contact_uuid, partner_uuid, kind, name, email, email_normalised, phone)
         values ($2, $1, $3, $4, $5, $6, $7)
         on conflict on constraint partner_contact_email_key do nothing
         returning contact_uuid, kind, name, email, email_normalised, phone, created_at, updated_at",
        owner.uuid(),
        contact_uuid,
        content.kind,
        content.name,
        content.email,
        content.email_normalised,
        content.phone,
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Changes a contact; `None` when the address is named for the kind already.
pub(super) async fn update(
    db: &Db,
    owner: Owner,
    contact_uuid: Uuid,
    content: &Content,
) -> Result<Option<ContactRow>, Fault> {
    let changed = sqlx::query_as!(
        ContactRow,
        "update partner_contact
            set kind = $3, name = $4, email = $5, email_normalised = $6, phone = $7, updated_at = labs_now()
          where contact_uuid = $2 and partner_uuid = $1
         returning contact_uuid, kind, name, email, email_normalised, phone, created_at, updated_at",
        owner.uuid(),
        contact_uuid,
        content.kind,
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

/// Removes a contact.
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
