//! Statements for sign-in blocks, for staff.

use labs_core::db::Db;
use labs_core::fault::Fault;
use uuid::Uuid;

/// A lifted sign-in block with the user whom it concerned.
pub(super) struct LiftedRow {
    pub(super) email: Option<String>,
    pub(super) network: Option<String>,
    pub(super) person_uuid: Option<Uuid>,
    pub(super) partner_uuid: Option<Uuid>,
}

/// Deletes the failed attempts of a block; `None` if no block exists. A recently expired block is lifted too, because
/// its failures would make the next block longer.
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
