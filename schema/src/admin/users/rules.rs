//! Whom operators see and change here.

use crate::auth::people::rules::{self, PersonAction, PersonState, Side, after};
use crate::core::fault::Fault;
use crate::core::scope::{Scope, ScopeSet};
use crate::core::time::Time;
use crate::core::words::{Word as _, words};

/// What it takes to see internal people.
const STAFF: &str = "labs.admin.staff";

words! {
    /// Where a person stands, of either kind.
    pub(crate) enum UserState {
        /// Has yet to prove the address. Only in partners' teams.
        Unverified = "UNVERIFIED",
        /// Has yet to set a password. Only staff.
        Invited = "INVITED",
        /// May sign in.
        Active = "ACTIVE",
        /// Held back by their team.
        Suspended = "SUSPENDED",
        /// Held back by staff.
        Locked = "LOCKED",
        /// Shut out. Only staff.
        Disabled = "DISABLED",
    }
}

/// Whether a caller is shown internal people: only whoever may see them where they are administered.
pub(super) fn shows_staff(own: ScopeSet) -> bool {
    Scope::parse(STAFF).is_some_and(|scope| own.reaches(scope))
}

/// Refuses to change internal people: that is done under their own scope, whose guards count scopes.
///
/// # Errors
/// [`crate::Code::Conflict`] with the way there, or [`crate::Code::NotFound`] for whoever is not shown them.
pub(super) fn changeable(is_staff: bool, own: ScopeSet) -> Result<(), Fault> {
    match is_staff {
        false => Ok(()),
        true if shows_staff(own) => Err(Fault::conflict(
            "This user is a staff member. Change staff members only under /v1/admin/staff/{staff_uuid}.",
        )),
        true => Err(not_found()),
    }
}

/// Where an action leads a person of a partner's team. `was_suspended` says whether the team had suspended a person
/// whom staff then locked.
///
/// # Errors
/// [`crate::Code::IllegalTransition`] with the actions that are allowed now.
pub(super) fn next_state(state: &str, action: PersonAction, was_suspended: bool) -> Result<PersonState, Fault> {
    after(PersonState::parse(state)?, action, was_suspended)
}

/// What operators can do about somebody now. Staff are changed elsewhere. Failed tries that hold sign-ins back are
/// forgotten by unlocking as well.
pub(super) fn allowed_actions(state: UserState, is_held_back: bool) -> Vec<String> {
    let Some(state) = PersonState::read(state.name()) else { return Vec::new() };
    let mut allowed = rules::allowed_actions(state, Side::Staff);
    if is_held_back && state != PersonState::Locked {
        allowed.push(PersonAction::Unlock.name().to_owned());
    }
    allowed
}

/// Refuses a step that would let in whoever reads an address that staff gave the person, while the old address can
/// still take that back: no chain of steps of staff's makes somebody's account somebody else's.
///
/// # Errors
/// [`crate::Code::Conflict`], with the moment from which on it is possible.
pub(super) fn ensure_settled(open_until: Option<Time>) -> Result<(), Fault> {
    open_until.map_or(Ok(()), |until| {
        Err(Fault::conflict(format!(
            "Staff changed this user's address, and the change can be undone from the old address until {until}. Try \
             again after that time."
        )))
    })
}

/// Refuses what makes no sense for somebody who cannot sign in.
///
/// # Errors
/// [`crate::Code::Conflict`], saying what to do first.
pub(super) fn active(state: &str) -> Result<(), Fault> {
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

/// The refusal when there is nobody, or nobody whom the caller is shown.
pub(super) fn not_found() -> Fault {
    Fault::not_found("user")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::fault::Code;

    fn own(names: &[&str]) -> ScopeSet {
        ScopeSet::parse(names.iter().copied())
    }

    #[test]
    fn internal_people_are_shown_where_they_are_administered_and_changed_nowhere_else() {
        let support = own(&["labs.admin.users:write"]);
        let chief = own(&["labs.admin:write"]);
        assert!(!shows_staff(support));
        assert!(shows_staff(chief) && shows_staff(own(&["labs.admin.staff"])));
        assert_eq!(changeable(true, support).unwrap_err().code(), Code::NotFound);
        assert_eq!(changeable(true, chief).unwrap_err().code(), Code::Conflict);
        assert!(changeable(false, support).is_ok());
    }

    #[test]
    fn only_whoever_can_sign_in_gets_a_password_reset_or_another_address() {
        assert!(active("ACTIVE").is_ok());
        for state in ["UNVERIFIED", "SUSPENDED", "LOCKED"] {
            assert_eq!(active(state).unwrap_err().code(), Code::Conflict, "{state}");
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
