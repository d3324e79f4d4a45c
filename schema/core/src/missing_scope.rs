//! Why a token lacks a scope, and what would grant it.
//!
//! The problem document and `GET /v1/system/me:explain` state it, so that the caller knows whom to ask: an administrator of
//! the partner for a role, the subscription for a tier, the operator for a machine client.

use sqlx::PgPool;

use crate::authority::possible_scopes;
use crate::fault::{Fault, MissingScope, ScopeLack};
use crate::principal::{Principal, PrincipalType, Role};
use crate::scope::{Scope, ScopeSet};
use crate::words::Word as _;

/// What limits a token's scopes.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScopeLimits {
    /// Scopes of the user's role, or the scopes that the operator allowed for the machine client.
    pub own: ScopeSet,
    /// Scopes that the machine client requested for this token. `None` for a user.
    pub requested: Option<ScopeSet>,
    /// Scopes of the tier, if a machine client belongs to a partner. `None` for a user.
    pub tier: Option<ScopeSet>,
}

impl ScopeLimits {
    /// Returns the scopes within the limits, before the tier limits them.
    #[must_use]
    pub fn scopes(self) -> ScopeSet {
        self.requested.map_or(self.own, |requested| self.own.intersect(requested))
    }
}

impl Principal {
    /// Explains why the token does not have this scope. The tiers and the roles of staff that would grant it are not
    /// named yet ([`name_grants`]).
    #[must_use]
    pub fn explain_lack(&self, needed: Scope) -> MissingScope {
        let because = self.lack_of(needed);
        let granted_by = match because {
            ScopeLack::Role if self.kind == PrincipalType::PartnerUser => roles_with(needed),
            _ => Vec::new(),
        };
        MissingScope { scope: needed.to_string(), because: Some(because), granted_by }
    }

    fn lack_of(&self, needed: Scope) -> ScopeLack {
        if self.lacks_factor {
            return ScopeLack::SecondFactor;
        }
        let possible = |own: ScopeSet| if self.partner_uuid.is_some() { possible_scopes(own) } else { own };
        match self.kind {
            PrincipalType::StaffUser if needed.is_admin() => ScopeLack::Role,
            PrincipalType::StaffUser => ScopeLack::Account,
            PrincipalType::PartnerUser if possible(self.limits.own).reaches(needed) => ScopeLack::Tier,
            PrincipalType::PartnerUser if roles_with(needed).is_empty() => ScopeLack::Account,
            PrincipalType::PartnerUser => ScopeLack::Role,
            PrincipalType::MachineClient if !possible(ScopeSet::of([needed])).reaches(needed) => ScopeLack::Account,
            PrincipalType::MachineClient if !self.limits.own.reaches(needed) => ScopeLack::Client,
            // A token is issued without the scopes that the tier lacks, so a new one would not have them either.
            PrincipalType::MachineClient if self.limits.tier.is_some_and(|tier| !tier.reaches(needed)) => {
                ScopeLack::Tier
            }
            PrincipalType::MachineClient => ScopeLack::Token,
        }
    }
}

/// Returns the names of the roles of a partner's team that grant a scope.
fn roles_with(needed: Scope) -> Vec<String> {
    let grants = |role: &&Role| possible_scopes(role.scopes()).reaches(needed);
    Role::ALL.iter().filter(grants).map(|role| role.name().to_owned()).collect()
}

/// Names what would grant a missing scope: the offered tiers, or the roles of staff. If the database does not answer, or if
/// nothing else grants it, the fault is returned unchanged.
pub async fn name_grants(pool: &PgPool, caller: Option<&Principal>, fault: Fault) -> Fault {
    let Some(missing) = fault.scope_lack().filter(|missing| missing.granted_by.is_empty()) else { return fault };
    let Some(needed) = Scope::parse(&missing.scope) else { return fault };
    let is_staff = caller.is_some_and(|principal| principal.kind == PrincipalType::StaffUser);
    let rows = match missing.because {
        Some(ScopeLack::Tier) => sqlx::query!(
            r#"select tier.code as "code!", tier_scope.scopes as "scopes!"
                     from tier join tier_scope using (tier_uuid) where tier.state = 'OFFERED'
                    order by tier.position, tier.code"#
        )
        .fetch_all(pool)
        .await
        .map(|rows| rows.into_iter().map(|row| (row.code, row.scopes)).collect::<Vec<_>>()),
        Some(ScopeLack::Role) if is_staff => {
            sqlx::query!("select role_code, scopes from staff_role order by role_code")
                .fetch_all(pool)
                .await
                .map(|rows| rows.into_iter().map(|row| (row.role_code, row.scopes)).collect())
        }
        _ => return fault,
    };
    let grants = |scopes: &[String]| ScopeSet::parse(scopes.iter().map(String::as_str)).reaches(needed);
    let granted_by: Vec<String> =
        rows.unwrap_or_default().into_iter().filter(|(_, scopes)| grants(scopes)).map(|(code, _)| code).collect();
    if granted_by.is_empty() {
        return fault;
    }
    fault.with_grants(granted_by)
}
