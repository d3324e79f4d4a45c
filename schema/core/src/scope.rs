//! Scope rules: definition of scopes and of the access that they grant.
//!
//! Rule: docs/decisions/access.md#scopes. A scope nests by domain and has an access level: `a` grants `a.b` read-only,
//! `a:write` grants `a`, `a.b` and `a.b:write`, and `a` never grants `a.b:write`.

use std::fmt;
use std::sync::LazyLock;

/// Every domain of a scope, parents before children. Each domain also exists with `:write`.
const DOMAINS: &[&str] = &[
    "auth.account",
    "partner",
    "partner.profile",
    "partner.team",
    "partner.security",
    "partner.support",
    "subscription",
    "marketplace",
    "marketplace.apps",
    "marketplace.reviews",
    "storefront",
    "storefront.reviews",
    "publication",
    "publication.changelog",
    "publication.developer-resources",
    "statistics",
    "engagement",
    "engagement.feature-requests",
    "labs.admin",
    "labs.admin.overview",
    "labs.admin.partners",
    "labs.admin.users",
    "labs.admin.apps",
    "labs.admin.subscriptions",
    "labs.admin.limits",
    "labs.admin.clients",
    "labs.admin.staff",
    "labs.admin.audit",
    "labs.admin.security",
    "labs.admin.operations",
    "labs.admin.publication",
    "labs.admin.tiers",
    "labs.admin.categories",
    "labs.admin.submissions",
    "labs.admin.reviews",
    "labs.admin.storefront",
    "labs.admin.support",
    "labs.admin.statistics",
    "labs.admin.engagement",
];

/// Scope: a domain and an access level.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Scope {
    domain: u8,
    write: bool,
}

impl Scope {
    /// Parses a scope such as `marketplace.apps:write`; `None` if it does not exist.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (domain, write) = text.strip_suffix(":write").map_or((text, false), |domain| (domain, true));
        let domain = DOMAINS.iter().position(|known| *known == domain)?;
        Some(Self { domain: u8::try_from(domain).ok()?, write })
    }

    /// Returns every scope, parents before children, read-only before write.
    pub fn all() -> impl Iterator<Item = Self> {
        (0u8..).zip(DOMAINS).flat_map(|(domain, _)| [false, true].map(|write| Self { domain, write }))
    }

    /// Returns the domain without the access level.
    #[must_use]
    pub fn domain(self) -> &'static str {
        DOMAINS.get(usize::from(self.domain)).copied().unwrap_or_default()
    }

    /// Whether the scope gives write access.
    #[must_use]
    pub fn is_write(self) -> bool {
        self.write
    }

    /// Whether it belongs to the operator's domain, which a partner's principal can never have.
    #[must_use]
    pub fn is_admin(self) -> bool {
        within(self.domain(), "labs.admin")
    }

    /// Returns the parent scope with the same access level; `None` at the top of its domain.
    #[must_use]
    pub fn parent(self) -> Option<Self> {
        let (above, _) = self.domain().rsplit_once('.')?;
        let domain = DOMAINS.iter().position(|known| *known == above)?;
        Some(Self { domain: u8::try_from(domain).ok()?, write: self.write })
    }

    /// Whether this scope grants access that requires `other`.
    #[must_use]
    pub fn grants(self, other: Self) -> bool {
        (self.write || !other.write) && within(other.domain(), self.domain())
    }

    fn bit(self) -> u128 {
        1 << self.index()
    }

    fn index(self) -> usize {
        usize::from(self.domain) * 2 + usize::from(self.write)
    }
}

/// Set of every scope that a scope grants, by [`Scope::index`]: a request compares bits, not names.
static GRANTED: LazyLock<Vec<u128>> = LazyLock::new(|| {
    let bits = |scope: Scope| bits_of(|other| scope.grants(other));
    Scope::all().map(bits).collect()
});

