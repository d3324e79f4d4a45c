//! Statements for the members of a team.

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::principal::Role;
use uuid::Uuid;

use crate::partner::team::Team;

/// Loads the scopes that the partner's tier allows to team members at most.
pub(super) async fn tier_scopes(db: &Db, team: Team) -> Result<Vec<String>, Fault> {
    Ok(sqlx::query_scalar!(r#"select partner_scope($1) as "scopes!""#, team.uuid())
        .fetch_one(&mut *db.conn().await?)
        .await?)
}

/// A team member locked for a change.
pub(super) struct LockedMemberRow {
    pub(super) person_uuid: Uuid,
    pub(super) name: String,
    pub(super) role: Role,
    pub(super) state: String,
    pub(super) was_suspended: bool,
    pub(super) company_name: String,
}

/// Serializes changes of the members and roles of a team until the transaction ends, so that the count of the remaining
/// administrators is correct.
pub(super) async fn lock_all(db: &Db, team: Team) -> Result<(), Fault> {
    sqlx::query!("select from partner where partner_uuid = $1 for no key update", team.uuid())
        .execute(&mut *db.conn().await?)
        .await?;
    Ok(())
}

/// Locks a team member until the transaction ends.
pub(super) async fn lock(db: &Db, team: Team, person_uuid: Uuid) -> Result<Option<LockedMemberRow>, Fault> {
    Ok(sqlx::query_as!(
        LockedMemberRow,
        r#"select person_uuid, name, role as "role!: Role", person.state, was_suspended, company_name
             from person join partner using (partner_uuid)
            where partner_uuid = $1 and person_uuid = $2 and person.state <> 'REMOVED'
              for no key update of person"#,
        team.uuid(),
        person_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Counts the active administrators of a team, except the given user.
pub(super) async fn other_administrators(db: &Db, team: Team, person_uuid: Uuid) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from person
            where partner_uuid = $1 and person_uuid <> $2 and role = 'ADMINISTRATOR' and state = 'ACTIVE'"#,
        team.uuid(),
        person_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Sets the role of a team member.
pub(super) async fn set_role(db: &Db, team: Team, person_uuid: Uuid, role: Role) -> Result<(), Fault> {
    sqlx::query!(
        "update person set role = $3, updated_at = labs_now() where partner_uuid = $1 and person_uuid = $2",
        team.uuid(),
        person_uuid,
        role.name()
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Sets the state of a team member.
pub(super) async fn set_state(db: &Db, team: Team, person_uuid: Uuid, state: &str) -> Result<(), Fault> {
    sqlx::query!(
        "update person set state = $3, was_suspended = false, updated_at = labs_now()
          where partner_uuid = $1 and person_uuid = $2",
        team.uuid(),
        person_uuid,
        state
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Voids all tokens that were mailed to a user.
pub(super) async fn set_tokens_void(db: &Db, person_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "update one_time_token set used_at = labs_now() where person_uuid = $1 and used_at is null",
        person_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
