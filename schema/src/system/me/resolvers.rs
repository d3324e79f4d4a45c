//! Resolvers about the caller.

use labs_core::context::RequestContext;
use labs_core::describe::OutputType;
use labs_core::fault::Fault;
use labs_core::operation::{Operation, operation, operations};
use labs_core::principal::{PrincipalType, Role};
use labs_core::time::Time;
use uuid::Uuid;

/// The calling principal, as the service sees it.
#[derive(serde::Serialize, OutputType)]
pub(crate) struct Me {
    /// Kind of principal.
    principal_type: PrincipalType,
    /// Scopes of the token: the shortest equivalent list, in which a parent scope includes its children.
    scopes: Vec<String>,
    /// Request budgets.
    rate_limit: RateLimit,
    /// UUID of the user; null for a machine client.
    subject: Option<Uuid>,
    /// Client id of the machine client; null for a user.
    client_id: Option<String>,
    /// UUID of the partner that the principal belongs to.
    partner_uuid: Option<Uuid>,
    /// Role of a partner's user.
    role: Option<Role>,
    /// Time when the session ends at the latest; null for a machine client.
    session_expires_at: Option<Time>,
    /// Time when the token expires.
    token_expires_at: Time,
}

/// Request budgets and their remainder.
#[derive(serde::Serialize, OutputType)]
pub(crate) struct RateLimit {
    /// Requests per second.
    limit_per_second: i64,
    /// Requests per UTC day.
    limit_day: i64,
    /// Requests left today.
    remaining_day: i64,
    /// Time when the daily budget is reset.
    resets_at: Time,
}

/// Operations of this file.
pub(in crate::system) const OPERATIONS: &[Operation] = operations![system_me_get];

/// Get the calling principal.
#[operation(query, access = "any")]
async fn system_me_get(cx: &RequestContext) -> Result<Me, Fault> {
    let principal = cx.principal()?;
    let daily = cx.services.budgets.peek(&principal.budget, cx.now).await?;
    Ok(Me {
        principal_type: principal.kind,
        scopes: sort(principal.scopes.names()),
        rate_limit: RateLimit {
            limit_per_second: principal.budget.burst_per_second.into(),
            limit_day: i64::try_from(daily.limit).unwrap_or(i64::MAX),
            remaining_day: i64::try_from(daily.remaining).unwrap_or(i64::MAX),
            resets_at: cx.now.whole_seconds().plus_seconds(i64::try_from(daily.reset).unwrap_or_default()),
        },
        subject: principal.session_uuid.map(|_| principal.uuid),
        client_id: principal.client_id.clone(),
        partner_uuid: principal.partner_uuid,
        role: principal.role,
        session_expires_at: principal.session_expires_at,
        token_expires_at: principal.token_expires_at,
    })
}

fn sort(mut names: Vec<String>) -> Vec<String> {
    names.sort_unstable();
    names
}
