//! Resolvers of the actions on feature requests that stay private: votes and follows.

use labs_core::context::RequestContext;
use labs_core::db::Db;
use labs_core::fault::{Fault, FieldError};
use labs_core::operation::{Operation, operation, operations};
use uuid::Uuid;

use super::store::{self, Outcome};
use crate::feature_requests::{FeatureRequest, load_shown};
use crate::people::Person;

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![
    engagement_votes_cast,
    engagement_votes_withdraw,
    engagement_feature_requests_follow,
    engagement_feature_requests_unfollow,
];

/// Vote for a feature request.
#[operation(mutation, access = "engagement.feature-requests:write")]
async fn engagement_votes_cast(cx: &RequestContext, request_uuid: Uuid) -> Result<FeatureRequest, Fault> {
    let person = Person::require_caller(cx)?;
    match store::cast(&cx.db, &person, request_uuid).await? {
        Outcome::Done => store::spend(cx, &person).await?,
        Outcome::Already => {}
        refused => return Err(err_outcome(cx, request_uuid, refused).await?),
    }
    load_shown(cx, Some(&person), request_uuid).await
}

/// Withdraw a vote for a feature request.
#[operation(mutation, access = "engagement.feature-requests:write")]
async fn engagement_votes_withdraw(cx: &RequestContext, request_uuid: Uuid) -> Result<FeatureRequest, Fault> {
    let person = Person::require_caller(cx)?;
    match store::withdraw(&cx.db, &person, request_uuid).await? {
        Outcome::Done | Outcome::Already => {}
        refused => return Err(err_outcome(cx, request_uuid, refused).await?),
    }
    load_shown(cx, Some(&person), request_uuid).await
}

/// Follow a feature request.
#[operation(mutation, access = "engagement.feature-requests:write")]
async fn engagement_feature_requests_follow(cx: &RequestContext, request_uuid: Uuid) -> Result<FeatureRequest, Fault> {
    let person = Person::require_caller(cx)?;
    ensure_followable(cx, request_uuid).await?;
    store::follow(&cx.db, &person, request_uuid).await?;
    load_shown(cx, Some(&person), request_uuid).await
}

/// Unfollow a feature request.
#[operation(mutation, access = "engagement.feature-requests:write")]
async fn engagement_feature_requests_unfollow(
    cx: &RequestContext,
    request_uuid: Uuid,
) -> Result<FeatureRequest, Fault> {
    let person = Person::require_caller(cx)?;
    ensure_followable(cx, request_uuid).await?;
    store::unfollow(&cx.db, &person, request_uuid).await?;
    load_shown(cx, Some(&person), request_uuid).await
}

/// Rejects a feature request that does not exist or is merged into another.
async fn ensure_followable(cx: &RequestContext, request_uuid: Uuid) -> Result<(), Fault> {
    match store::is_on_board(&cx.db, request_uuid).await? {
        Outcome::Done => Ok(()),
        refused => Err(err_outcome(cx, request_uuid, refused).await?),
    }
}

/// Returns the fault for an action without effect.
async fn err_outcome(cx: &RequestContext, request_uuid: Uuid, outcome: Outcome) -> Result<Fault, Fault> {
    Ok(match outcome {
        Outcome::Done | Outcome::Already | Outcome::Missing => Fault::not_found("feature request"),
        Outcome::Shipped => Fault::conflict(
            "This feature request was shipped, so it takes no more votes. `changelog_entry` names the entry that \
             describes it.",
        ),
        Outcome::Merged => err_merged(&cx.db, request_uuid).await?,
    })
}

/// The fault for an action that must be performed on the merge target.
pub(crate) async fn err_merged(db: &Db, request_uuid: Uuid) -> Result<Fault, Fault> {
    let Some(root_uuid) = store::root(db, request_uuid).await? else {
        return Ok(Fault::not_found("feature request"));
    };
    let errors = vec![FieldError::of("request_uuid", "MERGED", format!("It was merged into {root_uuid}."))];
    let detail = format!(
        "This feature request was merged into {root_uuid}. Vote for, follow or comment on that one. Existing votes, \
         follows and comments count there."
    );
    Ok(Fault::conflict(detail).with_errors(errors))
}
