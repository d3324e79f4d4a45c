//! What somebody of a team may do to another, and to whom.

use uuid::Uuid;

use crate::auth::people::rules::{self, PersonAction, PersonState, Side, after};
use crate::core::fault::{Fault, FieldError};
use crate::core::principal::Role;
use crate::core::scope::{Scope, ScopeSet};
use crate::core::words::Word as _;
use crate::partner::team::ActingAs;

/// What a role writes, one's own account apart, and somebody with these rights does not.
fn lacking(role: Role, own: ScopeSet) -> Option<Scope> {
    let writes =
        role.scopes().minimal().into_iter().filter(|scope| scope.is_write() && scope.domain() != "auth.account");
    writes.into_iter().find(|scope| !own.reaches(*scope))
}

/// Whether somebody with these rights may give a role.
pub(crate) fn is_grantable(role: Role, own: ScopeSet) -> bool {
    lacking(role, own).is_none()
}

/// Whether somebody of this role may give another: who writes nothing of the team gives none.
pub(crate) fn gives(giver: Role, role: Role) -> bool {
    let own = giver.scopes();
    Scope::parse("partner.team:write").is_some_and(|scope| own.reaches(scope)) && is_grantable(role, own)
}

/// Refuses to give a role that writes what the giver does not. Staff, of whom no rights are named, give any.
///
/// # Errors
/// [`crate::Code::ValidationFailed`] at `/role`.
pub(crate) fn ensure_grantable(role: Role, own: Option<ScopeSet>) -> Result<(), Fault> {
    let Some(scope) = own.and_then(|own| lacking(role, own)) else { return Ok(()) };
    let message = format!("You cannot grant a role above your own: this role includes {scope}, which you lack.");
    Err(Fault::invalid(vec![FieldError::at("/role", "ROLE_BEYOND_YOURS", message)]))
}

/// Refuses to touch somebody, or an invitation, whose role writes what the caller does not.
///
/// # Errors
/// [`crate::Code::ScopeMissing`], naming the first scope that the caller lacks.
pub(crate) fn ensure_covered(role: Role, own: Option<ScopeSet>) -> Result<(), Fault> {
    match own.and_then(|own| lacking(role, own)) {
        Some(scope) => Err(Fault::scope(scope.to_string())),
        None => Ok(()),
    }
}

/// Refuses what one does not do to oneself.
///
/// # Errors
/// [`crate::Code::Conflict`] with the way there is.
pub(super) fn not_oneself(caller: Uuid, person: Uuid) -> Result<(), Fault> {
    if caller != person {
        return Ok(());
    }
    Err(Fault::conflict(
        "This is your own account. To leave the team, call POST /v1/partner/{partner_uuid}/team-members:leave.",
    ))
}

/// Refuses to take the last active administrator away. `others` counts the other active ones.
///
/// # Errors
/// [`crate::Code::Conflict`].
pub(super) fn administrator_stays(role: Role, state: &str, others: i64) -> Result<(), Fault> {
    if role == Role::Administrator && state == PersonState::Active.name() && others == 0 {
        return Err(Fault::last_administrator());
    }
    Ok(())
}

/// Where an action leads a person. Whom staff locked only staff move: removed by their team, they would come back by an
/// invitation to the address that is free then.
///
/// # Errors
/// [`crate::Code::IllegalTransition`] with the actions that are allowed now.
pub(super) fn next_state(
    state: &str,
    action: PersonAction,
    was_suspended: bool,
    acting: ActingAs<'_>,
) -> Result<PersonState, Fault> {
    let state = PersonState::parse(state)?;
    if state == PersonState::Locked && !acting.is_staff() {
        return Err(Fault::illegal("user", state.name(), action.name(), vec![PersonAction::Unlock.name().to_owned()]));
    }
    after(state, action, was_suspended)
}

/// What can be done to somebody of a team now by whoever acts: by the team, only to whom it covers, and nobody suspends
/// themselves.
pub(super) fn allowed_actions(state: PersonState, role: Role, acting: ActingAs<'_>, is_own: bool) -> Vec<String> {
    if ensure_covered(role, acting.own).is_err() {
        return Vec::new();
    }
    let mut allowed = rules::allowed_actions(state, if acting.is_staff() { Side::Staff } else { Side::Team });
    allowed.retain(|name| !is_own || name != PersonAction::Suspend.name());
    allowed
}

