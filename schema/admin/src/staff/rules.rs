//! State machine of staff members, and rules for actions of one staff member on another.

use labs_core::fault::{Fault, FieldError};
use labs_core::scope::ScopeSet;
use labs_core::words::words;
use uuid::Uuid;

/// Time in which an invitation must be accepted, in seconds: a week.
pub(super) const INVITATION_SECONDS: i64 = 7 * 86_400;

words! {
    /// State of a staff member.
    pub enum StaffState {
        /// Must still set a password with the token from the invitation e-mail.
        Invited = "INVITED",
        /// Can sign in.
        Active = "ACTIVE",
        /// Cannot sign in.
        #[serde(alias = "LOCKED")]
        Disabled = "DISABLED",
    }
}

/// Action on the state of a staff member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StaffAction {
    /// Disable sign-in.
    Disable,
    /// Enable sign-in again.
    Enable,
}

impl StaffAction {
    const ALL: [Self; 2] = [Self::Disable, Self::Enable];

    const fn name(self) -> &'static str {
        match self {
            Self::Disable => "disable",
            Self::Enable => "enable",
        }
    }
}

/// A role to grant, in its current state.
pub(super) struct Role {
    pub(super) code: String,
    pub(super) scopes: Vec<String>,
}

/// Returns the state that an action results in. Enabling a staff member who never accepted their invitation returns
/// them to `INVITED`.
///
/// # Errors
/// [`labs_core::Code::IllegalTransition`] with the action that is currently allowed.
pub(super) fn next_state(state: StaffState, action: StaffAction, has_accepted: bool) -> Result<StaffState, Fault> {
    match (state, action) {
        (StaffState::Invited | StaffState::Active, StaffAction::Disable) => Ok(StaffState::Disabled),
        (StaffState::Disabled, StaffAction::Enable) if has_accepted => Ok(StaffState::Active),
        (StaffState::Disabled, StaffAction::Enable) => Ok(StaffState::Invited),
        (StaffState::Disabled, StaffAction::Disable) => {
            Err(Fault::illegal("staff member", state.name(), "disable", vec!["enable".to_owned()]))
        }
        (StaffState::Invited | StaffState::Active, StaffAction::Enable) => {
            Err(Fault::illegal("staff member", state.name(), "enable", vec!["disable".to_owned()]))
        }
    }
}

/// Returns the actions on a staff member's state that are allowed to a caller who holds all rights of that staff
/// member.
pub(super) fn allowed_actions(state: StaffState, own: ScopeSet, theirs: ScopeSet) -> Vec<String> {
    if ensure_covers(own, theirs).is_err() {
        return Vec::new();
    }
    let allowed = StaffAction::ALL.into_iter().filter(|action| next_state(state, *action, true).is_ok());
    allowed.map(|action| action.name().to_owned()).collect()
}

/// Rejects taking over or restoring the account of a staff member who has more rights than the caller. A caller who can
/// change the address or remove the second factor could act as that staff member.
///
/// # Errors
/// [`labs_core::Code::ScopeMissing`], naming the first scope that the caller lacks.
pub(super) fn ensure_covers(own: ScopeSet, theirs: ScopeSet) -> Result<(), Fault> {
    match theirs.minimal().into_iter().find(|scope| !own.reaches(*scope)) {
        Some(scope) => Err(Fault::scope(scope.to_string())),
        None => Ok(()),
    }
}

/// Rejects revoking a role that includes scopes that the caller lacks. A caller who cannot grant the role again must
/// not revoke it.
///
/// # Errors
/// [`labs_core::Code::ScopeMissing`], naming the first scope that the caller lacks.
pub(super) fn ensure_may_revoke(
    wanted: &[String],
    known: &[Role],
    held: &[String],
    own: ScopeSet,
) -> Result<(), Fault> {
    let is_taken = |role: &&Role| held.contains(&role.code) && !wanted.contains(&role.code);
    let mut taken = known.iter().filter(is_taken);
    taken.try_for_each(|role| ensure_covers(own, ScopeSet::parse(role.scopes.iter().map(String::as_str))))
}

/// Rejects an action that a caller must not perform on their own account.
///
/// # Errors
/// [`labs_core::Code::Conflict`] with the alternative.
pub(super) fn ensure_not_oneself(caller: Uuid, person: Uuid, instead: &str) -> Result<(), Fault> {
    if caller == person { Err(Fault::conflict(instead)) } else { Ok(()) }
}

