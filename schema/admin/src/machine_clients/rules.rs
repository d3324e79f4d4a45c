//! Rules for the scopes, networks and number of client secrets of a machine client.

pub(super) mod lifecycle;

use std::collections::BTreeSet;

use ipnet::IpNet;
use labs_core::email::EmailAddress;
use labs_core::fault::{Fault, FieldError};
use labs_core::scope::{Scope, ScopeSet};

/// Maximum number of client secrets that are valid at the same time.
const MOST_SECRETS: i64 = 2;
/// Default remaining validity of former client secrets, in seconds.
pub(super) const FORMER_SECRETS_SECONDS: i32 = 86_400;
/// Digits of a client id, without letters that look like another letter or a digit.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Returns the shortest list of scopes that covers `wanted`, in alphabetical order.
///
/// A machine client bound to a partner gets no scope under `labs.admin` (docs/decisions/access.md#kinds-of-principal).
/// A machine client of the service itself gets only the scopes under `labs.admin` that the caller holds (`own`).
/// Otherwise a caller could provision a client with more rights than they have. Scopes that the client already has,
/// read under `lock_client`, may stay.
pub(super) fn scopes(
    wanted: &[String],
    is_bound: bool,
    own: ScopeSet,
    held: ScopeSet,
    errors: &mut Vec<FieldError>,
) -> Vec<String> {
    let mut known = Vec::with_capacity(wanted.len());
    for (place, name) in wanted.iter().enumerate() {
        match scope(name, is_bound, own.union(held)) {
            Ok(scope) => known.push(scope),
            Err((code, message)) => errors.push(FieldError::at(format!("/allowed_scopes/{place}"), code, message)),
        }
    }
    let mut names = ScopeSet::of(known).names();
    names.sort_unstable();
    names
}

fn scope(name: &str, is_bound: bool, grantable: ScopeSet) -> Result<Scope, (&'static str, &'static str)> {
    let scope = Scope::parse(name)
        .ok_or(("UNKNOWN_SCOPE", "This scope does not exist. The contract's security scheme lists all scopes."))?;
    if is_bound && scope.is_admin() {
        return Err(("SCOPE_OF_STAFF", "A machine client of a partner cannot have a scope under labs.admin."));
    }
    if scope.is_admin() && !grantable.reaches(scope) {
        return Err((
            "SCOPE_BEYOND_YOURS",
            "You can grant a machine client only the scopes under labs.admin that you hold yourself.",
        ));
    }
    Ok(scope)
}

/// Normalizes the networks and removes duplicates. The given order is kept.
pub(super) fn networks(wanted: &[String], errors: &mut Vec<FieldError>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut networks = Vec::with_capacity(wanted.len());
    for (place, text) in wanted.iter().enumerate() {
        match text.parse::<IpNet>() {
            Ok(network) if network.trunc() == network => {
                if seen.insert(network) {
                    networks.push(network.to_string());
                }
            }
            Ok(network) => {
                let message = format!("The bits after the prefix must be zero. Did you mean {}?", network.trunc());
                errors.push(FieldError::at(format!("/allowed_networks/{place}"), "HOST_BITS", message));
            }
            Err(_) => errors.push(FieldError::at(
                format!("/allowed_networks/{place}"),
                "FORMAT",
                "This is not a network in CIDR notation. Send a network, for example 198.51.100.0/24.",
            )),
        }
    }
    networks
}

/// Checks that the contact's address is a valid e-mail address.
pub(super) fn contact_email(address: Option<&str>, errors: &mut Vec<FieldError>) {
    if address.is_some_and(|address| EmailAddress::parse(address).is_err()) {
        errors.push(FieldError::at("/contact_email", "FORMAT", "This is not an e-mail address."));
    }
}

/// Checks that a machine client can be bound to a partner in this state. `None` means that the partner does not exist.
pub(super) fn partner(state: Option<&str>, errors: &mut Vec<FieldError>) {
    let error = match state {
        None => {
            ("UNKNOWN_PARTNER", "This partner does not exist. Omit the field for a machine client without a partner.")
        }
        Some("CLOSED" | "ERASED") => {
            ("PARTNER_CLOSED", "This partner is closed, so a machine client cannot act for it.")
        }
        Some(_) => return,
    };
    errors.push(FieldError::at("/partner_uuid", error.0, error.1));
}

/// Rejects a new client secret if too many former secrets would stay valid with it.
///
/// # Errors
/// [`labs_core::fault::Code::Conflict`] if the maximum would be exceeded.
pub(super) fn ensure_may_rotate(good: i64, former_live_on: bool) -> Result<(), Fault> {
    if former_live_on && good >= MOST_SECRETS {
        return Err(Fault::conflict(
            "This machine client already has two valid secrets. Delete one of them, wait until the former one \
             expires, or send old_secret_expires_in 0 to expire both at once.",
        ));
    }
    Ok(())
}

