//! The list of scopes, which is in memory, with its filter.

use labs_core::access::list_scoped;
use labs_core::describe::InputType;
use labs_core::scope::Scope;
use serde::Serialize;

/// Operation id of the list.
pub(super) const OPERATION: &str = "admin_scopes_list";
/// Scopes per page. The whole tree fits on one page.
pub(super) const SCOPES_A_PAGE: i32 = 100;

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub(super) struct ScopeFilter {
    q: Option<String>,
    staff: Option<bool>,
    operation_id: Option<String>,
}

impl ScopeFilter {
    /// Returns the matching scopes, each with its position among all scopes.
    pub(super) fn scopes(&self) -> impl Iterator<Item = (usize, Scope)> {
        Scope::all().enumerate().filter(|(_, scope)| self.is_visible(*scope))
    }

    fn is_visible(&self, scope: Scope) -> bool {
        self.staff.is_none_or(|staff| scope.is_admin() == staff)
            && self.q.as_deref().is_none_or(|text| scope.to_string().contains(&text.to_lowercase()))
            && self.operation_id.as_deref().is_none_or(|operation| is_opened_by(scope, operation))
    }
}

fn is_opened_by(scope: Scope, operation_id: &str) -> bool {
    list_scoped().iter().any(|(name, needed)| name == operation_id && scope.grants(*needed))
}
