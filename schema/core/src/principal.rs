//! Principals and their rights.
//!
//! Rule: docs/decisions/access.md#kinds-of-principal.

use std::net::IpAddr;

use ipnet::IpNet;
use uuid::Uuid;

use crate::fault::{Code, Fault};
use crate::missing_scope::ScopeLimits;
use crate::scope::{Scope, ScopeSet};
use crate::time::Time;
use crate::words::words;

words! {
    /// Kind of the caller.
    pub enum PrincipalType {
        /// A user in a partner's team.
        PartnerUser = "PARTNER_USER",
        /// A program with a client id and secret that staff created.
        MachineClient = "MACHINE_CLIENT",
        /// A staff member.
        StaffUser = "STAFF_USER",
    }
}

words! {
    /// Role of a user in a partner's team.
    pub enum Role {
        /// May do everything.
        Administrator = "ADMINISTRATOR",
        /// Manages apps and feature requests, reads the account, the team, the subscription and statistics, and creates
        /// support tickets.
        Developer = "DEVELOPER",
        /// Manages apps, the profile and replies to customer reviews, reads the account and statistics, and creates
        /// support tickets.
        Editor = "EDITOR",
        /// Manages the partner's account and subscription.
        Accountant = "ACCOUNTANT",
        /// Has read access.
        Viewer = "VIEWER",
    }
}

impl Role {
    /// Returns the scopes of the role, before they are limited by the tier.
    #[must_use]
    pub fn scopes(self) -> ScopeSet {
        let own: &[&str] = match self {
            Self::Administrator => {
                &["partner:write", "subscription:write", "marketplace:write", "statistics:write", "engagement:write"]
            }
            Self::Developer => &[
                "marketplace.apps:write",
                "marketplace.reviews",
                "engagement.feature-requests:write",
                "statistics",
                "partner",
                "partner.team",
                "partner.support:write",
                "subscription",
            ],
            Self::Editor => &[
                "marketplace.apps:write",
                "marketplace.reviews:write",
                "partner.profile:write",
                "statistics",
                "partner",
                "partner.support:write",
            ],
            Self::Accountant => &["partner:write", "subscription:write", "partner.support:write"],
            Self::Viewer => &[
                "partner",
                "subscription",
                "marketplace.apps",
                "marketplace.reviews",
                "statistics",
                "engagement.feature-requests",
            ],
        };
        ScopeSet::parse(own.iter().copied().chain([
            "auth.account:write",
            "publication.developer-resources",
            "storefront",
        ]))
    }
}

/// Partner that a token is bound to. Every store function for partners requires one, and it can only be created from a
/// token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Owner(Uuid);

impl Owner {
    /// Returns the partner's id, for a statement's parameter.
    #[must_use]
    pub fn uuid(self) -> Uuid {
        self.0
    }
}

/// Authenticated caller.
#[derive(Clone, Debug)]
pub struct Principal {
    /// Kind of the principal.
    pub kind: PrincipalType,
    /// UUID of the user or machine client.
    pub uuid: Uuid,
    /// Name in records: a user's name, or a client id, followed by the identity for which the token was issued.
    pub label: String,
    /// Partner that the principal is bound to.
    pub partner_uuid: Option<Uuid>,
    /// Role of a partner user.
    pub role: Option<Role>,
    /// Scopes of the token, closed under the scope rules.
    pub scopes: ScopeSet,
    /// Limits of the token's scopes, to explain a missing one.
    pub limits: ScopeLimits,
    /// Session of a user.
    pub session_uuid: Option<Uuid>,
    /// Time at which the session finally expires.
    pub session_expires_at: Option<Time>,
    /// Time at which the user last re-entered the password or second factor.
    pub reauthenticated_at: Option<Time>,
    /// Whether a second factor is required and the session lacks it, so that it reaches only the user's own account.
    pub lacks_factor: bool,
    /// Client id of a machine client.
    pub client_id: Option<String>,
    /// Networks that a machine client may call from; empty means any network.
    pub networks: Vec<IpNet>,
    /// `jti` of the token.
    pub token_id: Uuid,
    /// `exp` of the token.
    pub token_expires_at: Time,
    /// Budgets of the caller.
    pub budget: Budget,
}

/// Budgets of an account.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Budget {
    /// `partner:<uuid>`, `client:<uuid>` or `staff:<uuid>`.
    pub account: String,
    /// Requests per second.
    pub burst_per_second: u32,
    /// Requests per UTC day.
    pub daily_requests: u64,
    /// The last reset of the daily budget known when the principal was loaded.
    pub reset: Reset,
}

/// Number of resets of an account's daily budget on a day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Reset {
    /// Days since 1970 in UTC.
    pub day: i64,
    /// Number of resets on that day.
    pub count: i32,
}

impl Principal {
    /// Rejects a token without the needed scope.
    ///
    /// # Errors
    /// [`Code::ScopeMissing`], with the scope.
    pub fn require(&self, needed: Scope) -> Result<(), Fault> {
        if self.scopes.reaches(needed) {
            return Ok(());
        }
        Err(Fault::missing_scope(self.explain_lack(needed)))
    }

    /// Whether the principal may call from this address. Checked at every use of its token, not only at issue.
    #[must_use]
    pub fn may_call_from(&self, address: IpAddr) -> bool {
        self.networks.is_empty() || self.networks.iter().any(|network| network.contains(&address))
    }

    /// Returns the partner whose objects the principal may access.
    ///
    /// # Errors
    /// [`Code::NotFound`] if the principal has no partner and therefore no objects.
    pub fn owner(&self) -> Result<Owner, Fault> {
        self.partner_uuid.map(Owner).ok_or_else(|| {
            Fault::new(Code::NotFound, "This token does not belong to a partner. Use a partner's token.")
        })
    }
}
