//! Principals of the model as data: who they are, and the scopes that the specification gives them.

use super::machines::Company;

/// Scopes of each role of a partner (docs/decisions/access.md#partner-roles).
pub(crate) const ROLES: &[(&str, &[&str])] = &[
    (
        "ADMINISTRATOR",
        &["partner:write", "subscription:write", "marketplace:write", "statistics:write", "engagement:write"],
    ),
    (
        "DEVELOPER",
        &[
            "marketplace.apps:write",
            "marketplace.reviews",
            "engagement.feature-requests:write",
            "statistics",
            "partner",
            "partner.support:write",
            "subscription",
        ],
    ),
    (
        "EDITOR",
        &[
            "marketplace.apps:write",
            "marketplace.reviews:write",
            "partner.profile:write",
            "statistics",
            "partner",
            "partner.support:write",
        ],
    ),
    ("ACCOUNTANT", &["partner:write", "subscription:write", "partner.support:write"]),
    (
        "VIEWER",
        &[
            "marketplace.apps",
            "marketplace.reviews",
            "engagement.feature-requests",
            "statistics",
            "partner",
            "subscription",
        ],
    ),
];

/// Scopes of every role.
const OF_ALL_ROLES: &[&str] = &["auth.account:write", "publication.developer-resources", "storefront"];

/// Domains of staff scopes below `labs.admin`.
pub(crate) const STAFF_DOMAINS: &[&str] = &[
    "overview",
    "partners",
    "users",
    "apps",
    "subscriptions",
    "limits",
    "clients",
    "staff",
    "audit",
    "security",
    "operations",
    "publication",
    "tiers",
    "categories",
    "submissions",
    "reviews",
    "storefront",
    "support",
    "statistics",
    "engagement",
];

/// State of a credential.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Standing {
    /// A valid token.
    Good,
    /// No token.
    Missing,
    /// A token that is not one.
    Garbled,
    /// A token after its expiry.
    Expired,
    /// A token whose session or machine client has ended, for example because staff locked the user.
    Revoked,
    /// A token of a suspended partner.
    PartnerInactive,
}

/// Kind of a principal.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Kind {
    /// No principal.
    Nobody,
    /// A user of a partner, with this role.
    User(&'static str),
    /// A machine client.
    Client,
    /// A staff member.
    Staff,
}

/// A principal.
#[derive(Clone, Debug)]
pub(crate) struct Profile {
    /// Name, unique in the roster.
    pub(crate) name: String,
    /// Kind.
    pub(crate) kind: Kind,
    /// State of its token.
    pub(crate) standing: Standing,
    /// Partner to which it is bound.
    pub(crate) company: Option<Company>,
    /// Scopes that a machine client or a staff member was given; a machine client's token requests all of them, or
    /// those in `requested`.
    pub(crate) given: Vec<String>,
    /// Scope that the token of a machine client was reduced to.
    pub(crate) requested: Option<&'static str>,
    /// Whether its partner demands a second factor that its session lacks.
    pub(crate) lacks_factor: bool,
    /// Whether its session was opened more than ten minutes ago.
    pub(crate) is_stale: bool,
}

/// Whether a scope includes another one: its children at its own level, and reading if it is a write scope.
pub(crate) fn grants(held: &str, needed: &str) -> bool {
    let split =
        |scope: &str| scope.strip_suffix(":write").map_or((scope.to_owned(), false), |name| (name.to_owned(), true));
    let ((held, writes), (needed, needs_write)) = (split(held), split(needed));
    (writes || !needs_write) && (needed == held || needed.starts_with(&format!("{held}.")))
}

