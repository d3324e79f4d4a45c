//! SQL statements that write topics.

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::texts::Texts;
use sqlx::types::Json;
use uuid::Uuid;

/// Locks all topics against changes until the transaction ends. Readers are not blocked.
pub(super) async fn lock(db: &Db) -> Result<(), Fault> {
    sqlx::query!("lock table board_topic in share row exclusive mode").execute(&mut *db.conn().await?).await?;
    Ok(())
}

/// Inserts a topic after the last one.
pub(super) async fn insert(db: &Db, topic_uuid: Uuid, names: &Texts) -> Result<(), Fault> {
    sqlx::query!(
        "insert into board_topic (topic_uuid, names, position)
         select $1, $2, coalesce(max(position), 0) + 1 from board_topic",
        topic_uuid,
        Json(names) as _,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Sets the names of a topic, and whether it can be assigned.
pub(super) async fn set_content(db: &Db, topic_uuid: Uuid, names: &Texts, active: bool) -> Result<(), Fault> {
    sqlx::query!(
        "update board_topic set names = $2, active = $3, updated_at = labs_now() where topic_uuid = $1",
        topic_uuid,
        Json(names) as _,
        active,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Moves a topic to a position, or after the last one, and renumbers all from 1.
pub(super) async fn set_position(db: &Db, topic_uuid: Uuid, position: i32) -> Result<(), Fault> {
    sqlx::query!(
        "with others as (
             select topic_uuid, row_number() over (order by position, topic_uuid) as place
               from board_topic where topic_uuid <> $1),
         placed as (
             select topic_uuid, place + case when place >= $2::integer then 1 else 0 end as place from others
             union all
             select $1, least($2, 1 + count(*)) from others)
         update board_topic as t
            set position = placed.place, updated_at = labs_now()
           from placed
          where t.topic_uuid = placed.topic_uuid and t.position <> placed.place",
        topic_uuid,
        position
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
