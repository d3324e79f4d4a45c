//! SQL statements about the caller's own account.

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::principal::Role;
use labs_core::time::Time;
use uuid::Uuid;

use super::rules::AccountChange;
use super::view::PersonType;

/// A user with the data about signing in.
pub(super) struct AccountRow {
    pub(super) person_uuid: Uuid,
    pub(super) kind: PersonType,
    pub(super) name: String,
    pub(super) email: String,
    pub(super) email_verified_at: Option<Time>,
    pub(super) locale: String,
    pub(super) time_zone: String,
    pub(super) board_mail: bool,
    pub(super) quota_mail: bool,
    pub(super) role: Option<Role>,
    pub(super) partner_uuid: Option<Uuid>,
    pub(super) staff_roles: Vec<String>,
    /// Time when the authenticator app became active.
    pub(super) totp_confirmed_at: Option<Time>,
    pub(super) recovery_codes_left: i64,
    pub(super) last_sign_in_at: Option<Time>,
    pub(super) created_at: Time,
}

pub(super) async fn get(db: &Db, person_uuid: Uuid) -> Result<Option<AccountRow>, Fault> {
    Ok(sqlx::query_as!(
        AccountRow,
        r#"select p.person_uuid, p.kind as "kind: _", p.name, p.email, p.email_verified_at, p.locale, p.time_zone, p.board_mail, p.quota_mail, p.role as "role: _", p.partner_uuid,
                  array(select g.role_code from staff_role_grant as g where g.person_uuid = p.person_uuid order by g.role_code) as "staff_roles!",
                  f.confirmed_at as "totp_confirmed_at?",
                  (select count(*) from recovery_code as c
                    where c.person_uuid = p.person_uuid and c.used_at is null and f.confirmed_at is not null) as "recovery_codes_left!",
                  p.last_sign_in_at, p.created_at
             from person as p
             left join totp_factor as f on f.person_uuid = p.person_uuid
            where p.person_uuid = $1"#,
        person_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Updates the given fields. A change without effect writes nothing.
pub(super) async fn set_profile(db: &Db, person_uuid: Uuid, change: &AccountChange) -> Result<(), Fault> {
    sqlx::query!(
        "update person
            set name = coalesce($2, name), locale = coalesce($3, locale), time_zone = coalesce($4, time_zone),
                board_mail = coalesce($5, board_mail), quota_mail = coalesce($6, quota_mail), updated_at = labs_now()
          where person_uuid = $1
            and (name, locale, time_zone, board_mail, quota_mail) is distinct from
                (coalesce($2, name), coalesce($3, locale), coalesce($4, time_zone), coalesce($5, board_mail),
                 coalesce($6, quota_mail))",
        person_uuid,
        change.name,
        change.locale,
        change.time_zone,
        change.board_mail,
        change.quota_mail,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
