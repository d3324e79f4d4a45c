//! Faults: errors of the service, independent of HTTP.
//!
//! A store or a rule returns a [`Fault`]; the REST layer converts its [`Code`] to a status and a problem document (RFC
//! 9457; docs/decisions/api.md#problem-documents). Creating a fault does not log it. The layer that answers with it
//! logs it once, with the request's id.

mod code;
mod reason;
mod scope;
mod sql;

use std::fmt;

use labs_media::store::StoreError;

use crate::time::Time;

pub use code::Code;
pub use reason::{Challenge, Entitlement, FieldError, Moved, Reason, SpentBudget};
pub use scope::{MissingScope, ScopeLack};
pub use sql::constraint_of;

/// Rejection or failure, with everything that a developer needs to fix the request.
///
/// Boxed, because every fallible function can return it and few calls create one.
#[derive(Clone)]
pub struct Fault(Box<Content>);

#[derive(Clone, Debug)]
struct Content {
    reason: Reason,
    detail: String,
    retry_after: Option<u64>,
    oauth_error: Option<&'static str>,
    settlement: Settlement,
    cause: Option<String>,
    account: Option<String>,
}

/// Effect of a fault on its transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// The transaction is rolled back.
    RolledBack,
    /// The writes are committed although the request is rejected: a failed sign-in is recorded.
    Kept,
    /// The whole transaction can be retried (SQLSTATE 40001, 40P01).
    Retryable,
    /// The COMMIT was not answered, so its result is unknown.
    Unknown,
}

