//! SQL statements that find texts without current HTML and store it.

use labs_core::db::Db;
use labs_core::fault::Fault;
use uuid::Uuid;

use super::StoredHtml;

/// A text without HTML of the current version.
pub(super) struct DueText {
    uuid: Uuid,
    pub(super) body: String,
}

/// Returns some feature requests whose HTML is missing or outdated.
pub(super) async fn due_requests(db: &Db, renderer: i16, most: i64) -> Result<Vec<DueText>, Fault> {
    Ok(sqlx::query_as!(
        DueText,
        "select request_uuid as uuid, body from feature_request where body_renderer < $1
          order by body_renderer, request_uuid limit $2",
        renderer,
        most,
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Returns some comments whose HTML is missing or outdated.
pub(super) async fn due_comments(db: &Db, renderer: i16, most: i64) -> Result<Vec<DueText>, Fault> {
    Ok(sqlx::query_as!(
        DueText,
        "select comment_uuid as uuid, body from feature_comment where body_renderer < $1
          order by body_renderer, comment_uuid limit $2",
        renderer,
        most,
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Stores the HTML of a feature request, unless its text has changed since it was read. Returns the number of changed
/// rows.
pub(super) async fn set_request_html(db: &Db, text: &DueText, html: &str, renderer: i16) -> Result<u64, Fault> {
    let done = sqlx::query!(
        "update feature_request set body_html = $3, body_renderer = $4
          where request_uuid = $1 and body = $2 and body_renderer < $4",
        text.uuid,
        text.body,
        html,
        renderer,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(done.rows_affected())
}

/// Stores the HTML of a comment, unless its text has changed since it was read. Returns the number of changed rows.
pub(super) async fn set_comment_html(db: &Db, text: &DueText, html: &str, renderer: i16) -> Result<u64, Fault> {
    let done = sqlx::query!(
        "update feature_comment set body_html = $3, body_renderer = $4
          where comment_uuid = $1 and body = $2 and body_renderer < $4",
        text.uuid,
        text.body,
        html,
        renderer,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(done.rows_affected())
}

/// Returns the HTML stored with a feature request.
pub(super) async fn request_html(db: &Db, request_uuid: Uuid) -> Result<Option<StoredHtml>, Fault> {
    Ok(sqlx::query_as!(
        StoredHtml,
        "select body_html, body_renderer from feature_request where request_uuid = $1",
        request_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}
