//! A comment on a feature request.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use http::Method;
use labs_schema::Engine;
use labs_schema::time::Time;
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use sqlx::types::Json as Column;
use uuid::Uuid;

use super::board::{Author, Person};
use super::{Refusal, fresh_uuid};
use crate::board::id;
use crate::cases::{Caller, Case};
use crate::load;
use crate::statements::Statement;

/// A comment. Each connection has a separate user and a separate feature request.
pub(crate) static CASE: Case = Case {
    name: "engagement_comments_add",
    bar: 0.9,
    caller: Caller::Person,
    route: "/v1/engagement/feature-requests/{uuid}/comments",
    handler: || post(add),
    request: |_, at| {
        let number = u32::try_from(at.connection)? * 100 + 14;
        let path = format!("/v1/engagement/feature-requests/{}/comments", id(number));
        let body = format!(r#"{{"body":"Half of our houses need it, *too*: number {}."}}"#, at.n);
        load::request(Method::POST, &path, None, Some(("application/json", body.into())))
    },
    varying: &["uuid", "created_at"],
};

static LOCK: Statement =
    Statement::with(&["topic_uuid, status as \"status: FeatureRequestStatus\"", "where request_uuid = $1 for update"]);
static SPEND: Statement = Statement::with(&["insert into board_daily_use as u"]);
static INSERT: Statement =
    Statement::with(&["insert into feature_comment", "values ($1, $2, $3, $4, $5, $6, $7))", "comments + 1"]);
static ONE: Statement = Statement::with(&["c.comment_uuid = $1 and d.suspended_at is null"]);
/// Statements of this file.
#[cfg(test)]
pub(crate) static STATEMENTS: [&Statement; 4] = [&LOCK, &SPEND, &INSERT, &ONE];

/// Maximum comments of a user per day.
const MOST_COMMENTS: i32 = 100;
/// Version of the renderer of `show`.
const RENDERER: i16 = 1;

#[derive(Deserialize)]
struct NewComment {
    body: String,
}

#[derive(FromRow)]
struct LockRow {
    merged_into_uuid: Option<Uuid>,
    #[sqlx(rename = "is_locked!")]
    is_locked: bool,
    #[sqlx(rename = "is_suspended!")]
    is_suspended: bool,
}

async fn add(
    State(engine): State<Engine>,
    headers: HeaderMap,
    Path(request_uuid): Path<Uuid>,
    Json(new): Json<NewComment>,
) -> Result<(StatusCode, Json<Comment>), Refusal> {
    let person = Person::of(&engine, &headers, "engagement.feature-requests:write").await?;
    let (html, comment_uuid) = (show(&new.body), fresh_uuid());
    let mut transaction = engine.pool().begin().await?;
    let query = sqlx::query_as(LOCK.text()?).bind(request_uuid);
    let locked: Option<LockRow> = query.fetch_optional(&mut *transaction).await?;
    let locked = locked.filter(|locked| !locked.is_suspended).ok_or(Refusal(StatusCode::NOT_FOUND))?;
    if locked.is_locked || locked.merged_into_uuid.is_some() {
        return Err(Refusal(StatusCode::CONFLICT));
    }
    let spent = sqlx::query(SPEND.text()?).bind(person.uuid).bind("COMMENTS").bind(MOST_COMMENTS);
    if spent.execute(&mut *transaction).await?.rows_affected() == 0 {
        return Err(Refusal(StatusCode::TOO_MANY_REQUESTS));
    }
    sqlx::query(INSERT.text()?)
        .bind(comment_uuid)
        .bind(request_uuid)
        .bind(person.partner_uuid)
        .bind(person.uuid)
        .bind(new.body)
        .bind(html)
        .bind(RENDERER)
        .execute(&mut *transaction)
        .await?;
    let row: CommentRow = sqlx::query_as(ONE.text()?).bind(comment_uuid).fetch_one(&mut *transaction).await?;
    transaction.commit().await?;
    Ok((StatusCode::CREATED, Json(row.comment(person.uuid))))
}

/// Renders Markdown as HTML that is safe to display.
fn show(body: &str) -> String {
    let mut html = String::with_capacity(body.len() * 2);
    pulldown_cmark::html::push_html(&mut html, pulldown_cmark::Parser::new(body));
    ammonia::clean(&html)
}

#[derive(FromRow)]
struct CommentRow {
    uuid: Uuid,
    feature_request_uuid: Uuid,
    from_merged: bool,
    body: Option<String>,
    body_html: Option<String>,
    is_answer: bool,
    written_by: Option<Column<Author>>,
    author_uuid: Option<Uuid>,
    edited_at: Option<Time>,
    removed: bool,
    locked: bool,
    created_at: Time,
}

#[derive(Serialize)]
struct Comment {
    uuid: Uuid,
    feature_request_uuid: Uuid,
    from_merged: bool,
    body: Option<String>,
    body_html: Option<String>,
    is_answer: bool,
    written_by: Option<Author>,
    mine: bool,
    edited_at: Option<Time>,
    removed: bool,
    created_at: Time,
    allowed_actions: Vec<&'static str>,
}

impl CommentRow {
    fn comment(self, person_uuid: Uuid) -> Comment {
        let mine = self.author_uuid == Some(person_uuid);
        let actions = [("edit", mine && !self.removed && !self.locked), ("report", !mine && !self.removed)];
        Comment {
            uuid: self.uuid,
            feature_request_uuid: self.feature_request_uuid,
            from_merged: self.from_merged,
            body: self.body,
            body_html: self.body_html,
            is_answer: self.is_answer,
            written_by: self.written_by.map(|author| author.0),
            mine,
            edited_at: self.edited_at,
            removed: self.removed,
            created_at: self.created_at,
            allowed_actions: actions
                .into_iter()
                .filter(|(_, is_possible)| *is_possible)
                .map(|(name, _)| name)
                .collect(),
        }
    }
}
