//! The machine of internal people, and who may do what to whom.

use uuid::Uuid;

use crate::core::fault::{Fault, FieldError};
use crate::core::scope::ScopeSet;
use crate::core::words::words;

/// Seconds in which an invitation must be accepted: a week.
pub(super) const INVITATION_SECONDS: i64 = 7 * 86_400;

words! {
    /// Where an internal person stands.
    pub(crate) enum StaffState {
        /// Has yet to set a password.
        Invited = "INVITED",
        /// May sign in.
        Active = "ACTIVE",
        /// May not. LOCKED, which the column knows for people of partners, shuts a colleague out as well.
        #[serde(alias = "LOCKED")]
        Disabled = "DISABLED",
    }
}

/// What staff do to a colleague's standing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StaffAction {
    /// No sign-in any more.
    Disable,
    /// Again.
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

/// A role somebody is to hold, as it is.
pub(super) struct Role {
    pub(super) code: String,
    pub(super) scopes: Vec<String>,
}

/// Where an action leads. Whoever never accepted their invitation is invited again when they are enabled.
///
/// # Errors
/// [`crate::Code::IllegalTransition`] with the action that is allowed now.
pub(super) fn after(state: StaffState, action: StaffAction, has_accepted: bool) -> Result<StaffState, Fault> {
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

/// What whoever may do all that a colleague may can do to that colleague's standing now.
pub(super) fn allowed_actions(state: StaffState, own: ScopeSet, theirs: ScopeSet) -> Vec<String> {
    if covers(own, theirs).is_err() {
        return Vec::new();
    }
    let allowed = StaffAction::ALL.into_iter().filter(|action| after(state, *action, true).is_ok());
    allowed.map(|action| action.name().to_owned()).collect()
}

/// Refuses to take over, or to give back, the account of somebody who may do more than the caller: whoever could
/// change their address or take their second factor away would soon act as them.
///
/// # Errors
/// [`crate::Code::ScopeMissing`], naming the first scope that the caller lacks.
pub(super) fn covers(own: ScopeSet, theirs: ScopeSet) -> Result<(), Fault> {
    match theirs.minimal().into_iter().find(|scope| !own.reaches(*scope)) {
        Some(scope) => Err(Fault::scope(scope.to_string())),
        None => Ok(()),
    }
}

/// Refuses to take a role from somebody that reaches what the caller lacks: whoever cannot give it back must not take it.
///
/// # Errors
/// [`crate::Code::ScopeMissing`], naming the first scope that the caller lacks.
pub(super) fn takeable(wanted: &[String], known: &[Role], held: &[String], own: ScopeSet) -> Result<(), Fault> {
    let is_taken = |role: &&Role| held.contains(&role.code) && !wanted.contains(&role.code);
    let mut taken = known.iter().filter(is_taken);
    taken.try_for_each(|role| covers(own, ScopeSet::parse(role.scopes.iter().map(String::as_str))))
}

/// Refuses what nobody may do to themselves.
///
/// # Errors
/// [`crate::Code::Conflict`] with what to do instead.
pub(super) fn not_oneself(caller: Uuid, person: Uuid, instead: &str) -> Result<(), Fault> {
    if caller == person { Err(Fault::conflict(instead)) } else { Ok(()) }
}

/// The codes of the roles wanted, each once, in alphabetical order. Every one must exist, and be within what the caller
/// reaches unless the person holds it already: nobody grants what they lack.
///
/// # Errors
/// [`crate::Code::ValidationFailed`] by pointer.
pub(super) fn grantable(
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
        if let Err(fault) = covers(own, ScopeSet::parse(role.scopes.iter().map(String::as_str))) {
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

/// A name as it is kept.
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
    use crate::core::fault::Code;

    fn set(names: &[&str]) -> ScopeSet {
        ScopeSet::parse(names.iter().copied())
    }

    #[test]
    fn the_machine_cell_by_cell() {
        for (state, action, has_accepted, expected) in [
            (StaffState::Invited, StaffAction::Disable, false, Some(StaffState::Disabled)),
            (StaffState::Invited, StaffAction::Enable, false, None),
            (StaffState::Active, StaffAction::Disable, true, Some(StaffState::Disabled)),
            (StaffState::Active, StaffAction::Enable, true, None),
            (StaffState::Disabled, StaffAction::Disable, true, None),
            (StaffState::Disabled, StaffAction::Enable, true, Some(StaffState::Active)),
            (StaffState::Disabled, StaffAction::Enable, false, Some(StaffState::Invited)),
        ] {
            assert_eq!(after(state, action, has_accepted).ok(), expected, "{state:?} {action:?}");
        }
        let refused = after(StaffState::Active, StaffAction::Enable, true).unwrap_err();
        assert_eq!(refused.allowed_actions(), ["disable"]);
    }

    #[test]
    fn whoever_may_do_as_much_is_offered_what_the_table_lets_through() {
        let (own, more) = (set(&["labs.admin.staff:write"]), set(&["labs.admin:write"]));
        for (state, expected) in
            [(StaffState::Invited, "disable"), (StaffState::Active, "disable"), (StaffState::Disabled, "enable")]
        {
            assert_eq!(allowed_actions(state, own, own).join(" "), expected, "{state:?}");
            assert!(allowed_actions(state, own, more).is_empty(), "{state:?}");
        }
    }

    #[test]
    fn nobody_reaches_into_the_account_of_somebody_who_may_do_more() {
        let own = set(&["labs.admin.staff:write", "labs.admin.audit"]);
        assert!(covers(own, set(&["labs.admin.audit"])).is_ok());
        assert!(covers(own, ScopeSet::default()).is_ok());
        let refused = covers(own, set(&["labs.admin:write"])).unwrap_err();
        assert_eq!(refused.required_scope(), Some("labs.admin:write"));
    }

    #[test]
    fn nobody_grants_what_they_lack_and_what_is_held_may_stay() {
        let known = [
            Role { code: "AUDITOR".to_owned(), scopes: vec!["labs.admin.audit".to_owned()] },
            Role { code: "CHIEF".to_owned(), scopes: vec!["labs.admin:write".to_owned()] },
        ];
        let own = set(&["labs.admin.staff:write", "labs.admin.audit"]);
        let wanted = |codes: &[&str], held: &[&str]| {
            let owned = |codes: &[&str]| codes.iter().map(ToString::to_string).collect::<Vec<_>>();
            grantable(&owned(codes), &known, &owned(held), own)
        };
        assert_eq!(wanted(&["AUDITOR", "AUDITOR"], &[]).unwrap(), ["AUDITOR"]);
        assert_eq!(wanted(&["CHIEF", "AUDITOR"], &["CHIEF"]).unwrap(), ["AUDITOR", "CHIEF"]);
        let refused = wanted(&["AUDITOR", "CHIEF", "WIZARD"], &[]).unwrap_err();
        let errors: Vec<_> = refused.errors().iter().map(|error| &*error.code).collect();
        assert_eq!(errors, ["ROLE_BEYOND_YOURS", "UNKNOWN_ROLE"]);
        assert_eq!(refused.errors()[0].pointer.as_deref(), Some("/roles/1"));
    }

    #[test]
    fn nobody_does_to_themselves_what_a_colleague_must_do() {
        let me = Uuid::from_u128(1);
        assert_eq!(not_oneself(me, me, "Ask a colleague.").unwrap_err().code(), Code::Conflict);
        assert!(not_oneself(me, Uuid::from_u128(2), "").is_ok());
    }
}
