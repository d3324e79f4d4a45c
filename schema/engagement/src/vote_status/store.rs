//! SQL statement of the loader.

use labs_core::db::Db;
use labs_core::fault::Fault;
use uuid::Uuid;

use super::{VoteStatus, VoteStatusKey};

/// Returns the vote status of each key, by its place among the keys.
pub(super) async fn list(db: &Db, keys: &[VoteStatusKey]) -> Result<Vec<(usize, VoteStatus)>, Fault> {
    let roots: Vec<Uuid> = keys.iter().map(|key| key.root_uuid).collect();
    let people: Vec<Uuid> = keys.iter().map(|key| key.person_uuid).collect();
    let voters: Vec<Vec<u8>> = keys.iter().map(|key| key.voter.to_vec()).collect();
    let followers: Vec<Vec<u8>> = keys.iter().map(|key| key.follower.to_vec()).collect();
    let rows = sqlx::query!(
        r#"select asked.place as "place!",
                  exists (select from feature_request as d
                           where d.root_uuid = asked.root_uuid and d.author_uuid = asked.person_uuid
                             and d.author_voted_on is not null)
                  or exists (select from feature_request as d join feature_vote as v using (request_uuid)
                              where d.root_uuid = asked.root_uuid and v.voter = asked.voter) as "voted!",
                  exists (select from feature_request as d join feature_follow as f using (request_uuid)
                           where d.root_uuid = asked.root_uuid and f.follower = asked.follower) as "followed!"
             from unnest($1::uuid[], $2::uuid[], $3::bytea[], $4::bytea[])
                  with ordinality as asked (root_uuid, person_uuid, voter, follower, place)"#,
        &roots,
        &people,
        &voters,
        &followers,
    )
    .fetch_all(&mut *db.conn().await?)
    .await?;
    let place = |place: i64| usize::try_from(place - 1).unwrap_or(usize::MAX);
    Ok(rows
        .into_iter()
        .map(|row| (place(row.place), VoteStatus { voted: row.voted, followed: row.followed }))
        .collect())
}
