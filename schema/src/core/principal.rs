//! Who calls, and what they may reach.
//!
//! Rule: docs/decisions.md#principals.

use std::net::IpAddr;

use ipnet::IpNet;
use uuid::Uuid;

use crate::core::fault::{Code, Fault};
use crate::core::scope::{Scope, ScopeSet};
use crate::core::time::Time;
use crate::core::words::words;

words! {
    /// The kinds of principal (docs/decisions.md#principals).
    pub enum PrincipalType {
        /// A person in a partner's team.
        PartnerUser = "PARTNER_USER",
        /// A program an operator provisioned.
        MachineClient = "MACHINE_CLIENT",
        /// An internal person.
        StaffUser = "STAFF_USER",
    }
}

words! {
    /// What a person does in a partner's team (docs/decisions.md#principals).
    pub enum Role {
        /// Everything a partner may do.
        Administrator = "ADMINISTRATOR",
        /// Builds the software.
        Developer = "DEVELOPER",
        /// Writes the texts.
        Editor = "EDITOR",
        /// Keeps the account and the subscription.
        Accountant = "ACCOUNTANT",
        /// Looks on.
        Viewer = "VIEWER",
    }
}

impl Role {
    /// What the role reaches, before the tier is asked.
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

/// The partner that a token is bound to, and nothing else can be: every partner-side store function
/// demands one. Made from the token alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Owner(Uuid);

impl Owner {
    /// The partner's id, for a statement's parameter.
    #[must_use]
    pub fn uuid(self) -> Uuid {
        self.0
    }
}

/// A verified caller.
#[derive(Clone, Debug)]
pub struct Principal {
    /// Which kind.
    pub kind: PrincipalType,
    /// The person or the client.
    pub uuid: Uuid,
    /// Name for records: a person's name or a client id.
    pub label: String,
    /// The partner the principal is bound to.
    pub partner_uuid: Option<Uuid>,
    /// A partner user's role.
    pub role: Option<Role>,
    /// What the token reaches, closed under the scope law.
    pub scopes: ScopeSet,
    /// The session of a person.
    pub session_uuid: Option<Uuid>,
    /// When the session ends for good.
    pub session_expires_at: Option<Time>,
    /// When the password or factor was last given again.
    pub reauthenticated_at: Option<Time>,
    /// Whether a second factor is compulsory and the session has proved none, so that it reaches the own account only.
    pub lacks_factor: bool,
    /// A program's client id.
    pub client_id: Option<String>,
    /// The networks that a program may call from; empty: from anywhere.
    pub networks: Vec<IpNet>,
    /// `jti` of the token.
    pub token_id: Uuid,
    /// `exp` of the token.
    pub token_expires_at: Time,
    /// The budgets that the caller spends.
    pub budget: Budget,
}

/// The budgets of an account and where it is booked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Budget {
    /// `partner:<uuid>`, `client:<uuid>` or `staff:<uuid>`.
    pub account: String,
    /// Requests per second.
    pub burst_per_second: u32,
    /// Requests per UTC day.
    pub daily_requests: u64,
    /// The last time the day's budget was made whole again, as far as was known when this was read.
    pub reset: Reset,
}

/// How often an account's daily budget was made whole again on a day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Reset {
    /// Days since 1970 in UTC.
    pub day: i64,
    /// How often on that day.
    pub count: i32,
}

impl Principal {
    /// Refuses a token that does not reach what is needed.
    ///
    /// # Errors
    /// [`Code::ScopeMissing`], naming the scope.
    pub fn require(&self, needed: Scope) -> Result<(), Fault> {
        if self.scopes.reaches(needed) {
            return Ok(());
        }
        let fault = Fault::scope(needed.to_string());
        if self.lacks_factor {
            return Err(fault.with_detail(format!(
                "This operation requires the scope {needed}. You must have a second factor and this session has not \
                 confirmed one, so it can access only your own account. Enrol one with POST /v1/auth/mfa/totp and \
                 confirm it; if you have one, send a code to POST /v1/auth/sessions:reauthenticate."
            )));
        }
        Err(fault)
    }

    /// Whether the principal may call from this address, at every use of its token and not only when it is issued.
    #[must_use]
    pub fn may_call_from(&self, address: IpAddr) -> bool {
        self.networks.is_empty() || self.networks.iter().any(|network| network.contains(&address))
    }

    /// The partner whose things this principal may touch.
    ///
    /// # Errors
    /// [`Code::NotFound`] for a principal that is bound to none: it has no such things.
    pub fn owner(&self) -> Result<Owner, Fault> {
        self.partner_uuid.map(Owner).ok_or_else(|| {
            Fault::new(Code::NotFound, "This token does not belong to a partner. Use a partner's token.")
        })
    }
}
