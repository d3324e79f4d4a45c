//! Rules for the manifest of a version.

use std::collections::HashSet;

use labs_core::describe::{Json, OutputType};
use labs_core::fault::{Fault, FieldError};
use labs_core::locale::best;
use labs_core::plain::{err_too_long, line};
use labs_core::texts::Texts;
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
    /// Reason in other languages, by locale. A reader whose language is not among them reads `reason`.
    #[serde(default)]
    pub(crate) reasons: Json<Texts>,
}

/// A permission of an app on the customer's data, with the reason in the reader's language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, OutputType)]
pub(crate) struct ListingPermission {
    /// Permission code. `:write` includes reading.
    code: String,
    /// Reason for the permission, in one sentence, in the best language for the reader.
    reason: String,
}

impl AppPermission {
    /// Returns the permission with the reason for a reader with this preference ([`labs_core::locale::preference`]).
    pub(crate) fn for_reader(self, preference: Option<&str>) -> ListingPermission {
        let Json(mut reasons) = self.reasons;
        let locale = preference.and_then(|preference| best(reasons.keys().map(String::as_str), preference));
        let translated = locale.map(str::to_owned).and_then(|locale| reasons.remove(&locale));
        ListingPermission { code: self.code, reason: translated.unwrap_or(self.reason) }
    }
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
        normalise_reason(&pointer, &mut permission.reason, &mut errors);
        for (locale, reason) in &mut permission.reasons.0 {
            let pointer = format!("/manifest/permissions/{position}/reasons/{locale}");
            normalise_reason(&pointer, reason, &mut errors);
        }
    }
    errors.extend(breaches(&manifest));
    if errors.is_empty() { Ok(manifest) } else { Err(Fault::invalid(errors)) }
}

fn normalise_reason(pointer: &str, reason: &mut String, errors: &mut Vec<FieldError>) {
    *reason = line(pointer, reason, errors);
    errors.extend(err_too_long(pointer, reason, LONGEST_REASON));
    if reason.chars().count() < SHORTEST_REASON {
        let message = "State in at least ten letters why the app needs this permission. Customers read it before they \
                       install the app.";
        errors.push(FieldError::at(pointer, "TOO_SHORT", message));
    }
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
    use labs_core::locale::preference;

    use super::*;

    #[test]
    fn every_manifest_error_has_its_pointer() {
        let manifest = |codes: &[&str], uris: &[&str]| AppManifest {
            permissions: codes
                .iter()
                .map(|code| AppPermission {
                    code: (*code).into(),
                    reason: "  Needed at the table. ".into(),
                    reasons: Json::default(),
                })
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
        let mut short = manifest(&["orders"], &[]);
        short.permissions[0].reasons.insert("de".to_owned(), "Kurz.".to_owned());
        assert_eq!(pointers(normalise(short).unwrap_err()), ["/manifest/permissions/0/reasons/de"]);
    }

    #[test]
    fn reader_gets_reason_in_the_best_language() {
        let reasons = Texts::from(
            [("de", "Zeigt den Tisch."), ("fr", "Montre la table.")]
                .map(|(locale, text)| (locale.to_owned(), text.to_owned())),
        );
        let permission =
            AppPermission { code: "orders".to_owned(), reason: "Shows the table.".to_owned(), reasons: Json(reasons) };
        let read = |locale: Option<&str>| {
            let preference = preference(locale.map(str::to_owned));
            permission.clone().for_reader(preference.as_deref()).reason
        };
        assert_eq!(read(Some("de-AT")), "Zeigt den Tisch.");
        assert_eq!(read(Some("fr")), "Montre la table.");
        assert_eq!(read(Some("nl")), "Shows the table.");
        assert_eq!(read(None), "Shows the table.");
    }
}
