//! Rules for the objects that the operator creates.

use labs_core::fault::{Fault, FieldError};
use labs_core::scope::{Scope, ScopeSet};

/// Default role of a new staff member.
const FIRST_ROLE: &str = "ADMINISTRATOR";

/// Normalizes typed codes of staff roles: upper case, underscores for hyphens, without duplicates.
pub(super) fn role_codes(typed: &[String]) -> Vec<String> {
    let mut codes: Vec<String> = typed.iter().map(|role| role.trim().to_ascii_uppercase().replace('-', "_")).collect();
    if codes.is_empty() {
        codes.push(FIRST_ROLE.to_owned());
    }
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// Parses the scopes of a machine client, without duplicates.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`], naming unknown scopes, scopes that no machine client can hold, and scopes
/// that no client bound to a partner can hold (docs/decisions/access.md#kinds-of-principal).
pub(super) fn allowed_scopes(typed: &[String], is_bound: bool) -> Result<Vec<String>, Fault> {
    let account = ScopeSet::parse(["auth.account:write"]);
    let mut errors = Vec::new();
    let mut scopes = Vec::new();
    for (position, name) in typed.iter().enumerate() {
        let pointer = format!("/scopes/{position}");
        match Scope::parse(name.trim()) {
            None => errors.push(FieldError::at(pointer, "UNKNOWN_SCOPE", format!("The scope {name} does not exist."))),
            Some(scope) if account.reaches(scope) => {
                let message = "This scope is for accounts of users. A machine client cannot have it.";
                errors.push(FieldError::at(pointer, "NOT_ALLOWED", message));
            }
            Some(scope) if is_bound && scope.is_admin() => {
                let message = "A machine client of a partner cannot have a scope under labs.admin.";
                errors.push(FieldError::at(pointer, "NOT_ALLOWED", message));
            }
            Some(scope) => scopes.push(scope.to_string()),
        }
    }
    if typed.is_empty() {
        errors.push(FieldError::at("/scopes", "REQUIRED", "Name at least one scope."));
    }
    scopes.sort_unstable();
    scopes.dedup();
    if errors.is_empty() { Ok(scopes) } else { Err(Fault::invalid(errors)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn role_codes_ignore_case_and_default_to_administrator() {
        assert_eq!(role_codes(&owned(&["operator", "Account-Manager", "OPERATOR"])), ["ACCOUNT_MANAGER", "OPERATOR"]);
        assert_eq!(role_codes(&[]), ["ADMINISTRATOR"]);
    }

    #[test]
    fn scopes_must_exist_and_fit_client() {
        let scopes = allowed_scopes(&owned(&["storefront", "labs.admin:write", "storefront"]), false);
        assert_eq!(scopes.unwrap(), ["labs.admin:write", "storefront"]);
        let codes = |typed: &[&str], is_bound| {
            let refusal = allowed_scopes(&owned(typed), is_bound).err();
            refusal.map(|fault| fault.errors().iter().map(|error| error.code.clone()).collect::<Vec<_>>())
        };
        assert_eq!(codes(&["marketplace.app"], false).unwrap(), ["UNKNOWN_SCOPE"]);
        assert_eq!(codes(&["marketplace", "labs.admin.apps"], true).unwrap(), ["NOT_ALLOWED"]);
        assert_eq!(codes(&["auth.account", "auth.account:write"], false).unwrap(), ["NOT_ALLOWED", "NOT_ALLOWED"]);
        assert_eq!(codes(&[], false).unwrap(), ["REQUIRED"]);
    }
}
