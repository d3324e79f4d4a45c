//! Rules for the manifest of a version.

use std::collections::HashSet;

use labs_core::describe::OutputType;
use labs_core::fault::{Fault, FieldError};
use labs_core::plain::{err_too_long, line};
use labs_core::web_address::is_redirect_uri;
use serde::{Deserialize, Serialize};

/// Minimum number of characters of a reason (the contract's `AppPermission`).
const SHORTEST_REASON: usize = 10;
/// Maximum number of characters of a reason (the contract's `AppPermission`).
const LONGEST_REASON: usize = 300;

/// Permissions and redirect URIs that the version requests from the platform.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, OutputType)]
pub(crate) struct AppManifest {
    /// Permissions of the app on a customer's data, each named once.
    #[serde(default)]
    pub(crate) permissions: Vec<AppPermission>,
    /// URIs to which the platform may redirect a customer after consent. Compared character by character.
    #[serde(default)]
    pub(crate) redirect_uris: Vec<String>,
}

/// A permission of the platform's own API, with the app's reason for requesting it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, OutputType)]
pub(crate) struct AppPermission {
    /// Permission code. `:write` includes reading.
    pub(crate) code: String,
    /// Reason for the permission, in one sentence. Customers read it before they install the app.
    pub(crate) reason: String,
}

/// Normalizes the manifest: reasons are trimmed and NFC-normalized. It checks the rules that the contract's schema
/// cannot express: each permission appears once and has a reason, and the platform may redirect a customer to each
/// redirect URI.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`], with a pointer to every violation.
pub(in crate::versions) fn normalise(mut manifest: AppManifest) -> Result<AppManifest, Fault> {
    let mut errors = Vec::new();
    for (position, permission) in manifest.permissions.iter_mut().enumerate() {
        let pointer = format!("/manifest/permissions/{position}/reason");
        permission.reason = line(&pointer, &permission.reason, &mut errors);
        errors.extend(err_too_long(&pointer, &permission.reason, LONGEST_REASON));
        if permission.reason.chars().count() < SHORTEST_REASON {
            let message = "State in at least ten letters why the app needs this permission. Customers read it before \
                           they install the app.";
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
            format!("The permission {code} occurs twice. Name it once, with one reason."),
        )
    });
    let mut errors: Vec<FieldError> = doubles.collect();
    let uris = manifest.redirect_uris.iter().enumerate();
    errors.extend(uris.filter(|(_, uri)| !is_redirect_uri(uri)).map(|(position, _)| {
        FieldError::at(
            format!("/manifest/redirect_uris/{position}"),
            "NOT_ALLOWED",
            "Send an https address without a fragment or wildcard, or an address on localhost, 127.0.0.1 or [::1].",
        )
    }));
    errors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_manifest_error_has_its_pointer() {
        let manifest = |codes: &[&str], uris: &[&str]| AppManifest {
            permissions: codes
                .iter()
                .map(|code| AppPermission { code: (*code).into(), reason: "  Needed at the table. ".into() })
                .collect(),
            redirect_uris: uris.iter().map(|uri| (*uri).to_owned()).collect(),
        };
        let pointers = |fault: Fault| {
            let mut pointers: Vec<String> = fault.errors().iter().filter_map(|error| error.pointer.clone()).collect();
            pointers.dedup();
            pointers
        };
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
