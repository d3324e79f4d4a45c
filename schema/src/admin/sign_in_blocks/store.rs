//! Every statement about sign-ins that are held back, as operators see them.

use uuid::Uuid;

use crate::core::db::Db;
use crate::core::fault::Fault;

/// A block that is gone, with whom it concerned.
pub(super) struct LiftedRow {
    pub(super) email: Option<String>,
    pub(super) network: Option<String>,
    pub(super) person_uuid: Option<Uuid>,
    pub(super) partner_uuid: Option<Uuid>,
}

/// Forgets what failed under a block; `None` when there is none. One that has just run out is lifted as well: its
/// failures would make the next one longer.
pub(super) async fn delete(db: &Db, block_uuid: Uuid) -> Result<Option<LiftedRow>, Fault> {
    Ok(sqlx::query_as!(
        LiftedRow,
        r#"with lifted as (delete from sign_in_failure where block_uuid = $1 returning block_uuid)
           select email, network::text as network, person_uuid, partner_uuid
             from sign_in_block_shown join lifted using (block_uuid)
            where block_uuid = $1"#,
        block_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}
