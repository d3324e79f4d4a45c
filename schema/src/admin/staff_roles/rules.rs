//! What a role may reach, and who may say so.

use crate::core::fault::{Fault, FieldError};
use crate::core::scope::{Scope, ScopeSet};

/// What every right to manage the service comes from: some role always reaches it.
const WHOLE: &str = "labs.admin:write";

/// The shortest list of scopes that reaches what is wanted, in alphabetical order. Only the operator's domain is for
/// roles. `own` is what the caller reaches, `held` what the role does already and may keep: nobody grants what they
/// lack.
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

/// A text as it is kept.
pub(super) fn name(text: &str, errors: &mut Vec<FieldError>) -> String {
    let name = text.trim();
    if name.is_empty() {
        errors.push(FieldError::at("/name", "LENGTH", "Send a name of 1 to 80 characters."));
    }
    name.to_owned()
}

/// Refuses to take from a role what the caller lacks: whoever cannot give it back must not take it.
///
/// # Errors
/// [`crate::Code::ScopeMissing`], naming the first scope that the caller lacks.
pub(super) fn takeable(own: ScopeSet, before: ScopeSet, after: ScopeSet) -> Result<(), Fault> {
    match before.without(after).minimal().into_iter().find(|scope| !own.reaches(*scope)) {
        Some(scope) => Err(Fault::scope(scope.to_string())),
        None => Ok(()),
    }
}

/// Whether a change takes the whole of `labs.admin:write` from a role.
pub(super) fn loses_whole(before: ScopeSet, after: ScopeSet) -> bool {
    Scope::parse(WHOLE).is_some_and(|whole| before.reaches(whole) && !after.reaches(whole))
}

/// Refuses to change what a role of the caller's own reaches.
///
/// # Errors
/// [`crate::Code::Conflict`].
pub(super) fn ensure_not_own(is_holder: bool) -> Result<(), Fault> {
    if is_holder {
        return Err(Fault::conflict(
            "You hold this role, and you cannot change your own rights. Ask another staff member, or change only its \
             name.",
        ));
    }
    Ok(())
}

/// Refuses to delete a role that somebody holds.
///
/// # Errors
/// [`crate::Code::Conflict`].
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
    use crate::core::fault::Code;

    fn judged(wanted: &[&str], own: &[&str], held: &[&str]) -> Result<Vec<String>, Vec<String>> {
        let wanted: Vec<String> = wanted.iter().map(ToString::to_string).collect();
        let set = |names: &[&str]| ScopeSet::parse(names.iter().copied());
        let mut errors = Vec::new();
        let scopes = scopes(&wanted, set(own), set(held), &mut errors);
        if errors.is_empty() { Ok(scopes) } else { Err(errors.into_iter().map(|error| error.code).collect()) }
    }

    #[test]
    fn a_role_holds_what_its_maker_holds_and_nothing_else() {
        let own = ["labs.admin.staff:write", "labs.admin.audit"];
        assert_eq!(judged(&["labs.admin.audit", "labs.admin.staff"], &own, &[]).unwrap().len(), 2);
        for beyond in ["labs.admin", "labs.admin:write", "labs.admin.audit:write", "labs.admin.tiers"] {
            assert_eq!(judged(&[beyond], &own, &[]), Err(vec!["SCOPE_BEYOND_YOURS".to_owned()]), "{beyond}");
        }
    }

    #[test]
    fn what_a_role_reaches_already_may_stay() {
        let own = ["labs.admin.staff:write"];
        assert!(judged(&["labs.admin.tiers"], &own, &["labs.admin.tiers:write"]).is_ok());
        assert!(judged(&["labs.admin.tiers:write"], &own, &["labs.admin.tiers"]).is_err());
    }

    #[test]
    fn nobody_takes_from_a_role_what_they_lack() {
        let set = |names: &[&str]| ScopeSet::parse(names.iter().copied());
        let own = set(&["labs.admin.staff:write", "labs.admin.audit"]);
        let lacking = |before: &[&str], after: &[&str]| {
            takeable(own, set(before), set(after)).err().and_then(|fault| fault.required_scope().map(str::to_owned))
        };
        assert_eq!(lacking(&["labs.admin.audit", "labs.admin.tiers"], &["labs.admin.tiers"]), None);
        assert_eq!(lacking(&["labs.admin.staff:write"], &[]), None);
        assert_eq!(
            lacking(&["labs.admin.tiers:write"], &["labs.admin.tiers"]).as_deref(),
            Some("labs.admin.tiers:write")
        );
        assert_eq!(lacking(&["labs.admin:write"], &["labs.admin.audit"]).as_deref(), Some("labs.admin:write"));
        assert!(loses_whole(set(&["labs.admin:write"]), set(&["labs.admin"])));
        assert!(!loses_whole(set(&["labs.admin:write"]), set(&["labs.admin:write"])));
        assert!(!loses_whole(set(&["labs.admin.staff:write"]), set(&[])));
    }

    #[test]
    fn scopes_of_partners_and_of_nobody_are_none_for_a_role() {
        let found = judged(&["marketplace", "labs", "labs.admin.audit"], &["labs.admin:write"], &[]);
        assert_eq!(found, Err(vec!["NOT_OF_STAFF".to_owned(), "UNKNOWN_SCOPE".to_owned()]));
    }

    #[test]
    fn scopes_are_kept_as_the_shortest_list_in_alphabetical_order() {
        let wanted = ["labs.admin.tiers", "labs.admin.audit", "labs.admin.tiers:write"];
        assert_eq!(
            judged(&wanted, &["labs.admin:write"], &[]).unwrap(),
            ["labs.admin.audit", "labs.admin.tiers:write"]
        );
    }

    #[test]
    fn ones_own_role_and_one_in_use_are_left_alone() {
        assert_eq!(ensure_not_own(true).unwrap_err().code(), Code::Conflict);
        assert_eq!(ensure_unused(1).unwrap_err().code(), Code::Conflict);
        assert!(ensure_not_own(false).is_ok() && ensure_unused(0).is_ok());
    }
}