/// Rejects giving a caller the secret of a machine client that has more rights under `labs.admin` than the caller, or
/// opening that client to the caller in another way. The caller could act through the client.
///
/// # Errors
/// [`labs_core::fault::Code::ScopeMissing`], with the scope that the caller lacks.
pub(super) fn ensure_may_take_secret(allowed: &[String], own: ScopeSet) -> Result<(), Fault> {
    let beyond =
        allowed.iter().filter_map(|name| Scope::parse(name)).find(|scope| scope.is_admin() && !own.reaches(*scope));
    match beyond {
        Some(scope) => Err(Fault::scope(scope.to_string())),
        None => Ok(()),
    }
}

/// Whether the change allows calls from an address that was not allowed before. An empty list allows any address. A
/// network is new unless one previous network contains it completely.
pub(super) fn is_wider(before: &[IpNet], after: &[String]) -> bool {
    let is_held = |text: &String| {
        text.parse::<IpNet>().is_ok_and(|network| before.iter().any(|before| before.contains(&network)))
    };
    !before.is_empty() && (after.is_empty() || !after.iter().all(is_held))
}

/// Returns the allowed scopes that no call ever required, directly or through a narrower scope. They can be removed.
pub(super) fn list_unused(allowed: &[String], used: &[&str]) -> Vec<String> {
    let used: Vec<Scope> = used.iter().filter_map(|name| Scope::parse(name)).collect();
    let is_used = |name: &str| Scope::parse(name).is_some_and(|scope| used.iter().any(|used| scope.grants(*used)));
    allowed.iter().filter(|name| !is_used(name)).cloned().collect()
}

/// Normalizes the name as it is stored.
pub(super) fn name(text: &str, errors: &mut Vec<FieldError>) -> String {
    let name = text.trim();
    if name.is_empty() {
        errors.push(FieldError::at("/name", "LENGTH", "Send a name of 1 to 120 characters."));
    }
    name.to_owned()
}

