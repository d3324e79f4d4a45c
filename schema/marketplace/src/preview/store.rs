//! SQL statements of previews.

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::principal::Owner;
use sqlx::types::Json;
use uuid::Uuid;

use crate::release::Snapshot;
use crate::versions::AppVersionState;

/// Previewed version.
pub(super) struct VersionRow {
    pub(super) version_uuid: Uuid,
    pub(super) number: String,
    pub(super) state: AppVersionState,
}

/// Loads the named version of an owner's app. Without a name, it loads the newest version that may still be published,
/// else the published version.
pub(super) async fn get_version(
    db: &Db,
    owner: Owner,
    app_uuid: Uuid,
    version_uuid: Option<Uuid>,
) -> Result<Option<VersionRow>, Fault> {
    Ok(sqlx::query_as!(
        VersionRow,
        r#"select v.version_uuid, v.number, v.state as "state: AppVersionState"
         from app as a
         join app_version as v on v.app_uuid = a.app_uuid
         where a.app_uuid = $1 and a.partner_uuid = $2
             and case when $3::uuid is null then v.state not in ('REJECTED', 'WITHDRAWN', 'SUPERSEDED')
                      else v.version_uuid = $3 end
         order by v.state = 'PUBLISHED', v.created_at desc, v.version_uuid desc
         limit 1"#,
        app_uuid,
        owner.uuid(),
        version_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Loads the snapshot of the version's last submission.
pub(super) async fn get_submitted(db: &Db, version_uuid: Uuid) -> Result<Option<Snapshot>, Fault> {
    let snapshot = sqlx::query_scalar!(
        r#"select snapshot as "snapshot: Json<Snapshot>"
         from submission
         where version_uuid = $1
         order by submitted_at desc, submission_uuid desc
         limit 1"#,
        version_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    Ok(snapshot.map(|snapshot| snapshot.0))
}
