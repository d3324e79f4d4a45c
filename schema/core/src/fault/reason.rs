//! Reasons of rejections and failures, with the data that answers need.

use super::{Code, MissingScope};

/// Reason of a rejection or failure. Each reason contains exactly the data that its code promises.
#[derive(Clone, Debug)]
pub enum Reason {
    /// The code is sufficient.
    Code(Code),
    /// Fields of the request are invalid.
    Fields {
        /// [`Code::ValidationFailed`], or another code that can name fields.
        code: Code,
        /// The fields, each with a JSON pointer or a parameter name.
        errors: Vec<FieldError>,
    },
    /// The access token in the request is not valid (RFC 6750, section 3.1).
    InvalidToken(Code),
    /// The state does not allow this action; it allows these.
    IllegalTransition(Vec<String>),
    /// The token does not have this scope.
    ScopeMissing(MissingScope),
    /// This budget is spent.
    RateLimited(SpentBudget),
    /// The tier's limit is reached.
    EntitlementExceeded(Entitlement),
    /// The second factor is required.
    MfaRequired(Challenge),
    /// The requested object has another address now.
    Moved(Moved),
    /// The requested range is not available; the length is this many bytes.
    RangeNotSatisfiable(u64),
}

impl Reason {
    /// Returns the stable code.
    #[must_use]
    pub const fn code(&self) -> Code {
        match self {
            Self::Code(code) | Self::Fields { code, .. } | Self::InvalidToken(code) => *code,
            Self::IllegalTransition(_) => Code::IllegalTransition,
            Self::ScopeMissing(_) => Code::ScopeMissing,
            Self::RateLimited(_) => Code::RateLimited,
            Self::EntitlementExceeded(_) => Code::EntitlementExceeded,
            Self::MfaRequired(_) => Code::MfaRequired,
            Self::Moved(_) => Code::Moved,
            Self::RangeNotSatisfiable(_) => Code::RangeNotSatisfiable,
        }
    }
}

/// Budget that is spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpentBudget {
    /// The budget per second, minute or hour.
    Burst,
    /// The daily budget.
    Daily,
}

impl SpentBudget {
    /// Returns the value in answers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Burst => "burst",
            Self::Daily => "daily",
        }
    }
}

/// Limit of a tier and its current use.
#[derive(Clone, Debug)]
pub struct Entitlement {
    /// Feature code, for example `apps`.
    pub feature: String,
    /// The effective limit.
    pub limit: i64,
    /// The current use.
    pub used: i64,
}

/// Challenge of a sign-in that requires the second factor, for the next call.
#[derive(Clone, Debug)]
pub struct Challenge {
    /// Opaque and single-use; the client returns it with the code.
    pub challenge: String,
    /// Seconds until the challenge expires.
    pub expires_in: i64,
    /// `TOTP`, `RECOVERY_CODE`.
    pub methods: Vec<&'static str>,
}

/// Current address of an object that was requested under a former one.
#[derive(Clone, Debug)]
pub struct Moved {
    /// Path parameter with the former value.
    pub parameter: &'static str,
    /// Current value of the parameter.
    pub present: String,
}

/// Invalid field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// RFC 6901 pointer into the body.
    pub pointer: Option<String>,
    /// Name of the query, path or header parameter.
    pub parameter: Option<String>,
    /// Stable code of this error, for example `TOO_LONG`.
    pub code: String,
    /// Advice on how to fix the field.
    pub message: String,
}

impl FieldError {
    /// Creates an error in a field of the body.
    pub fn at(pointer: impl Into<String>, code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { pointer: Some(pointer.into()), parameter: None, code: code.into(), message: message.into() }
    }

    /// Creates an error in a parameter.
    pub fn of(parameter: impl Into<String>, code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { pointer: None, parameter: Some(parameter.into()), code: code.into(), message: message.into() }
    }
}
