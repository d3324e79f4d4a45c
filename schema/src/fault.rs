//! What can go wrong, in words that know no HTTP.
//!
//! A store or a rule answers a [`Fault`]; the public layer turns its [`Code`] into a status and a
//! problem document (specification: decisions, Errors; RFC 9457).

mod sql;

use std::fmt;

use crate::time::Time;

pub use sql::constraint_of;

/// A refusal or failure with everything a developer needs to mend it.
///
/// Boxed, because every fallible function carries it and nearly none makes one.
#[derive(Clone)]
pub struct Fault(Box<Parts>);

/// The content of a [`Fault`].
#[derive(Clone, Debug)]
pub struct Parts {
    /// The stable code (specification: decisions, Errors).
    pub code: Code,
    /// One sentence or two that tell a developer what to do next. Never a server detail.
    pub detail: String,
    /// The fields at fault, each with a JSON pointer or a parameter name.
    pub errors: Vec<FieldError>,
    /// For [`Code::IllegalTransition`]: what may be done now.
    pub allowed_actions: Vec<String>,
    /// For [`Code::ScopeMissing`]: the scope that would have opened the door.
    pub required_scope: Option<String>,
    /// Seconds to wait before another try.
    pub retry_after: Option<u64>,
    /// For [`Code::RateLimited`]: which budget was spent, `burst` or `daily`.
    pub budget: Option<&'static str>,
    /// For [`Code::EntitlementExceeded`].
    pub entitlement: Option<Entitlement>,
    /// For [`Code::MfaRequired`].
    pub challenge: Option<Challenge>,
    /// For the token endpoints: the error code of RFC 6749 section 5.2.
    pub oauth_error: Option<&'static str>,
    /// An access token came and is no good (RFC 6750 section 3.1).
    pub invalid_token: bool,
    /// The transaction is kept although the answer is a refusal (a failed sign-in leaves a trace).
    pub keep: bool,
    /// The whole transaction may be tried again (SQLSTATE 40001, 40P01).
    pub retryable: bool,
    /// Whether anything was done is not known.
    pub unknown: bool,
}

/// The limit that a plan sets and what is used of it.
#[derive(Clone, Debug)]
pub struct Entitlement {
    /// Feature code, `apps` for example.
    pub feature: String,
    /// The limit in force.
    pub limit: i64,
    /// How much of it is used.
    pub used: i64,
}

/// What a sign-in that awaits its second factor needs for the next call.
#[derive(Clone, Debug)]
pub struct Challenge {
    /// Opaque and single-use; goes back with the code.
    pub challenge: String,
    /// Seconds until it is void.
    pub expires_in: i64,
    /// `TOTP`, `RECOVERY_CODE`.
    pub methods: Vec<&'static str>,
}

/// One field at fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// RFC 6901 pointer into the body.
    pub pointer: Option<String>,
    /// Name of the query, path or header parameter.
    pub parameter: Option<String>,
    /// Stable code of this error, `TOO_LONG` for example.
    pub code: String,
    /// What to do about it.
    pub message: String,
}

impl FieldError {
    /// An error at a place in the body.
    pub fn at(pointer: impl Into<String>, code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { pointer: Some(pointer.into()), parameter: None, code: code.into(), message: message.into() }
    }

    /// An error in a parameter.
    pub fn of(parameter: impl Into<String>, code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { pointer: None, parameter: Some(parameter.into()), code: code.into(), message: message.into() }
    }
}

