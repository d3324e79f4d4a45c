//! Rules for the scopes of a role and for the callers who may change them.

use labs_core::fault::{Fault, FieldError};
use labs_core::scope::{Scope, ScopeSet};

/// Scope that includes every right to manage the service. At least one role always includes it.
const WHOLE: &str = "labs.admin:write";

/// Returns the shortest list of scopes that covers `wanted`, in alphabetical order. Roles contain only scopes under
/// `labs.admin`. `own` are the caller's scopes. `held` are the role's current scopes, which it may keep. A caller
/// cannot grant scopes that they lack.
pub(super) fn scopes(wanted: &[String], own: ScopeSet, held: ScopeSet, errors: &mut Vec<FieldError>) -> Vec<String> {
    let grantable = own.union(held);
    let mut known = Vec::with_capacity(wanted.len());
    for (place, name) in wanted.iter().enumerate() {
        match scope(name, grantable) {
            Ok(scope) => known.push(scope),
            Err((code, message)) => errors.push(FieldError::at(format!("/scopes/{place}"), code, message)),
        }
    }
    let mut names = ScopeSet::of(known).names();
    names.sort_unstable();
    names
}

fn scope(name: &str, grantable: ScopeSet) -> Result<Scope, (&'static str, &'static str)> {
    let scope = Scope::parse(name)
        .ok_or(("UNKNOWN_SCOPE", "This scope does not exist. GET /v1/admin/scopes lists all scopes."))?;
    if !scope.is_admin() {
        return Err(("NOT_OF_STAFF", "A staff role may contain only scopes under labs.admin."));
    }
    if !grantable.reaches(scope) {
        return Err(("SCOPE_BEYOND_YOURS", "You can add to a role only scopes that you hold yourself."));
    }
    Ok(scope)
}

/// Normalizes a text as it is stored.
pub(super) fn name(text: &str, errors: &mut Vec<FieldError>) -> String {
    let name = text.trim();
    if name.is_empty() {
        errors.push(FieldError::at("/name", "LENGTH", "Send a name of 1 to 80 characters."));
    }
    name.to_owned()
}

/// Rejects removing scopes from a role that the caller lacks. A caller who cannot add a scope again must not remove it.
///
/// # Errors
/// [`labs_core::Code::ScopeMissing`], naming the first scope that the caller lacks.
pub(super) fn ensure_may_revoke(own: ScopeSet, before: ScopeSet, after: ScopeSet) -> Result<(), Fault> {
    match before.without(after).minimal().into_iter().find(|scope| !own.reaches(*scope)) {
        Some(scope) => Err(Fault::scope(scope.to_string())),
        None => Ok(()),
    }
}

/// Whether a change removes the whole of `labs.admin:write` from a role.
pub(super) fn is_losing_full_access(before: ScopeSet, after: ScopeSet) -> bool {
    Scope::parse(WHOLE).is_some_and(|whole| before.reaches(whole) && !after.reaches(whole))
}

/// Rejects a change of the scopes of the caller's own role.
///
/// # Errors
/// [`labs_core::Code::Conflict`] if the caller holds the role.
pub(super) fn ensure_not_own(is_holder: bool) -> Result<(), Fault> {
    if is_holder {
        return Err(Fault::conflict(
            "You hold this role, and you cannot change your own rights. Ask another staff member, or change only its \
             name.",
        ));
    }
    Ok(())
}

/// Rejects the deletion of a role with holders.
///
/// # Errors
/// [`labs_core::Code::Conflict`] if the role has holders.
pub(super) fn ensure_unused(holders: i64) -> Result<(), Fault> {
    if holders > 0 {
        return Err(Fault::conflict(format!(
            "This role has {holders} holders, including disabled ones. Remove the role from them first."
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use labs_core::fault::Code;

    fn judged(wanted: &[&str], own: &[&str], held: &[&str]) -> Result<Vec<String>, Vec<String>> {
        let wanted: Vec<String> = wanted.iter().map(ToString::to_string).collect();
        let set = |names: &[&str]| ScopeSet::parse(names.iter().copied());
        let mut errors = Vec::new();
        let scopes = scopes(&wanted, set(own), set(held), &mut errors);
        if errors.is_empty() { Ok(scopes) } else { Err(errors.into_iter().map(|error| error.code).collect()) }
    }

    #[test]
    fn role_scopes_are_limited_to_scopes_of_caller() {
        let own = ["labs.admin.staff:write", "labs.admin.audit"];
        assert_eq!(judged(&["labs.admin.audit", "labs.admin.staff"], &own, &[]).unwrap().len(), 2);
        for beyond in ["labs.admin", "labs.admin:write", "labs.admin.audit:write", "labs.admin.tiers"] {
            assert_eq!(judged(&[beyond], &own, &[]), Err(vec!["SCOPE_BEYOND_YOURS".to_owned()]), "{beyond}");
        }
    }

    #[test]
    fn existing_role_scope_may_stay() {
        let own = ["labs.admin.staff:write"];
        assert!(judged(&["labs.admin.tiers"], &own, &["labs.admin.tiers:write"]).is_ok());
        assert!(judged(&["labs.admin.tiers:write"], &own, &["labs.admin.tiers"]).is_err());
    }

    #[test]
    fn caller_cannot_remove_scopes_beyond_own_from_role() {
        let set = |names: &[&str]| ScopeSet::parse(names.iter().copied());
        let own = set(&["labs.admin.staff:write", "labs.admin.audit"]);
        let lacking = |before: &[&str], after: &[&str]| {
            ensure_may_revoke(own, set(before), set(after))
                .err()
                .and_then(|fault| fault.required_scope().map(str::to_owned))
        };
        assert_eq!(lacking(&["labs.admin.audit", "labs.admin.tiers"], &["labs.admin.tiers"]), None);
        assert_eq!(lacking(&["labs.admin.staff:write"], &[]), None);
        assert_eq!(
            lacking(&["labs.admin.tiers:write"], &["labs.admin.tiers"]).as_deref(),
            Some("labs.admin.tiers:write")
        );
        assert_eq!(lacking(&["labs.admin:write"], &["labs.admin.audit"]).as_deref(), Some("labs.admin:write"));
        assert!(is_losing_full_access(set(&["labs.admin:write"]), set(&["labs.admin"])));
        assert!(!is_losing_full_access(set(&["labs.admin:write"]), set(&["labs.admin:write"])));
        assert!(!is_losing_full_access(set(&["labs.admin.staff:write"]), set(&[])));
    }

    #[test]
    fn partner_and_unknown_scopes_are_rejected_for_roles() {
        let found = judged(&["marketplace", "labs", "labs.admin.audit"], &["labs.admin:write"], &[]);
        assert_eq!(found, Err(vec!["NOT_OF_STAFF".to_owned(), "UNKNOWN_SCOPE".to_owned()]));
    }

    #[test]
    fn scopes_are_minimized_and_sorted() {
        let wanted = ["labs.admin.tiers", "labs.admin.audit", "labs.admin.tiers:write"];
        assert_eq!(
            judged(&wanted, &["labs.admin:write"], &[]).unwrap(),
            ["labs.admin.audit", "labs.admin.tiers:write"]
        );
    }

    #[test]
    fn own_role_and_role_in_use_cannot_be_changed() {
        assert_eq!(ensure_not_own(true).unwrap_err().code(), Code::Conflict);
        assert_eq!(ensure_unused(1).unwrap_err().code(), Code::Conflict);
        assert!(ensure_not_own(false).is_ok() && ensure_unused(0).is_ok());
    }
}
