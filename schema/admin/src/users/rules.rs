//! Rules for the users that staff see and change here.

use labs_core::fault::Fault;
use labs_core::scope::{Scope, ScopeSet};
use labs_core::time::Time;
use labs_core::words::{Word as _, words};

use labs_identity::auth::people::rules::{self, PersonAction, PersonActor, PersonState, next_person_state};

/// Scope required to see staff members.
const STAFF: &str = "labs.admin.staff";

words! {
    /// State of a user.
    pub enum UserState {
        /// Has not yet verified the e-mail address.
        Unverified = "UNVERIFIED",
        /// A staff member who has not yet set a password.
        Invited = "INVITED",
        /// Can sign in.
        Active = "ACTIVE",
        /// Suspended by the team.
        Suspended = "SUSPENDED",
        /// Locked by staff.
        Locked = "LOCKED",
        /// A staff member whose account is disabled.
        Disabled = "DISABLED",
    }
}

/// Whether the caller can see staff members: only with the scope that their administration requires.
pub(super) fn may_see_staff(own: ScopeSet) -> bool {
    Scope::parse(STAFF).is_some_and(|scope| own.reaches(scope))
}

/// Rejects changes of staff members. These require a separate scope, with guards that compare scopes.
///
/// # Errors
/// [`labs_core::Code::Conflict`] with the operation to use, or [`labs_core::Code::NotFound`] if the caller cannot see
/// staff members.
pub(super) fn ensure_changeable(is_staff: bool, own: ScopeSet) -> Result<(), Fault> {
    match is_staff {
        false => Ok(()),
        true if may_see_staff(own) => Err(Fault::conflict(
            "This user is a staff member. Change staff members only under /v1/admin/staff/{staff_uuid}.",
        )),
        true => Err(err_not_found()),
    }
}

/// Returns the state that an action results in for a team member. `was_suspended` states whether the team had suspended
/// the user before staff locked them.
///
/// # Errors
/// [`labs_core::Code::IllegalTransition`] with the currently allowed actions.
pub(super) fn next_state(state: &str, action: PersonAction, was_suspended: bool) -> Result<PersonState, Fault> {
    next_person_state(PersonState::parse(state)?, action, was_suspended)
}

/// Returns the actions that staff can currently perform on a user. Staff members are changed through other operations.
/// Unlocking also lifts sign-in blocks.
pub(super) fn allowed_actions(state: UserState, is_held_back: bool) -> Vec<String> {
    let Some(state) = PersonState::read(state.name()) else { return Vec::new() };
    let mut allowed = rules::allowed_actions(state, PersonActor::Staff);
    if is_held_back && state != PersonState::Locked {
        allowed.push(PersonAction::Unlock.name().to_owned());
    }
    allowed
}

/// Rejects a step that would give access to the reader of an address that staff set, while the old address can still
/// undo the change. Otherwise a chain of staff steps could transfer an account to another person.
///
/// # Errors
/// [`labs_core::Code::Conflict`], with the time from which the step is possible.
pub(super) fn ensure_settled(open_until: Option<Time>) -> Result<(), Fault> {
    open_until.map_or(Ok(()), |until| {
        Err(Fault::conflict(format!(
            "Staff changed this user's address, and the change can be undone from the old address until {until}. Try \
             again after that time."
        )))
    })
}

/// Rejects an action that is meaningless for a user who cannot sign in.
///
/// # Errors
/// [`labs_core::Code::Conflict`], with the action that must come first.
pub(super) fn ensure_active(state: &str) -> Result<(), Fault> {
    match state {
        "ACTIVE" => Ok(()),
        "UNVERIFIED" => Err(Fault::conflict(
            "This user has not verified the e-mail address. It must be verified first. If the address is misspelled, \
             the user must register again with the correct one.",
        )),
        "SUSPENDED" => Err(Fault::conflict(
            "The team has suspended this user. An administrator of the team can reinstate the user.",
        )),
        _ => Err(Fault::conflict("This user is locked. Unlock the user first.")),
    }
}

/// Returns the error for a user who does not exist or whom the caller cannot see.
pub(super) fn err_not_found() -> Fault {
    Fault::not_found("user")
}

#[cfg(test)]
mod tests {
    use super::*;
    use labs_core::fault::Code;

    fn own(names: &[&str]) -> ScopeSet {
        ScopeSet::parse(names.iter().copied())
    }

    #[test]
    fn staff_users_are_visible_only_to_their_administrators() {
        let support = own(&["labs.admin.users:write"]);
        let chief = own(&["labs.admin:write"]);
        assert!(!may_see_staff(support));
        assert!(may_see_staff(chief) && may_see_staff(own(&["labs.admin.staff"])));
        assert_eq!(ensure_changeable(true, support).unwrap_err().code(), Code::NotFound);
        assert_eq!(ensure_changeable(true, chief).unwrap_err().code(), Code::Conflict);
        assert!(ensure_changeable(false, support).is_ok());
    }

    #[test]
    fn only_active_user_gets_password_reset_or_new_email() {
        assert!(ensure_active("ACTIVE").is_ok());
        for state in ["UNVERIFIED", "SUSPENDED", "LOCKED"] {
            assert_eq!(ensure_active(state).unwrap_err().code(), Code::Conflict, "{state}");
        }
        assert_eq!(next_state("LOCKED", PersonAction::Unlock, true).unwrap(), PersonState::Suspended);
        let offered = |state, is_held_back| allowed_actions(state, is_held_back).join(" ");
        assert_eq!(
            (offered(UserState::Active, false).as_str(), offered(UserState::Locked, true).as_str()),
            ("lock", "unlock")
        );
        assert_eq!(offered(UserState::Active, true), "lock unlock", "failed tries are forgotten");
        assert_eq!(offered(UserState::Invited, true), "", "nobody of a team");
        assert_eq!(next_state("ACTIVE", PersonAction::Unlock, false).unwrap_err().code(), Code::IllegalTransition);
    }
}
