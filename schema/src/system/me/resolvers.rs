//! Resolvers about the caller.

use labs_core::context::RequestContext;
use labs_core::describe::OutputType;
use labs_core::fault::Fault;
use labs_core::operation::{Operation, operation, operations};
use labs_core::principal::{PrincipalType, Role};
use labs_core::time::Time;
use uuid::Uuid;

/// The calling principal, as its access token identifies it.
#[derive(serde::Serialize, OutputType)]
pub(crate) struct Me {
    /// Kind of principal.
    principal_type: PrincipalType,
    /// Scopes that this token has at the time of the request, in alphabetical order. Each includes its children.
    scopes: Vec<String>,
    /// Request budgets.
    rate_limit: RateLimit,
    /// UUID of the user. Null for a machine client.
    subject: Option<Uuid>,
    /// Client id of the machine client. Null for a user.
    client_id: Option<String>,
    /// Partner that the caller is bound to. Null for staff members and for machine clients without a partner.
    partner_uuid: Option<Uuid>,
    /// Role of the user in the partner's team. Null for all other callers.
    role: Option<Role>,
    /// Time at which the user must sign in again unless the session is refreshed before. Null for a machine client,
    /// which has no session.
    session_expires_at: Option<Time>,
    /// Time at which this access token expires.
    token_expires_at: Time,
}

/// Budgets of the caller. All users and machine clients of a partner share them.
#[derive(serde::Serialize, OutputType)]
pub(crate) struct RateLimit {
    /// Requests per second that the burst budget allows.
    limit_per_second: i64,
    /// Requests per day that the daily budget allows.
    limit_day: i64,
    /// Requests that remain today, this request already subtracted.
    remaining_day: i64,
    /// Time at which the daily budget resets.
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
