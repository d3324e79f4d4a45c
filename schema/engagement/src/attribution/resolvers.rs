//! Resolvers of a user's attribution.

use labs_core::context::RequestContext;
use labs_core::describe::{InputType, OutputType};
use labs_core::fault::Fault;
use labs_core::operation::{Operation, operation, operations};
use serde::{Deserialize, Serialize};

use super::store;
use crate::people::Person;

/// Display of a user's name on the board.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(super) struct BoardAttribution {
    /// Whether the user's name is shown next to the company's name, on everything that the user wrote.
    pub(super) show_name: bool,
    /// Name of the user. It can be changed in the user's account.
    pub(super) name: String,
    /// Name of the company, which is always shown.
    pub(super) company_name: String,
}

/// Attribution setting of the caller.
#[derive(Deserialize, InputType)]
pub(super) struct BoardAttributionPut {
    /// Whether to show the caller's name next to the company's name.
    show_name: bool,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![engagement_attribution_get, engagement_attribution_put];

/// Get the caller's board attribution.
#[operation(query, access = "engagement.feature-requests")]
async fn engagement_attribution_get(cx: &RequestContext) -> Result<BoardAttribution, Fault> {
    load(cx, &Person::require_caller(cx)?).await
}

/// Set the caller's board attribution.
#[operation(mutation, access = "engagement.feature-requests:write")]
async fn engagement_attribution_put(cx: &RequestContext, body: BoardAttributionPut) -> Result<BoardAttribution, Fault> {
    let person = Person::require_caller(cx)?;
    store::set_show_name(&cx.db, person.uuid, body.show_name).await?;
    load(cx, &person).await
}

async fn load(cx: &RequestContext, person: &Person) -> Result<BoardAttribution, Fault> {
    store::get(&cx.db, person.uuid).await?.ok_or_else(|| Fault::not_found("user"))
}
