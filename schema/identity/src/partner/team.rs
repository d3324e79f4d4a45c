//! The team that an operation changes, and the rights of the caller in it.

mod store;

use labs_core::context::RequestContext;
use labs_core::fault::{Code, Fault};
use labs_core::principal::{Principal, PrincipalType, Role};
use labs_core::scope::{Scope, ScopeSet};
use labs_core::words::Word as _;
use uuid::Uuid;

use super::own::ensure_own;

/// A partner's team: the caller's own team, or the team that staff name. Every statement for a team requires this type,
/// and only this module creates it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Team(Uuid);

impl Team {
    /// Returns the caller's own team, which the path must name.
    ///
    /// # Errors
    /// [`labs_core::Code::PartnerMismatch`] for any other team.
    pub(in crate::partner) fn own(cx: &RequestContext, partner_uuid: Uuid) -> Result<Self, Fault> {
        ensure_own(cx, partner_uuid).map(|owner| Self(owner.uuid()))
    }

    /// Returns any partner's team, for staff only.
    ///
    /// # Errors
    /// [`labs_core::Code::NotFound`] if the partner does not exist, and for callers bound to a partner.
    pub async fn named(cx: &RequestContext, partner_uuid: Uuid) -> Result<Self, Fault> {
        let is_bound = cx.principal()?.partner_uuid.is_some();
        if is_bound || !store::exists(&cx.db, partner_uuid).await? {
            return Err(Fault::not_found("partner"));
        }
        Ok(Self(partner_uuid))
    }

    /// Returns the partner's id, for a statement's parameter.
    pub fn uuid(self) -> Uuid {
        self.0
    }
}

/// Caller who changes a team: a team member or machine client within their own rights, or a staff member with a reason.
#[derive(Clone, Copy, Debug)]
pub struct ActingAs<'a> {
    /// Maximum rights of a caller of the team; `None` for staff.
    pub(crate) own: Option<ScopeSet>,
    /// Reason of staff, which the partner can read.
    pub(crate) reason: Option<&'a str>,
}

impl<'a> ActingAs<'a> {
    /// Creates the value for a caller of the team. A user has the rights of their role, before the limits of the tier.
    /// A machine client has no role and has the rights of its token.
    pub(in crate::partner) fn own(cx: &RequestContext) -> Result<Self, Fault> {
        let principal = cx.principal()?;
        Ok(Self { own: Some(principal.role.map_or(principal.scopes, Role::scopes)), reason: None })
    }

    /// Re-reads the caller's rights: since the authentication, the caller may have received another role or been
    /// suspended. The rights of a team member do not change until the transaction ends.
    ///
    /// # Errors
    /// The same as for a new request: [`labs_core::Code::TokenRevoked`] or [`labs_core::Code::ScopeMissing`].
    pub async fn now(self, cx: &RequestContext, team: Team) -> Result<Self, Fault> {
        const WRITES: &str = "partner.team:write";
        let Some(person_uuid) = member_of(cx.principal()?).filter(|_| !self.is_staff()) else { return Ok(self) };
        let Some(role) = store::role_hold(&cx.db, team, person_uuid).await? else {
            return Err(Fault::new(Code::TokenRevoked, "Your account is not active any more. Sign in again."));
        };
        let own = Role::read(&role).ok_or_else(|| Fault::internal("a user has an unknown role"))?.scopes();
        if !Scope::parse(WRITES).is_some_and(|scope| own.reaches(scope)) {
            return Err(Fault::scope(WRITES));
        }
        Ok(Self { own: Some(own), ..self })
    }

    /// Creates the value for staff, with their reason.
    pub fn staff(cx: &RequestContext, reason: Option<&'a str>) -> Self {
        if let Some(reason) = reason {
            cx.note_reason(reason);
        }
        Self { own: None, reason }
    }

    /// Whether the caller is a staff member.
    pub fn is_staff(self) -> bool {
        self.own.is_none()
    }
}

/// Returns the caller's user id in the team; `None` for staff and machine clients.
pub fn member_of(principal: &Principal) -> Option<Uuid> {
    (principal.kind == PrincipalType::PartnerUser).then_some(principal.uuid)
}
