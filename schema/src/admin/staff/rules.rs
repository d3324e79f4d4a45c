//! The machine of internal people, and who may do what to whom.

use async_graphql::Enum;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::fault::{Fault, FieldError};
use crate::scope::ScopeSet;

/// Seconds in which an invitation must be accepted: a week.
pub(super) const INVITATION_SECONDS: i64 = 7 * 86_400;

/// Where an internal person stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Enum, Serialize, Deserialize)]
#[graphql(name = "StaffState")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum State {
    /// Has yet to set a password.
    Invited,
    /// May sign in.
    Active,
    /// May not.
    Disabled,
}

/// What staff do to a colleague's standing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// No sign-in any more.
    Disable,
    /// Again.
    Enable,
}

/// A role somebody is to hold, as it is.
pub(super) struct Role {
    pub(super) code: String,
    pub(super) scopes: Vec<String>,
}

impl State {
    /// The column's value.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Invited => "INVITED",
            Self::Active => "ACTIVE",
            Self::Disabled => "DISABLED",
        }
    }

    /// Reads the column's value. LOCKED, which the column knows for people of partners, shuts a colleague out as well.
    ///
    /// # Errors
    /// [`crate::Code::Internal`] for a value that no internal person has.
    pub(in crate::admin) fn parse(text: &str) -> Result<Self, Fault> {
        match text {
            "INVITED" => Ok(Self::Invited),
            "ACTIVE" => Ok(Self::Active),
            "DISABLED" | "LOCKED" => Ok(Self::Disabled),
            _ => Err(Fault::internal(format!("an internal person in the state {text}"))),
        }
    }
}

/// Where an action leads. Whoever never accepted their invitation is invited again when they are enabled.
///
/// # Errors
/// [`crate::Code::IllegalTransition`] with the action that is allowed now.
pub(super) fn after(state: State, action: Action, has_accepted: bool) -> Result<State, Fault> {
    match (state, action) {
        (State::Invited | State::Active, Action::Disable) => Ok(State::Disabled),
        (State::Disabled, Action::Enable) if has_accepted => Ok(State::Active),
        (State::Disabled, Action::Enable) => Ok(State::Invited),
        (State::Disabled, Action::Disable) => {
            Err(Fault::illegal("staff member", state.name(), "disable", vec!["enable".to_owned()]))
        }
        (State::Invited | State::Active, Action::Enable) => {
            Err(Fault::illegal("staff member", state.name(), "enable", vec!["disable".to_owned()]))
        }
    }
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
            let message = "There is no such role. GET /v1/admin/staff-roles lists them all.";
            errors.push(FieldError::at(pointer, "UNKNOWN_ROLE", message));
            continue;
        };
        if held.contains(code) {
            continue;
        }
        if let Err(fault) = covers(own, ScopeSet::parse(role.scopes.iter().map(String::as_str))) {
            let lacking = fault.parts().required_scope.clone().unwrap_or_default();
            let message = format!("You can grant only roles of scopes that you hold yourself. You lack {lacking}.");
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
        errors.push(FieldError::at("/name", "LENGTH", "Say who it is, in 1 to 120 characters."));
    }
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::Code;

    fn set(names: &[&str]) -> ScopeSet {
        ScopeSet::parse(names.iter().copied())
    }

    #[test]
    fn the_machine_cell_by_cell() {
        for (state, action, has_accepted, expected) in [
            (State::Invited, Action::Disable, false, Some(State::Disabled)),
            (State::Invited, Action::Enable, false, None),
            (State::Active, Action::Disable, true, Some(State::Disabled)),
            (State::Active, Action::Enable, true, None),
            (State::Disabled, Action::Disable, true, None),
            (State::Disabled, Action::Enable, true, Some(State::Active)),
            (State::Disabled, Action::Enable, false, Some(State::Invited)),
        ] {
            assert_eq!(after(state, action, has_accepted).ok(), expected, "{state:?} {action:?}");
        }
        let refused = after(State::Active, Action::Enable, true).unwrap_err();
        assert_eq!(refused.parts().allowed_actions, ["disable"]);
    }

    #[test]
    fn every_state_reads_as_it_is_written() {
        for state in [State::Invited, State::Active, State::Disabled] {
            assert_eq!(State::parse(state.name()).unwrap(), state);
        }
        assert!(State::parse("UNVERIFIED").is_err());
    }

    #[test]
    fn nobody_reaches_into_the_account_of_somebody_who_may_do_more() {
        let own = set(&["labs.admin.staff:write", "labs.admin.audit"]);
        assert!(covers(own, set(&["labs.admin.audit"])).is_ok());
        assert!(covers(own, ScopeSet::default()).is_ok());
        let refused = covers(own, set(&["labs.admin:write"])).unwrap_err();
        assert_eq!(refused.parts().required_scope.as_deref(), Some("labs.admin:write"));
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
        let errors: Vec<_> = refused.parts().errors.iter().map(|error| &*error.code).collect();
        assert_eq!(errors, ["ROLE_BEYOND_YOURS", "UNKNOWN_ROLE"]);
        assert_eq!(refused.parts().errors[0].pointer.as_deref(), Some("/roles/1"));
    }

    #[test]
    fn nobody_does_to_themselves_what_a_colleague_must_do() {
        let me = Uuid::from_u128(1);
        assert_eq!(not_oneself(me, me, "Ask a colleague.").unwrap_err().code(), Code::Conflict);
        assert!(not_oneself(me, Uuid::from_u128(2), "").is_ok());
    }
}
