//! Access rules of the root fields. Each rule is declared on its resolver and is readable in the SDL.
//!
//! Rule: docs/decisions/access.md#default-deny (default deny).

use std::sync::OnceLock;

use async_graphql::TypeDirective;

use crate::audit_target::AuditTargetKind;
use crate::engine::RootField;
use crate::scope::Scope;

pub use directive::access;
pub use directive::{
    answers_file, audit_hashed, audit_partner, audit_target, batched, edge, hidden_from_partner, may_lag,
    partner_reads, reusable,
};

mod directive {
    #![expect(missing_docs, reason = "the macro generates items without documentation")]

    use super::{AuditTargetKind, TypeDirective};

    /// The `@access` directive: the credential or scope that a call of this field needs. The service never answers a
    /// root field without it.
    ///
    /// Written above a resolver as `#[graphql(directive = access::apply("marketplace.apps:write".into()))]`.
    #[TypeDirective(location = "FieldDefinition")]
    pub fn access(needs: String) {}

    /// The `@batched` directive: marks a fast read. Concurrent calls that leave an audit record are read in one
    /// transaction.
    #[TypeDirective(location = "FieldDefinition")]
    pub fn batched() {}

    /// The `@may_lag` directive: marks a read without an audit record whose answer may be up to a second old, so that a
    /// read replica may answer it.
    #[TypeDirective(location = "FieldDefinition")]
    pub fn may_lag() {}

    /// The `@reusable` directive: marks a read whose answer does not depend on the caller and changes only with the
    /// public content of this topic (table `public_revision`). REST may answer from memory for this many seconds, as
    /// long as the topic's revision is the same. Parts of an answer that depend on other things may be as old.
    #[TypeDirective(location = "FieldDefinition")]
    pub fn reusable(topic: String, seconds: i32) {}

    /// The `@answers_file` directive: the answer is a file, which only the REST API can deliver.
    #[TypeDirective(location = "FieldDefinition")]
    pub fn answers_file() {}

    /// The `@audit_target` directive: the target kind of the field's audit records, and the argument that identifies
    /// the target.
    #[TypeDirective(location = "FieldDefinition")]
    pub fn audit_target(kind: AuditTargetKind, argument: String) {}

    /// The `@audit_partner` directive: the argument that identifies the partner concerned in the field's audit records.
    #[TypeDirective(location = "FieldDefinition")]
    pub fn audit_partner(argument: String) {}

    /// The `@audit_hashed` directive: the argument that can contain a user's e-mail address. The audit record stores
    /// its hash.
    #[TypeDirective(location = "FieldDefinition")]
    pub fn audit_hashed(argument: String) {}

    /// The `@partner_reads` directive: the argument whose text the partner concerned may read. Without it, only staff
    /// can read the text of a reason or note.
    #[TypeDirective(location = "FieldDefinition")]
    pub fn partner_reads(argument: String) {}

    /// The `@hidden_from_partner` directive: the partner concerned does not see that the operation was called.
    #[TypeDirective(location = "FieldDefinition")]
    pub fn hidden_from_partner() {}

    /// The `@edge` directive: a field that links to another object. Only a staff member's own query can follow it;
    /// fixed documents cannot. The caller needs the scope of the root field that reads the same object, and the query
    /// leaves that root field's audit record. If the field returns a union, each root field is listed after the type
    /// that it reads: `User: admin_users_get`.
    #[TypeDirective(location = "FieldDefinition")]
    pub fn edge(reads: Vec<String>) {}
}

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
