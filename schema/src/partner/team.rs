//! The team that something is done in, and how far whoever does it may go.

use uuid::Uuid;

use super::own::ensure_own;
use crate::core::context::RequestContext;
use crate::core::db::Db;
use crate::core::fault::{Code, Fault};
use crate::core::principal::{Principal, PrincipalType, Role};
use crate::core::scope::{Scope, ScopeSet};
use crate::core::words::Word as _;

/// A partner's team: the caller's own, or the one that staff name. Every statement about a team demands one, and nothing
/// else makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Team(Uuid);

impl Team {
    /// The caller's own, which the path must name.
    ///
    /// # Errors
    /// [`crate::Code::PartnerMismatch`] for any other.
    pub(in crate::partner) fn own(cx: &RequestContext, partner_uuid: Uuid) -> Result<Self, Fault> {
        ensure_own(cx, partner_uuid).map(|owner| Self(owner.uuid()))
    }

    /// Any partner's, for staff alone.
    ///
    /// # Errors
    /// [`crate::Code::NotFound`] when there is none, and for whoever is bound to a partner.
    pub(crate) async fn named(cx: &RequestContext, partner_uuid: Uuid) -> Result<Self, Fault> {
        let is_bound = cx.principal()?.partner_uuid.is_some();
        if is_bound || !exists(&cx.db, partner_uuid).await? {
            return Err(Fault::not_found("partner"));
        }
        Ok(Self(partner_uuid))
    }

    /// The partner's id, for a statement's parameter.
    pub(crate) fn uuid(self) -> Uuid {
        self.0
    }
}

/// Who changes something of a team: one of the team, who goes no further than their own role, or staff, who say why.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActingAs<'a> {
    /// What one of the team may do at most; `None` for staff.
    pub(crate) own: Option<ScopeSet>,
    /// What staff give as their reason; the partner reads it.
    pub(crate) reason: Option<&'a str>,
}

impl<'a> ActingAs<'a> {
    /// The caller as one of the team. A person may do what their role gives, before the tier is asked; a program, which
    /// has no role, what its token reaches.
    pub(in crate::partner) fn own(cx: &RequestContext) -> Result<Self, Fault> {
        let principal = cx.principal()?;
        Ok(Self { own: Some(principal.role.map_or(principal.scopes, Role::scopes)), reason: None })
    }

    /// The same as they are now: whoever was let in a moment ago may have been given another role since, or been held
    /// back. One of the team stays what they are until the transaction ends.
    ///
    /// # Errors
    /// What they would have heard, had they asked now: [`crate::Code::TokenRevoked`] or [`crate::Code::ScopeMissing`].
    pub(crate) async fn now(self, cx: &RequestContext, team: Team) -> Result<Self, Fault> {
        const WRITES: &str = "partner.team:write";
        let Some(person_uuid) = member_of(cx.principal()?).filter(|_| !self.is_staff()) else { return Ok(self) };
        let Some(role) = role_hold(&cx.db, team, person_uuid).await? else {
            return Err(Fault::new(Code::TokenRevoked, "Your account is not active any more. Sign in again."));
        };
        let own = Role::read(&role).ok_or_else(|| Fault::internal("a user has an unknown role"))?.scopes();
        if !Scope::parse(WRITES).is_some_and(|scope| own.reaches(scope)) {
            return Err(Fault::scope(WRITES));
        }
        Ok(Self { own: Some(own), ..self })
    }

    /// Staff, with what they say about it.
    pub(crate) fn staff(cx: &RequestContext, reason: Option<&'a str>) -> Self {
        if let Some(reason) = reason {
            cx.note_reason(reason);
        }
        Self { own: None, reason }
    }

    /// Whether it is somebody who runs the service.
    pub(crate) fn is_staff(self) -> bool {
        self.own.is_none()
    }
}

/// The caller as a person of a team; nobody for staff and programs.
pub(crate) fn member_of(principal: &Principal) -> Option<Uuid> {
    (principal.kind == PrincipalType::PartnerUser).then_some(principal.uuid)
}

/// The role of somebody of the team who may act, held until the transaction ends.
async fn role_hold(db: &Db, team: Team, person_uuid: Uuid) -> Result<Option<String>, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select role as "role!" from person
            where person_uuid = $2 and partner_uuid = $1 and state = 'ACTIVE'
              for share"#,
        team.uuid(),
        person_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

async fn exists(db: &Db, partner_uuid: Uuid) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(r#"select exists (select from partner where partner_uuid = $1) as "exists!""#, partner_uuid)
        .fetch_one(&mut *db.conn().await?)
        .await?)
}