/// Renders a client id from 60 of the random bits, easy to read aloud.
pub(super) fn client_id(random: [u8; 12]) -> String {
    let digits = random.iter().map(|byte| DIGITS.get(usize::from(byte % 32)).copied().map_or('0', char::from));
    "labs-client-".chars().chain(digits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use labs_core::fault::Code;

    fn allowed(wanted: &[&str], is_bound: bool, own: &[&str]) -> Result<Vec<String>, Vec<(String, String)>> {
        let wanted: Vec<String> = wanted.iter().map(ToString::to_string).collect();
        let mut errors = Vec::new();
        let scopes = scopes(&wanted, is_bound, ScopeSet::parse(own.iter().copied()), ScopeSet::default(), &mut errors);
        if errors.is_empty() {
            return Ok(scopes);
        }
        Err(errors.into_iter().map(|error| (error.pointer.unwrap(), error.code)).collect())
    }

    #[test]
    fn bound_client_cannot_get_admin_scope() {
        for scope in Scope::all().filter(|scope| scope.is_admin()) {
            let refused = allowed(&["statistics", &scope.to_string()], true, &["labs.admin:write"]).unwrap_err();
            assert_eq!(refused, [("/allowed_scopes/1".to_owned(), "SCOPE_OF_STAFF".to_owned())]);
        }
        for scope in Scope::all().filter(|scope| !scope.is_admin()) {
            assert_eq!(allowed(&[&scope.to_string()], true, &[]), Ok(vec![scope.to_string()]));
        }
    }

    #[test]
    fn caller_cannot_grant_client_scopes_beyond_own() {
        let operator = ["labs.admin.clients:write", "labs.admin.overview"];
        assert!(allowed(&["labs.admin.clients", "labs.admin.overview"], false, &operator).is_ok());
        for beyond in ["labs.admin", "labs.admin:write", "labs.admin.overview:write", "labs.admin.audit"] {
            let refused = allowed(&[beyond], false, &operator).unwrap_err();
            assert_eq!(refused, [("/allowed_scopes/0".to_owned(), "SCOPE_BEYOND_YOURS".to_owned())]);
        }
    }

    #[test]
    fn existing_client_scope_may_stay() {
        let mut errors = Vec::new();
        let wanted = ["labs.admin.audit", "labs.admin.limits"].map(str::to_owned);
        let held = ScopeSet::parse(["labs.admin.audit:write"]);
        scopes(&wanted, false, ScopeSet::parse(["labs.admin.clients:write"]), held, &mut errors);
        let places: Vec<_> = errors.iter().filter_map(|error| error.pointer.as_deref()).collect();
        assert_eq!(places, ["/allowed_scopes/1"]);
    }

    #[test]
    fn caller_cannot_take_secret_of_more_powerful_client() {
        let allowed = ["storefront:write", "labs.admin.tiers"].map(str::to_owned);
        assert!(ensure_may_take_secret(&allowed, ScopeSet::parse(["labs.admin"])).is_ok());
        let refused = ensure_may_take_secret(&allowed, ScopeSet::parse(["labs.admin.clients:write"])).unwrap_err();
        assert_eq!(refused.required_scope(), Some("labs.admin.tiers"));
    }

    #[test]
    fn networks_widen_unless_covered_by_former_networks() {
        let before = |texts: &[&str]| texts.iter().map(|text| text.parse::<IpNet>().unwrap()).collect::<Vec<_>>();
        let cases: [(&[&str], &[&str], bool); 7] = [
            (&["198.51.100.0/24"], &["198.51.100.0/25"], false),
            (&["198.51.100.0/24"], &["198.51.100.0/24"], false),
            (&["198.51.100.0/24"], &["198.51.100.0/24", "2001:db8::/48"], true),
            (&["198.51.100.0/24"], &["198.51.0.0/16"], true),
            (&["198.51.100.0/24"], &[], true),
            (&[], &["198.51.100.0/24"], false),
            (&[], &[], false),
        ];
        for (held, wanted, expected) in cases {
            let wanted: Vec<String> = wanted.iter().map(ToString::to_string).collect();
            assert_eq!(is_wider(&before(held), &wanted), expected, "{held:?} {wanted:?}");
        }
    }

    #[test]
    fn scope_is_used_if_any_narrower_scope_is() {
        let allowed = ["marketplace:write", "partner", "statistics"].map(str::to_owned);
        assert_eq!(list_unused(&allowed, &["marketplace.apps", "statistics"]), ["partner"]);
        assert_eq!(list_unused(&allowed, &["partner:write"]), allowed, "what it may not do, it did not do by these");
    }

    #[test]
    fn unknown_scope_is_reported_at_its_index() {
        let refused = allowed(&["labs", "marketplace", "marketplace.apps:read"], false, &[]).unwrap_err();
        let unknown = "UNKNOWN_SCOPE".to_owned();
        assert_eq!(
            refused,
            [("/allowed_scopes/0".to_owned(), unknown.clone()), ("/allowed_scopes/2".to_owned(), unknown)]
        );
    }

    #[test]
    fn scopes_are_minimized_and_sorted() {
        let scopes = allowed(&["statistics", "marketplace.apps", "marketplace.apps:write", "statistics"], true, &[]);
        assert_eq!(scopes.unwrap(), ["marketplace.apps:write", "statistics"]);
    }

    #[test]
    fn networks_are_normalized_and_deduplicated() {
        let mut errors = Vec::new();
        let wanted = ["2001:DB8:40:0::/48", "198.51.100.0/24", "2001:db8:40::/48"].map(str::to_owned);
        assert_eq!(networks(&wanted, &mut errors), ["2001:db8:40::/48", "198.51.100.0/24"]);
        assert!(errors.is_empty());
    }

    #[test]
    fn invalid_network_is_reported_at_its_index() {
        let mut errors = Vec::new();
        networks(&["198.51.100.7/24", "198.51.100.0/33", "10.0.0.0/8"].map(str::to_owned), &mut errors);
        let places: Vec<_> = errors.iter().map(|error| (error.pointer.as_deref().unwrap(), &*error.code)).collect();
        assert_eq!(places, [("/allowed_networks/0", "HOST_BITS"), ("/allowed_networks/1", "FORMAT")]);
        assert!(errors[0].message.contains("198.51.100.0/24"));
    }

    #[test]
    fn client_cannot_be_bound_to_closed_partner() {
        let code = |state| {
            let mut errors = Vec::new();
            partner(state, &mut errors);
            errors.pop().map(|error| error.code)
        };
        assert_eq!(code(None).as_deref(), Some("UNKNOWN_PARTNER"));
        for closed in ["CLOSED", "ERASED"] {
            assert_eq!(code(Some(closed)).as_deref(), Some("PARTNER_CLOSED"));
        }
        for open in ["ACTIVE", "SUSPENDED", "CLOSING"] {
            assert_eq!(code(Some(open)), None);
        }
    }

    #[test]
    fn third_secret_is_rejected_unless_others_are_revoked() {
        for good in 0..2 {
            assert!(ensure_may_rotate(good, true).is_ok() && ensure_may_rotate(good, false).is_ok());
        }
        assert_eq!(ensure_may_rotate(2, true).unwrap_err().code(), Code::Conflict);
        assert!(ensure_may_rotate(2, false).is_ok());
    }

    #[test]
    fn client_id_has_documented_form() {
        assert_eq!(client_id([0; 12]), "labs-client-000000000000");
        assert_eq!(client_id([255; 12]), "labs-client-zzzzzzzzzzzz");
    }
}
