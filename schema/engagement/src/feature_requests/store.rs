//! SQL statements that write feature requests.

use labs_core::context::RequestContext;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::markdown::RENDERER;
use labs_core::texts::first_words;
use uuid::Uuid;

use super::rules::{FeatureRequestStatus, RequestMarks};
use crate::people::Person;

/// A feature request that is locked until the transaction ends.
pub(crate) struct LockedFeatureRequest {
    /// UUID of the feature request.
    pub(crate) request_uuid: Uuid,
    /// Partner of the author.
    pub(crate) partner_uuid: Uuid,
    /// Author.
    pub(crate) author_uuid: Uuid,
    /// Title.
    pub(crate) title: String,
    /// Text in Markdown.
    pub(crate) body: String,
    /// Topic.
    pub(crate) topic_uuid: Option<Uuid>,
    /// Status.
    pub(crate) status: FeatureRequestStatus,
    /// Feature request that it was merged into.
    pub(crate) merged_into_uuid: Option<Uuid>,
    /// Feature request that receives its votes.
    pub(crate) root_uuid: Uuid,
    is_pinned: bool,
    is_locked: bool,
    is_suspended: bool,
}

impl LockedFeatureRequest {
    /// Returns its state.
    pub(crate) fn marks(&self) -> RequestMarks {
        RequestMarks {
            status: self.status,
            is_merged: self.merged_into_uuid.is_some(),
            is_locked: self.is_locked,
            is_pinned: self.is_pinned,
            is_suspended: self.is_suspended,
        }
    }
}

/// Locks a feature request, suspended or not.
pub(crate) async fn lock(db: &Db, request_uuid: Uuid) -> Result<Option<LockedFeatureRequest>, Fault> {
    Ok(sqlx::query_as!(
        LockedFeatureRequest,
        r#"select request_uuid, partner_uuid, author_uuid, title, body, topic_uuid,
                  status as "status: FeatureRequestStatus", merged_into_uuid, root_uuid,
                  pinned_at is not null as "is_pinned!", locked_at is not null as "is_locked!",
                  suspended_at is not null as "is_suspended!"
             from feature_request where request_uuid = $1 for update"#,
        request_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Content of a new or edited feature request.
pub(super) struct NewFeatureRequest<'a> {
    pub(super) title: &'a str,
    pub(super) body: &'a str,
    /// The body as HTML of the current renderer.
    pub(super) html: &'a str,
    pub(super) topic_uuid: Option<Uuid>,
}

/// Inserts a feature request with its author's vote.
pub(super) async fn insert(
    cx: &RequestContext,
    person: &Person,
    feature_request: &NewFeatureRequest<'_>,
) -> Result<Uuid, Fault> {
    let request_uuid = cx.new_uuid();
    sqlx::query!(
        "insert into feature_request (request_uuid, root_uuid, partner_uuid, author_uuid, title, body, topic_uuid,
                                      body_html, body_renderer, trend)
         values ($1, $1, $2, $3, $4, $5, $6, $7, $8, board_weight((labs_now() at time zone 'UTC')::date))",
        request_uuid,
        person.partner_uuid,
        person.uuid,
        feature_request.title,
        feature_request.body,
        feature_request.topic_uuid,
        feature_request.html,
        RENDERER,
    )
    .execute(&mut *cx.db.conn().await?)
    .await?;
    Ok(request_uuid)
}

/// Archives the old text of a feature request and sets the new one.
pub(super) async fn set_text(
    cx: &RequestContext,
    locked: &LockedFeatureRequest,
    feature_request: &NewFeatureRequest<'_>,
) -> Result<(), Fault> {
    sqlx::query!(
        "with kept as (
             insert into board_earlier_text (text_uuid, request_uuid, title, body)
             select $2, request_uuid, title, body from feature_request
              where request_uuid = $1 and (title, body) is distinct from ($3, $4))
         update feature_request
            set title = $3, body = $4, topic_uuid = $5, body_html = $6, body_renderer = $7, edited_at = labs_now(),
                active_at = labs_now()
          where request_uuid = $1",
        locked.request_uuid,
        cx.new_uuid(),
        feature_request.title,
        feature_request.body,
        feature_request.topic_uuid,
        feature_request.html,
        RENDERER,
    )
    .execute(&mut *cx.db.conn().await?)
    .await?;
    Ok(())
}

/// Whether a topic can be assigned to feature requests.
pub(crate) async fn topic_is_active(db: &Db, topic_uuid: Uuid) -> Result<bool, Fault> {
    let active = sqlx::query_scalar!("select active from board_topic where topic_uuid = $1", topic_uuid)
        .fetch_optional(&mut *db.conn().await?)
        .await?;
    Ok(active == Some(true))
}

/// Returns the feature requests that a user voted for, each by the feature request that receives its votes.
pub(super) async fn list_voted(db: &Db, person: &Person) -> Result<Vec<Uuid>, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select d.root_uuid as "root_uuid!" from feature_vote as v join feature_request as d using (request_uuid)
            where v.voter = $1
           union
           select d.root_uuid from feature_request as d where d.author_uuid = $2 and d.author_voted_on is not null"#,
        &person.voter,
        person.uuid,
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Returns the feature requests that a user follows, each by the feature request that receives its votes.
pub(super) async fn list_followed(db: &Db, person: &Person) -> Result<Vec<Uuid>, Fault> {
    Ok(sqlx::query_scalar!(
        "select distinct d.root_uuid from feature_follow as f join feature_request as d using (request_uuid)
          where f.follower = $1",
        &person.follower,
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// A feature request with a similar title.
pub(super) struct NearRow {
    /// The feature request, or the target that it was merged into.
    pub(super) root_uuid: Uuid,
    /// The similar title, if it belongs to a merged feature request.
    pub(super) matched_title: Option<String>,
}

/// Lists feature requests with similar titles, most similar first.
pub(super) async fn list_near(db: &Db, title: &str, most: i32) -> Result<Vec<NearRow>, Fault> {
    Ok(sqlx::query_as!(
        NearRow,
        r#"select near.root_uuid as "root_uuid!", near.matched_title from board_near($1, $2) as near"#,
        title,
        most,
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Whether at least two percent of the newest feature requests contain these words.
pub(crate) async fn are_common_words(db: &Db, words: &str) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) filter (where newest.search @@ terms.every) * 50 >= count(*) as "are_common!"
             from board_terms($1) as terms
            cross join (select w.search from feature_request_words as w order by w.request_uuid desc limit 400) as newest"#,
        first_words(words)
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Whether at least two percent of the newest feature requests have one of these topics.
pub(crate) async fn are_common_topics(db: &Db, topics: &[Uuid]) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) filter (where newest.topic_uuid = any($1)) * 50 >= count(*) as "are_common!"
             from (select r.topic_uuid from feature_request as r
                    order by r.created_at desc, r.request_uuid desc limit 400) as newest"#,
        topics
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}
