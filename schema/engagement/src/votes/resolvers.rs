//! Resolvers of the actions on feature requests that stay private: votes and follows.

use labs_core::context::RequestContext;
use labs_core::db::Db;
use labs_core::fault::{Fault, FieldError};
use labs_core::operation::{Operation, operation, operations};
use uuid::Uuid;

use super::rules::{self, Effect, Refusal};
use super::store;
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
    match rules::judge_cast(store::cast(&cx.db, &person, request_uuid).await?) {
        Ok(Effect::Changed) => store::spend(cx, &person).await?,
        Ok(Effect::Unchanged) => {}
        Err(refusal) => return Err(err_refusal(cx, request_uuid, refusal).await?),
    }
    load_shown(cx, Some(&person), request_uuid).await
}

/// Withdraw a vote for a feature request.
#[operation(mutation, access = "engagement.feature-requests:write")]
async fn engagement_votes_withdraw(cx: &RequestContext, request_uuid: Uuid) -> Result<FeatureRequest, Fault> {
    let person = Person::require_caller(cx)?;
    if let Err(refusal) = rules::judge_withdrawal(store::withdraw(&cx.db, &person, request_uuid).await?) {
        return Err(err_refusal(cx, request_uuid, refusal).await?);
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
    match rules::ensure_followable(store::lock_is_merged(&cx.db, request_uuid).await?) {
        Ok(()) => Ok(()),
        Err(refusal) => Err(err_refusal(cx, request_uuid, refusal).await?),
    }
}

/// Returns the fault for a refused action.
async fn err_refusal(cx: &RequestContext, request_uuid: Uuid, refusal: Refusal) -> Result<Fault, Fault> {
    Ok(match refusal {
        Refusal::Missing => Fault::not_found("feature request"),
        Refusal::Merged => err_merged(&cx.db, request_uuid).await?,
        Refusal::Shipped => Fault::conflict(
            "This feature request was shipped, so it takes no more votes. `changelog_entry` names the entry that \
             describes it.",
        ),
        Refusal::Contradiction => Fault::internal("the database changed a vote against the rules"),
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