/// Returns the set of the scopes for which this holds.
fn bits_of(holds: impl Fn(Scope) -> bool) -> u128 {
    Scope::all().filter(|scope| holds(*scope)).fold(0, |bits, scope| bits | scope.bit())
}

/// Whether `domain` is `parent` or a descendant of it.
fn within(domain: &str, parent: &str) -> bool {
    domain.strip_prefix(parent).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

impl fmt::Display for Scope {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.domain())?;
        if self.write { formatter.write_str(":write") } else { Ok(()) }
    }
}

impl fmt::Debug for Scope {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// Returns every scope that grants one of the named scopes: the holder of any of them has one of these. Unknown names
/// are ignored.
pub fn opening_scopes(named: &[String]) -> Vec<String> {
    let named: Vec<Scope> = named.iter().filter_map(|name| Scope::parse(name)).collect();
    let opens = |scope: &Scope| named.iter().any(|named| scope.grants(*named));
    Scope::all().filter(opens).map(|scope| scope.to_string()).collect()
}

/// Set of scopes, closed under the scope rules, so that a check tests one bit.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct ScopeSet(u128);

impl ScopeSet {
    /// Creates the set that these scopes grant.
    pub fn of(scopes: impl IntoIterator<Item = Scope>) -> Self {
        let granted = |scope: Scope| GRANTED.get(scope.index()).copied().unwrap_or_default();
        Self(scopes.into_iter().fold(0, |bits, scope| bits | granted(scope)))
    }

    /// Creates the set that these names grant. Unknown names grant nothing.
    pub fn parse<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self::of(names.into_iter().filter_map(Scope::parse))
    }

    /// Whether the set grants access that requires this scope.
    #[must_use]
    pub fn reaches(self, needed: Scope) -> bool {
        self.0 & needed.bit() != 0
    }

    /// Returns the intersection. It applies to requested scopes, roles and tiers.
    #[must_use]
    pub fn intersect(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns the union.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the difference: this set without the other.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Removes the operator's domain, which a principal bound to a partner never has.
    #[must_use]
    pub fn without_admin(self) -> Self {
        static ADMIN: LazyLock<u128> = LazyLock::new(|| bits_of(Scope::is_admin));
        Self(self.0 & !*ADMIN)
    }

    /// Removes the write scopes of the storefront, because a principal bound to a partner must not write customer
    /// reviews.
    #[must_use]
    pub fn without_storefront_writes(self) -> Self {
        static WRITES: LazyLock<u128> =
            LazyLock::new(|| bits_of(|scope| scope.is_write() && within(scope.domain(), "storefront")));
        Self(self.0 & !*WRITES)
    }

    /// Removes the changelog's domain, which is reserved for the service's release tool: a principal bound to a partner
    /// cannot read changelog drafts. Scopes that grant the domain are removed, too, so that no list of the set contains
    /// one.
    #[must_use]
    pub fn without_changelog(self) -> Self {
        static CHANGELOG: LazyLock<u128> = LazyLock::new(|| {
            bits_of(|scope| {
                within(scope.domain(), "publication.changelog") || within("publication.changelog", scope.domain())
            })
        });
        Self(self.0 & !*CHANGELOG)
    }

    /// Whether the set is empty.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the shortest list of scopes that grants the same set.
    #[must_use]
    pub fn minimal(self) -> Vec<Scope> {
        let held: Vec<Scope> = Scope::all().filter(|scope| self.reaches(*scope)).collect();
        held.iter()
            .filter(|scope| !held.iter().any(|other| other != *scope && other.grants(**scope)))
            .copied()
            .collect()
    }

    /// Returns the shortest list, separated by spaces, as in RFC 6749 section 3.3.
    #[must_use]
    pub fn text(self) -> String {
        self.names().join(" ")
    }

    /// Returns the shortest list as names.
    #[must_use]
    pub fn names(self) -> Vec<String> {
        self.minimal().iter().map(ToString::to_string).collect()
    }
}

impl fmt::Debug for ScopeSet {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(text: &str) -> Scope {
        Scope::parse(text).unwrap()
    }

