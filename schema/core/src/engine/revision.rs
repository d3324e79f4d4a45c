//! Revisions of public content, by which answers are reused.
//!
//! A trigger counts every change of public content in the transaction that makes it (table `public_revision`). An
//! answer that was read after a revision was read contains at least the changes of that revision. So it may be sent
//! again as long as the revision is the same. Values that a group keeps in memory under another key may be older;
//! `@reusable` limits their time.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use super::Engine;
use crate::db::{Db, Freshness, ReadLanes};
use crate::fault::Fault;

impl Engine {
    /// Returns the revision of a topic, not older than the call of this function. Concurrent calls share a statement.
    ///
    /// # Errors
    /// The fault of the database; [`crate::Code::Internal`] if the topic does not exist.
    pub fn revision_of<'a>(&'a self, topic: &'a Arc<str>) -> BoxFuture<'a, Result<i64, Fault>> {
        async move {
            let lanes = ReadLanes::new(self.0.for_reads.clone(), None, Freshness::Present);
            let found = self.0.revisions.get(Arc::clone(topic), move |topics| read_each(lanes.clone(), topics));
            found.await?.ok_or_else(|| Fault::internal(format!("the topic {topic} has no revision")))
        }
        .boxed()
    }
}

async fn read_each(lanes: ReadLanes, topics: Vec<Arc<str>>) -> Result<Vec<Option<i64>>, Fault> {
    let db = Db::for_read(lanes);
    let rows = sqlx::query!(r#"select topic, sum(changes)::bigint as "revision!" from public_revision group by topic"#)
        .fetch_all(&mut *db.conn().await?)
        .await?;
    let known: HashMap<String, i64> = rows.into_iter().map(|row| (row.topic, row.revision)).collect();
    Ok(topics.iter().map(|topic| known.get(topic.as_ref()).copied()).collect())
}
