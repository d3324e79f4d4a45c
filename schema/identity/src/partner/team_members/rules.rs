//! Rules for actions of one team member on another.

use labs_core::fault::{Fault, FieldError};
use labs_core::principal::Role;
use labs_core::scope::{Scope, ScopeSet};
use labs_core::words::Word as _;
use uuid::Uuid;

use crate::auth::people::rules::{self, PersonAction, PersonActor, PersonState, next_person_state};
use crate::partner::team::ActingAs;

/// Returns a write scope of the role that the caller's rights lack, except the scope of one's own account.
fn missing_scopes(role: Role, own: ScopeSet) -> Option<Scope> {
    let writes =
        role.scopes().minimal().into_iter().filter(|scope| scope.is_write() && scope.domain() != "auth.account");
    writes.into_iter().find(|scope| !own.reaches(*scope))
}

/// Whether a caller with these rights can grant the role.
pub fn is_grantable(role: Role, own: ScopeSet) -> bool {
    missing_scopes(role, own).is_none()
}

/// Whether a member with this role can grant another role. A role without write scopes on the team grants none.
pub fn may_give(giver: Role, role: Role) -> bool {
    let own = giver.scopes();
    Scope::parse("partner.team:write").is_some_and(|scope| own.reaches(scope)) && is_grantable(role, own)
}

/// Rejects granting a role with write scopes that the caller lacks. Staff, for whom `own` is `None`, can grant any
/// role.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`] at `/role`.
pub fn ensure_grantable(role: Role, own: Option<ScopeSet>) -> Result<(), Fault> {
    let Some(scope) = own.and_then(|own| missing_scopes(role, own)) else { return Ok(()) };
    let message = format!("You cannot grant a role above your own: this role includes {scope}, which you lack.");
    Err(Fault::invalid(vec![FieldError::at("/role", "ROLE_BEYOND_YOURS", message)]))
}

/// Rejects changing a member or an invitation whose role has write scopes that the caller lacks.
///
/// # Errors
/// [`labs_core::Code::ScopeMissing`], naming the first scope that the caller lacks.
pub fn ensure_covered(role: Role, own: Option<ScopeSet>) -> Result<(), Fault> {
    match own.and_then(|own| missing_scopes(role, own)) {
        Some(scope) => Err(Fault::scope(scope.to_string())),
        None => Ok(()),
    }
}

/// Rejects actions of a member on their own account.
///
/// # Errors
/// [`labs_core::Code::Conflict`] with the alternative.
pub(super) fn ensure_not_oneself(caller: Uuid, person: Uuid) -> Result<(), Fault> {
    if caller != person {
        return Ok(());
    }
    Err(Fault::conflict(
        "This is your own account. To leave the team, call POST /v1/partner/{partner_uuid}/team-members:leave.",
    ))
}

/// Rejects the removal of the last active administrator. `others` is the number of other active administrators.
///
/// # Errors
/// [`labs_core::Code::Conflict`] if it is the last one.
pub(super) fn ensure_administrator_remains(role: Role, state: &str, others: i64) -> Result<(), Fault> {
    if role == Role::Administrator && state == PersonState::Active.name() && others == 0 {
        return Err(Fault::last_administrator());
    }
    Ok(())
}

/// Returns the state of a user that an action results in. Only staff change a user whom staff locked. If the team could
/// remove that user, they could return through an invitation to the address, which would be free.
///
/// # Errors
/// [`labs_core::Code::IllegalTransition`] with the currently allowed actions.
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
    next_person_state(state, action, was_suspended)
}

/// Returns the actions that the caller can currently perform on a team member. A team acts only on members within the
/// caller's rights, and a caller cannot suspend themselves.
pub(super) fn allowed_actions(state: PersonState, role: Role, acting: ActingAs<'_>, is_own: bool) -> Vec<String> {
    if ensure_covered(role, acting.own).is_err() {
        return Vec::new();
    }
    let mut allowed =
        rules::allowed_actions(state, if acting.is_staff() { PersonActor::Staff } else { PersonActor::Team });
    allowed.retain(|name| !is_own || name != PersonAction::Suspend.name());
    allowed
}

