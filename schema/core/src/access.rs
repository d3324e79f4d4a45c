//! Access rules of the root fields. Each rule is declared with its operation and is readable in the SDL.
//!
//! Rule: docs/decisions/access.md#default-deny (default deny).

use std::sync::OnceLock;

use crate::engine::RootField;
use crate::scope::Scope;

/// Every root field with the scope that it needs, as declared by the schema of this process.
static SCOPED: OnceLock<Vec<(String, Scope)>> = OnceLock::new();

/// Operations under `labs.admin` whose records partners can see, as declared by the schema of this process.
static DISCLOSED: OnceLock<Disclosed> = OnceLock::new();

/// Parts of the audit log that the partner concerned can see. An operation that the schema does not have, because an
/// earlier or later version recorded it, discloses nothing.
#[derive(Debug, Default)]
pub struct Disclosed {
    /// Operations whose records the partner can see, in alphabetical order.
    pub operations: Vec<String>,
    /// Subset of the operations whose reason the partner can read.
    pub reasons: Vec<String>,
}

/// Stores the declarations of the schema in alphabetical order. Every build of the schema declares the same, so only
/// the first call stores them.
pub fn declare<'a>(roots: impl Iterator<Item = &'a RootField> + Clone) {
    SCOPED.get_or_init(|| {
        let scoped = roots.clone().filter_map(|root| Some((root.name.clone(), root.access.scope()?)));
        let mut scoped: Vec<(String, Scope)> = scoped.collect();
        scoped.sort_unstable();
        scoped
    });
    DISCLOSED.get_or_init(|| {
        let disclosed = roots.filter(|root| root.is_audited && !root.is_hidden);
        let mut disclosed: Vec<(String, bool)> =
            disclosed.map(|root| (root.name.clone(), root.shown_reason.is_some())).collect();
        disclosed.sort_unstable();
        let reasons = disclosed.iter().filter(|(_, is_shown)| *is_shown).map(|(name, _)| name.clone()).collect();
        Disclosed { operations: disclosed.into_iter().map(|(name, _)| name).collect(), reasons }
    });
}

/// Returns the parts of the audit log that partners can see. Empty before the schema is built.
pub fn list_disclosed() -> &'static Disclosed {
    static NOTHING: Disclosed = Disclosed { operations: Vec::new(), reasons: Vec::new() };
    DISCLOSED.get().unwrap_or(&NOTHING)
}

impl Disclosed {
    /// Whether the partner concerned can read the reason in a record of this operation.
    pub fn is_reason_disclosed(&self, operation: &str) -> bool {
        self.reasons.binary_search_by(|known| known.as_str().cmp(operation)).is_ok()
    }
}

/// Returns every operation that needs a scope, in alphabetical order.
pub fn list_scoped() -> &'static [(String, Scope)] {
    SCOPED.get().map(Vec::as_slice).unwrap_or_default()
}

/// Credential or scope that a call of a root field needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// No token is needed.
    Public,
    /// Any valid token.
    Any,
    /// The refresh cookie; the resolver checks it.
    Cookie,
    /// Client id and client secret; the resolver checks them.
    Client,
    /// A token that grants this scope.
    Scope(Scope),
}

impl Access {
    /// Parses the value of the directive. `None` if the value is unknown.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "public" => Some(Self::Public),
            "any" => Some(Self::Any),
            "cookie" => Some(Self::Cookie),
            "client" => Some(Self::Client),
            scope => Scope::parse(scope).map(Self::Scope),
        }
    }

    /// Returns the scope that is needed, if any.
    #[must_use]
    pub fn scope(self) -> Option<Scope> {
        match self {
            Self::Scope(scope) => Some(scope),
            _ => None,
        }
    }

    /// Whether every call leaves an audit record (docs/decisions/audit.md#audited-operations). True for every operation
    /// under a scope of the operator's domain, which includes the whole admin group.
    #[must_use]
    pub fn is_audited(self) -> bool {
        self.scope().is_some_and(Scope::is_admin)
    }
}
