//! Finds feature requests that are similar to a title before it is proposed.

use labs_core::context::RequestContext;
use labs_core::describe::OutputType;
use labs_core::fault::Fault;
use labs_core::list::SqlValue;
use serde::Serialize;
use uuid::Uuid;

use super::store;
use super::types::{BoardRow, FeatureRequestSummary, NEAR, into_view};

/// A feature request that is similar to a title.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(super) struct SimilarFeatureRequest {
    /// The feature request, or the target that a similar one was merged into.
    feature_request: FeatureRequestSummary,
    /// Similar title, if it belongs to a request that was merged into this one.
    matched_title: Option<String>,
}

/// Similar feature requests, most similar first.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(super) struct SimilarFeatureRequests {
    /// Similar feature requests.
    data: Vec<SimilarFeatureRequest>,
}

/// Finds feature requests with a similar title: shared words or word stems in any language, words that contain one
/// another, or almost equal words.
///
/// # Errors
/// If the database does not answer.
pub(super) async fn find(cx: &RequestContext, title: &str, most: i32) -> Result<SimilarFeatureRequests, Fault> {
    let near = store::list_near(&cx.db, title, most).await?;
    let ids: Vec<Uuid> = near.iter().map(|row| row.root_uuid).collect();
    let mut rows = NEAR.fetch_all(&cx.db, [SqlValue::Ids(ids.clone())]).await?;
    let place = |row: &BoardRow| ids.iter().position(|id| *id == row.uuid);
    rows.sort_by_key(place);
    let titles: Vec<Option<String>> = rows
        .iter()
        .map(|row| near.iter().find(|near| near.root_uuid == row.uuid).and_then(|near| near.matched_title.clone()))
        .collect();
    let found = into_view(cx, rows).await?.into_iter().zip(titles);
    let data = found
        .map(|(feature_request, matched_title)| SimilarFeatureRequest { feature_request, matched_title })
        .collect();
    Ok(SimilarFeatureRequests { data })
}
