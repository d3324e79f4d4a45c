//! Who may ask a root field, declared beside its resolver and readable from the SDL.
//!
//! Specification: platform, Scope rules 1 (default deny); decisions, Access column.

use async_graphql::TypeDirective;

use crate::scope::Scope;

pub use directive::access;

mod directive {
    #![expect(missing_docs, reason = "the macro makes items that it gives no documentation")]

    use super::TypeDirective;

    /// The `@access` directive: who may ask this field. A root field without one is never answered.
    ///
    /// Written beside a resolver as `#[graphql(directive = access::apply("marketplace.apps:write".into()))]`.
    #[TypeDirective(location = "FieldDefinition")]
    pub fn access(needs: String) {}
}

/// Who may ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// No token.
    Public,
    /// Every valid token.
    Any,
    /// The refresh cookie; the resolver checks it.
    Cookie,
    /// Client id and secret; the resolver checks them.
    Client,
    /// A token that reaches this scope.
    Scope(Scope),
}

impl Access {
    /// Reads the directive's value; `None` when it names nothing known.
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

    /// The scope that is needed, when one is.
    #[must_use]
    pub fn scope(self) -> Option<Scope> {
        match self {
            Self::Scope(scope) => Some(scope),
            _ => None,
        }
    }

    /// Whether every call leaves an audit record (specification: decisions, Audit): the admin group,
    /// and every operation under a scope of the operator's domain.
    #[must_use]
    pub fn is_audited(self, operation: &str) -> bool {
        operation.starts_with("admin_") || self.scope().is_some_and(Scope::is_admin)
    }
}