/// Every code the service answers with (specification: decisions, Errors).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// The request cannot be read.
    MalformedRequest,
    /// The cursor is not one of this list and filter.
    InvalidCursor,
    /// No usable token.
    Unauthenticated,
    /// The token's time is over.
    TokenExpired,
    /// The token's right has ended.
    TokenRevoked,
    /// Wrong e-mail, password, client id, secret or code.
    InvalidCredentials,
    /// The password was right, the second factor is awaited.
    MfaRequired,
    /// A spent refresh credential: the session family is ended.
    RefreshReused,
    /// The token lacks the scope.
    ScopeMissing,
    /// The partner in the path is not the token's.
    PartnerMismatch,
    /// The password or second factor must be given again first.
    ReauthenticationRequired,
    /// Staff or failed tries hold this account back.
    AccountLocked,
    /// The partner is suspended, closed or erased.
    PartnerSuspended,
    /// Staff refuse everything that comes from the caller's network.
    NetworkDenied,
    /// Nothing there, or nothing the caller may know of.
    NotFound,
    /// The path knows other methods.
    MethodNotAllowed,
    /// No representation of the kinds asked for.
    NotAcceptable,
    /// Larger than the limit.
    PayloadTooLarge,
    /// A body of a kind this operation does not read.
    UnsupportedMediaType,
    /// `If-Match` names another state.
    PreconditionFailed,
    /// Clashes with what is there.
    Conflict,
    /// The state does not allow this action.
    IllegalTransition,
    /// The plan's limit is reached.
    EntitlementExceeded,
    /// The same key is being worked on.
    IdempotencyInProgress,
    /// The content breaks a rule.
    ValidationFailed,
    /// The same key with another body.
    IdempotencyKeyReused,
    /// A budget is spent.
    RateLimited,
    /// Our fault.
    Internal,
    /// A part is away; try again.
    Unavailable,
    /// The audit record could not be written, so nothing was done.
    AuditUnavailable,
}

impl Code {
    /// The name in answers, `SCOPE_MISSING` for example.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::MalformedRequest => "MALFORMED_REQUEST",
            Self::InvalidCursor => "INVALID_CURSOR",
            Self::Unauthenticated => "UNAUTHENTICATED",
            Self::TokenExpired => "TOKEN_EXPIRED",
            Self::TokenRevoked => "TOKEN_REVOKED",
            Self::InvalidCredentials => "INVALID_CREDENTIALS",
            Self::MfaRequired => "MFA_REQUIRED",
            Self::RefreshReused => "REFRESH_REUSED",
            Self::ScopeMissing => "SCOPE_MISSING",
            Self::PartnerMismatch => "PARTNER_MISMATCH",
            Self::ReauthenticationRequired => "REAUTHENTICATION_REQUIRED",
            Self::AccountLocked => "ACCOUNT_LOCKED",
            Self::PartnerSuspended => "PARTNER_SUSPENDED",
            Self::NetworkDenied => "NETWORK_DENIED",
            Self::NotFound => "NOT_FOUND",
            Self::MethodNotAllowed => "METHOD_NOT_ALLOWED",
            Self::NotAcceptable => "NOT_ACCEPTABLE",
            Self::PayloadTooLarge => "PAYLOAD_TOO_LARGE",
            Self::UnsupportedMediaType => "UNSUPPORTED_MEDIA_TYPE",
            Self::PreconditionFailed => "PRECONDITION_FAILED",
            Self::Conflict => "CONFLICT",
            Self::IllegalTransition => "ILLEGAL_TRANSITION",
            Self::EntitlementExceeded => "ENTITLEMENT_EXCEEDED",
            Self::IdempotencyInProgress => "IDEMPOTENCY_IN_PROGRESS",
            Self::ValidationFailed => "VALIDATION_FAILED",
            Self::IdempotencyKeyReused => "IDEMPOTENCY_KEY_REUSED",
            Self::RateLimited => "RATE_LIMITED",
            Self::Internal => "INTERNAL",
            Self::Unavailable => "UNAVAILABLE",
            Self::AuditUnavailable => "AUDIT_UNAVAILABLE",
        }
    }

    /// Ours to mend rather than the caller's.
    #[must_use]
    pub const fn is_failure(self) -> bool {
        matches!(self, Self::Internal | Self::Unavailable | Self::AuditUnavailable)
    }
}

