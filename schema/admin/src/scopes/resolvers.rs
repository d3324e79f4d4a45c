//! Operations on scopes and the scopes that they require.

use labs_core::access::list_scoped;
use labs_core::context::RequestContext;
use labs_core::describe::OutputType;
use labs_core::fault::Fault;
use labs_core::list::{PageRequest, page_in_memory};
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;
use labs_core::scope::{Scope, ScopeSet};

use super::list::{OPERATION, SCOPES_A_PAGE, ScopeFilter};

/// A scope and the operations to which it gives access.
#[derive(serde::Serialize, OutputType)]
pub(super) struct ScopeEntry {
    /// Name of the scope.
    scope: String,
    /// Scope directly above, with the same access level. Null for a top-level scope.
    parent: Option<String>,
    /// Whether the scope gives write access.
    write: bool,
    /// Whether the scope is under `labs.admin`. A principal that is bound to a partner cannot hold a scope under
    /// `labs.admin`.
    staff: bool,
    /// Whether the caller holds the scope and can therefore grant it.
    held: bool,
    /// Every operation to which the scope or a child scope gives access, in alphabetical order.
    operations: Vec<ScopeOperation>,
}

/// An operation to which a scope gives access.
#[derive(serde::Serialize, OutputType)]
pub(super) struct ScopeOperation {
    /// Operation id in this contract.
    operation_id: String,
    /// Scope that the operation requires.
    required_scope: String,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![admin_scopes_list];

/// List scopes.
#[operation(query, access = "labs.admin.staff")]
async fn admin_scopes_list(
    cx: &RequestContext,
    filter: Option<ScopeFilter>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<ScopeEntry>, Fault> {
    let filter = filter.unwrap_or_default();
    let (own, request) = (cx.principal()?.scopes, PageRequest::new(None, limit.or(Some(SCOPES_A_PAGE)), cursor));
    let rows = page_in_memory(cx, OPERATION, &filter, &request, filter.scopes())?;
    let total = (include_total == Some(true)).then(|| i64::try_from(filter.scopes().count()));
    let total = total.transpose().map_err(Fault::internal)?;
    Ok(rows.map(|scope| Ok(entry(scope, own)))?.counted_list(total))
}

fn entry(scope: Scope, own: ScopeSet) -> ScopeEntry {
    let opened = list_scoped().iter().filter(|(_, needed)| scope.grants(*needed));
    ScopeEntry {
        scope: scope.to_string(),
        parent: scope.parent().map(|parent| parent.to_string()),
        write: scope.is_write(),
        staff: scope.is_admin(),
        held: own.reaches(scope),
        operations: opened
            .map(|(name, needed)| ScopeOperation { operation_id: name.clone(), required_scope: needed.to_string() })
            .collect(),
    }
}