/// Returns the codes of the wanted roles, without duplicates, in alphabetical order. Every role must exist. Unless the
/// staff member already has the role, its scopes must be within the caller's scopes: a caller cannot grant rights that
/// they lack.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`], with a pointer to each invalid role.
pub(super) fn ensure_may_grant(
    wanted: &[String],
    known: &[Role],
    held: &[String],
    own: ScopeSet,
) -> Result<Vec<String>, Fault> {
    let mut errors = Vec::new();
    for (place, code) in wanted.iter().enumerate() {
        let pointer = format!("/roles/{place}");
        let Some(role) = known.iter().find(|role| role.code == *code) else {
            let message = "This role does not exist. GET /v1/admin/staff-roles lists all roles.";
            errors.push(FieldError::at(pointer, "UNKNOWN_ROLE", message));
            continue;
        };
        if held.contains(code) {
            continue;
        }
        if let Err(fault) = ensure_covers(own, ScopeSet::parse(role.scopes.iter().map(String::as_str))) {
            let lacking = fault.required_scope().map(str::to_owned).unwrap_or_default();
            let message = format!("You can grant only roles whose scopes you hold yourself. You lack {lacking}.");
            errors.push(FieldError::at(pointer, "ROLE_BEYOND_YOURS", message));
        }
    }
    if !errors.is_empty() {
        return Err(Fault::invalid(errors));
    }
    let mut codes = wanted.to_vec();
    codes.sort_unstable();
    codes.dedup();
    Ok(codes)
}

/// Normalizes a name as it is stored.
pub(super) fn name(text: &str, errors: &mut Vec<FieldError>) -> String {
    let name = text.trim();
    if name.is_empty() {
        errors.push(FieldError::at("/name", "LENGTH", "Send a name of 1 to 120 characters."));
    }
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use labs_core::fault::Code;

    fn set(names: &[&str]) -> ScopeSet {
        ScopeSet::parse(names.iter().copied())
    }

    #[test]
    fn state_machine_matches_table() {
        for (state, action, has_accepted, expected) in [
            (StaffState::Invited, StaffAction::Disable, false, Some(StaffState::Disabled)),
            (StaffState::Invited, StaffAction::Enable, false, None),
            (StaffState::Active, StaffAction::Disable, true, Some(StaffState::Disabled)),
            (StaffState::Active, StaffAction::Enable, true, None),
            (StaffState::Disabled, StaffAction::Disable, true, None),
            (StaffState::Disabled, StaffAction::Enable, true, Some(StaffState::Active)),
            (StaffState::Disabled, StaffAction::Enable, false, Some(StaffState::Invited)),
        ] {
            assert_eq!(next_state(state, action, has_accepted).ok(), expected, "{state:?} {action:?}");
        }
        let refused = next_state(StaffState::Active, StaffAction::Enable, true).unwrap_err();
        assert_eq!(refused.allowed_actions(), ["disable"]);
    }

    #[test]
    fn caller_with_equal_scopes_gets_actions_of_table() {
        let (own, more) = (set(&["labs.admin.staff:write"]), set(&["labs.admin:write"]));
        for (state, expected) in
            [(StaffState::Invited, "disable"), (StaffState::Active, "disable"), (StaffState::Disabled, "enable")]
        {
            assert_eq!(allowed_actions(state, own, own).join(" "), expected, "{state:?}");
            assert!(allowed_actions(state, own, more).is_empty(), "{state:?}");
        }
    }

    #[test]
    fn caller_cannot_manage_staff_member_with_more_scopes() {
        let own = set(&["labs.admin.staff:write", "labs.admin.audit"]);
        assert!(ensure_covers(own, set(&["labs.admin.audit"])).is_ok());
        assert!(ensure_covers(own, ScopeSet::default()).is_ok());
        let refused = ensure_covers(own, set(&["labs.admin:write"])).unwrap_err();
        assert_eq!(refused.required_scope(), Some("labs.admin:write"));
    }

    #[test]
    fn caller_cannot_grant_missing_scopes_but_existing_stay() {
        let known = [
            Role { code: "AUDITOR".to_owned(), scopes: vec!["labs.admin.audit".to_owned()] },
            Role { code: "CHIEF".to_owned(), scopes: vec!["labs.admin:write".to_owned()] },
        ];
        let own = set(&["labs.admin.staff:write", "labs.admin.audit"]);
        let wanted = |codes: &[&str], held: &[&str]| {
            let owned = |codes: &[&str]| codes.iter().map(ToString::to_string).collect::<Vec<_>>();
            ensure_may_grant(&owned(codes), &known, &owned(held), own)
        };
        assert_eq!(wanted(&["AUDITOR", "AUDITOR"], &[]).unwrap(), ["AUDITOR"]);
        assert_eq!(wanted(&["CHIEF", "AUDITOR"], &["CHIEF"]).unwrap(), ["AUDITOR", "CHIEF"]);
        let refused = wanted(&["AUDITOR", "CHIEF", "WIZARD"], &[]).unwrap_err();
        let errors: Vec<_> = refused.errors().iter().map(|error| &*error.code).collect();
        assert_eq!(errors, ["ROLE_BEYOND_YOURS", "UNKNOWN_ROLE"]);
        assert_eq!(refused.errors()[0].pointer.as_deref(), Some("/roles/1"));
    }

    #[test]
    fn caller_cannot_apply_action_to_own_account() {
        let me = Uuid::from_u128(1);
        assert_eq!(ensure_not_oneself(me, me, "Ask a colleague.").unwrap_err().code(), Code::Conflict);
        assert!(ensure_not_oneself(me, Uuid::from_u128(2), "").is_ok());
    }
}
