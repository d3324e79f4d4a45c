//! SQL statements about a team and the roles of its members.

use labs_core::db::Db;
use labs_core::fault::Fault;
use uuid::Uuid;

use super::Team;

/// Loads the role of an active team member and locks it until the transaction ends.
pub(super) async fn role_hold(db: &Db, team: Team, person_uuid: Uuid) -> Result<Option<String>, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select role as "role!" from person
            where person_uuid = $2 and partner_uuid = $1 and state = 'ACTIVE'
              for share"#,
        team.uuid(),
        person_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Whether a partner exists.
pub(super) async fn exists(db: &Db, partner_uuid: Uuid) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(r#"select exists (select from partner where partner_uuid = $1) as "exists!""#, partner_uuid)
        .fetch_one(&mut *db.conn().await?)
        .await?)
}