/// Returns the error for a machine client that tries to leave.
pub(super) fn err_no_person() -> Fault {
    Fault::conflict(
        "A machine client is not a team member, so it cannot leave the team. Ask the platform's support to disable it.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use labs_core::fault::Code;

    const ROLES: [Role; 5] = [Role::Administrator, Role::Developer, Role::Editor, Role::Accountant, Role::Viewer];

    #[test]
    fn administrator_grants_all_roles_and_everyone_own_and_viewer() {
        for role in ROLES {
            assert!(is_grantable(role, Role::Administrator.scopes()), "{role:?}");
            assert!(is_grantable(role, role.scopes()), "{role:?}");
            assert!(is_grantable(Role::Viewer, role.scopes()), "{role:?}");
            assert_eq!(is_grantable(Role::Administrator, role.scopes()), role == Role::Administrator, "{role:?}");
        }
    }

    #[test]
    fn accountant_cannot_grant_or_manage_developer_and_editor_roles() {
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
    fn caller_without_team_write_scope_cannot_grant_roles() {
        for role in ROLES {
            assert!(may_give(Role::Administrator, role), "{role:?}");
            assert_eq!(may_give(Role::Accountant, role), matches!(role, Role::Accountant | Role::Viewer), "{role:?}");
            for giver in [Role::Developer, Role::Editor, Role::Viewer] {
                assert!(!may_give(giver, role), "{giver:?} {role:?}");
            }
        }
    }

    #[test]
    fn machine_client_grants_roles_within_its_token() {
        let token = ScopeSet::parse(["partner.team:write", "marketplace.apps:write"]);
        assert!(is_grantable(Role::Viewer, token));
        assert!(!is_grantable(Role::Developer, token), "it may not write on the board, nor answer support");
    }

    #[test]
    fn last_active_administrator_cannot_be_removed() {
        assert_eq!(ensure_administrator_remains(Role::Administrator, "ACTIVE", 0).unwrap_err().code(), Code::Conflict);
        assert!(ensure_administrator_remains(Role::Administrator, "ACTIVE", 1).is_ok());
        assert!(ensure_administrator_remains(Role::Administrator, "SUSPENDED", 0).is_ok());
        assert!(ensure_administrator_remains(Role::Viewer, "ACTIVE", 0).is_ok());
    }

    #[test]
    fn user_cannot_suspend_own_account() {
        let me = Uuid::from_u128(1);
        assert_eq!(ensure_not_oneself(me, me).unwrap_err().code(), Code::Conflict);
        assert!(ensure_not_oneself(me, Uuid::from_u128(2)).is_ok());
        let team = ActingAs { own: Some(Role::Administrator.scopes()), reason: None };
        assert_eq!(next_state("ACTIVE", PersonAction::Suspend, false, team).unwrap(), PersonState::Suspended);
        assert_eq!(
            next_state("ACTIVE", PersonAction::Reinstate, false, team).unwrap_err().code(),
            Code::IllegalTransition
        );
        assert_eq!(next_state("INVITED", PersonAction::Remove, false, team).unwrap_err().code(), Code::Internal);
    }

    #[test]
    fn team_gets_actions_only_on_other_covered_users() {
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
    fn only_staff_can_act_on_locked_user() {
        let team = ActingAs { own: Some(Role::Administrator.scopes()), reason: None };
        for action in [PersonAction::Suspend, PersonAction::Reinstate, PersonAction::Remove] {
            let refused = next_state("LOCKED", action, true, team).unwrap_err();
            assert_eq!(refused.allowed_actions(), ["unlock"], "{action:?}");
        }
        let staff = ActingAs { own: None, reason: None };
        assert_eq!(next_state("LOCKED", PersonAction::Remove, false, staff).unwrap(), PersonState::Removed);
    }
}
