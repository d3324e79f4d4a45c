//! Edges from a feature request of the board. No edge returns its voters or followers, because that data is never
//! shown.

use labs_core::context::RequestContext;
use labs_core::fault::Fault;
use labs_core::operation::{Edge, Parent, edge};

use super::partner;
use labs_admin::partners::{AdminPartner, PARTNER};
use labs_engagement::moderation::{COMMENTS_OF_EACH, ModeratedFeatureComment, ModeratedFeatureRequest};

/// Partner who proposed it; null for a former partner.
#[edge(ModeratedFeatureRequest, partner, reads = PARTNER.reads())]
async fn moderated_feature_request_partner(
    cx: &RequestContext,
    parent: &Parent<'_>,
) -> Result<Option<AdminPartner>, Fault> {
    let Some(partner_uuid) = parent.uuid("/proposed_by/partner_uuid") else { return Ok(None) };
    partner(cx, partner_uuid).await
}

/// Comments on it, including removed comments, newest first.
#[edge(ModeratedFeatureRequest, comments, reads = COMMENTS_OF_EACH.reads())]
async fn moderated_feature_request_comments(
    cx: &RequestContext,
    parent: &Parent<'_>,
    /// Maximum number of entries, from 1 to 100. Default: 20.
    limit: Option<i32>,
) -> Result<Vec<ModeratedFeatureComment>, Fault> {
    let comments = COMMENTS_OF_EACH.fetch_first(cx, parent.id("/uuid")?, limit).await?;
    Ok(comments.into_iter().map(|comment| comment.for_caller(cx)).collect())
}

/// Returns the edges of this file.
pub(super) fn edges() -> Vec<Edge> {
    vec![describe_moderated_feature_request_partner(), describe_moderated_feature_request_comments()]
}
