//! Why an operator does something, for the audit record.

use async_graphql::InputObject;

use crate::core::context::RequestContext;

/// Reason for an action.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct Reason {
    /// Reason for the action. Kept in the audit record.
    reason: String,
}

/// Optional reason for an action.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct Remark {
    /// Kept in the audit record.
    reason: Option<String>,
}

impl Reason {
    /// Hands it to the audit record, and to whoever else keeps it.
    pub(in crate::admin) fn note(self, cx: &RequestContext) -> String {
        cx.note_reason(self.reason.as_str());
        self.reason
    }

    /// The words.
    pub(in crate::admin) fn said(self) -> String {
        self.reason
    }
}

impl Remark {
    /// What was said, if anything was.
    pub(in crate::admin) fn into_text(self) -> Option<String> {
        self.reason
    }

    /// Hands it to the audit record, if it was said.
    pub(in crate::admin) fn note(said: Option<Self>, cx: &RequestContext) {
        if let Some(reason) = said.and_then(|remark| remark.reason) {
            cx.note_reason(reason);
        }
    }
}
