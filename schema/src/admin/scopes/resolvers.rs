//! What may be asked about scopes, and by whom.

use async_graphql::{Context, Object, SimpleObject};
use serde_json::json;

use crate::access::{access, scoped};
use crate::ask::Asking;
use crate::fault::Fault;
use crate::page::{CountedList, CountedPage, Window};
use crate::scope::{Scope, ScopeSet};

/// Scopes on a page of the tree, which fits on one.
const SCOPES_A_PAGE: i32 = 100;

/// A scope and what it opens.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct ScopeEntry {
    /// The scope.
    scope: String,
    /// The scope right above it; null at the top.
    parent: Option<String>,
    /// Whether it opens writes.
    write: bool,
    /// Whether it is of the operator's domain, which nothing bound to a partner can hold.
    staff: bool,
    /// Whether the caller holds it, and so may grant it.
    held: bool,
    /// The operations that its holder reaches, in alphabetical order.
    operations: Vec<ScopeOperation>,
}

/// An operation that a scope opens.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct ScopeOperation {
    /// Its id.
    operation_id: String,
    /// The scope that it asks for.
    required_scope: String,
}

/// Reads of scopes.
#[derive(Default)]
pub(crate) struct ScopesQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl ScopesQuery {
    /// The tree of scopes, with the operations that each opens.
    #[graphql(directive = access::apply("labs.admin.staff".into()))]
    #[expect(clippy::too_many_arguments, reason = "one argument per query parameter of the contract")]
    async fn admin_scopes_list(
        &self,
        ctx: &Context<'_>,
        q: Option<String>,
        staff: Option<bool>,
        operation_id: Option<String>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<ScopeEntry>>, Fault> {
        let (ask, list) = (ctx.ask(), "admin_scopes_list");
        let (own, limit) = (ask.principal()?.scopes, limit.or(Some(SCOPES_A_PAGE)));
        let window = Window::read(&ask.services.cursors, list, &(&q, staff, &operation_id), limit, cursor.as_deref())?;
        let after: Option<usize> = window.key(0)?;
        let found: Vec<(usize, Scope)> = Scope::all()
            .enumerate()
            .filter(|(_, scope)| staff.is_none_or(|staff| scope.is_admin() == staff))
            .filter(|(_, scope)| q.as_deref().is_none_or(|text| scope.to_string().contains(&text.to_lowercase())))
            .filter(|(_, scope)| operation_id.as_deref().is_none_or(|id| opens(*scope, id)))
            .collect();
        let total = (include_total == Some(true)).then_some(found.len()).and_then(|total| i64::try_from(total).ok());
        let rows = found.into_iter().filter(|(place, _)| after.is_none_or(|after| *place > after)).collect();
        let (rows, page) = window.cut(rows, |(place, _)| vec![json!(place)]);
        let data = rows.into_iter().map(|(_, scope)| entry(scope, own)).collect();
        ask.answer_list(CountedList { data, page: CountedPage::of(page, total) })
    }
}

fn opens(scope: Scope, operation_id: &str) -> bool {
    scoped().iter().any(|(name, needed)| name == operation_id && scope.grants(*needed))
}

fn entry(scope: Scope, own: ScopeSet) -> ScopeEntry {
    let opened = scoped().iter().filter(|(_, needed)| scope.grants(*needed));
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
