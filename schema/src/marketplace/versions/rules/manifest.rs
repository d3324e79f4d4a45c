//! What a version may ask of the platform.

use std::collections::HashSet;

use async_graphql::SimpleObject;
use serde::{Deserialize, Serialize};

use crate::core::fault::{Fault, FieldError};
use crate::core::plain::{line, too_long};

/// Longest redirect URI, in characters.
const LONGEST_URI: usize = 500;
/// Fewest characters that say why (the contract's `AppPermission`).
const SHORTEST_REASON: usize = 10;
/// Most characters that say why (the contract's `AppPermission`).
const LONGEST_REASON: usize = 300;

/// What a version asks of the platform.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct AppManifest {
    /// What the app may do with a customer's data, each named once.
    #[serde(default)]
    pub(crate) permissions: Vec<AppPermission>,
    /// Where the platform may send a customer back to after consent.
    #[serde(default)]
    pub(crate) redirect_uris: Vec<String>,
}

/// One permission of the platform's own API, and why the app needs it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct AppPermission {
    /// The permission. `:write` includes reading.
    pub(crate) code: String,
    /// Why, in a sentence that customers read before they install the app.
    pub(crate) reason: String,
}

/// The manifest as it is kept, its reasons without blanks around them and in one form, when it holds what the contract's
/// schema cannot say: each permission once and for a reason, each redirect URI one that the platform may send a customer
/// to.
///
/// # Errors
/// [`crate::Code::ValidationFailed`], every breach with its pointer.
pub(in crate::marketplace::versions) fn normalise(mut manifest: AppManifest) -> Result<AppManifest, Fault> {
    let mut errors = Vec::new();
    for (position, permission) in manifest.permissions.iter_mut().enumerate() {
        let pointer = format!("/manifest/permissions/{position}/reason");
        permission.reason = line(&pointer, &permission.reason, &mut errors);
        errors.extend(too_long(&pointer, &permission.reason, LONGEST_REASON));
        if permission.reason.chars().count() < SHORTEST_REASON {
            let message = "Say in ten letters or more why the app needs it. Customers read it before they install.";
            errors.push(FieldError::at(pointer, "TOO_SHORT", message));
        }
    }
    errors.extend(breaches(&manifest));
    if errors.is_empty() { Ok(manifest) } else { Err(Fault::invalid(errors)) }
}

fn breaches(manifest: &AppManifest) -> Vec<FieldError> {
    let mut known = HashSet::new();
    let codes = manifest.permissions.iter().map(|permission| permission.code.as_str()).enumerate();
    let doubles = codes.filter(|(_, code)| !known.insert(*code)).map(|(position, code)| {
        FieldError::at(
            format!("/manifest/permissions/{position}/code"),
            "DUPLICATE",
            format!("The permission {code} is named twice. Name it once, with one reason."),
        )
    });
    let mut errors: Vec<FieldError> = doubles.collect();
    let uris = manifest.redirect_uris.iter().enumerate();
    errors.extend(uris.filter(|(_, uri)| !is_redirect_uri(uri)).map(|(position, _)| {
        FieldError::at(
            format!("/manifest/redirect_uris/{position}"),
            "NOT_ALLOWED",
            "Send an https address without fragment and wildcard, or http on localhost, 127.0.0.1 or [::1].",
        )
    }));
    errors
}

/// Whether the platform may send a customer back there: https anywhere, plain http only on the machine the
/// customer sits at (RFC 8252 section 7.3), never with a fragment or a wildcard.
fn is_redirect_uri(uri: &str) -> bool {
    let plain = uri.chars().all(|letter| letter.is_ascii_graphic() && !matches!(letter, '#' | '*' | '\\'));
    if !plain || uri.len() > LONGEST_URI {
        return false;
    }
    let host_of = |rest: &str| rest.split(['/', '?']).next().map(str::to_owned).filter(|host| !host.contains('@'));
    if let Some(rest) = uri.strip_prefix("https://") {
        return host_of(rest).is_some_and(|host| !host.is_empty() && !host.starts_with(':'));
    }
    let Some(host) = uri.strip_prefix("http://").and_then(host_of) else { return false };
    ["localhost", "127.0.0.1", "[::1]"].iter().any(|loopback| {
        host.strip_prefix(loopback).is_some_and(|port| {
            port.is_empty()
                || port.strip_prefix(':').is_some_and(|digits| digits.len() <= 5 && digits.parse::<u16>().is_ok())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn customers_are_sent_to_https_or_to_their_own_machine() {
        for uri in [
            "https://planner.mise.example/oauth/callback",
            "https://a.example:8443/?next=1",
            "http://localhost",
            "http://localhost:8123/back",
            "http://127.0.0.1:9000/",
            "http://[::1]:80/x",
        ] {
            assert!(is_redirect_uri(uri), "{uri} was refused");
        }
    }

    #[test]
    fn customers_are_sent_nowhere_else() {
        for uri in [
            "http://planner.mise.example/",
            "https://",
            "https:///path",
            "https://:443/",
            "https://a.example/#token",
            "https://*.mise.example/",
            "https://a.example\\b",
            "https://user@a.example/",
            "http://localhost@evil.example/",
            "http://localhost.evil.example/",
            "http://localhost:99999/",
            "http://localhost:/",
            "ftp://a.example/",
            "javascript:alert(1)",
            "https://a.example/ x",
            "HTTPS://a.example/",
            "",
        ] {
            assert!(!is_redirect_uri(uri), "{uri} was taken");
        }
    }

    #[test]
    fn every_breach_is_named_with_its_place() {
        let manifest = |codes: &[&str], uris: &[&str]| AppManifest {
            permissions: codes
                .iter()
                .map(|code| AppPermission { code: (*code).into(), reason: "  Needed at the table. ".into() })
                .collect(),
            redirect_uris: uris.iter().map(|uri| (*uri).to_owned()).collect(),
        };
        let pointers =
            |fault: Fault| -> Vec<String> { fault.errors().iter().filter_map(|error| error.pointer.clone()).collect() };
        let fault = normalise(manifest(&["orders", "customers", "orders"], &["http://x.example/"])).unwrap_err();
        assert_eq!(pointers(fault), ["/manifest/permissions/2/code", "/manifest/redirect_uris/0"]);
        let mut good = manifest(&["orders"], &[]);
        assert_eq!(normalise(good.clone()).unwrap().permissions[0].reason, "Needed at the table.");
        for reason in ["          ", "Needed.   ", "Needed at\nthe table."] {
            good.permissions[0].reason = reason.to_owned();
            assert_eq!(
                pointers(normalise(good.clone()).unwrap_err()),
                ["/manifest/permissions/0/reason"],
                "{reason:?}"
            );
        }
    }
}
