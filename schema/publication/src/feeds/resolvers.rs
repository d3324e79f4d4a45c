//! Public resolvers of feeds.

use std::time::Duration;

use bytes::Bytes;
use labs_core::context::{Document, DocumentContent, RequestContext};
use labs_core::fault::Fault;
use labs_core::operation::{Operation, operation, operations};
use labs_crypto::sha256;
use moka::sync::Cache;

use super::atom::{self, FeedChannel, FeedEntry};
use super::list::{LATEST, STAMP_OF};
use crate::readers::{show, show_migration};

/// Lifetime of a cached feed whose items do not change. It is limited because a change of an author's name does not
/// change the stamp.
const KEPT: Duration = Duration::from_secs(50);

/// Cache of the last written feeds, by channel and stamp.
struct WrittenFeeds(Cache<(FeedChannel, String), (Bytes, String)>);

impl Default for WrittenFeeds {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(4).time_to_live(KEPT).build())
    }
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![publication_feeds_get];

/// Get an Atom feed.
#[operation(query, access = "public", may_lag, answers_file)]
async fn publication_feeds_get(cx: &RequestContext, channel: String) -> Result<bool, Fault> {
    let channel = FeedChannel::named(&channel).ok_or_else(|| Fault::not_found("feed"))?;
    let (text, etag) = written(cx, channel).await?;
    cx.deliver_document(Document {
        media_type: "application/atom+xml; charset=utf-8".to_owned(),
        etag,
        content: DocumentContent::Text(text),
    });
    Ok(true)
}

/// Returns the feed with its ETag. It is written once for all callers until its content changes.
async fn written(cx: &RequestContext, channel: FeedChannel) -> Result<(Bytes, String), Fault> {
    let kind = || channel.kind().name().into();
    let stamp = STAMP_OF.fetch_one(&cx.db, [kind()]).await?.map(|(stamp,)| stamp).unwrap_or_default();
    let feeds = cx.services.state::<WrittenFeeds>();
    let key = (channel, stamp);
    if let Some(known) = feeds.0.get(&key) {
        return Ok(known);
    }
    let items = LATEST.fetch_all(&cx.db, [kind()]).await?;
    cx.db.release().await;
    let mut entries = Vec::with_capacity(items.len());
    for item in items {
        let body_html = show(&cx.services, &item.body).await?.rendered.html.clone();
        let migration_html = show_migration(&cx.services, item.migration.as_deref()).await?;
        entries.push(FeedEntry { item, body_html, migration_html });
    }
    let text = Bytes::from(atom::feed(channel, &cx.services.settings.base_url, entries)?);
    let made = (text.clone(), hex::encode(sha256(&text)));
    feeds.0.insert(key, made.clone());
    Ok(made)
}
