//! Codes of rejections and failures.

/// Code of every fault that the service returns (docs/decisions/api.md#problem-documents).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// The requested object has another address now.
    Moved,
    /// The request cannot be read.
    MalformedRequest,
    /// The cursor does not belong to this list and filter.
    InvalidCursor,
    /// The request has no valid token.
    Unauthenticated,
    /// The token has expired.
    TokenExpired,
    /// The token was revoked.
    TokenRevoked,
    /// The e-mail address, password, client id, client secret or code is wrong.
    InvalidCredentials,
    /// The password is correct; the second factor is required.
    MfaRequired,
    /// A used refresh token was presented; its session family is ended.
    RefreshReused,
    /// The token does not have the scope.
    ScopeMissing,
    /// The partner in the path is not the token's partner.
    PartnerMismatch,
    /// A machine client called an operation that is only for users.
    PersonRequired,
    /// A caller other than the author called an operation that is only for the author.
    AuthorRequired,
    /// The user must enter the password or second factor again first.
    ReauthenticationRequired,
    /// The e-mail address is not verified yet.
    EmailUnverified,
    /// Staff or failed attempts have locked this account.
    AccountLocked,
    /// The partner is suspended, closed or erased.
    PartnerSuspended,
    /// The caller's network is denied.
    NetworkDenied,
    /// The object does not exist, or the caller may not see it.
    NotFound,
    /// The path does not support this method.
    MethodNotAllowed,
    /// None of the requested representations is available.
    NotAcceptable,
    /// The request is larger than the limit.
    PayloadTooLarge,
    /// The operation does not accept the media type of the body.
    UnsupportedMediaType,
    /// `Range` begins after the last byte.
    RangeNotSatisfiable,
    /// `If-Match` names another revision.
    PreconditionFailed,
    /// The cursor of a feed is older than the stored history, or belongs to another database.
    CursorExpired,
    /// The request conflicts with the current data.
    Conflict,
    /// The state does not allow this action.
    IllegalTransition,
    /// The tier's limit is reached.
    EntitlementExceeded,
    /// A request with the same key is in progress.
    IdempotencyInProgress,
    /// The content is invalid.
    ValidationFailed,
    /// The key was used for another request.
    IdempotencyKeyReused,
    /// A budget is spent.
    RateLimited,
    /// Internal error.
    Internal,
    /// A component does not answer; retry later.
    Unavailable,
    /// The audit record could not be written, so the call had no effect.
    AuditUnavailable,
    /// A statement or a playground query ran into its time limit.
    QueryTimeout,
}

impl Code {
    /// Returns the name in answers, for example `SCOPE_MISSING`.
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
            Self::QueryTimeout => "QUERY_TIMEOUT",
        }
    }

    /// Whether the service has to fix the cause, not the caller.
    #[must_use]
    pub const fn is_failure(self) -> bool {
        matches!(self, Self::Internal | Self::Unavailable | Self::AuditUnavailable | Self::QueryTimeout)
    }
}