impl Profile {
    fn new(name: &str, kind: Kind) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            standing: Standing::Good,
            company: None,
            given: Vec::new(),
            requested: None,
            lacks_factor: false,
            is_stale: false,
        }
    }

    fn user(company: Company, role: &'static str) -> Self {
        let name = format!("{} of {company:?}", role.to_lowercase());
        Self { company: Some(company), ..Self::new(&name, Kind::User(role)) }
    }

    fn client(name: &str, company: Option<Company>, given: &[&str]) -> Self {
        let given = given.iter().map(|scope| (*scope).to_owned()).collect();
        Self { company, given, ..Self::new(name, Kind::Client) }
    }

    fn staff(scope: &str) -> Self {
        Self { given: vec![scope.to_owned()], ..Self::new(&format!("staff with {scope}"), Kind::Staff) }
    }

    fn with(self, name: &str, standing: Standing) -> Self {
        Self { name: name.to_owned(), standing, ..self }
    }

    /// Whether the principal has a scope (docs/decisions/access.md#scopes).
    pub(crate) fn has(&self, needed: &str) -> bool {
        // Without the demanded factor, a user can reach only the account, to enrol one.
        if self.lacks_factor && !grants("auth.account:write", needed) {
            return false;
        }
        let of_role = match self.kind {
            Kind::User(role) => ROLES.iter().find(|(name, _)| *name == role).map_or(&[][..], |(_, scopes)| *scopes),
            _ => &[],
        };
        let of_kind = match self.kind {
            Kind::User(_) => OF_ALL_ROLES,
            Kind::Staff => &["auth.account:write"][..],
            Kind::Client | Kind::Nobody => &[],
        };
        let mut held = of_role.iter().chain(of_kind).copied().chain(self.given.iter().map(String::as_str));
        held.any(|held| grants(held, needed))
            && self.requested.is_none_or(|requested| grants(requested, needed))
            && self.company.is_none_or(|company| may_bound(needed) && company.tier_grants(needed))
    }

    /// Whether the principal is a person.
    pub(crate) fn is_person(&self) -> bool {
        matches!(self.kind, Kind::User(_) | Kind::Staff)
    }

    /// Whether the principal may grant a role: it has every write scope of the role.
    pub(crate) fn can_grant(&self, role: &str) -> bool {
        let (_, scopes) = ROLES.iter().find(|(name, _)| *name == role).unwrap();
        scopes.iter().filter(|scope| scope.ends_with(":write")).all(|scope| self.has(scope))
    }
}

/// Whether a principal that is bound to a partner can hold a scope at all.
fn may_bound(needed: &str) -> bool {
    let is_of_customers = needed.starts_with("storefront") && needed.ends_with(":write");
    !needed.starts_with("labs.") && !needed.starts_with("publication.changelog") && !is_of_customers
}

/// Returns every principal.
pub(crate) fn roster() -> Vec<Profile> {
    use Company::{Closed, Closing, Free, Growth, Scale, Strict, Suspended};
    let administrator = |company| Profile::user(company, "ADMINISTRATOR");
    let developer = || Profile::user(Growth, "DEVELOPER");
    let nobody = |name, standing| Profile::new(name, Kind::Nobody).with(name, standing);
    let mut all = vec![
        nobody("anonymous", Standing::Missing),
        nobody("garbled token", Standing::Garbled),
        administrator(Growth).with("expired", Standing::Expired),
        administrator(Growth).with("signed out", Standing::Revoked),
        developer().with("removed from the team", Standing::Revoked),
        developer().with("locked by staff", Standing::Revoked),
        developer().with("suspended by the team", Standing::Revoked),
        administrator(Suspended).with("administrator of a suspended partner", Standing::PartnerInactive),
        administrator(Closed).with("administrator of a closed partner", Standing::Revoked),
        Profile { is_stale: true, ..administrator(Growth).with("session opened long ago", Standing::Good) },
        Profile { lacks_factor: true, ..administrator(Strict) },
        administrator(Scale),
        administrator(Closing),
    ];
    for company in [Growth, Free] {
        all.extend(ROLES.iter().map(|(role, _)| Profile::user(company, role)));
    }
    let wide = ["marketplace:write", "partner:write", "subscription:write", "statistics", "engagement:write"];
    let narrow = Profile::client("bound client, reduced", Some(Growth), &wide);
    let never = ["marketplace.apps", "storefront:write", "publication.changelog:write"];
    all.extend([
        Profile::client("bound client", Some(Growth), &wide),
        Profile::client("bound client of FREE", Some(Free), &wide),
        Profile { requested: Some("marketplace"), ..narrow },
        Profile::client("bound client with scopes of others", Some(Growth), &never),
        Profile::client("client of a suspended partner", Some(Suspended), &wide)
            .with("client of a suspended partner", Standing::PartnerInactive),
        Profile::client("storefront", None, &["storefront:write"]),
        Profile::client("release tool", None, &["publication.changelog:write", "statistics:write"]),
        Profile::client(
            "unbound client with scopes of partners",
            None,
            &["marketplace:write", "partner:write", "subscription"],
        ),
        Profile::client("unbound client with staff scopes", None, &["labs.admin.users:write", "labs.admin.partners"]),
        Profile::client("disabled client", None, &["labs.admin:write"]).with("disabled client", Standing::Revoked),
    ]);
    all.extend(["labs.admin:write", "labs.admin"].map(Profile::staff));
    for domain in STAFF_DOMAINS {
        all.extend(["", ":write"].map(|level| Profile::staff(&format!("labs.admin.{domain}{level}"))));
    }
    all
}
