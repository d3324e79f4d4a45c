//! Statements of the command line.

use ipnet::IpNet;
use labs_core::db::Db;
use labs_core::email::EmailAddress;
use labs_core::fault::{Fault, constraint_of};
use labs_core::time::Time;
use sqlx::types::Json;
use uuid::Uuid;

use super::record::AuditText;
use super::{ClientListed, StaffListed};

/// A machine client with its first client secret.
pub(super) struct NewClientRow<'a> {
    pub(super) client_uuid: Uuid,
    pub(super) client_id: &'a str,
    pub(super) name: &'a str,
    pub(super) partner_uuid: Option<Uuid>,
    pub(super) allowed_scopes: &'a [String],
    pub(super) allowed_networks: &'a [IpNet],
    pub(super) secret_uuid: Uuid,
    pub(super) secret_prefix: &'a str,
    pub(super) secret_sha256: &'a [u8],
}

/// Inserts the audit record of an action.
pub(super) async fn insert_record(db: &Db, record_uuid: Uuid, audit_text: &AuditText<'_>) -> Result<(), Fault> {
    let done = sqlx::query!(
        "insert into audit_log (record_uuid, operation, channel, outcome, actor_kind, actor_label, target_kind, target_uuid,
                                target_label, partner_uuid, parameters)
         values ($1, $2, 'COMMAND_LINE', 'SUCCEEDED', 'SYSTEM', 'command line', $3, $4, $5, $6, $7)",
        record_uuid,
        audit_text.operation,
        audit_text.target_kind.name(),
        audit_text.target_uuid,
        audit_text.target_label,
        audit_text.partner_uuid,
        Json(&audit_text.parameters) as _,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    if done.rows_affected() == 1 { Ok(()) } else { Err(Fault::audit_unavailable()) }
}

/// Rejects unknown codes of staff roles, naming the existing roles.
pub(super) async fn roles_exist(db: &Db, codes: &[String]) -> Result<(), Fault> {
    let known = sqlx::query_scalar!("select role_code from staff_role order by role_code")
        .fetch_all(&mut *db.conn().await?)
        .await?;
    match codes.iter().find(|code| !known.contains(code)) {
        Some(code) => {
            let message = format!("The staff role {code} does not exist. The roles are {}.", known.join(", "));
            Err(Fault::field("/roles", "UNKNOWN_ROLE", message))
        }
        None => Ok(()),
    }
}

/// Inserts a staff member who may sign in.
pub(super) async fn insert_staff(
    db: &Db,
    person_uuid: Uuid,
    email: &EmailAddress,
    name: &str,
    password_hash: &str,
) -> Result<(), Fault> {
    let inserted = sqlx::query!(
        "insert into person (person_uuid, kind, email, email_normalised, name, state, password_hash, password_changed_at,
                             email_verified_at)
         values ($1, 'STAFF_USER', $2, $3, $4, 'ACTIVE', $5, labs_now(), labs_now())",
        person_uuid,
        email.as_str(),
        email.normalised(),
        name,
        password_hash,
    )
    .execute(&mut *db.conn().await?)
    .await;
    match inserted {
        Err(error) if constraint_of(&error) == Some("person_email_normalised_key") => Err(Fault::conflict(
            "Another user already has this e-mail address. Each address belongs to one user. Send another one.",
        )),
        Err(error) => Err(error.into()),
        Ok(_) => Ok(()),
    }
}

