//! Identities of other issuers that a machine client trusts. A program that presents one gets a token without a secret.
//!
//! Rule: docs/decisions/credentials.md#tokens-without-a-secret.

use std::collections::BTreeSet;

use labs_core::describe::{InputType, OutputType};
use labs_core::fault::FieldError;
use labs_core::services::Services;
use labs_crypto::assertion::Identity;
use serde::{Deserialize, Serialize};

/// Claims that have their own field, and claims that differ between two assertions of one identity.
const OTHER_CLAIMS: [&str; 7] = ["iss", "sub", "aud", "exp", "iat", "nbf", "jti"];

/// An identity of another issuer that may get tokens of the machine client without a secret.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, OutputType)]
pub struct TrustedIdentity {
    /// Issuer of the identity: the exact `iss` of its assertions.
    pub issuer: String,
    /// Audience of the identity: the exact and only `aud` of its assertions.
    pub audience: String,
    /// Subject of the identity: the exact `sub` of its assertions.
    pub subject: String,
    /// Further claims that an assertion must contain.
    pub claims: Vec<TrustedClaim>,
}

/// A claim that an assertion must contain with exactly this value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, OutputType)]
pub struct TrustedClaim {
    /// Name of the claim, for example `repository_owner_id`.
    pub name: String,
    /// Value of the claim. Numbers and truth values are compared as text.
    pub value: String,
}

/// An identity of another issuer to trust.
#[derive(Deserialize, InputType)]
pub struct TrustedIdentityInput {
    /// Issuer of the identity: the exact `iss` of its assertions. Only issuers that the operator of the service allows.
    issuer: String,
    /// Audience of the identity: the exact and only `aud` of its assertions. It must be the base URL of the service, or
    /// begin with the base URL and a slash, so that an assertion for another service is never accepted. If omitted or
    /// null, it is the base URL.
    audience: Option<String>,
    /// Subject of the identity: the exact `sub` of its assertions. It cannot contain wildcards.
    subject: String,
    /// Further claims that an assertion must contain. Name those that cannot be taken over together with a name, for
    /// example the numeric id of a repository's owner.
    claims: Option<Vec<TrustedClaimInput>>,
}

/// A claim that an assertion must contain with exactly this value.
#[derive(Deserialize, InputType)]
pub struct TrustedClaimInput {
    /// Name of the claim, for example `repository_owner_id`.
    name: String,
    /// Value of the claim. Numbers and truth values are compared as text.
    value: String,
}

impl TrustedIdentity {
    /// Whether an identity is this one.
    #[must_use]
    pub fn matches(&self, identity: &Identity) -> bool {
        let has = |claim: &TrustedClaim| identity.claim(&claim.name).as_ref() == Some(&claim.value);
        self.issuer == identity.issuer
            && self.subject == identity.subject
            && identity.audience.as_ref() == Some(&self.audience)
            && self.claims.iter().all(has)
    }
}

/// Checks the identities to trust and returns them as they are stored: sorted, each once.
pub fn check_identities(
    wanted: Vec<TrustedIdentityInput>,
    services: &Services,
    errors: &mut Vec<FieldError>,
) -> Vec<TrustedIdentity> {
    let base_url = &services.settings.base_url;
    let allowed = &services.settings.trusted_issuers;
    let checked = wanted.into_iter().enumerate().map(|(place, identity)| {
        let at = |field: &str| format!("/trusted_identities/{place}/{field}");
        let audience = identity.audience.unwrap_or_else(|| base_url.clone());
        let mut refuse = |field: String, code: &str, message: String| errors.push(FieldError::at(field, code, message));
        if !allowed.contains(&identity.issuer) {
            refuse(at("issuer"), "ISSUER_NOT_ALLOWED", describe_allowed(allowed));
        }
        if !is_for_service(&audience, base_url) {
            let message = format!("An assertion must be made for this service. Send {base_url}, or omit the field.");
            refuse(at("audience"), "OTHER_AUDIENCE", message);
        }
        if identity.subject.contains(['*', '?']) {
            let message = "The subject is compared exactly and cannot contain wildcards. Send one identity for each \
                           subject.";
            refuse(at("subject"), "WILDCARD", message.to_owned());
        }
        let mut names = BTreeSet::new();
        let mut claims = Vec::new();
        for (number, claim) in identity.claims.unwrap_or_default().into_iter().enumerate() {
            let pointer = at(&format!("claims/{number}/name"));
            if OTHER_CLAIMS.contains(&claim.name.as_str()) {
                let message = "This claim has its own field, or differs in each assertion. Omit it.";
                refuse(pointer, "NOT_ALLOWED", message.to_owned());
            } else if !names.insert(claim.name.clone()) {
                refuse(pointer, "DUPLICATE", "A claim can have only one value. Send it once.".to_owned());
            } else {
                claims.push(TrustedClaim { name: claim.name, value: claim.value });
            }
        }
        claims.sort();
        TrustedIdentity { issuer: identity.issuer, audience, subject: identity.subject, claims }
    });
    checked.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Whether an audience names this service and no other one.
fn is_for_service(audience: &str, base_url: &str) -> bool {
    audience.strip_prefix(base_url).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn describe_allowed(allowed: &[String]) -> String {
    if allowed.is_empty() {
        return "The operator allows no issuers. Ask for this issuer in LABS_TRUSTED_ISSUERS.".to_owned();
    }
    format!("The operator does not allow this issuer. Send one of these: {}.", allowed.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn audience_must_name_this_service() {
        let base = "https://labs.example";
        for good in [base, "https://labs.example/", "https://labs.example/v1/oauth/token"] {
            assert!(is_for_service(good, base), "{good}");
        }
        for bad in [
            "https://labs.example.attacker.example",
            "https://labs.example:8443",
            "sts.amazonaws.com",
            "",
            "http://labs.example",
            "https://github.com/nordsee",
        ] {
            assert!(!is_for_service(bad, base), "{bad}");
        }
    }
}
