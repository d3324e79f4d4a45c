//! The codes of refusals and failures.

/// Every code the service answers with (docs/decisions.md#errors).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// What was asked for has another address now.
    Moved,
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
    /// What is a person's is asked for by a program.
    PersonRequired,
    /// What only its author may do is asked for by somebody else.
    AuthorRequired,
    /// The password or second factor must be given again first.
    ReauthenticationRequired,
    /// The e-mail address is not verified yet.
    EmailUnverified,
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
    /// `Range` begins behind the last byte.
    RangeNotSatisfiable,
    /// `If-Match` names another state.
    PreconditionFailed,
    /// A feed's cursor that is older than what is kept, or another database's.
    CursorExpired,
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
            Self::Moved => "MOVED",
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
            Self::PersonRequired => "PERSON_REQUIRED",
            Self::AuthorRequired => "AUTHOR_REQUIRED",
            Self::ReauthenticationRequired => "REAUTHENTICATION_REQUIRED",
            Self::EmailUnverified => "EMAIL_UNVERIFIED",
            Self::AccountLocked => "ACCOUNT_LOCKED",
            Self::PartnerSuspended => "PARTNER_SUSPENDED",
            Self::NetworkDenied => "NETWORK_DENIED",
            Self::NotFound => "NOT_FOUND",
            Self::MethodNotAllowed => "METHOD_NOT_ALLOWED",
            Self::NotAcceptable => "NOT_ACCEPTABLE",
            Self::PayloadTooLarge => "PAYLOAD_TOO_LARGE",
            Self::UnsupportedMediaType => "UNSUPPORTED_MEDIA_TYPE",
            Self::RangeNotSatisfiable => "RANGE_NOT_SATISFIABLE",
            Self::PreconditionFailed => "PRECONDITION_FAILED",
            Self::CursorExpired => "CURSOR_EXPIRED",
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
