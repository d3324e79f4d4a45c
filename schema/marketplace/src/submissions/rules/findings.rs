//! Rules for a finding: its requirement, its path, the observation, and the reason for an unchanged place.

use std::collections::HashSet;

use labs_core::fault::{Fault, FieldError};

use crate::release::DifferencePaths;

/// Finding as a reviewer writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::submissions) struct WrittenFinding {
    pub(in crate::submissions) requirement_code: String,
    pub(in crate::submissions) text: String,
    /// Path into the submitted snapshot.
    pub(in crate::submissions) place: String,
    pub(in crate::submissions) observed: String,
    pub(in crate::submissions) why_now: Option<String>,
}

/// Checks that each finding names an active requirement and an existing path of the submission. If that place was
/// published before and did not change, the finding must give the reason.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`] with a pointer to each invalid finding.
pub(in crate::submissions) fn check(
    findings: &[WrittenFinding],
    known: &HashSet<&str>,
    places: &DifferencePaths,
) -> Result<(), Fault> {
    let mut errors = Vec::new();
    for (position, finding) in findings.iter().enumerate() {
        let mut refuse = |field: &str, code: &str, message: String| {
            errors.push(FieldError::at(format!("/findings/{position}/{field}"), code, message));
        };
        let WrittenFinding { requirement_code, place, .. } = finding;
        if !known.contains(requirement_code.as_str()) {
            let message = format!(
                "The listing requirement {requirement_code} does not exist. The checklist lists the effective ones."
            );
            refuse("requirement_code", "UNKNOWN_REQUIREMENT", message);
        }
        for (field, text) in [("text", &finding.text), ("observed", &finding.observed)] {
            if text.trim().is_empty() {
                refuse(field, "REQUIRED", "Send a text that is not only blanks.".to_owned());
            }
        }
        if !places.has(place) {
            let message = format!(
                "The path {place} does not exist in the submission. Send a path in `submitted` or `differences`, for \
                 example /texts/en/tagline, /media/{{uuid}} or /version."
            );
            refuse("where", "UNKNOWN_PLACE", message);
        } else if places.is_unchanged(place) && finding.why_now.is_none() {
            let message = "This was published before and did not change. State in `why_now` why it has to change now.";
            refuse("why_now", "REQUIRED", message.to_owned());
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(Fault::invalid(errors)) }
}
