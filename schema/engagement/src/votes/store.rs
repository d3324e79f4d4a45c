//! SQL statements about votes and follows.

use labs_core::context::RequestContext;
use labs_core::day::Day;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::words::Word as _;
use uuid::Uuid;

use super::rules::VoteFacts;
use crate::feature_requests::rules::FeatureRequestStatus;
use crate::people::{self, Person};
use crate::pseudonym;

/// Votes that a user may cast per day, including withdrawn ones.
const MOST_VOTES: i32 = 200;

/// Votes for a feature request, if [`super::rules`] allow it. Locks the feature request first.
pub(super) async fn cast(db: &Db, person: &Person, request_uuid: Uuid) -> Result<VoteFacts, Fault> {
    let votable: Vec<FeatureRequestStatus> =
        FeatureRequestStatus::ALL.iter().copied().filter(|status| status.takes_votes()).collect();
    Ok(sqlx::query_as!(
        VoteFacts,
        r#"select is_on_board as "is_on_board!", is_merged as "is_merged!", status as "status: FeatureRequestStatus",
                  had_voted as "had_voted!", is_changed as "is_changed!"
             from board_cast($1, $2, $3, $4)"#,
        request_uuid,
        person.uuid,
        &person.voter,
        &votable as &[FeatureRequestStatus],
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Withdraws a vote, if [`super::rules`] allow it. Locks the feature request first.
pub(super) async fn withdraw(db: &Db, person: &Person, request_uuid: Uuid) -> Result<VoteFacts, Fault> {
    Ok(sqlx::query_as!(
        VoteFacts,
        r#"select is_on_board as "is_on_board!", is_merged as "is_merged!", status as "status: FeatureRequestStatus",
                  had_voted as "had_voted!", is_changed as "is_changed!"
             from board_withdraw($1, $2, $3)"#,
        request_uuid,
        person.uuid,
        &person.voter,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
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

/// Returns whether a feature request is merged into another; `None` if it is not on the board. Locks it against merging
/// until the transaction ends.
pub(super) async fn lock_is_merged(db: &Db, request_uuid: Uuid) -> Result<Option<bool>, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select merged_into_uuid is not null as "is_merged!"
             from feature_request where request_uuid = $1 and suspended_at is null for key share"#,
        request_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
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