impl Fault {
    /// A fault of this code with its detail.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self(Box::new(Parts {
            code,
            detail: detail.into(),
            errors: Vec::new(),
            allowed_actions: Vec::new(),
            required_scope: None,
            retry_after: None,
            budget: None,
            entitlement: None,
            challenge: None,
            oauth_error: None,
            invalid_token: false,
            keep: false,
            retryable: false,
            unknown: false,
        }))
    }

    /// Nothing there, or nothing the caller may know of.
    #[must_use]
    pub fn not_found(thing: &str) -> Self {
        Self::new(Code::NotFound, format!("There is no such {thing}, or it is not yours. Check the identifier."))
    }

    /// Clashes with what is there.
    pub fn conflict(detail: impl Into<String>) -> Self {
        Self::new(Code::Conflict, detail)
    }

    /// The content breaks a rule, at these places.
    #[must_use]
    pub fn invalid(errors: Vec<FieldError>) -> Self {
        let mut fault = Self::new(
            Code::ValidationFailed,
            "The request breaks the rules listed in `errors`; mend each and send it again.",
        );
        fault.0.errors = errors;
        fault
    }

    /// One field of the body breaks a rule.
    pub fn field(pointer: &str, code: &str, message: impl Into<String>) -> Self {
        Self::invalid(vec![FieldError::at(pointer, code, message)])
    }

    /// The state does not allow this action (specification: decisions, States).
    #[must_use]
    pub fn illegal(thing: &str, state: &str, action: &str, allowed: Vec<String>) -> Self {
        let now = if allowed.is_empty() { "nothing".to_owned() } else { allowed.join(", ") };
        let mut fault = Self::new(
            Code::IllegalTransition,
            format!("The {thing} is {state} and cannot take the action {action}. Allowed now: {now}."),
        );
        fault.0.allowed_actions = allowed;
        fault
    }

    /// The token lacks this scope.
    pub fn scope(needed: impl Into<String>) -> Self {
        let needed = needed.into();
        let mut fault = Self::new(
            Code::ScopeMissing,
            format!("This operation needs the scope {needed}. GET /v1/system/me shows the scopes your token carries."),
        );
        fault.0.required_scope = Some(needed);
        fault
    }

    /// A part the service needs is away.
    pub fn unavailable(detail: impl Into<String>) -> Self {
        Self::new(Code::Unavailable, detail).retry_after(1)
    }

    /// Our fault. What happened goes to the log, never to the caller.
    pub fn internal(cause: impl fmt::Display) -> Self {
        tracing::error!(cause = %cause, "a request failed");
        Self::new(
            Code::Internal,
            "Something went wrong on our side. Nothing was changed. Quote the request id when you report it.",
        )
    }

    /// What the call must leave in the audit log cannot be written.
    #[must_use]
    pub(crate) fn audit_unavailable() -> Self {
        Self::new(
            Code::AuditUnavailable,
            "This call must leave an audit record and none can be written now, so nothing was done. Try again shortly.",
        )
        .retry_after(5)
    }

    /// The answer to a COMMIT never came: it may have been done. No status that invites to send it again.
    pub(crate) fn unknown(cause: impl fmt::Display) -> Self {
        tracing::error!(cause = %cause, "whether a request was done is not known");
        let mut fault = Self::new(
            Code::Internal,
            "The connection to the database broke while this was being kept, so it may or may not have been done. Read \
             what it was about before you send it again; with the Idempotency-Key that it had, it is done at most once.",
        );
        fault.0.unknown = true;
        fault
    }

    /// The content.
    #[must_use]
    pub fn parts(&self) -> &Parts {
        &self.0
    }

    /// The content, to add to.
    pub fn parts_mut(&mut self) -> &mut Parts {
        &mut self.0
    }

    /// The stable code.
    #[must_use]
    pub fn code(&self) -> Code {
        self.0.code
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
        self.0.errors = errors;
        self
    }

    /// The same with an error code of RFC 6749 section 5.2.
    #[must_use]
    pub fn oauth(mut self, error: &'static str) -> Self {
        self.0.oauth_error = Some(error);
        self
    }

    /// The refusal leaves a trace: what the transaction wrote is committed.
    #[must_use]
    pub fn kept(mut self) -> Self {
        self.0.keep = true;
        self
    }

    /// The plan's limit is reached (specification: decisions, Tiers).
    #[must_use]
    pub fn entitlement(feature: &str, limit: i64, used: i64) -> Self {
        let mut fault = Self::new(
            Code::EntitlementExceeded,
            format!("Your plan allows {limit} of {feature} and {used} are in use. Remove one or change the plan."),
        );
        fault.0.entitlement = Some(Entitlement { feature: feature.to_owned(), limit, used });
        fault
    }

    /// Held back until a moment: too many failures.
    #[must_use]
    pub fn held_until(now: Time, until: Time) -> Self {
        // Rounded up: whoever waits as long as they are told must not come too early.
        let whole = until.seconds_since(now);
        let seconds = (whole + i64::from(now.plus_seconds(whole) < until)).max(1).unsigned_abs();
        let mut fault =
            Self::new(Code::RateLimited, format!("Too many failed tries. Wait {seconds} seconds and try again."));
        fault.0.retry_after = Some(seconds);
        fault.0.budget = Some("burst");
        fault
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