/// The refusal of a program that wants to leave.
pub(super) fn no_person() -> Fault {
    Fault::conflict(
        "A machine client is not a team member, so it cannot leave the team. Ask the platform's support to disable it.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::fault::Code;

    const ROLES: [Role; 5] = [Role::Administrator, Role::Developer, Role::Editor, Role::Accountant, Role::Viewer];

    #[test]
    fn an_administrator_gives_every_role_and_everybody_their_own_and_the_viewers() {
        for role in ROLES {
            assert!(is_grantable(role, Role::Administrator.scopes()), "{role:?}");
            assert!(is_grantable(role, role.scopes()), "{role:?}");
            assert!(is_grantable(Role::Viewer, role.scopes()), "{role:?}");
            assert_eq!(is_grantable(Role::Administrator, role.scopes()), role == Role::Administrator, "{role:?}");
        }
    }

    #[test]
    fn an_accountant_reaches_neither_who_builds_nor_who_writes() {
        let own = Some(Role::Accountant.scopes());
        for role in [Role::Administrator, Role::Developer, Role::Editor] {
            assert_eq!(ensure_grantable(role, own).unwrap_err().errors()[0].pointer.as_deref(), Some("/role"));
            assert_eq!(ensure_covered(role, own).unwrap_err().code(), Code::ScopeMissing, "{role:?}");
        }
        assert!(ensure_grantable(Role::Viewer, own).is_ok() && ensure_covered(Role::Accountant, own).is_ok());
        assert!(
            ensure_grantable(Role::Administrator, None).is_ok() && ensure_covered(Role::Administrator, None).is_ok(),
            "staff"
        );
    }

    #[test]
    fn whoever_does_not_write_the_team_gives_no_role() {
        for role in ROLES {
            assert!(gives(Role::Administrator, role), "{role:?}");
            assert_eq!(gives(Role::Accountant, role), matches!(role, Role::Accountant | Role::Viewer), "{role:?}");
            for giver in [Role::Developer, Role::Editor, Role::Viewer] {
                assert!(!gives(giver, role), "{giver:?} {role:?}");
            }
        }
    }

    #[test]
    fn a_program_gives_what_its_token_reaches() {
        let token = ScopeSet::parse(["partner.team:write", "marketplace.apps:write"]);
        assert!(is_grantable(Role::Viewer, token));
        assert!(!is_grantable(Role::Developer, token), "it may not write on the board, nor answer support");
    }

    #[test]
    fn only_the_last_active_administrator_is_kept() {
        assert_eq!(administrator_stays(Role::Administrator, "ACTIVE", 0).unwrap_err().code(), Code::Conflict);
        assert!(administrator_stays(Role::Administrator, "ACTIVE", 1).is_ok());
        assert!(administrator_stays(Role::Administrator, "SUSPENDED", 0).is_ok());
        assert!(administrator_stays(Role::Viewer, "ACTIVE", 0).is_ok());
    }

    #[test]
    fn nobody_suspends_themselves_and_states_of_staff_are_none() {
        let me = Uuid::from_u128(1);
        assert_eq!(not_oneself(me, me).unwrap_err().code(), Code::Conflict);
        assert!(not_oneself(me, Uuid::from_u128(2)).is_ok());
        let team = ActingAs { own: Some(Role::Administrator.scopes()), reason: None };
        assert_eq!(next_state("ACTIVE", PersonAction::Suspend, false, team).unwrap(), PersonState::Suspended);
        assert_eq!(
            next_state("ACTIVE", PersonAction::Reinstate, false, team).unwrap_err().code(),
            Code::IllegalTransition
        );
        assert_eq!(next_state("INVITED", PersonAction::Remove, false, team).unwrap_err().code(), Code::Internal);
    }

    #[test]
    fn a_team_is_offered_what_it_may_do_to_others_whom_it_covers() {
        let team = ActingAs { own: Some(Role::Accountant.scopes()), reason: None };
        let of = |state, role, is_own| allowed_actions(state, role, team, is_own).join(" ");
        assert_eq!(of(PersonState::Active, Role::Viewer, false), "suspend");
        assert_eq!(of(PersonState::Suspended, Role::Viewer, false), "reinstate");
        assert_eq!(of(PersonState::Active, Role::Accountant, true), "", "oneself");
        assert_eq!(of(PersonState::Active, Role::Administrator, false), "", "somebody above");
        let staff = ActingAs { own: None, reason: None };
        assert_eq!(allowed_actions(PersonState::Active, Role::Administrator, staff, false), ["lock"]);
    }

    #[test]
    fn whom_staff_locked_only_staff_take_out() {
        let team = ActingAs { own: Some(Role::Administrator.scopes()), reason: None };
        for action in [PersonAction::Suspend, PersonAction::Reinstate, PersonAction::Remove] {
            let refused = next_state("LOCKED", action, true, team).unwrap_err();
            assert_eq!(refused.allowed_actions(), ["unlock"], "{action:?}");
        }
        let staff = ActingAs { own: None, reason: None };
        assert_eq!(next_state("LOCKED", PersonAction::Remove, false, staff).unwrap(), PersonState::Removed);
    }
}
