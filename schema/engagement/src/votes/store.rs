//! SQL statements about votes and follows.

use labs_core::context::RequestContext;
use labs_core::day::Day;
use labs_core::db::Db;
use labs_core::fault::Fault;
use uuid::Uuid;

use crate::people::{self, Person};
use crate::pseudonym;

/// Votes that a user may cast per day, including withdrawn ones.
const MOST_VOTES: i32 = 200;

/// Outcome of a vote or follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Done.
    Done,
    /// It was already so.
    Already,
    /// The feature request is merged into another.
    Merged,
    /// The feature request was shipped.
    Shipped,
    /// The feature request does not exist on the board.
    Missing,
}

/// Converts the result of a statement about a vote or follow. `None` means that the board has no such feature request.
///
/// # Errors
/// [`crate::Code::Internal`] for any other text.
fn outcome(word: Option<&str>) -> Result<Outcome, Fault> {
    match word {
        Some("CAST" | "WITHDRAWN" | "WHOLE") => Ok(Outcome::Done),
        Some("VOTED" | "NONE") => Ok(Outcome::Already),
        Some("MERGED") => Ok(Outcome::Merged),
        Some("SHIPPED") => Ok(Outcome::Shipped),
        None => Ok(Outcome::Missing),
        Some(other) => Err(Fault::internal(format!("the database returned {other} for a vote or follow"))),
    }
}

/// Votes for a feature request.
pub(super) async fn cast(db: &Db, person: &Person, request_uuid: Uuid) -> Result<Outcome, Fault> {
    let word = sqlx::query_scalar!("select board_cast($1, $2, $3)", request_uuid, person.uuid, &person.voter)
        .fetch_one(&mut *db.conn().await?)
        .await?;
    outcome(word.as_deref())
}

/// Withdraws a vote.
pub(super) async fn withdraw(db: &Db, person: &Person, request_uuid: Uuid) -> Result<Outcome, Fault> {
    let word = sqlx::query_scalar!("select board_withdraw($1, $2, $3)", request_uuid, person.uuid, &person.voter)
        .fetch_one(&mut *db.conn().await?)
        .await?;
    outcome(word.as_deref())
}

/// Counts a vote of today, under a pseudonym that is deleted with the day.
///
/// # Errors
/// [`labs_core::Code::RateLimited`] until the day ends.
pub(super) async fn spend(cx: &RequestContext, person: &Person) -> Result<(), Fault> {
    let voter = pseudonym::voter_of_day(&cx.services.key, person.uuid, Day::of(cx.now));
    let done = sqlx::query!(
        "insert into board_vote_budget as b (day, voter) values ($1, $2)
             on conflict on constraint board_vote_budget_pkey do update set votes = b.votes + 1 where b.votes < $3",
        Day::of(cx.now) as Day,
        &voter,
        MOST_VOTES,
    )
    .execute(&mut *cx.db.conn().await?)
    .await?;
    if done.rows_affected() > 0 {
        return Ok(());
    }
    Err(people::err_spent(cx.now.unix(), &format!("At most {MOST_VOTES} votes per day are allowed for one user")))
}

/// Checks that a feature request is on the board and not merged into another. Locks it against merging until the
/// transaction ends.
pub(super) async fn is_on_board(db: &Db, request_uuid: Uuid) -> Result<Outcome, Fault> {
    let word = sqlx::query_scalar!(
        r#"select case when merged_into_uuid is null then 'WHOLE' else 'MERGED' end as "word!"
             from feature_request where request_uuid = $1 and suspended_at is null for key share"#,
        request_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    outcome(word.as_deref())
}

/// Follows a feature request.
pub(super) async fn follow(db: &Db, person: &Person, request_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "insert into feature_follow (request_uuid, follower)
         select $1, $2 where not exists (
             select from feature_request as d join feature_follow as f using (request_uuid)
              where d.root_uuid = $1 and f.follower = $2)
             on conflict do nothing",
        request_uuid,
        &person.follower,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Unfollows a feature request and those merged into it.
pub(super) async fn unfollow(db: &Db, person: &Person, request_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "delete from feature_follow as f using feature_request as d
          where d.root_uuid = $1 and f.request_uuid = d.request_uuid and f.follower = $2",
        request_uuid,
        &person.follower,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Returns the feature request that receives the votes of this one; `None` if it is off the board.
pub(super) async fn root(db: &Db, request_uuid: Uuid) -> Result<Option<Uuid>, Fault> {
    Ok(sqlx::query_scalar!(
        "select d.root_uuid from feature_request as d join feature_request as root on root.request_uuid = d.root_uuid
          where d.request_uuid = $1 and root.suspended_at is null",
        request_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}
