//! Faults about a missing scope.

use super::{Fault, Reason};

/// Scope that an operation needs and the token does not have.
#[derive(Clone, Debug)]
pub struct MissingScope {
    /// The scope.
    pub scope: String,
    /// Why the token lacks it. `None` if another rule than the token's scopes rejects the call.
    pub because: Option<ScopeLack>,
    /// What would grant it: the roles for [`ScopeLack::Role`], the tiers for [`ScopeLack::Tier`], by their codes.
    pub granted_by: Vec<String>,
}

/// Reason why a token lacks a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScopeLack {
    /// The partner's tier does not grant it; the user's role or the machine client's allowed scopes do.
    Tier,
    /// The user's role does not grant it.
    Role,
    /// The operator has not allowed it for the machine client.
    Client,
    /// The machine client requested its token with fewer scopes than allowed.
    Token,
    /// A second factor is required, and the session has not confirmed one.
    SecondFactor,
    /// Accounts of this kind never have it: it is for staff, or for storefronts.
    Account,
}

impl ScopeLack {
    /// Returns the value in answers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tier => "TIER",
            Self::Role => "ROLE",
            Self::Client => "CLIENT",
            Self::Token => "TOKEN",
            Self::SecondFactor => "SECOND_FACTOR",
            Self::Account => "ACCOUNT",
        }
    }
}

impl MissingScope {
    /// Describes the problem, and the next step for the caller.
    #[must_use]
    pub fn describe(&self) -> String {
        let Self { scope, because, granted_by } = self;
        let of = |kind: &str| match granted_by.as_slice() {
            [] => String::new(),
            [only] => format!(" The {kind} {only} has it."),
            several => format!(" One of these {kind}s has it: {}.", several.join(", ")),
        };
        let why = match because {
            None => "GET /v1/system/me shows the scopes of your token.".to_owned(),
            Some(ScopeLack::Tier) => format!(
                "Your partner's tier does not include it.{} Change the tier with POST /v1/subscription/change-requests.",
                of("tier")
            ),
            Some(ScopeLack::Role) => {
                format!("Your role does not include it.{} An administrator can change your role.", of("role"))
            }
            Some(ScopeLack::Client) => {
                "The platform's operator has not allowed it for this machine client. Ask the operator to allow it."
                    .to_owned()
            }
            Some(ScopeLack::Token) => {
                "This machine client may have it, but the token was requested without it. Request a new token with it."
                    .to_owned()
            }
            Some(ScopeLack::SecondFactor) => {
                "You must have a second factor and this session has not confirmed one, so it can access only your own \
                 account. Enrol one with POST /v1/auth/mfa/totp and confirm it; if you have one, send a code to POST \
                 /v1/auth/sessions:reauthenticate."
                    .to_owned()
            }
            Some(ScopeLack::Account) => "Accounts of your kind cannot have it.".to_owned(),
        };
        format!("This operation requires the scope {scope}. {why}")
    }
}

impl Fault {
    /// The token lacks this scope.
    pub fn scope(needed: impl Into<String>) -> Self {
        let scope = needed.into();
        let detail =
            format!("This operation requires the scope {scope}. GET /v1/system/me shows the scopes of your token.");
        Self::of(Reason::ScopeMissing(MissingScope { scope, because: None, granted_by: Vec::new() }), detail)
    }

    /// The token lacks this scope for a known reason.
    #[must_use]
    pub fn missing_scope(missing: MissingScope) -> Self {
        let detail = missing.describe();
        Self::of(Reason::ScopeMissing(missing), detail)
    }

    /// For [`Code::ScopeMissing`]: a scope that would be sufficient.
    #[must_use]
    pub fn required_scope(&self) -> Option<&str> {
        self.scope_lack().map(|missing| missing.scope.as_str())
    }

    /// For [`Code::ScopeMissing`]: the scope, and why the token lacks it.
    #[must_use]
    pub fn scope_lack(&self) -> Option<&MissingScope> {
        if let Reason::ScopeMissing(missing) = &self.0.reason { Some(missing) } else { None }
    }

    /// Names what would grant the missing scope, for [`Code::ScopeMissing`].
    #[must_use]
    pub(crate) fn with_grants(mut self, granted_by: Vec<String>) -> Self {
        if let Reason::ScopeMissing(missing) = &mut self.0.reason {
            missing.granted_by = granted_by;
            self.0.detail = missing.describe();
        }
        self
    }
}
