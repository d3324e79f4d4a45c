//! Reasons of staff actions, for the audit record.

use labs_core::context::RequestContext;
use labs_core::describe::InputType;

/// Reason for an action.
#[derive(serde::Deserialize, InputType)]
pub(crate) struct Reason {
    /// Reason for the action. Kept in the audit record. The partner can read it if the operation has `@partner_reads`.
    reason: String,
}

/// Optional reason for an action.
#[derive(serde::Deserialize, InputType)]
pub(crate) struct Remark {
    /// Reason for the action. Kept in the audit record. The partner can read it if the operation has `@partner_reads`.
    reason: Option<String>,
}

impl Reason {
    /// Adds the reason to the audit record and returns it for other uses.
    pub(crate) fn note(self, cx: &RequestContext) -> String {
        cx.note_reason(self.reason.as_str());
        self.reason
    }

    /// Returns the text.
    pub(crate) fn into_text(self) -> String {
        self.reason
    }
}

impl Remark {
    /// Returns the text, if one was given.
    pub(crate) fn into_text(self) -> Option<String> {
        self.reason
    }

    /// Adds the reason to the audit record, if one was given.
    pub(crate) fn note(remark: Option<Self>, cx: &RequestContext) {
        if let Some(reason) = remark.and_then(|remark| remark.reason) {
            cx.note_reason(reason);
        }
    }
}