impl Fault {
    /// Creates a fault with this code and detail.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self::of(Reason::Code(code), detail)
    }

    /// Creates a fault with this reason and detail.
    pub fn of(reason: Reason, detail: impl Into<String>) -> Self {
        Self(Box::new(Content {
            reason,
            detail: detail.into(),
            retry_after: None,
            oauth_error: None,
            settlement: Settlement::RolledBack,
            cause: None,
            account: None,
        }))
    }

    /// The request has no access token.
    #[must_use]
    pub fn without_token() -> Self {
        let detail = "Send an access token: `Authorization: Bearer <token>`. A user gets one from POST \
                      /v1/auth/sessions, a machine client from POST /v1/oauth/token.";
        Self::new(Code::Unauthenticated, detail)
    }

    /// The object does not exist, or the caller may not see it.
    #[must_use]
    pub fn not_found(thing: &str) -> Self {
        Self::new(
            Code::NotFound,
            format!("The {thing} does not exist, or it does not belong to you. Check the identifier."),
        )
    }

    /// The path contains a former name of an object (docs/decisions/api.md#former-slugs): the parameter, and its
    /// current value.
    pub fn moved(parameter: &'static str, present: impl Into<String>) -> Self {
        let present = present.into();
        let detail = format!("This resource is now named {present}. Use the new name in future requests.");
        Self::of(Reason::Moved(Moved { parameter, present }), detail)
    }

    /// The request conflicts with the current data.
    pub fn conflict(detail: impl Into<String>) -> Self {
        Self::new(Code::Conflict, detail)
    }

    /// The current representation differs from the one read by the caller (`If-Match`).
    pub(crate) fn precondition_failed() -> Self {
        Self::new(
            Code::PreconditionFailed,
            "The resource has changed since you read it. Read it again, apply your change, and send the new ETag in If-Match.",
        )
    }

    /// The content is invalid in these fields.
    #[must_use]
    pub fn invalid(errors: Vec<FieldError>) -> Self {
        Self::of(
            Reason::Fields { code: Code::ValidationFailed, errors },
            "The request breaks the rules listed in `errors`. Fix each error and send the request again.",
        )
    }

    /// One field of the body is invalid.
    pub fn field(pointer: &str, code: &str, message: impl Into<String>) -> Self {
        Self::invalid(vec![FieldError::at(pointer, code, message)])
    }

    /// The state does not allow this action (docs/decisions/api.md#state-machines).
    #[must_use]
    pub fn illegal(thing: &str, state: &str, action: &str, allowed: Vec<String>) -> Self {
        let now = if allowed.is_empty() { "nothing".to_owned() } else { allowed.join(", ") };
        let detail = format!("The {thing} is {state} and does not allow the action {action}. Allowed now: {now}.");
        Self::of(Reason::IllegalTransition(allowed), detail)
    }

    /// A budget is spent; the caller has to wait this many seconds.
    pub fn rate_limited(budget: SpentBudget, seconds: u64, detail: impl Into<String>) -> Self {
        Self::of(Reason::RateLimited(budget), detail).retry_after(seconds)
    }

    /// A component that the service needs does not answer.
    pub fn unavailable(detail: impl Into<String>) -> Self {
        Self::new(Code::Unavailable, detail).retry_after(1)
    }

    /// A query ran longer than its time limit.
    pub(crate) fn query_timeout(detail: impl Into<String>) -> Self {
        Self::new(Code::QueryTimeout, detail).retry_after(1)
    }

    /// Internal error. The cause is logged, never returned to the caller.
    pub fn internal(cause: impl fmt::Display) -> Self {
        Self::new(
            Code::Internal,
            "An internal error occurred. Nothing was changed. Quote the request id when you report it.",
        )
        .caused_by(cause)
    }

    /// The audit record of the call cannot be written.
    #[must_use]
    pub fn audit_unavailable() -> Self {
        Self::new(
            Code::AuditUnavailable,
            "This operation requires an audit record, which cannot be written now. Nothing was changed. Try again \
             shortly.",
        )
        .retry_after(5)
    }

    /// The COMMIT was not answered, so it may have succeeded. The status does not invite a retry.
    pub fn unknown(cause: impl fmt::Display) -> Self {
        let mut fault = Self::new(
            Code::Internal,
            "The connection to the database was lost while the change was being saved, so it may or may not have \
             been made. Read the affected resource before you send the request again. With the same Idempotency-Key \
             it is executed at most once.",
        );
        fault.0.settlement = Settlement::Unknown;
        fault.caused_by(cause)
    }

    /// The tier's limit is reached (docs/decisions/partners.md#tiers-are-data).
    #[must_use]
    pub fn entitlement(feature: &str, limit: i64, used: i64) -> Self {
        Self::of(
            Reason::EntitlementExceeded(Entitlement { feature: feature.to_owned(), limit, used }),
            format!("Your tier allows {limit} of {feature}, and {used} are in use. Remove one or change the tier."),
        )
    }

    /// Blocked until a moment after too many failed attempts.
    #[must_use]
    pub fn held_until(now: Time, until: Time) -> Self {
        // Rounded up, so that a caller that waits exactly this long is not too early.
        let whole = until.seconds_since(now);
        let seconds = (whole + i64::from(now.plus_seconds(whole) < until)).max(1).unsigned_abs();
        let detail = format!("Too many failed attempts. Wait {seconds} seconds and try again.");
        Self::rate_limited(SpentBudget::Burst, seconds, detail)
    }

    /// Adds the time to wait, in seconds.
    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.0.retry_after = Some(seconds);
        self
    }

    /// Adds the invalid fields.
    #[must_use]
    pub fn with_errors(mut self, errors: Vec<FieldError>) -> Self {
        self.0.reason = Reason::Fields { code: self.code(), errors };
        self
    }

    /// Replaces the detail.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.0.detail = detail.into();
        self
    }

    /// Adds an error code of RFC 6749 section 5.2.
    #[must_use]
    pub fn oauth(mut self, error: &'static str) -> Self {
        self.0.oauth_error = Some(error);
        self
    }

    /// Marks the fault as caused by an invalid access token in the request.
    #[must_use]
    pub fn of_token(mut self) -> Self {
        if matches!(self.0.reason, Reason::Code(_)) {
            self.0.reason = Reason::InvalidToken(self.code());
        }
        self
    }

    /// Adds the account whose token was refused, for the count of refusals. No response contains it.
    #[must_use]
    pub fn of_account(mut self, account: String) -> Self {
        self.0.account = Some(account);
        self
    }

    /// Adds the cause, for the log.
    #[must_use]
    pub fn caused_by(mut self, cause: impl fmt::Display) -> Self {
        self.0.cause = Some(cause.to_string());
        self
    }

    /// Replaces another fault and keeps its cause for the log.
    #[must_use]
    pub fn replacing(mut self, former: &Self) -> Self {
        if let Some(former) = former.cause() {
            self.0.cause = Some(match self.0.cause.take() {
                Some(own) => format!("{own}; before it: {former}"),
                None => former.to_owned(),
            });
        }
        self
    }

    /// Commits the writes of the transaction although the request is rejected.
    #[must_use]
    pub fn keep_writes(self) -> Self {
        self.settled(Settlement::Kept)
    }

    /// Marks the whole transaction as retryable.
    #[must_use]
    pub fn mark_retryable(self) -> Self {
        self.settled(Settlement::Retryable)
    }

    fn settled(mut self, settlement: Settlement) -> Self {
        self.0.settlement = settlement;
        self
    }

    /// Returns the reason.
    #[must_use]
    pub fn reason(&self) -> &Reason {
        &self.0.reason
    }

    /// Returns the stable code.
    #[must_use]
    pub fn code(&self) -> Code {
        self.0.reason.code()
    }

    /// Returns one or two sentences with the next step for the developer. Never contains server internals.
    #[must_use]
    pub fn detail(&self) -> &str {
        &self.0.detail
    }

    /// Returns the invalid fields, each with a JSON pointer or a parameter name.
    #[must_use]
    pub fn errors(&self) -> &[FieldError] {
        if let Reason::Fields { errors, .. } = &self.0.reason { errors } else { &[] }
    }

    /// For [`Code::IllegalTransition`]: the actions that are allowed now.
    #[must_use]
    pub fn allowed_actions(&self) -> &[String] {
        if let Reason::IllegalTransition(allowed) = &self.0.reason { allowed } else { &[] }
    }

    /// The account whose token was refused, if the token is genuine.
    #[must_use]
    pub fn account(&self) -> Option<&str> {
        self.0.account.as_deref()
    }

    /// For [`Code::RateLimited`]: the budget that is spent.
    #[must_use]
    pub fn spent_budget(&self) -> Option<SpentBudget> {
        if let Reason::RateLimited(budget) = self.0.reason { Some(budget) } else { None }
    }

    /// Returns the seconds to wait before a retry.
    #[must_use]
    pub fn seconds_to_wait(&self) -> Option<u64> {
        self.0.retry_after
    }

    /// Returns the error code of RFC 6749 section 5.2, for the token endpoints.
    #[must_use]
    pub fn oauth_error(&self) -> Option<&'static str> {
        self.0.oauth_error
    }

    /// Returns the cause, which is only logged; `None` if the detail is sufficient.
    #[must_use]
    pub fn cause(&self) -> Option<&str> {
        self.0.cause.as_deref()
    }

    /// Returns the text that a job logs: the cause, or the detail if it has no cause.
    #[must_use]
    pub fn for_log(&self) -> &str {
        self.cause().unwrap_or(&self.0.detail)
    }

    /// Logs the cause, if the fault has one; `what` is the log message.
    pub fn log(&self, request_id: &str, what: &'static str) {
        let Some(cause) = self.cause() else { return };
        let code = self.code().name();
        match self.code() {
            Code::Unavailable | Code::QueryTimeout => tracing::warn!(cause, code, request_id, "{what}"),
            _ => tracing::error!(cause, code, request_id, "{what}"),
        }
    }

    /// Returns the effect on the transaction.
    pub fn settlement(&self) -> Settlement {
        self.0.settlement
    }
}

/// Writes the detail. The cause is only logged ([`Fault::cause`]).
impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::unavailable("Files cannot be accessed at the moment. Try again.").caused_by(error)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.detail)
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}
