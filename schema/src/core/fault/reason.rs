//! Why a request is refused or failed, with what its reader needs of it.

use super::Code;

/// Why a request is refused or failed. Each reason carries what its code promises and no more.
#[derive(Clone, Debug)]
pub enum Reason {
    /// The code says it all.
    Code(Code),
    /// Something is wrong at these places of the request.
    Fields {
        /// [`Code::ValidationFailed`], or another code that can name places.
        code: Code,
        /// The places, each with a JSON pointer or a parameter's name.
        errors: Vec<FieldError>,
    },
    /// An access token came and is no good (RFC 6750, section 3.1).
    InvalidToken(Code),
    /// The state does not allow this action; these it does.
    IllegalTransition(Vec<String>),
    /// The token lacks this scope.
    ScopeMissing(String),
    /// This budget is spent.
    RateLimited(SpentBudget),
    /// The plan's limit is reached.
    EntitlementExceeded(Entitlement),
    /// The second factor is awaited.
    MfaRequired(Challenge),
    /// What was asked for has another address now.
    Moved(Moved),
    /// A part was asked for that is not there; there are so many bytes.
    RangeNotSatisfiable(u64),
}

impl Reason {
    /// The stable code.
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

/// Which budget is spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpentBudget {
    /// That of a second, a minute or an hour.
    Burst,
    /// The day's.
    Daily,
}

impl SpentBudget {
    /// The word in answers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Burst => "burst",
            Self::Daily => "daily",
        }
    }
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

/// Where something is found that had another address before.
#[derive(Clone, Debug)]
pub struct Moved {
    /// The parameter of the path that named it.
    pub parameter: &'static str,
    /// What names it now.
    pub present: String,
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
