//! What can go wrong, in words that know no HTTP.
//!
//! A store or a rule answers a [`Fault`]; the public layer turns its [`Code`] into a status and a problem document
//! (RFC 9457; docs/decisions.md#errors). Making one writes no log: whoever answers with it does, once, beside the
//! request's id.

mod code;
mod reason;
mod sql;

use std::fmt;

use crate::core::time::Time;

pub use code::Code;
pub use reason::{Challenge, Entitlement, FieldError, Moved, Reason, SpentBudget};
pub use sql::constraint_of;

/// A refusal or failure with everything a developer needs to mend it.
///
/// Boxed, because every fallible function carries it and nearly none makes one.
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
}

/// What becomes of the transaction in which something went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Settlement {
    /// Nothing of it is kept.
    RolledBack,
    /// What it wrote is kept although the answer is a refusal: a failed sign-in leaves a trace.
    Kept,
    /// The whole of it may be tried again (SQLSTATE 40001, 40P01).
    Retryable,
    /// Its COMMIT was not answered: whether anything was done is not known.
    Unknown,
}

impl Fault {
    /// A fault of this code with its detail.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self::of(Reason::Code(code), detail)
    }

    /// A fault for this reason with its detail.
    pub fn of(reason: Reason, detail: impl Into<String>) -> Self {
        Self(Box::new(Content {
            reason,
            detail: detail.into(),
            retry_after: None,
            oauth_error: None,
            settlement: Settlement::RolledBack,
            cause: None,
        }))
    }

    /// No access token came.
    #[must_use]
    pub fn without_token() -> Self {
        let detail = "Send an access token: `Authorization: Bearer <token>`. A user gets one from POST \
                      /v1/auth/sessions, a machine client from POST /v1/oauth/token.";
        Self::new(Code::Unauthenticated, detail)
    }

    /// Nothing there, or nothing the caller may know of.
    #[must_use]
    pub fn not_found(thing: &str) -> Self {
        Self::new(Code::NotFound, format!("There is no such {thing}, or it is not yours. Check the identifier."))
    }

    /// A former name of something that is there (docs/decisions.md#answers): the parameter, and what it says now.
    pub fn moved(parameter: &'static str, present: impl Into<String>) -> Self {
        let present = present.into();
        let detail = format!("This resource is now named {present}. Use the new name in future requests.");
        Self::of(Reason::Moved(Moved { parameter, present }), detail)
    }

    /// Clashes with what is there.
    pub fn conflict(detail: impl Into<String>) -> Self {
        Self::new(Code::Conflict, detail)
    }

    /// What is there is not what the caller has read (`If-Match`).
    pub(crate) fn precondition_failed() -> Self {
        Self::new(
            Code::PreconditionFailed,
            "The resource has changed since you read it. Read it again, apply your change, and send the new ETag in If-Match.",
        )
    }

    /// The content breaks a rule, at these places.
    #[must_use]
    pub fn invalid(errors: Vec<FieldError>) -> Self {
        Self::of(
            Reason::Fields { code: Code::ValidationFailed, errors },
            "The request breaks the rules listed in `errors`. Fix each error and send the request again.",
        )
    }

    /// One field of the body breaks a rule.
    pub fn field(pointer: &str, code: &str, message: impl Into<String>) -> Self {
        Self::invalid(vec![FieldError::at(pointer, code, message)])
    }

    /// The state does not allow this action (docs/decisions.md#states).
    #[must_use]
    pub fn illegal(thing: &str, state: &str, action: &str, allowed: Vec<String>) -> Self {
        let now = if allowed.is_empty() { "nothing".to_owned() } else { allowed.join(", ") };
        let detail = format!("The {thing} is {state} and does not allow the action {action}. Allowed now: {now}.");
        Self::of(Reason::IllegalTransition(allowed), detail)
    }

    /// The token lacks this scope.
    pub fn scope(needed: impl Into<String>) -> Self {
        let needed = needed.into();
        let detail =
            format!("This operation requires the scope {needed}. GET /v1/system/me shows the scopes of your token.");
        Self::of(Reason::ScopeMissing(needed), detail)
    }

    /// A budget is spent; so many seconds are to be waited.
    pub fn rate_limited(budget: SpentBudget, seconds: u64, detail: impl Into<String>) -> Self {
        Self::of(Reason::RateLimited(budget), detail).retry_after(seconds)
    }

    /// A part the service needs is away.
    pub fn unavailable(detail: impl Into<String>) -> Self {
        Self::new(Code::Unavailable, detail).retry_after(1)
    }

    /// Our fault. What happened goes to the log, never to the caller.
    pub fn internal(cause: impl fmt::Display) -> Self {
        Self::new(
            Code::Internal,
            "An internal error occurred. Nothing was changed. Quote the request id when you report it.",
        )
        .caused_by(cause)
    }

    /// What the call must leave in the audit log cannot be written.
    #[must_use]
    pub(crate) fn audit_unavailable() -> Self {
        Self::new(
            Code::AuditUnavailable,
            "This operation requires an audit record, which cannot be written now. Nothing was changed. Try again \
             shortly.",
        )
        .retry_after(5)
    }

    /// The answer to a COMMIT never came: it may have been done. No status that invites to send it again.
    pub(crate) fn unknown(cause: impl fmt::Display) -> Self {
        let mut fault = Self::new(
            Code::Internal,
            "The connection to the database was lost while the change was being saved, so it may or may not have \
             been made. Read the affected resource before you send the request again. With the same Idempotency-Key \
             it is executed at most once.",
        );
        fault.0.settlement = Settlement::Unknown;
        fault.caused_by(cause)
    }

    /// The plan's limit is reached (docs/decisions.md#tiers).
    #[must_use]
    pub fn entitlement(feature: &str, limit: i64, used: i64) -> Self {
        Self::of(
            Reason::EntitlementExceeded(Entitlement { feature: feature.to_owned(), limit, used }),
            format!("Your tier allows {limit} of {feature}, and {used} are in use. Remove one or change the tier."),
        )
    }

    /// Held back until a moment: too many failures.
    #[must_use]
    pub fn held_until(now: Time, until: Time) -> Self {
        // Rounded up: whoever waits as long as they are told must not come too early.
        let whole = until.seconds_since(now);
        let seconds = (whole + i64::from(now.plus_seconds(whole) < until)).max(1).unsigned_abs();
        let detail = format!("Too many failed attempts. Wait {seconds} seconds and try again.");
        Self::rate_limited(SpentBudget::Burst, seconds, detail)
    }

    /// The same with a time to wait, in seconds.
    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.0.retry_after = Some(seconds);
        self
    }

    /// The same with the fields at fault.
    #[must_use]
    pub fn with_errors(mut self, errors: Vec<FieldError>) -> Self {
        self.0.reason = Reason::Fields { code: self.code(), errors };
        self
    }

    /// The same in other words.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.0.detail = detail.into();
        self
    }

    /// The same with an error code of RFC 6749 section 5.2.
    #[must_use]
    pub fn oauth(mut self, error: &'static str) -> Self {
        self.0.oauth_error = Some(error);
        self
    }

    /// The same for a token that came and is no good.
    #[must_use]
    pub fn of_token(mut self) -> Self {
        if matches!(self.0.reason, Reason::Code(_)) {
            self.0.reason = Reason::InvalidToken(self.code());
        }
        self
    }

    /// The same with what happened, for the log.
    #[must_use]
    pub fn caused_by(mut self, cause: impl fmt::Display) -> Self {
        self.0.cause = Some(cause.to_string());
        self
    }

    /// The same where it takes the place of another: what happened there is told in the log as well.
    #[must_use]
    pub fn in_place_of(mut self, former: &Self) -> Self {
        if let Some(former) = former.cause() {
            self.0.cause = Some(match self.0.cause.take() {
                Some(own) => format!("{own}; before it: {former}"),
                None => former.to_owned(),
            });
        }
        self
    }

    /// The refusal leaves a trace: what the transaction wrote is committed.
    #[must_use]
    pub fn keep_writes(self) -> Self {
        self.settled(Settlement::Kept)
    }

    /// The whole transaction may be tried again.
    #[must_use]
    pub(crate) fn retryable(self) -> Self {
        self.settled(Settlement::Retryable)
    }

    fn settled(mut self, settlement: Settlement) -> Self {
        self.0.settlement = settlement;
        self
    }

    /// Why.
    #[must_use]
    pub fn reason(&self) -> &Reason {
        &self.0.reason
    }

    /// The stable code.
    #[must_use]
    pub fn code(&self) -> Code {
        self.0.reason.code()
    }

    /// One sentence or two that tell a developer what to do next. Never a server detail.
    #[must_use]
    pub fn detail(&self) -> &str {
        &self.0.detail
    }

    /// The fields at fault, each with a JSON pointer or a parameter's name.
    #[must_use]
    pub fn errors(&self) -> &[FieldError] {
        if let Reason::Fields { errors, .. } = &self.0.reason { errors } else { &[] }
    }

    /// For [`Code::IllegalTransition`]: what may be done now.
    #[must_use]
    pub fn allowed_actions(&self) -> &[String] {
        if let Reason::IllegalTransition(allowed) = &self.0.reason { allowed } else { &[] }
    }

    /// For [`Code::ScopeMissing`]: the scope that would have been enough.
    #[must_use]
    pub fn required_scope(&self) -> Option<&str> {
        if let Reason::ScopeMissing(scope) = &self.0.reason { Some(scope) } else { None }
    }

    /// For [`Code::RateLimited`]: which budget is spent.
    #[must_use]
    pub fn spent_budget(&self) -> Option<SpentBudget> {
        if let Reason::RateLimited(budget) = self.0.reason { Some(budget) } else { None }
    }

    /// Seconds to wait before another try.
    #[must_use]
    pub fn seconds_to_wait(&self) -> Option<u64> {
        self.0.retry_after
    }

    /// For the token endpoints: the error code of RFC 6749 section 5.2.
    #[must_use]
    pub fn oauth_error(&self) -> Option<&'static str> {
        self.0.oauth_error
    }

    /// What happened, for the log alone; none where the detail says it all.
    #[must_use]
    pub fn cause(&self) -> Option<&str> {
        self.0.cause.as_deref()
    }

    /// What a job writes into the log: what happened, or the detail where that says it all.
    #[must_use]
    pub fn for_log(&self) -> &str {
        self.cause().unwrap_or(&self.0.detail)
    }

    /// Writes into the log what happened, if the detail does not say it all; `what` it happened to.
    pub fn log(&self, request_id: &str, what: &'static str) {
        let Some(cause) = self.cause() else { return };
        let code = self.code().name();
        match self.code() {
            Code::Unavailable => tracing::warn!(cause, code, request_id, "{what}"),
            _ => tracing::error!(cause, code, request_id, "{what}"),
        }
    }

    /// What becomes of the transaction.
    pub(crate) fn settlement(&self) -> Settlement {
        self.0.settlement
    }
}

/// What its reader is told. What happened is told to the log alone ([`Fault::cause`]).
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
