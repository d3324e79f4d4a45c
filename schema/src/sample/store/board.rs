//! SQL statements that insert the board.

use labs_core::fault::Fault;
use sqlx::postgres::PgConnection;
use sqlx::types::Json;

use super::put;
use crate::sample::board::{BoardRows, NAMED};

/// Inserts the board, and counts its votes as a merge does.
pub(super) async fn insert(connection: &mut PgConnection, rows: &BoardRows) -> Result<(), Fault> {
    put!(
        connection,
        rows.topics,
        "insert into board_topic (topic_uuid, names, position, created_at, updated_at)
         select topic_uuid, names, position, created_at, created_at
         from jsonb_populate_recordset(null::board_topic, $1)"
    );
    put!(
        connection,
        rows.requests,
        "insert into feature_request (request_uuid, partner_uuid, author_uuid, title, body, topic_uuid, status, status_at,
             entry_uuid, merged_into_uuid, root_uuid, rooted_at, pinned_at, locked_at, suspended_at, suspension_reason,
             author_voted_on, comments, answered_at, active_at, created_at)
         select request_uuid, partner_uuid, author_uuid, title, body, topic_uuid, status, status_at,
             entry_uuid, merged_into_uuid, root_uuid, rooted_at, pinned_at, locked_at, suspended_at, suspension_reason,
             (created_at at time zone 'UTC')::date, comments, answered_at, active_at, created_at
         from jsonb_populate_recordset(null::feature_request, $1)"
    );
    put!(
        connection,
        rows.comments,
        "insert into feature_comment (comment_uuid, request_uuid, partner_uuid, author_uuid, is_answer, body, created_at)
         select comment_uuid, request_uuid, partner_uuid, author_uuid, is_answer, body, created_at
         from jsonb_populate_recordset(null::feature_comment, $1)"
    );
    put!(
        connection,
        rows.events,
        "insert into feature_event (event_uuid, request_uuid, other_uuid, kind, from_status, to_status, note, entry_uuid,
             comment_uuid, actor_uuid, occurred_at)
         select event_uuid, request_uuid, other_uuid, kind, from_status, to_status, note, entry_uuid, comment_uuid,
             actor_uuid, occurred_at
         from jsonb_populate_recordset(null::feature_event, $1)"
    );
    put!(
        connection,
        rows.votes,
        "insert into feature_vote (request_uuid, voter, voted_on)
         select request_uuid, voter, voted_on from jsonb_populate_recordset(null::feature_vote, $1)"
    );
    set_counts(connection).await
}

/// Sets the derived columns. No author has voted under a pseudonym, so any pseudonym works here.
async fn set_counts(connection: &mut PgConnection) -> Result<(), Fault> {
    sqlx::query!(
        "select board_recount(root_uuid, array_agg(author_uuid), array_agg(sha256(convert_to(author_uuid::text, 'UTF8'))))
           from feature_request group by root_uuid"
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!("update feature_request set declined_votes = votes where status = 'DECLINED'")
        .execute(&mut *connection)
        .await?;
    let named: Vec<String> = NAMED.iter().map(|local| (*local).to_owned()).collect();
    sqlx::query!("update person set show_name = true where split_part(email, '@', 1) = any($1)", &named)
        .execute(&mut *connection)
        .await?;
    Ok(())
}