/// Loads every staff member who is not removed, by address.
pub(super) async fn list_staff(db: &Db) -> Result<Vec<StaffListed>, Fault> {
    Ok(sqlx::query_as!(
        StaffListed,
        r#"select email, name, state,
                  coalesce((select f.confirmed_at is not null from totp_factor as f
                             where f.person_uuid = p.person_uuid), false) as "has_second_factor!",
                  array(select role_code from staff_role_grant as g where g.person_uuid = p.person_uuid
                         order by role_code) as "roles!"
             from person as p
            where kind = 'STAFF_USER' and state <> 'REMOVED'
            order by email_normalised"#
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// A staff member locked for a change.
pub(super) struct StaffRow {
    pub(super) person_uuid: Uuid,
    pub(super) email: String,
    pub(super) email_normalised: String,
    pub(super) name: String,
}

/// Locks the staff member with this address until the transaction ends.
pub(super) async fn lock_staff(db: &Db, email_normalised: &str) -> Result<Option<StaffRow>, Fault> {
    Ok(sqlx::query_as!(
        StaffRow,
        "select person_uuid, email, email_normalised, name from person
          where email_normalised = $1 and kind = 'STAFF_USER' and state <> 'REMOVED'
            for no key update",
        email_normalised
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Grants existing roles.
pub(super) async fn grant_roles(db: &Db, person_uuid: Uuid, codes: &[String]) -> Result<(), Fault> {
    sqlx::query!(
        "insert into staff_role_grant (person_uuid, role_code) select $1, unnest($2::text[])",
        person_uuid,
        codes
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// A partner, as an operator identifies it.
pub(super) struct PartnerNamed {
    pub(super) partner_uuid: Uuid,
    pub(super) slug: String,
    pub(super) company_name: String,
}

/// Loads at most ten open partners with this slug, or with this name ignoring case.
pub(super) async fn partners_named(db: &Db, named: &str) -> Result<Vec<PartnerNamed>, Fault> {
    Ok(sqlx::query_as!(
        PartnerNamed,
        "select partner_uuid, slug, company_name from partner
          where (slug = $1 or lower(company_name) = lower($1)) and state not in ('CLOSED', 'ERASED')
          order by slug limit 10",
        named
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Rejects a partner that does not exist or is closed.
pub(super) async fn partner_exists(db: &Db, partner_uuid: Uuid) -> Result<(), Fault> {
    let found = sqlx::query_scalar!(
        r#"select exists (select from partner where partner_uuid = $1 and state not in ('CLOSED', 'ERASED')) as "found!""#,
        partner_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?;
    if found {
        Ok(())
    } else {
        Err(Fault::field("/partner_uuid", "UNKNOWN_PARTNER", "This partner does not exist, or it is closed."))
    }
}

/// Loads every machine client, by name.
pub(super) async fn list_client(db: &Db) -> Result<Vec<ClientListed>, Fault> {
    Ok(sqlx::query_as!(
        ClientListed,
        r#"select client_id, name, state, partner_uuid, allowed_scopes as scopes, last_used_at as "last_used_at: Time"
             from machine_client
            order by name, client_id"#
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// A machine client locked for a change.
pub(super) struct ClientRow {
    pub(super) client_uuid: Uuid,
    pub(super) client_id: String,
    pub(super) partner_uuid: Option<Uuid>,
}

/// Locks a machine client until the transaction ends.
pub(super) async fn lock_client(db: &Db, client_id: &str) -> Result<Option<ClientRow>, Fault> {
    Ok(sqlx::query_as!(
        ClientRow,
        "select client_uuid, client_id, partner_uuid from machine_client where client_id = $1 for no key update",
        client_id
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Inserts a machine client with its first client secret.
pub(super) async fn insert_client(db: &Db, client: &NewClientRow<'_>) -> Result<(), Fault> {
    sqlx::query!(
        "with client as (
           insert into machine_client (client_uuid, client_id, partner_uuid, name, allowed_scopes, allowed_networks)
           values ($1, $2, $3, $4, $5, $6::inet[]::cidr[])
         )
         insert into machine_client_secret (secret_uuid, client_uuid, prefix, secret_sha256) values ($7, $1, $8, $9)",
        client.client_uuid,
        client.client_id,
        client.partner_uuid,
        client.name,
        client.allowed_scopes,
        client.allowed_networks as &[IpNet],
        client.secret_uuid,
        client.secret_prefix,
        client.secret_sha256,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
