//! Votes and follows of a user for feature requests, loaded in batches.

mod store;

use std::collections::HashMap;

use ::dataloader::BatchFn;
use ::dataloader::cached::Loader;
use labs_core::batch::collect_by_key;
use labs_core::context::RequestContext;
use labs_core::db::Db;
use labs_core::fault::Fault;
use uuid::Uuid;

use super::people::Person;

/// Key of the loader: the user, and the feature request that receives the votes. It includes the user, because the
/// result of a loader must not depend on the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct VoteStatusKey {
    person_uuid: Uuid,
    voter: [u8; 32],
    follower: [u8; 32],
    root_uuid: Uuid,
}

/// Relation of a user to a feature request, including those merged into it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct VoteStatus {
    /// Whether the user voted for it.
    pub(super) voted: bool,
    /// Whether the user follows it.
    pub(super) followed: bool,
}

/// Loads standings in batches.
type VoteStatusLoader = Loader<VoteStatusKey, Result<Option<VoteStatus>, Fault>, VoteStatusBatch>;

/// Batches of [`VoteStatusLoader`].
struct VoteStatusBatch(Db);

fn loader(db: Db) -> VoteStatusLoader {
    Loader::new(VoteStatusBatch(db))
}

/// Returns the user's standing for some feature requests, in their order. Without a user, every standing is empty.
///
/// # Errors
/// If the database does not answer.
pub(super) async fn load(
    cx: &RequestContext,
    person: Option<&Person>,
    roots: impl Iterator<Item = Uuid>,
) -> Result<Vec<VoteStatus>, Fault> {
    let Some(person) = person else { return Ok(roots.map(|_| VoteStatus::default()).collect()) };
    let key = |root_uuid| VoteStatusKey {
        person_uuid: person.uuid,
        voter: person.voter,
        follower: person.follower,
        root_uuid,
    };
    let keys: Vec<VoteStatusKey> = roots.map(key).collect();
    let mut found = cx.loader(loader).load_many(keys.clone()).await;
    keys.iter().map(|key| found.remove(key).unwrap_or(Ok(None)).map(Option::unwrap_or_default)).collect()
}

impl BatchFn<VoteStatusKey, Result<Option<VoteStatus>, Fault>> for VoteStatusBatch {
    async fn load(&mut self, keys: &[VoteStatusKey]) -> HashMap<VoteStatusKey, Result<Option<VoteStatus>, Fault>> {
        let rows = store::list(&self.0, keys).await;
        let place = |row: &(usize, VoteStatus)| row.0;
        let places: Vec<usize> = (0..keys.len()).collect();
        let mut found = collect_by_key(&places, rows, place);
        let each = keys.iter().enumerate();
        each.map(|(place, key)| {
            let vote_status = found.remove(&place).unwrap_or(Ok(None));
            (*key, vote_status.map(|row| row.map(|(_, vote_status)| vote_status)))
        })
        .collect()
    }
}