    #[test]
    fn scope_is_opened_by_parents_and_write_scopes() {
        let opening = opening_scopes(&["marketplace.apps".to_owned(), "no.scope".to_owned()]);
        assert_eq!(opening, ["marketplace", "marketplace:write", "marketplace.apps", "marketplace.apps:write"]);
    }

    #[test]
    fn parent_scope_is_one_level_above() {
        let parent = |name: &str| Scope::parse(name).unwrap().parent().map(|parent| parent.to_string());
        assert_eq!(parent("labs.admin.tiers:write").as_deref(), Some("labs.admin:write"));
        assert_eq!(parent("storefront.reviews").as_deref(), Some("storefront"));
        for top in ["labs.admin", "auth.account:write", "marketplace"] {
            assert_eq!(parent(top), None, "{top}");
        }
    }

    #[test]
    fn every_pair_of_scopes_follows_grant_rule() {
        for held in Scope::all() {
            for needed in Scope::all() {
                let beneath =
                    needed.domain() == held.domain() || needed.domain().starts_with(&format!("{}.", held.domain()));
                let expected = beneath && (held.is_write() || !needed.is_write());
                assert_eq!(held.grants(needed), expected, "{held} grants {needed}");
                assert_eq!(ScopeSet::of([held]).reaches(needed), expected, "the set of {held} reaches {needed}");
            }
        }
    }

    #[test]
    fn read_only_parent_does_not_grant_write() {
        assert!(scope("marketplace").grants(scope("marketplace.apps")));
        assert!(!scope("marketplace").grants(scope("marketplace.apps:write")));
        assert!(scope("marketplace.apps:write").grants(scope("marketplace.apps")));
    }

    #[test]
    fn name_with_same_prefix_is_not_a_child() {
        assert!(!within("partnership", "partner"));
        assert_eq!(Scope::parse("labs"), None);
        assert_eq!(Scope::parse("marketplace.apps:read"), None);
    }

    #[test]
    fn requested_scopes_are_intersected_with_allowed() {
        let allowed = ScopeSet::parse(["marketplace.apps:write", "statistics"]);
        assert_eq!(ScopeSet::parse(["marketplace"]).intersect(allowed).text(), "marketplace.apps");
        assert_eq!(ScopeSet::parse(["marketplace:write"]).intersect(allowed).text(), "marketplace.apps:write");
        assert_eq!(ScopeSet::parse(["labs.admin:write"]).intersect(allowed).text(), "");
    }

    #[test]
    fn bound_principal_has_no_admin_scopes() {
        let set = ScopeSet::of(Scope::all()).without_admin();
        assert!(Scope::all().all(|scope| set.reaches(scope) != scope.is_admin()));
    }

    #[test]
    fn bound_principal_cannot_write_customer_reviews() {
        let set = ScopeSet::parse(["storefront:write", "marketplace:write"]).without_storefront_writes();
        assert_eq!(set.text(), "marketplace:write storefront");
    }

    #[test]
    fn bound_principal_sees_no_changelog_scope() {
        let told = |scopes: &str| ScopeSet::parse(scopes.split(' ')).without_changelog().text();
        assert_eq!(told("publication"), "publication.developer-resources");
        assert_eq!(told("publication:write storefront"), "storefront publication.developer-resources:write");
        let all = ScopeSet::of(Scope::all()).without_admin().without_storefront_writes().without_changelog();
        assert_eq!(ScopeSet::of(all.minimal()), all, "the list reaches what the set reaches, and no more");
    }

    #[test]
    fn minimal_scopes_reach_same_as_set() {
        for scope in Scope::all() {
            assert_eq!(ScopeSet::of(ScopeSet::of([scope]).minimal()), ScopeSet::of([scope]));
        }
    }
}
