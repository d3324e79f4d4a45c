//! A version of an app.

use async_graphql::Enum;

use crate::fault::Fault;

/// Where a version is (specification: decisions, States).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Enum)]
#[graphql(name = "AppVersionState")]
pub(crate) enum State {
    /// Being written.
    Draft,
    /// Waits for a reviewer.
    Submitted,
    /// A reviewer has it.
    InReview,
    /// Mend the findings and submit again.
    ChangesRequested,
    /// May be published.
    Approved,
    /// Goes live at the time named.
    Scheduled,
    /// Live.
    Published,
    /// Was live until a later one was published.
    Superseded,
    /// Refused; may be appealed once.
    Rejected,
    /// Taken back by its owner.
    Withdrawn,
}

impl State {
    /// Reads the column's value.
    ///
    /// # Errors
    /// [`crate::Code::Internal`] for a value that the column's check would not let in.
    pub(crate) fn parse(text: &str) -> Result<Self, Fault> {
        Ok(match text {
            "DRAFT" => Self::Draft,
            "SUBMITTED" => Self::Submitted,
            "IN_REVIEW" => Self::InReview,
            "CHANGES_REQUESTED" => Self::ChangesRequested,
            "APPROVED" => Self::Approved,
            "SCHEDULED" => Self::Scheduled,
            "PUBLISHED" => Self::Published,
            "SUPERSEDED" => Self::Superseded,
            "REJECTED" => Self::Rejected,
            "WITHDRAWN" => Self::Withdrawn,
            other => return Err(Fault::internal(format!("a version in the state {other}"))),
        })
    }
}
