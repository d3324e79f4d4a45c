//! Who may ask a root field, declared beside its resolver and readable from the SDL.
//!
//! Rule: docs/decisions.md#principals (default deny).

use std::sync::OnceLock;

use async_graphql::TypeDirective;

use crate::core::audit_target::AuditTargetKind;
use crate::core::engine::RootField;
use crate::core::scope::Scope;

pub use directive::access;
pub(crate) use directive::{
    answers_file, audit_hashed, audit_partner, audit_target, batched, edge, hidden_from_partner, may_lag, partner_reads,
};

mod directive {
    #![expect(missing_docs, reason = "the macro makes items that it gives no documentation")]

    use super::{AuditTargetKind, TypeDirective};

    /// The `@access` directive: who may ask this field. A root field without one is never answered.
    ///
    /// Written beside a resolver as `#[graphql(directive = access::apply("marketplace.apps:write".into()))]`.
    #[TypeDirective(location = "FieldDefinition")]
    pub fn access(needs: String) {}

    /// The `@batched` directive: a read that is quick. Calls of it that leave an audit record and come at the same
    /// moment are read in one transaction.
    #[TypeDirective(location = "FieldDefinition")]
    pub fn batched() {}

    /// The `@may_lag` directive: a read without an audit record whose answer may be up to a second old, so that a read replica of
    /// the database may give it.
    #[TypeDirective(location = "FieldDefinition")]
    pub fn may_lag() {}

    /// The `@answers_file` directive: the answer is a file, which only the REST API can deliver.
    #[TypeDirective(location = "FieldDefinition")]
    pub fn answers_file() {}

    /// The `@audit_target` directive: the kind of thing that an audit record of the field is about, and the argument that
    /// names it.
    #[TypeDirective(location = "FieldDefinition")]
    pub fn audit_target(kind: AuditTargetKind, argument: String) {}

    /// The `@audit_partner` directive: the argument that names the partner whom an audit record of the field concerns.
    #[TypeDirective(location = "FieldDefinition")]
    pub fn audit_partner(argument: String) {}

    /// The `@audit_hashed` directive: the argument that may be somebody's e-mail address, which an audit record holds as its
    /// hash.
    #[TypeDirective(location = "FieldDefinition")]
    pub fn audit_hashed(argument: String) {}

    /// The `@partner_reads` directive: the argument whose text the partner concerned may read. Without it, what staff write
    /// in a reason or a note is for staff only.
    #[TypeDirective(location = "FieldDefinition")]
    pub fn partner_reads(argument: String) {}

    /// The `@hidden_from_partner` directive: the partner concerned does not learn that the operation was called.
    #[TypeDirective(location = "FieldDefinition")]
    pub fn hidden_from_partner() {}

    /// The `@edge` directive: a field that leads to another thing. Staff's own queries follow it; no fixed document
    /// does. Whoever follows it needs the scope of the root field that reads the same, and leaves its record. Where a
    /// union is at its end, each root field stands behind the type that it reads: `User: admin_users_get`.
    #[TypeDirective(location = "FieldDefinition")]
    pub fn edge(reads: Vec<String>) {}
}

/// Every root field with the scope it needs, as the schema of this process declares them.
static SCOPED: OnceLock<Vec<(String, Scope)>> = OnceLock::new();

/// The operations under `labs.admin` whose records partners see, as the schema of this process declares them.
static DISCLOSED: OnceLock<Disclosed> = OnceLock::new();

/// What the audit log's records disclose to the partner concerned. An operation that the schema does not have, because an
/// earlier or later version recorded it, discloses nothing.
#[derive(Debug, Default)]
pub(crate) struct Disclosed {
    /// The operations whose records the partner sees, in alphabetical order.
    pub(crate) operations: Vec<String>,
    /// Those of them whose reason the partner reads.
    pub(crate) reasons: Vec<String>,
}

/// Stores what the schema declares, in alphabetical order. The schema is the same however often it is built.
pub(crate) fn declare<'a>(roots: impl Iterator<Item = &'a RootField> + Clone) {
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

/// What records disclose to the partner concerned: nothing before the schema is built.
pub(crate) fn list_disclosed() -> &'static Disclosed {
    static NOTHING: Disclosed = Disclosed { operations: Vec::new(), reasons: Vec::new() };
    DISCLOSED.get().unwrap_or(&NOTHING)
}

impl Disclosed {
    /// Whether the partner concerned reads the reason in a record of this operation.
    pub(crate) fn is_reason_disclosed(&self, operation: &str) -> bool {
        self.reasons.binary_search_by(|known| known.as_str().cmp(operation)).is_ok()
    }
}

/// Every operation that needs a scope, in alphabetical order.
pub(crate) fn list_scoped() -> &'static [(String, Scope)] {
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

    /// Whether every call leaves an audit record (docs/decisions.md#audit): every operation under a scope of
    /// the operator's domain, among them the whole admin group.
    #[must_use]
    pub fn is_audited(self) -> bool {
        self.scope().is_some_and(Scope::is_admin)
    }
}
