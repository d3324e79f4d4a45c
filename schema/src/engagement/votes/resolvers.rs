//! Resolvers of the actions on feature requests that stay private: votes and follows.

use async_graphql::{Context, Object};
use labs_core::access::access;
use labs_core::context::{RequestContext, RequestContextExt};
use labs_core::db::Db;
use labs_core::fault::{Fault, FieldError};
use uuid::Uuid;

use super::store::{self, Outcome};
use crate::engagement::feature_requests::{FeatureRequest, load_shown};
use crate::engagement::people::Person;

/// Mutations of votes and follows.
#[derive(Default)]
pub(in crate::engagement) struct VotesMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl VotesMutation {
    /// Vote for a feature request.
    #[graphql(directive = access::apply("engagement.feature-requests:write".into()))]
    async fn engagement_votes_cast(
        &self,
        ctx: &Context<'_>,
        request_uuid: Uuid,
    ) -> Result<Option<FeatureRequest>, Fault> {
        let cx = ctx.cx();
        let person = Person::require_caller(cx)?;
        match store::cast(&cx.db, &person, request_uuid).await? {
            Outcome::Done => store::spend(cx, &person).await?,
            Outcome::Already => {}
            refused => return Err(err_outcome(cx, request_uuid, refused).await?),
        }
        cx.answer(load_shown(cx, request_uuid).await?)
    }

    /// Withdraw a vote for a feature request.
    #[graphql(directive = access::apply("engagement.feature-requests:write".into()))]
    async fn engagement_votes_withdraw(
        &self,
        ctx: &Context<'_>,
        request_uuid: Uuid,
    ) -> Result<Option<FeatureRequest>, Fault> {
        let cx = ctx.cx();
        let person = Person::require_caller(cx)?;
        match store::withdraw(&cx.db, &person, request_uuid).await? {
            Outcome::Done | Outcome::Already => {}
            refused => return Err(err_outcome(cx, request_uuid, refused).await?),
        }
        cx.answer(load_shown(cx, request_uuid).await?)
    }

    /// Follow a feature request.
    #[graphql(directive = access::apply("engagement.feature-requests:write".into()))]
    async fn engagement_feature_requests_follow(
        &self,
        ctx: &Context<'_>,
        request_uuid: Uuid,
    ) -> Result<Option<FeatureRequest>, Fault> {
        let cx = ctx.cx();
        let person = Person::require_caller(cx)?;
        ensure_followable(cx, request_uuid).await?;
        store::follow(&cx.db, &person, request_uuid).await?;
        cx.answer(load_shown(cx, request_uuid).await?)
    }

    /// Unfollow a feature request.
    #[graphql(directive = access::apply("engagement.feature-requests:write".into()))]
    async fn engagement_feature_requests_unfollow(
        &self,
        ctx: &Context<'_>,
        request_uuid: Uuid,
    ) -> Result<Option<FeatureRequest>, Fault> {
        let cx = ctx.cx();
        let person = Person::require_caller(cx)?;
        ensure_followable(cx, request_uuid).await?;
        store::unfollow(&cx.db, &person, request_uuid).await?;
        cx.answer(load_shown(cx, request_uuid).await?)
    }
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
pub(in crate::engagement) async fn err_merged(db: &Db, request_uuid: Uuid) -> Result<Fault, Fault> {
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
