//! Who may ask a root field, declared beside its resolver and readable from the SDL.
//!
//! Specification: platform, Scope rules 1 (default deny); decisions, Access column.

use std::sync::OnceLock;

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

/// Every root field with the scope it needs, as the schema of this process declares them.
static SCOPED: OnceLock<Vec<(String, Scope)>> = OnceLock::new();

/// Keeps what the schema declares, in alphabetical order. The schema is the same however often it is built.
pub(crate) fn declare<'a>(roots: impl Iterator<Item = (&'a String, Access)>) {
    SCOPED.get_or_init(|| {
        let mut scoped: Vec<(String, Scope)> =
            roots.filter_map(|(name, needs)| Some((name.clone(), needs.scope()?))).collect();
        scoped.sort_unstable();
        scoped
    });
}

/// Every operation that needs a scope, in alphabetical order.
pub(crate) fn scoped() -> &'static [(String, Scope)] {
    SCOPED.get().map(Vec::as_slice).unwrap_or_default()
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
